// Cells of rows from the spectra of slices: each a sum over the bins of its row's window, straight from the definition.
// `RowGroup::analyse` in Rust folds the bins and transforms them instead.

@group(0) @binding(0) var<uniform> frames: Frames;                   // slices, from `first_frame` on
@group(0) @binding(1) var<uniform> part: RowPart;
@group(0) @binding(2) var<storage, read> packed: array<vec2<f32>>;   // N/2 a slice
@group(0) @binding(3) var<storage, read> twiddles: array<vec2<f32>>; // exp(-2 pi i k / N)
@group(0) @binding(4) var<storage, read> rows: array<RowEntry>;
@group(0) @binding(5) var<storage, read> windows: array<f32>;
@group(0) @binding(6) var<storage, read> roots: array<vec2<f32>>;    // exp(-2 pi i k / n_places)
@group(0) @binding(7) var<storage, read_write> magnitude: array<f32>;
@group(0) @binding(8) var<storage, read_write> phase: array<f32>;

var<workgroup> staged: array<vec2<f32>, 1040>;

// The spectrum of a slice at a signed bin.
fn bin_of(slice: u32, bin: i32) -> vec2<f32> {
    let n_packed = frames.n_fft / 2u;
    let wrapped = bitcast<u32>(bin) & (frames.n_fft - 1u);
    let is_mirrored = wrapped > n_packed;
    let k = select(wrapped, frames.n_fft - wrapped, is_mirrored);
    let base = slice * n_packed;
    let z = packed[base + packed_place(frames, k)];
    let mirror = conj(packed[base + packed_place(frames, n_packed - k)]);
    var x = unpacked(z, mirror, twiddles[k]);
    if k == 0u || k == n_packed {
        x.y = 0.0;
    }
    return select(x, conj(x), is_mirrored);
}

fn write_cell(slice: u32, owned: u32, row: u32, value: vec2<f32>, inverse_peak: f32) {
    // Wraps before the first column, so one comparison serves both ends.
    let column = (frames.first_frame + slice) * (part.n_places / 2u) + owned - part.first_column;
    if column >= part.n_columns {
        return;
    }
    let cell = select(value, vec2<f32>(value.x, 0.0), part.is_real != 0u);
    let at = (part.frame + column) * part.n_bins + part.first_bin + row;
    magnitude[at] = magnitude_from_complex(cell) * inverse_peak;
    phase[at] = turns_from_complex(cell);
}

@compute @workgroup_size(16, 16)
fn row_cells(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_id) me: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let n_pairs = part.n_places / 4u;
    let slice = workgroup.y / part.n_groups;
    let pair = LINES * (workgroup.y % part.n_groups) + me.y;
    let place = n_pairs + pair;
    let row = ROWS * workgroup.x + me.x;
    let own = rows[part.first_row + min(row, part.n_rows - 1u)];
    // At both places, the later one without the quarters of the first bin.
    var early = vec2<f32>(0.0);
    var late = vec2<f32>(0.0);
    // As many for every thread: there are barriers inside.
    for (var chunk = 0u; chunk < part.n_chunks; chunk++) {
        let first = CHUNK_BINS * chunk;
        for (var s = lane; s < ROWS * CHUNK_BINS; s += 256u) {
            let entry = rows[part.first_row + min(ROWS * workgroup.x + s / CHUNK_BINS, part.n_rows - 1u)];
            let at = first + s % CHUNK_BINS;
            var value = vec2<f32>(0.0);
            if at < entry.n_bins {
                value = bin_of(slice, entry.first_bin + i32(at)) * windows[entry.first_value + at];
            }
            staged[STRIDE * (s / CHUNK_BINS) + s % CHUNK_BINS] = value;
        }
        workgroupBarrier();
        // Sums of a chunk, then of those: f32 keeps more than with one long sum. Products of bin and place wrap, which
        // is exact modulo the number of places. Beyond the window staged values are 0.
        var sums = array<vec2<f32>, 4>();
        var root = (bitcast<u32>(own.first_bin) + first) * place;
        let n = min(CHUNK_BINS, max(own.n_bins, first) - first);
        for (var k = 0u; k < n; k += 4u) {
            for (var q = 0u; q < 4u; q++) {
                sums[q] += mul(staged[STRIDE * me.x + k + q], conj(roots[root & (part.n_places - 1u)]));
                root += place;
            }
        }
        early += (sums[0] + sums[2]) + (sums[1] + sums[3]);
        late += (sums[0] - sums[2]) + turned(sums[1] - sums[3], 1u);
        workgroupBarrier();
    }
    if row < part.n_rows && pair < n_pairs {
        write_cell(slice, pair, row, early, own.inverse_peak);
        write_cell(slice, n_pairs + pair, row, turned(late, bitcast<u32>(own.first_bin)), own.inverse_peak);
    }
}
