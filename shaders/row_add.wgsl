// The samples of slices added up, where these change any: each sample gathers its two slices in order.

struct RowSamples {
    first: u32,        // of the dispatch, in the run of samples
    in_slices: u32,    // the same, counted from the beginning of the first slice
    n: u32,
    n_places: u32,     // of a slice
    first_flag: u32,   // of the bounds of slices
}

@group(0) @binding(0) var<uniform> frames: Frames;
@group(0) @binding(1) var<uniform> sum: RowSamples;
@group(0) @binding(2) var<storage, read> windowed: array<f32>; // N a slice
@group(0) @binding(3) var<storage, read> flags: array<u32>;    // see `row_touched`
@group(0) @binding(4) var<storage, read_write> samples: array<f32>;

// What a slice of the batch adds to a sample that is counted from its beginning.
fn added(slice: u32, place: u32) -> f32 {
    let at = sum.first_flag + 2u * (frames.first_frame + slice);
    let per_place = frames.n_fft / sum.n_places;
    let reach = frames.n_fft / 4u;
    let first = (sum.n_places - flags[at]) * per_place - reach;
    let end = (max(flags[at + 1u], 1u) - 1u) * per_place + reach;
    return select(0.0, windowed[slice * frames.n_fft + place], flags[at] != 0u && place >= first && place < end);
}

@compute @workgroup_size(256)
fn row_add(invocation: Invocation) {
    let n = number_of(invocation);
    if n >= sum.n {
        return;
    }
    let half = frames.n_fft / 2u;
    let later = (sum.in_slices + n) / half;
    let place = (sum.in_slices + n) % half;
    var value = samples[sum.first + n];
    if later > 0u && later <= frames.n_frames {
        value += added(later - 1u, half + place);
    }
    if later < frames.n_frames {
        value += added(later, place);
    }
    samples[sum.first + n] = value;
}
