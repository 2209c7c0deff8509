// Band filter brush. Twin: `band_filter` in Rust.

@group(0) @binding(6) var<storage, read> response: array<f32>; // by bin of the grid

// |E| = |O| * lerp(1, B, M).
fn band_filter(response: f32, magnitude: f32, mask: f32) -> f32 {
    return magnitude * (1.0 + (response - 1.0) * mask);
}

@compute @workgroup_size(256)
fn run(invocation: Invocation) {
    let cell = cells.first_cell + number_of(invocation);
    if cell >= cells.end_cell {
        return;
    }
    let at = index_in_before(cell);
    let m = mask[cell];
    var edited = before_magnitude[at];
    if m != 0.0 {
        edited = band_filter(response[cells.first_bin + cell % cells.n_bins], edited, m);
    }
    magnitude[cell] = edited;
    phase[cell] = before_phase[at];
}
