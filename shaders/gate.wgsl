// Gate brush: lowers what is below a threshold. Twin: `gate` in Rust.

struct Gate {
    slope: f32,
    log2_threshold: f32,
    knee: f32,
    curve: f32,
    log2_floor: f32,
}

@group(0) @binding(6) var<uniform> parameters: Gate;

// |E| = |O| * lerp(1, 2^g, M), g being 0 above threshold and knee, slope * d below them, and a parabola between.
fn gate(magnitude: f32, mask: f32) -> f32 {
    let level = log2_poly(magnitude);
    let d = level - parameters.log2_threshold;
    let below = max(parameters.knee - d, 0.0);
    let exponent = select(parameters.slope * d, -parameters.curve * below * below, d > -parameters.knee);
    let factor = select(exp2_poly(exponent), 0.0, level + exponent < parameters.log2_floor);
    return magnitude * (1.0 + (factor - 1.0) * mask);
}

fn edited(cell: u32, before: f32, m: f32) -> f32 {
    return gate(before, m);
}
