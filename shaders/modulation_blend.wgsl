// Last step of the modulation filter: |E| = lerp(|O|, max(0, filtered patch), M).

@group(0) @binding(6) var<storage, read> filtered: array<f32>;

@compute @workgroup_size(256)
fn modulation_blend(invocation: Invocation) {
    let cell = cells.first_cell + number_of(invocation);
    if cell >= cells.end_cell {
        return;
    }
    let at = index_in_before(cell);
    let m = mask[cell];
    let original = before_magnitude[at];
    var edited = original;
    if m != 0.0 {
        edited = original + (max(filtered[cell], 0.0) - original) * m;
    }
    magnitude[cell] = edited;
    phase[cell] = before_phase[at];
}
