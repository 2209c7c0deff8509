// The second pass of a Gaussian blur: along bins, at the ends of `before` the last cell repeated.

@group(0) @binding(6) var<storage, read> taps: array<f32>; // of this pass
// Frames of the mask, all bins of `before`.
@group(0) @binding(7) var<storage, read_write> along_frames: array<f32>;

fn blurred(cell: u32) -> f32 {
    let row = (cell / cells.n_bins) * cells.before_n_bins;
    let last = i32(cells.before_n_bins) - 1;
    let n_taps = i32(arrayLength(&taps));
    let first = i32(cells.before_bin + cell % cells.n_bins) - i32(arrayLength(&taps) / 2u);
    var sum = 0.0;
    for (var tap = 0; tap < n_taps; tap++) {
        sum += taps[tap] * along_frames[row + u32(clamp(first + tap, 0, last))];
    }
    return sum;
}
