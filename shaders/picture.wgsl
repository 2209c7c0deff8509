// Picture brush: a magnitude or a gain for each cell. Twin: `picture` in Rust.

struct Picture {
    are_gains: u32, // 1 for gains, 0 for magnitudes
}

@group(0) @binding(6) var<storage, read> values: array<f32>; // by cell of the mask
@group(0) @binding(7) var<uniform> parameters: Picture;

// |E| = lerp(|O|, |O| G, M) or lerp(|O|, T, M).
fn picture(are_gains: u32, value: f32, magnitude: f32, mask: f32) -> f32 {
    let multiplied = magnitude * (1.0 + (value - 1.0) * mask);
    let replaced = magnitude * (1.0 - mask) + value * mask;
    return select(replaced, multiplied, are_gains == 1u);
}

fn edited(cell: u32, before: f32, m: f32) -> f32 {
    return picture(parameters.are_gains, values[cell], before, m);
}
