// Windowed frames, those touched, added up by sample: each sample gathers its frames in order.

@group(0) @binding(0) var<uniform> frames: Frames;
@group(0) @binding(1) var<storage, read> windowed: array<f32>; // N per frame of the batch
@group(0) @binding(2) var<storage, read> touched: array<u32>;
@group(0) @binding(3) var<storage, read_write> samples: array<f32>;

@compute @workgroup_size(256)
fn overlap_add(invocation: Invocation) {
    let n = number_of(invocation);
    if n >= frames.n_samples {
        return;
    }
    // Frames and samples are counted from the origin.
    let sample = frames.first_sample + n;
    let batch_first = frames.first_frame - frames.origin_frame;
    var first = batch_first;
    if sample >= frames.n_fft {
        first = max(first, (sample - frames.n_fft) / frames.hop + 1u);
    }
    let end = min(batch_first + frames.n_frames, sample / frames.hop + 1u);
    var sum = samples[sample];
    for (var frame = first; frame < end; frame++) {
        if touched[frames.origin_frame + frame] != 0u {
            sum += windowed[(frame - batch_first) * frames.n_fft + sample - frame * frames.hop];
        }
    }
    samples[sample] = sum;
}
