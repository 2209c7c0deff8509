// What every brush that edits magnitudes cell by cell and keeps the phase does; its `edited` says what becomes of one.

@compute @workgroup_size(256)
fn run(invocation: Invocation) {
    let cell = cells.first_cell + number_of(invocation);
    if cell >= cells.end_cell {
        return;
    }
    let at = index_in_before(cell);
    let m = mask[cell];
    let before = before_magnitude[at];
    if m != 0.0 {
        magnitude[cell] = edited(cell, before, m);
    } else {
        magnitude[cell] = before;
    }
    phase[cell] = before_phase[at];
}
