// |E| = |O| * lerp(1, B, M), B by bin of the whole spectrum.

@group(0) @binding(6) var<storage, read> response: array<f32>;

@compute @workgroup_size(256)
fn band_filter(invocation: Invocation) {
    let cell = cells.first_cell + number_of(invocation);
    if cell >= cells.end_cell {
        return;
    }
    let at = index_in_before(cell);
    let m = mask[cell];
    var edited = before_magnitude[at];
    if m != 0.0 {
        let b = response[cells.first_bin + cell % cells.n_bins];
        edited *= 1.0 + (b - 1.0) * m;
    }
    magnitude[cell] = edited;
    phase[cell] = before_phase[at];
}
