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
    n_rows: u32,          // of the matrix in which a packed spectrum lies; see `gpu/fft.rs`
}

// Where packed value `k` of a frame is among its N/2.
fn packed_place(frames: Frames, k: u32) -> u32 {
    return (k % frames.n_rows) * (frames.n_fft / 2u / frames.n_rows) + k / frames.n_rows;
}
