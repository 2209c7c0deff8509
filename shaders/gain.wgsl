// Gain brush. Twin: `gain` in Rust.

struct Gain {
    log2_gain: f32,
}

@group(0) @binding(6) var<uniform> parameters: Gain;

// |E| = |O| * 10^(gain_db * M / 20), as 2^(log2_gain * M).
fn gain(log2_gain: f32, magnitude: f32, mask: f32) -> f32 {
    return magnitude * exp2_poly(log2_gain * mask);
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
        edited = gain(parameters.log2_gain, edited, m);
    }
    magnitude[cell] = edited;
    phase[cell] = before_phase[at];
}
