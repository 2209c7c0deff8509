// Increase of each frame over one before, of compressed magnitudes, from packed spectra: a workgroup for
// each frame, whose sum over bins has one order. Twin: `onset_flux` in Rust.

struct FluxRun {
    n_back: u32,           // by how many frames the one lies back with which a frame is compared
    n_before: u32,         // frames of the batch before the first whose flux is written
    first_written: u32,    // where that one stands in `flux`
    scale: f32,            // on magnitudes before they are compressed
}

@group(0) @binding(0) var<uniform> frames: Frames;
@group(0) @binding(1) var<uniform> run: FluxRun;
@group(0) @binding(2) var<storage, read> packed: array<vec2<f32>>;   // N/2 per frame of the batch
@group(0) @binding(3) var<storage, read> twiddles: array<vec2<f32>>; // exp(-2 pi i k / N)
@group(0) @binding(4) var<storage, read_write> flux: array<f32>;

var<workgroup> sums: array<f32, 64>;

fn compressed(frame: u32, bin: u32) -> f32 {
    let n_packed = frames.n_fft / 2u;
    let row = frame * n_packed;
    let z = packed[row + packed_place(frames, bin)];
    let mirror = conj(packed[row + packed_place(frames, n_packed - bin)]);
    let magnitude = magnitude_from_complex(unpacked(z, mirror, twiddles[bin]));
    return LN_2 * log2_poly(1.0 + run.scale * magnitude);
}

@compute @workgroup_size(64)
fn onset_flux(invocation: Invocation) {
    let own = invocation.local_index;
    let frame = run.n_before + invocation.workgroup.x;
    var sum = 0.0;
    for (var bin = own; bin <= frames.n_fft / 2u; bin += 64u) {
        var then = 0.0;
        if frame >= run.n_back {
            then = compressed(frame - run.n_back, bin);
        }
        sum += max(compressed(frame, bin) - then, 0.0);
    }
    sums[own] = sum;
    for (var width = 32u; width > 0u; width /= 2u) {
        workgroupBarrier();
        if own < width {
            sums[own] += sums[own + width];
        }
    }
    if own == 0u {
        flux[run.first_written + invocation.workgroup.x] = sums[0];
    }
}
