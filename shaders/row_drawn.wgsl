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

// Units of 2^-64 turn, the lower word first.
struct RowTurns {
    first: vec2<u32>,       // at the first column
    step: vec2<u32>,        // from one column to the next
}

@group(0) @binding(0) var<uniform> drawn: RowFrames;
@group(0) @binding(1) var<storage, read> cell_magnitude: array<f32>; // n_rows a column
@group(0) @binding(2) var<storage, read> cell_phase: array<f32>;
@group(0) @binding(3) var<storage, read> turns: array<RowTurns>;
@group(0) @binding(4) var<storage, read_write> magnitude: array<f32>;
@group(0) @binding(5) var<storage, read_write> phase: array<f32>;

// The upper word of a product.
fn upper_product(a: u32, b: u32) -> u32 {
    let a_low = a & 0xffffu;
    let a_high = a >> 16u;
    let b_low = b & 0xffffu;
    let b_high = b >> 16u;
    let middle = a_high * b_low + ((a_low * b_low) >> 16u);
    let other = a_low * b_high + (middle & 0xffffu);
    return a_high * b_high + (middle >> 16u) + (other >> 16u);
}

// Turns of a row at a column, as exact in f32: their upper 24 bits.
fn turns_of_row(row: u32, column: u32) -> f32 {
    let of_row = turns[row];
    let low = of_row.step.x * column;
    let carry = select(0u, 1u, of_row.first.x + low < low);
    let high = of_row.first.y + of_row.step.y * column + upper_product(of_row.step.x, column) + carry;
    return f32(high >> 8u) / 16777216.0;
}

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
    let relative = cell_phase[at] - turns_of_row(row, loudest);
    phase[to] = relative - floor(relative + 0.5);
}
