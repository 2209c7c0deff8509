// One step towards consistency. Twin: `retarget` in Rust. `before` is the sound's own cells.

@group(0) @binding(6) var<storage, read> painted: array<f32>; // magnitudes, of the cells that are written

// The painted magnitude on the sound's own phase where the mask is above 0, the sound's own cell elsewhere.
fn retarget(now: f32, painted_magnitude: f32, mask: f32) -> f32 {
    return select(now, painted_magnitude, mask > 0.0);
}

@compute @workgroup_size(256)
fn run(invocation: Invocation) {
    let cell = cells.first_cell + number_of(invocation);
    if cell >= cells.end_cell {
        return;
    }
    let at = index_in_before(cell);
    magnitude[cell] = retarget(before_magnitude[at], painted[cell], mask[cell]);
    phase[cell] = before_phase[at];
}
