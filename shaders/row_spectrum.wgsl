// The packed spectra of slices from the bins of all rows: each bin of a slice gathers its rows in order, the mirror
// images of those that reach beyond 0 Hz or half the sample rate included.

struct RowSources {
    first_value: u32,  // of the rows of the change
    n_values: u32,
    first_bin: u32,    // those that any row of the group reaches
    n_bins: u32,
    adds: u32,         // to what another group has written
}

@group(0) @binding(0) var<uniform> frames: Frames;
@group(0) @binding(1) var<uniform> sources: RowSources;
@group(0) @binding(2) var<storage, read> bins: array<vec2<f32>>;     // n_values a slice
@group(0) @binding(3) var<storage, read> starts: array<u32>;         // of each bin's values
@group(0) @binding(4) var<storage, read> values: array<u32>;         // twice the number, and 1 for the conjugate
@group(0) @binding(5) var<storage, read> twiddles: array<vec2<f32>>; // exp(-2 pi i k / N)
@group(0) @binding(6) var<storage, read_write> packed: array<vec2<f32>>;

fn spectrum_at(slice: u32, bin: u32) -> vec2<f32> {
    let at = bin - sources.first_bin; // wraps below the first
    if at >= sources.n_bins {
        return vec2<f32>(0.0);
    }
    var sum = vec2<f32>(0.0);
    for (var i = starts[at]; i < starts[at + 1u]; i++) {
        let value = values[i] / 2u - sources.first_value;
        if value < sources.n_values {
            let x = bins[slice * sources.n_values + value];
            sum += select(x, conj(x), values[i] % 2u == 1u);
        }
    }
    if bin == 0u || 2u * bin == frames.n_fft {
        // They come in conjugate pairs.
        sum.y = 0.0;
    }
    return sum;
}

@compute @workgroup_size(64)
fn row_spectrum(@builtin(global_invocation_id) invocation: vec3<u32>) {
    let n_packed = frames.n_fft / 2u;
    let bin = invocation.x;
    if bin > n_packed / 2u {
        return;
    }
    let x = spectrum_at(invocation.y, bin);
    let mirror = conj(spectrum_at(invocation.y, n_packed - bin));
    let pair = packed_pair(x, mirror, twiddles[bin]);
    let slice = invocation.y * n_packed;
    let first = slice + packed_place(frames, bin);
    let second = slice + packed_place(frames, n_packed - bin);
    if sources.adds == 0u {
        packed[first] = pair.xy;
        if bin > 0u {
            packed[second] = pair.zw;
        }
    } else {
        packed[first] += pair.xy;
        // The middle one is its own mirror.
        if bin > 0u && second != first {
            packed[second] += pair.zw;
        }
    }
}
