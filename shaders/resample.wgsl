// Resampling for warps: every acting cell is taken from elsewhere in the plane. Twin: `resample` in Rust.

struct Resample {
    overlap: u32,      // a power of two
    nyquist_bin: u32,
}

struct Displaced {
    whole_frames: i32,
    frame_fraction: f32,
    whole_bins: i32,
    bin_fraction: f32,
    turns: f32,
    acts: u32,
}

@group(0) @binding(0) var<uniform> cells: Cells;
@group(0) @binding(1) var<storage, read> before_magnitude: array<f32>;
@group(0) @binding(2) var<storage, read> before_phase: array<f32>;
@group(0) @binding(3) var<storage, read> displacement: array<Displaced>;
@group(0) @binding(4) var<storage, read_write> magnitude: array<f32>;
@group(0) @binding(5) var<storage, read_write> phase: array<f32>;
@group(0) @binding(6) var<storage, read> roots: array<vec2<f32>>; // exp(-2 pi i j / overlap)
@group(0) @binding(7) var<uniform> parameters: Resample;

// The turns by which a tap in bin `bin` is turned for the part of a frame between it and the place read:
// `bin * fraction / overlap` modulo 1, multiplied in wrapping integers so that high bins lose nothing.
fn tap_turns(bin: i32, frame_fraction: f32, overlap: u32) -> f32 {
    let fixed = u32(frame_fraction * (4294967296.0 / f32(overlap)));
    return f32(bitcast<i32>(fixed * bitcast<u32>(bin))) * (1.0 / 4294967296.0);
}

// A cell of the endless plane; the frame counts in `before`, the bin on the grid.
fn tap(frame: i32, bin: i32) -> vec2<f32> {
    let n_fft = 2 * i32(parameters.nyquist_bin);
    let wrapped = bin & (n_fft - 1);
    let is_mirrored = wrapped > i32(parameters.nyquist_bin);
    let column = select(wrapped, n_fft - wrapped, is_mirrored) - i32(cells.first_bin - cells.before_bin);
    if frame < 0 || frame >= i32(cells.before_n_frames) || column < 0 || column >= i32(cells.before_n_bins) {
        return vec2<f32>(0.0);
    }
    let at = u32(frame) * cells.before_n_bins + u32(column);
    let x = before_magnitude[at] * cos_sin_turns(before_phase[at]);
    return select(x, conj(x), is_mirrored);
}

@compute @workgroup_size(256)
fn resample(invocation: Invocation) {
    let cell = cells.first_cell + number_of(invocation);
    if cell >= cells.end_cell {
        return;
    }
    let displaced = displacement[cell];
    let row = cell / cells.n_bins;
    let column = cell % cells.n_bins;
    if displaced.acts == 0u {
        let at = (cells.before_frame + row) * cells.before_n_bins + cells.before_bin + column;
        magnitude[cell] = before_magnitude[at];
        phase[cell] = before_phase[at];
        return;
    }
    let bin = i32(cells.first_bin + column);
    let fraction = displaced.frame_fraction;
    let first_frame = i32(cells.before_frame + row) + displaced.whole_frames - 1;
    let first_bin = bin + displaced.whole_bins - 1;
    let frame_weights = catmull_rom(fraction);
    let bin_weights = catmull_rom(displaced.bin_fraction);
    var sum = vec2<f32>(0.0);
    for (var k = 0; k < 4; k++) {
        let tap_bin = first_bin + k;
        var row_sum = vec2<f32>(0.0);
        for (var j = 0; j < 4; j++) {
            // The tap stands j - 1 frames after the frame at or before the place read.
            let root = roots[(tap_bin * (j - 1)) & (i32(parameters.overlap) - 1)];
            row_sum += mul(tap(first_frame + j, tap_bin), root) * frame_weights[j];
        }
        sum += mul(row_sum, cos_sin_turns(tap_turns(tap_bin, fraction, parameters.overlap))) * bin_weights[k];
    }
    sum = mul(sum, cos_sin_turns(displaced.turns));
    if bin == 0 || bin == i32(parameters.nyquist_bin) {
        sum.y = 0.0;
    }
    magnitude[cell] = magnitude_from_complex(sum);
    phase[cell] = turns_from_complex(sum);
}
