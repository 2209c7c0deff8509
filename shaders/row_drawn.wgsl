// Rows of several hops on one grid, for display: each frame takes the loudest of a row's cells around it, and its phase
// relative to the row's own rotation. Twin: `DrawnRows::analyse`.

struct RowFrames {
    n_rows: u32,
    n_frames: u32,
    columns_per_frame: u32,
    n_missing: u32,         // columns that the first frames lack
    frame: u32,             // where the first stands in the region
    first_bin: u32,
    n_bins: u32,            // of the region
}

@group(0) @binding(0) var<uniform> drawn: RowFrames;
@group(0) @binding(1) var<storage, read> cell_magnitude: array<f32>; // n_rows a column
@group(0) @binding(2) var<storage, read> cell_phase: array<f32>;
@group(0) @binding(3) var<storage, read> turns: array<RowTurns>;
@group(0) @binding(4) var<storage, read_write> magnitude: array<f32>;
@group(0) @binding(5) var<storage, read_write> phase: array<f32>;

@compute @workgroup_size(256)
fn row_drawn(invocation: Invocation) {
    let n = number_of(invocation);
    if n >= drawn.n_frames * drawn.n_rows {
        return;
    }
    let frame = n / drawn.n_rows;
    let row = n % drawn.n_rows;
    let first = max(drawn.columns_per_frame * frame, drawn.n_missing) - drawn.n_missing;
    let end = max(drawn.columns_per_frame * (frame + 1u), drawn.n_missing) - drawn.n_missing;
    let to = (drawn.frame + frame) * drawn.n_bins + drawn.first_bin + row;
    if first == end {
        magnitude[to] = 0.0;
        phase[to] = 0.0;
        return;
    }
    var loudest = first;
    for (var column = first + 1u; column < end; column++) {
        if cell_magnitude[column * drawn.n_rows + row] > cell_magnitude[loudest * drawn.n_rows + row] {
            loudest = column;
        }
    }
    let at = loudest * drawn.n_rows + row;
    magnitude[to] = cell_magnitude[at];
    let relative = cell_phase[at] - turns_from_words(turns_at_column(turns[row], i32(loudest)));
    phase[to] = relative - floor(relative + 0.5);
}
