// One dab of a smudge on rows that moves in time alone: each cell of the mask takes the one some columns before it,
// mixed in as a complex number. Twin: `RowDrag::paint`.

struct DraggedRows {
    columns: i32,    // from a cell's source to the cell
    first_row: u32,  // of the scale, on the grid; others have no source
    end_row: u32,    // exclusive
}

@group(0) @binding(6) var<uniform> parameters: DraggedRows;

@compute @workgroup_size(256)
fn row_drag(invocation: Invocation) {
    let cell = cells.first_cell + number_of(invocation);
    if cell >= cells.end_cell {
        return;
    }
    let at = index_in_before(cell);
    let m = mask[cell];
    if m == 0.0 {
        magnitude[cell] = before_magnitude[at];
        phase[cell] = before_phase[at];
        return;
    }
    let column = i32(cells.before_frame + cell / cells.n_bins) - parameters.columns;
    let row = cells.first_bin + cell % cells.n_bins;
    let is_within = column >= 0 && column < i32(cells.before_n_frames);
    var dragged = vec2<f32>(0.0);
    if is_within && row >= parameters.first_row && row < parameters.end_row {
        let source = u32(column) * cells.before_n_bins + cells.before_bin + cell % cells.n_bins;
        dragged = before_magnitude[source] * cos_sin_turns(before_phase[source]);
    }
    let own = before_magnitude[at] * cos_sin_turns(before_phase[at]);
    let edited = combine(own, dragged, m, 0.0);
    magnitude[cell] = magnitude_from_complex(edited);
    phase[cell] = turns_from_complex(edited);
}
