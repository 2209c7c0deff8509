// The loudest cell of some frames and bins, for a level of the pyramid, with its phase in 256 steps of a turn: relative
// to the rotation of its bin, and raw. Twin of `Peaks::raise_to_frame` in crates/view/src/levels/peaks.rs.

struct PeakCells {
    first_frame: u32,       // of the region
    n_frames: u32,
    n_bins: u32,
    first_entry: u32,       // of the result
    n_entries: u32,
    n_rows: u32,
    frames_per_entry: u32,
    bins_per_row: u32,
    frames_per_turn: u32,   // of the rotation of bin 1
    end_share: f32,         // factor on the first and the last bin
}

@group(0) @binding(0) var<uniform> peaks: PeakCells;
@group(0) @binding(1) var<storage, read> magnitude: array<f32>;
@group(0) @binding(2) var<storage, read> phase: array<f32>;
@group(0) @binding(3) var<storage, read_write> loudest: array<f32>;
@group(0) @binding(4) var<storage, read_write> steps: array<u32>; // the relative phase in bits 0 to 7, the raw one in 8 to 15

fn phase_step(turns: f32) -> u32 {
    let from_half = turns + 0.5;
    return u32(clamp((from_half - floor(from_half)) * 256.0, 0.0, 256.0)) & 255u;
}

@compute @workgroup_size(256)
fn level_peaks(invocation: Invocation) {
    let cell = number_of(invocation);
    if cell >= peaks.n_entries * peaks.n_rows {
        return;
    }
    let entry = peaks.first_entry + cell / peaks.n_rows;
    let first_bin = (cell % peaks.n_rows) * peaks.bins_per_row;
    let end_bin = min(first_bin + peaks.bins_per_row, peaks.n_bins);
    let first_frame = max(entry * peaks.frames_per_entry, peaks.first_frame);
    let end_frame = min((entry + 1u) * peaks.frames_per_entry, peaks.first_frame + peaks.n_frames);
    var peak = 0.0;
    var peak_frame = 0u;
    var peak_bin = 0u;
    for (var frame = first_frame; frame < end_frame; frame++) {
        let row = (frame - peaks.first_frame) * peaks.n_bins;
        for (var bin = first_bin; bin < end_bin; bin++) {
            let is_end = bin == 0u || bin + 1u == peaks.n_bins;
            let value = magnitude[row + bin] * select(1.0, peaks.end_share, is_end);
            if value > peak {
                peak = value;
                peak_frame = frame;
                peak_bin = bin;
            }
        }
    }
    loudest[cell] = peak;
    // The phase of silence is 0 turns.
    var turns = vec2<f32>(0.0);
    if peak > 0.0 {
        let raw = phase[(peak_frame - peaks.first_frame) * peaks.n_bins + peak_bin];
        let period = peaks.frames_per_turn;
        let rotation = ((peak_frame % period) * (peak_bin % period)) % period;
        turns = vec2<f32>(raw - f32(rotation) / f32(period), raw);
    }
    steps[cell] = phase_step(turns.x) | (phase_step(turns.y) << 8u);
}
