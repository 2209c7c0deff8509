// The frames that one dispatch of the STFT transforms, out of those of a region.

struct Frames {
    first_frame: u32,     // of this batch, in the region
    n_frames: u32,        // in this batch
    n_fft: u32,
    hop: u32,
    first_bin: u32,       // of the region, on the grid
    n_bins: u32,          // of the region
    before_frame: u32,    // where the region's first frame stands in `before`
    before_first_bin: u32,
    before_n_bins: u32,
    origin_frame: u32,    // the one that begins with the first of the samples added up
    first_sample: u32,    // of this batch, in those, or in the samples that are transformed
    n_samples: u32,
    row_bits: u32,        // log2 of the rows of the matrix in which a packed spectrum lies; see `gpu/fft.rs`
}

// Where packed value `k` of a frame is among its N/2, to which it is periodic. All sizes are powers of two; integer
// division would take longer than the rest of an unpacking.
fn packed_place(frames: Frames, k: u32) -> u32 {
    let n_packed = frames.n_fft >> 1u;
    let wrapped = k & (n_packed - 1u);
    let row_bits = frames.row_bits & 31u;
    let row = wrapped & ((1u << row_bits) - 1u);
    return row * (n_packed >> row_bits) + (wrapped >> row_bits);
}
