// Gain brush. Twin: `gain` in Rust.

struct Gain {
    log2_gain: f32,
}

@group(0) @binding(6) var<uniform> parameters: Gain;

// |E| = |O| * 10^(gain_db * M / 20), as 2^(log2_gain * M).
fn gain(log2_gain: f32, magnitude: f32, mask: f32) -> f32 {
    return magnitude * exp2_poly(log2_gain * mask);
}

fn edited(cell: u32, before: f32, m: f32) -> f32 {
    return gain(parameters.log2_gain, before, m);
}
