// After the forward transform: the spectrum of N real samples out of that of N/2 complex ones, phase referenced to the
// centre of the frame, in polar form.

@group(0) @binding(0) var<uniform> frames: Frames;
@group(0) @binding(1) var<storage, read> packed: array<vec2<f32>>;   // N/2 per frame of the batch
@group(0) @binding(2) var<storage, read> twiddles: array<vec2<f32>>; // exp(-2 pi i k / N)
@group(0) @binding(3) var<storage, read_write> magnitude: array<f32>;
@group(0) @binding(4) var<storage, read_write> phase: array<f32>;

@compute @workgroup_size(64)
fn stft_unpack(@builtin(global_invocation_id) invocation: vec3<u32>) {
    if invocation.x >= frames.n_bins {
        return;
    }
    let n_packed = frames.n_fft / 2u;
    let bin = frames.first_bin + invocation.x;
    let row = invocation.y * n_packed;
    let z = packed[row + packed_place(frames, bin)];
    let mirror = conj(packed[row + packed_place(frames, n_packed - bin)]);
    var x = unpacked(z, mirror, twiddles[bin]);
    if bin == 0u || bin == n_packed {
        x.y = 0.0;
    }
    if bin % 2u == 1u {
        x = -x;
    }
    let cell = (frames.first_frame + invocation.y) * frames.n_bins + invocation.x;
    magnitude[cell] = magnitude_from_complex(x);
    phase[cell] = turns_from_complex(x);
}
