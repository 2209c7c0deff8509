// Sound moved through rows: every moved cell is interpolated from 4 x 4 cells around its source, each of them turned by
// its row's own rotation to the time that is read. Twin: `RowMove::run`, which first takes that rotation off all cells.

struct MovedRows {
    first_row: u32,      // of the group, in `before`
    end_row: u32,        // exclusive
}

struct MovedCell {
    column: i32,         // the last one not after the source, counted in `before`
    column_part: u32,    // of the way from there to the next, in units of 2^-32
    row: i32,            // the last one not above the source, counted in `before`
    row_part: f32,       // of the way from there to the next
    turns: f32,          // added to the phase
    kind: u32,           // 0: keeps its bits, 1: has no source, 2: is moved
}

@group(0) @binding(0) var<uniform> cells: Cells;
@group(0) @binding(1) var<storage, read> before_magnitude: array<f32>;
@group(0) @binding(2) var<storage, read> before_phase: array<f32>;
@group(0) @binding(3) var<storage, read> moved_cells: array<MovedCell>; // of this dispatch
@group(0) @binding(4) var<storage, read_write> magnitude: array<f32>;
@group(0) @binding(5) var<storage, read_write> phase: array<f32>;
@group(0) @binding(6) var<storage, read> turns: array<RowTurns>;        // of the rows, from column 0 of `before`
@group(0) @binding(7) var<uniform> parameters: MovedRows;

// A cell of `before` less its row's own rotation; 0 in columns outside.
fn still(column: i32, row: u32, of_row: RowTurns) -> vec2<f32> {
    if column < 0 || column >= i32(cells.before_n_frames) {
        return vec2<f32>(0.0);
    }
    let at = u32(column) * cells.before_n_bins + row;
    let own = turns_from_words(turns_at_column(of_row, column));
    return before_magnitude[at] * cos_sin_turns(before_phase[at] - own);
}

fn interpolated(moved: MovedCell) -> vec2<f32> {
    let column_weights = catmull_rom(f32(moved.column_part) / 4294967296.0);
    let row_weights = catmull_rom(moved.row_part);
    var sum = vec2<f32>(0.0);
    for (var k = 0; k < 4; k++) {
        let row = moved.row + k - 1;
        if row < i32(parameters.first_row) || row >= i32(parameters.end_row) {
            continue;
        }
        let of_row = turns[u32(row) - parameters.first_row];
        var along = vec2<f32>(0.0);
        for (var j = 0; j < 4; j++) {
            along += still(moved.column + j - 1, u32(row), of_row) * column_weights[j];
        }
        let there = sum_of_words(turns_at_column(of_row, moved.column), turns_in_part(of_row, moved.column_part));
        sum += mul(along, cos_sin_turns(turns_from_words(there))) * row_weights[k];
    }
    return mul(sum, cos_sin_turns(moved.turns));
}

@compute @workgroup_size(256)
fn row_resample(invocation: Invocation) {
    let cell = cells.first_cell + number_of(invocation);
    if cell >= cells.end_cell {
        return;
    }
    let moved = moved_cells[cell - cells.first_cell];
    if moved.kind == 0u {
        let frame = cells.before_frame + cell / cells.n_bins;
        let at = frame * cells.before_n_bins + cells.before_bin + cell % cells.n_bins;
        magnitude[cell] = before_magnitude[at];
        phase[cell] = before_phase[at];
        return;
    }
    var value = vec2<f32>(0.0);
    if moved.kind == 2u {
        value = interpolated(moved);
    }
    magnitude[cell] = magnitude_from_complex(value);
    phase[cell] = turns_from_complex(value);
}
