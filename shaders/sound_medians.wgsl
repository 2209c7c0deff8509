// Medians along time and along frequency, of the frames of many sounds one after the other. Twin: `medians` in Rust.

struct MedianCells {
    first_cell: u32,    // of this dispatch
    end_cell: u32,
    n_bins: u32,
    window: u32,        // frames and bins, odd
}

@group(0) @binding(0) var<uniform> parameters: MedianCells;
@group(0) @binding(1) var<storage, read> before_magnitude: array<f32>;
// Of each frame: the first one of its sound, and how many there are; none of a frame between two sounds.
@group(0) @binding(2) var<storage, read> lines: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read_write> harmonic: array<f32>;
@group(0) @binding(4) var<storage, read_write> percussive: array<f32>;

@compute @workgroup_size(256)
fn medians(invocation: Invocation) {
    let cell = parameters.first_cell + number_of(invocation);
    if cell >= parameters.end_cell {
        return;
    }
    let n_bins = parameters.n_bins;
    let frame = cell / n_bins;
    let bin = cell % n_bins;
    let line = lines[frame];
    if line.y == 0u {
        return;
    }
    harmonic[cell] = median(line.x * n_bins + bin, n_bins, line.y, frame - line.x, parameters.window);
    percussive[cell] = median(cell - bin, 1u, n_bins, bin, parameters.window);
}
