// Band filter brush. Twin: `band_filter` in Rust.

@group(0) @binding(6) var<storage, read> response: array<f32>; // by bin of the grid

// |E| = |O| * lerp(1, B, M).
fn band_filter(response: f32, magnitude: f32, mask: f32) -> f32 {
    return magnitude * (1.0 + (response - 1.0) * mask);
}

fn edited(cell: u32, before: f32, m: f32) -> f32 {
    return band_filter(response[cells.first_bin + cell % cells.n_bins], before, m);
}
