// Sharpen brush, after the blur along frames. Twin: `sharpen_mix` in Rust.

struct Sharpen {
    amount: f32,
}

@group(0) @binding(8) var<uniform> parameters: Sharpen;

fn edited(cell: u32, before: f32, m: f32) -> f32 {
    return sharpen_mix(before, blurred(cell), parameters.amount, m);
}
