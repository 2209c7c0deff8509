// The bins of each row's window in the spectra of slices, from the change of its cells: the sums of `row_cells` turned
// round. Rows are added up by `row_spectrum`.

@group(0) @binding(0) var<uniform> frames: Frames;                  // slices, the first of the dispatch's `first_frame`
@group(0) @binding(7) var<storage, read> windows: array<f32>;
@group(0) @binding(8) var<storage, read> roots: array<vec2<f32>>;   // exp(-2 pi i k / n_places)
@group(0) @binding(9) var<storage, read_write> bins: array<vec2<f32>>; // n_values a slice

var<workgroup> staged: array<vec2<f32>, 1040>;
var<workgroup> is_changed: atomic<u32>;

// The change of a cell, times what synthesis needs; 0 where it did not change or is none of the part's.
fn change(slice: u32, owned: u32, row: u32) -> vec2<f32> {
    // Wraps before the first column, so one comparison serves both ends.
    let column = (frames.first_frame + slice) * (part.n_places / 2u) + owned - part.first_column;
    if column >= part.n_columns {
        return vec2<f32>(0.0);
    }
    let before = before_cell(column, row);
    let after = after_cell(column, row);
    if !differ(before, after) {
        return vec2<f32>(0.0);
    }
    var x = complex_from_bits(after) * part.factor - complex_from_bits(before) * part.factor;
    if part.is_real != 0u {
        x.y = 0.0;
    }
    return x;
}

@compute @workgroup_size(16, 16)
fn row_bins(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_id) me: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let n_pairs = part.n_places / 4u;
    let slice = workgroup.y / part.n_groups;
    let k = LINES * (workgroup.y % part.n_groups) + me.y;
    let row = ROWS * workgroup.x + me.x;
    let own = rows[part.first_row + min(row, part.n_rows - 1u)];
    let bin = bitcast<u32>(own.first_bin) + k;
    var sum = vec2<f32>(0.0);
    // As many for every thread: there are barriers inside.
    for (var chunk = 0u; chunk < part.n_chunks; chunk++) {
        let first = CHUNK_PLACES * chunk;
        if lane == 0u {
            atomicStore(&is_changed, 0u);
        }
        workgroupBarrier();
        // Rows of a column are neighbours in memory, and threads.
        let pair = first + me.y;
        var early = vec2<f32>(0.0);
        var late = vec2<f32>(0.0);
        if row < part.n_rows && pair < n_pairs {
            early = change(slice, pair, row);
            late = change(slice, n_pairs + pair, row);
        }
        // Both places as bins see them, by the bin modulo 4.
        for (var q = 0u; q < 4u; q++) {
            staged[STRIDE * me.x + 4u * me.y + q] = early + turned(late, 4u - q);
        }
        if any(early != vec2<f32>(0.0)) || any(late != vec2<f32>(0.0)) {
            atomicOr(&is_changed, 1u);
        }
        workgroupBarrier();
        if atomicLoad(&is_changed) != 0u {
            var part_sum = vec2<f32>(0.0);
            let from_row = STRIDE * me.x + (bin & 3u);
            var root = bin * (n_pairs + first);
            let n = min(CHUNK_PLACES, n_pairs - first);
            for (var b = 0u; b < n; b++) {
                part_sum += mul(staged[from_row + 4u * b], roots[root & (part.n_places - 1u)]);
                root += bin;
            }
            sum += part_sum;
        }
        workgroupBarrier();
    }
    if row < part.n_rows && k < own.n_bins {
        let value = own.first_value + k;
        bins[slice * part.n_values + value - part.first_value] = sum * windows[value];
    }
}
