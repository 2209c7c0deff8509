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
        edited = sharpen_mix(edited, blurred(cell), parameters.amount, m);
    }
    magnitude[cell] = edited;
    phase[cell] = before_phase[at];
}
