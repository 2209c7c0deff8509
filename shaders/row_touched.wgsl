// Which columns a change of cells on rows touches, and per slice between which places.

// One a frame of the region, then two a slice: how far the first changed place is before the last of all, and one after
// the last that changed; 0 without a change.
@group(0) @binding(7) var<storage, read_write> flags: array<atomic<u32>>;

@compute @workgroup_size(256)
fn row_touched(invocation: Invocation) {
    let n = number_of(invocation);
    if n >= part.n_columns * part.n_rows {
        return;
    }
    let column = n / part.n_rows;
    let row = n % part.n_rows;
    if !differ(before_cell(column, row), after_cell(column, row)) {
        return;
    }
    atomicOr(&flags[part.frame + column], 1u);
    let n_owned = part.n_places / 2u;
    let at = part.first_flag + 2u * ((part.first_column + column) / n_owned);
    let place = n_owned / 2u + (part.first_column + column) % n_owned;
    atomicMax(&flags[at], part.n_places - place);
    atomicMax(&flags[at + 1u], place + 1u);
}
