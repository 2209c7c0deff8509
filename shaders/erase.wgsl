// |E| = |O| * (1 - M); M = 1 writes exactly 0.

@compute @workgroup_size(256)
fn erase(invocation: Invocation) {
    let cell = cells.first_cell + number_of(invocation);
    if cell >= cells.end_cell {
        return;
    }
    let at = index_in_before(cell);
    let m = mask[cell];
    var edited = before_magnitude[at];
    if m != 0.0 {
        edited *= 1.0 - m;
    }
    magnitude[cell] = edited;
    phase[cell] = before_phase[at];
}
