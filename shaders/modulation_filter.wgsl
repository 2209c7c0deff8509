// Modulation filter brush, the last step. Twin: `run` of the modulation filter in Rust.

@group(0) @binding(6) var<storage, read> filtered: array<f32>;

fn edited(cell: u32, before: f32, m: f32) -> f32 {
    return blur_mix(before, max(filtered[cell], 0.0), m);
}
