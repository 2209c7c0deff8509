// Contrast brush: spreads or narrows levels around a pivot. Twin: `contrast` in Rust.

struct Contrast {
    slope: f32,
    log2_pivot: f32,
}

@group(0) @binding(6) var<uniform> parameters: Contrast;

// |E| = |O| * lerp(1, 2^clamp((a - 1) log2(|O| / P), -20, 4), M), slope being a - 1.
fn contrast(slope: f32, log2_pivot: f32, magnitude: f32, mask: f32) -> f32 {
    let exponent = clamp(slope * (log2_poly(magnitude) - log2_pivot), -20.0, 4.0);
    return magnitude * (1.0 + (exp2_poly(exponent) - 1.0) * mask);
}

fn edited(cell: u32, before: f32, m: f32) -> f32 {
    return contrast(parameters.slope, parameters.log2_pivot, before, m);
}
