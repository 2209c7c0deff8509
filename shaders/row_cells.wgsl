// Cells of rows from the spectra of slices: each a sum over the bins of its row's window, straight from the definition.
// `RowGroup::analyse` in Rust folds the bins and transforms them instead.

@group(0) @binding(0) var<uniform> frames: Frames;                   // slices, the first of the dispatch's `first_frame`
@group(0) @binding(1) var<uniform> part: RowPart;
@group(0) @binding(2) var<storage, read> packed: array<vec2<f32>>;   // N/2 a slice
@group(0) @binding(3) var<storage, read> twiddles: array<vec2<f32>>; // exp(-2 pi i k / N)
@group(0) @binding(4) var<storage, read> rows: array<RowEntry>;
@group(0) @binding(5) var<storage, read> windows: array<f32>;
@group(0) @binding(6) var<storage, read> roots: array<vec2<f32>>;    // exp(-2 pi i k / n_places)
@group(0) @binding(7) var<storage, read_write> magnitude: array<f32>;
@group(0) @binding(8) var<storage, read_write> phase: array<f32>;

var<workgroup> staged: array<vec2<f32>, 520>;

// The spectrum of a slice at a signed bin.
fn bin_of(slice: u32, bin: i32) -> vec2<f32> {
    let n_packed = frames.n_fft / 2u;
    let wrapped = bitcast<u32>(bin) & (frames.n_fft - 1u);
    let is_mirrored = wrapped > n_packed;
    let k = select(wrapped, frames.n_fft - wrapped, is_mirrored);
    let base = slice * n_packed;
    let z = packed[base + packed_place(frames, k % n_packed)];
    let mirror = conj(packed[base + packed_place(frames, (n_packed - k) % n_packed)]);
    var x = unpacked(z, mirror, twiddles[k]);
    if k == 0u || k == n_packed {
        x.y = 0.0;
    }
    return select(x, conj(x), is_mirrored);
}

@compute @workgroup_size(8, 32)
fn row_cells(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_id) me: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let n_owned = part.n_places / 2u;
    let slice = workgroup.y / part.n_groups;
    let owned = PLACES * (workgroup.y % part.n_groups) + me.y;
    let place = n_owned / 2u + owned;
    let row = ROWS * workgroup.x + me.x;
    let own = rows[part.first_row + min(row, part.n_rows - 1u)];
    var cell = vec2<f32>(0.0);
    // As many for every thread: there are barriers inside.
    for (var chunk = 0u; chunk < part.n_chunks; chunk++) {
        let first = CHUNK * chunk;
        for (var s = lane; s < ROWS * CHUNK; s += 256u) {
            let entry = rows[part.first_row + min(ROWS * workgroup.x + s / CHUNK, part.n_rows - 1u)];
            let at = first + s % CHUNK;
            var value = vec2<f32>(0.0);
            if at < entry.n_bins {
                value = bin_of(slice, entry.first_bin + i32(at)) * windows[entry.first_value + at];
            }
            staged[STRIDE * (s / CHUNK) + s % CHUNK] = value;
        }
        workgroupBarrier();
        // Sums of a chunk, then of those: f32 keeps more than with one long sum. Products of bin and place wrap, which
        // is exact modulo the number of places.
        var sum = vec2<f32>(0.0);
        let bin = bitcast<u32>(own.first_bin) + first;
        let n = min(CHUNK, max(own.n_bins, first) - first);
        for (var k = 0u; k < n; k++) {
            sum += mul(staged[STRIDE * me.x + k], conj(roots[((bin + k) * place) & (part.n_places - 1u)]));
        }
        cell += sum;
        workgroupBarrier();
    }
    // Wraps before the first column, so one comparison serves both ends.
    let column = (frames.first_frame + slice) * n_owned + owned - part.first_column;
    if row >= part.n_rows || owned >= n_owned || column >= part.n_columns {
        return;
    }
    if part.is_real != 0u {
        cell.y = 0.0;
    }
    let at = (part.frame + column) * part.n_bins + part.first_bin + row;
    magnitude[at] = magnitude_from_complex(cell) * own.inverse_peak;
    phase[at] = turns_from_complex(cell);
}
