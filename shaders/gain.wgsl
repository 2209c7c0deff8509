// |E| = |O| * 2^(log2_gain * M).

struct Gain {
    log2_gain: f32,
}

@group(0) @binding(6) var<uniform> parameters: Gain;

@compute @workgroup_size(256)
fn gain(invocation: Invocation) {
    let cell = cells.first_cell + number_of(invocation);
    if cell >= cells.end_cell {
        return;
    }
    let at = index_in_before(cell);
    let m = mask[cell];
    var edited = before_magnitude[at];
    if m != 0.0 {
        edited *= exp2_poly(parameters.log2_gain * m);
    }
    magnitude[cell] = edited;
    phase[cell] = before_phase[at];
}
