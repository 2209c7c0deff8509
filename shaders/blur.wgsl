// Blur brush: a separable Gaussian of the magnitude, along frames, then along bins. Twin: `blur` in Rust.

// Along frames, at the ends of `before` the last cell repeated.
@compute @workgroup_size(256)
fn blur_frames(invocation: Invocation) {
    let cell = cells.first_cell + number_of(invocation);
    if cell >= cells.end_cell {
        return;
    }
    let bin = cells.before_bin + cell % cells.n_bins;
    let last = i32(cells.before_n_frames) - 1;
    let n_taps = i32(arrayLength(&taps));
    let first = i32(cells.before_frame + cell / cells.n_bins) - i32(arrayLength(&taps) / 2u);
    var sum = 0.0;
    for (var tap = 0; tap < n_taps; tap++) {
        let frame = u32(clamp(first + tap, 0, last));
        sum += taps[tap] * before_magnitude[frame * cells.before_n_bins + bin];
    }
    along_frames[cell] = sum;
}

// Along bins, then mixed in.
fn edited(cell: u32, before: f32, m: f32) -> f32 {
    return blur_mix(before, blurred(cell), m);
}
