// Rows of one group: their windows, and which cells of theirs a dispatch computes or reads. A workgroup takes `ROWS` of
// them at `PLACES` places or bins, and sums over `CHUNK` of the others at a time.

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

const ROWS = 8u;
const PLACES = 32u;
const CHUNK = 64u;
// One value more than a chunk, so that rows lie in different banks of memory.
const STRIDE = 65u;
