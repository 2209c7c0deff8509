// Modulation filter brush, the last step. Twin: `run` of the modulation filter in Rust.

@group(0) @binding(6) var<storage, read> filtered: array<f32>;

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
        edited = blur_mix(edited, max(filtered[cell], 0.0), m);
    }
    magnitude[cell] = edited;
    phase[cell] = before_phase[at];
}
