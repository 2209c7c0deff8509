// Second pass of the blur: along bins, then |E| = lerp(|O|, G, M).

@group(0) @binding(6) var<storage, read> taps: array<f32>;
@group(0) @binding(7) var<storage, read> along_frames: array<f32>;

@compute @workgroup_size(256)
fn blur_bins(invocation: Invocation) {
    let cell = cells.first_cell + number_of(invocation);
    if cell >= cells.end_cell {
        return;
    }
    let at = index_in_before(cell);
    let m = mask[cell];
    let original = before_magnitude[at];
    var edited = original;
    if m != 0.0 {
        let row = (cell / cells.n_bins) * cells.before_n_bins;
        let bin = i32(cells.before_bin + cell % cells.n_bins);
        let last = i32(cells.before_n_bins) - 1;
        let n_taps = i32(arrayLength(&taps));
        let first = bin - n_taps / 2;
        var sum = 0.0;
        for (var k = 0; k < n_taps; k++) {
            let from_bin = u32(clamp(first + k, 0, last));
            sum += taps[k] * along_frames[row + from_bin];
        }
        edited = original + (sum - original) * m;
    }
    magnitude[cell] = edited;
    phase[cell] = before_phase[at];
}
