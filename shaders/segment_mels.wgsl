// Mels of segments as products with two matrices: a workgroup for each segment, or for each frame of one. Twin:
// `SegmentMels` in Rust.

struct SegmentSizes {
    n_samples: u32,    // of a segment
    n_fft: u32,
    hop: u32,
    n_frames: u32,     // of a segment
    n_bins: u32,
    n_mels: u32,
    by_frame: u32,     // 1: a workgroup of one frame writes it; 0: the mean power of all frames
    n_segments: u32,
}

@group(0) @binding(0) var<uniform> sizes: SegmentSizes;
@group(0) @binding(1) var<storage, read> samples: array<f32>;
@group(0) @binding(2) var<storage, read> starts: array<u32>;
// [bins, n_fft], real and imaginary part.
@group(0) @binding(3) var<storage, read> matrix: array<vec2<f32>>;
// [mels, bins].
@group(0) @binding(4) var<storage, read> weights: array<f32>;
// [segments, frames, mels].
@group(0) @binding(5) var<storage, read_write> mels: array<f32>;

// The longest FFT, and its bins.
var<workgroup> frame: array<f32, 256>;
var<workgroup> power: array<f32, 129>;

// A place beyond the ends of a segment, reflected without repeating the edge.
fn reflected(place: i32, n: i32) -> u32 {
    let at = abs(place);
    return u32(select(2 * (n - 1) - at, at, at < n));
}

@compute @workgroup_size(256)
fn segment_mels(invocation: Invocation) {
    let segment = invocation.workgroup.x;
    let own = invocation.local_index;
    let is_one = sizes.by_frame != 0u;
    let first = select(0u, invocation.workgroup.y, is_one);
    let end = select(sizes.n_frames, invocation.workgroup.y + 1u, is_one);
    var sum = 0.0;
    for (var number = first; number < end; number++) {
        workgroupBarrier();
        if own < sizes.n_fft {
            let place = i32(number * sizes.hop + own) - i32(sizes.n_fft / 2u);
            frame[own] = samples[starts[segment] + reflected(place, i32(sizes.n_samples))];
        }
        workgroupBarrier();
        if own < sizes.n_bins {
            var value = vec2<f32>(0.0);
            for (var k = 0u; k < sizes.n_fft; k++) {
                value += frame[k] * matrix[own * sizes.n_fft + k];
            }
            sum += dot(value, value);
        }
    }
    if own < sizes.n_bins {
        power[own] = sum * select(1.0 / f32(sizes.n_frames), 1.0, is_one);
    }
    workgroupBarrier();
    let row = select(segment, segment * sizes.n_frames + invocation.workgroup.y, is_one);
    for (var mel = own; mel < sizes.n_mels; mel += 256u) {
        var value = 0.0;
        for (var bin = 0u; bin < sizes.n_bins; bin++) {
            value += weights[mel * sizes.n_bins + bin] * power[bin];
        }
        mels[row * sizes.n_mels + mel] = value;
    }
}
