// Erase brush. Twin: `erase` in Rust.

// |E| = |O| * (1 - M); exactly 0 where M is 1.
fn erase(magnitude: f32, mask: f32) -> f32 {
    return magnitude * (1.0 - mask);
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
        edited = erase(edited, m);
    }
    magnitude[cell] = edited;
    phase[cell] = before_phase[at];
}
