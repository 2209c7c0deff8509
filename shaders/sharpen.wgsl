// Sharpen brush, after the blur along frames. Twin: `sharpen_mix` in Rust.

struct Sharpen {
    amount: f32,
}

@group(0) @binding(8) var<uniform> parameters: Sharpen;

// |E| = lerp(|O|, max(0, |O| + amount (|O| - G)), M).
fn sharpen_mix(magnitude: f32, blurred: f32, amount: f32, mask: f32) -> f32 {
    let sharp = max(magnitude + amount * (magnitude - blurred), 0.0);
    return magnitude + (sharp - magnitude) * mask;
}

fn edited(cell: u32, before: f32, m: f32) -> f32 {
    return sharpen_mix(before, blurred(cell), parameters.amount, m);
}
