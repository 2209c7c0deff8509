// Magnitudes of constant-Q atoms in frames, summed over octaves, from packed spectra. Twin: `ChromaMeter` in Rust.

struct ChromaRun {
    n_frames: u32,
    n_bins: u32,          // of a frame that atoms read, from DC
    n_atoms: u32,
    n_sums: u32,          // of a frame
    first_written: u32,   // frame in `columns`
}

struct ChromaAtom {
    first_bin: u32,
    n_bins: u32,
    first_value: u32,
    column: u32,
}

@group(0) @binding(0) var<uniform> frames: Frames;
@group(0) @binding(1) var<uniform> run: ChromaRun;
@group(0) @binding(2) var<storage, read> packed: array<vec2<f32>>;   // N/2 per frame
@group(0) @binding(3) var<storage, read> twiddles: array<vec2<f32>>; // exp(-2 pi i k / N)
@group(0) @binding(4) var<storage, read_write> spectra: array<vec2<f32>>;
@group(0) @binding(5) var<storage, read> atoms: array<ChromaAtom>;
// Conjugate spectra of the atoms.
@group(0) @binding(6) var<storage, read> values: array<vec2<f32>>;
@group(0) @binding(7) var<storage, read_write> magnitudes: array<f32>;
@group(0) @binding(8) var<storage, read_write> columns: array<f32>;

// A bin of a frame for each invocation.
@compute @workgroup_size(64)
fn unpack(@builtin(global_invocation_id) invocation: vec3<u32>) {
    let bin = invocation.x;
    if bin >= run.n_bins {
        return;
    }
    let n_packed = frames.n_fft / 2u;
    let row = invocation.y * n_packed;
    let z = packed[row + packed_place(frames, bin)];
    let mirror = conj(packed[row + packed_place(frames, n_packed - bin)]);
    spectra[invocation.y * run.n_bins + bin] = unpacked(z, mirror, twiddles[bin]);
}

var<workgroup> sums: array<vec2<f32>, 64>;

// An atom and a frame for each workgroup; the sum over bins has one order.
@compute @workgroup_size(64)
fn measure(invocation: Invocation) {
    let own = invocation.local_index;
    let atom = atoms[invocation.workgroup.x];
    let first = invocation.workgroup.y * run.n_bins + atom.first_bin;
    var sum = vec2<f32>(0.0);
    for (var k = own; k < atom.n_bins; k += 64u) {
        sum += mul(spectra[first + k], values[atom.first_value + k]);
    }
    sums[own] = sum;
    for (var width = 32u; width > 0u; width /= 2u) {
        workgroupBarrier();
        if own < width {
            sums[own] += sums[own + width];
        }
    }
    if own == 0u {
        magnitudes[invocation.workgroup.y * run.n_atoms + invocation.workgroup.x] = magnitude_from_complex(sums[0]);
    }
}

// One sum of a frame for each invocation, over the atoms of its column in order.
@compute @workgroup_size(256)
fn add_octaves(invocation: Invocation) {
    let at = number_of(invocation);
    if at >= run.n_frames * run.n_sums {
        return;
    }
    let first = at / run.n_sums * run.n_atoms;
    var sum = 0.0;
    for (var k = 0u; k < run.n_atoms; k++) {
        if atoms[k].column == at % run.n_sums {
            sum += magnitudes[first + k];
        }
    }
    columns[run.first_written * run.n_sums + at] = sum;
}
