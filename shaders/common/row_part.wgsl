// Rows of one group: their windows, and which cells of theirs a dispatch computes or reads. A workgroup takes `ROWS` of
// them at `LINES` places or bins, and sums over the others in chunks.
//
// Of the places that a slice owns, each of the first half goes with the one a quarter of all places later: there the
// root of bin `b` is turned by `b` quarters, so that one product serves both.

struct RowEntry {
    first_bin: i32,      // of its window, signed
    n_bins: u32,
    first_value: u32,    // of its window, among the values of all rows
    peak: f32,           // reading of a unit sine
    inverse_peak: f32,
}

struct RowPart {
    first_row: u32,      // among the group's
    n_rows: u32,
    n_places: u32,       // of a slice, a power of two: it owns the middle half
    n_chunks: u32,       // of a sum
    n_groups: u32,       // of workgroups along y, for one slice
    is_real: u32,
    first_column: u32,   // counted from the first that the first slice owns
    n_columns: u32,
    frame: u32,          // of the region, that of the first column
    first_bin: u32,      // of the region's, that of the first row
    n_bins: u32,         // of the region
    before_frame: u32,   // the same of `before`
    before_first_bin: u32,
    before_n_bins: u32,
    first_flag: u32,     // of the bounds of slices
    first_value: u32,    // of the rows' windows
    n_values: u32,
    factor: f32,         // of cells, before synthesis
}

const ROWS = 16u;
const LINES = 16u;
// Of bins in a chunk, and of places in one. The stride of rows is one value more than a chunk of either has, so that
// they lie in different banks of memory.
const CHUNK_BINS = 64u;
const CHUNK_PLACES = 16u;
const STRIDE = 65u;

// A value turned forward by quarters.
fn turned(x: vec2<f32>, quarters: u32) -> vec2<f32> {
    let half = select(x, -x, (quarters & 2u) != 0u);
    return select(half, vec2<f32>(-half.y, half.x), (quarters & 1u) != 0u);
}
