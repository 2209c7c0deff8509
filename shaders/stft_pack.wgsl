// Before the inverse transform: the difference of two regions, and which frames it touches, packed as N/2 complex values.

@group(0) @binding(0) var<uniform> frames: Frames;
@group(0) @binding(1) var<storage, read> before_magnitude: array<u32>;
@group(0) @binding(2) var<storage, read> before_phase: array<u32>;
@group(0) @binding(3) var<storage, read> after_magnitude: array<u32>;
@group(0) @binding(4) var<storage, read> after_phase: array<u32>;
@group(0) @binding(5) var<storage, read> twiddles: array<vec2<f32>>; // exp(-2 pi i k / N)
@group(0) @binding(6) var<storage, read_write> packed: array<vec2<f32>>;
@group(0) @binding(7) var<storage, read_write> touched: array<atomic<u32>>;

// C' - C of a cell, referenced to the frame's start; 0 where the cell did not change.
fn change(frame: u32, bin: u32) -> vec2<f32> {
    let column = bin - frames.first_bin; // wraps below the region, so one comparison serves both ends
    if column >= frames.n_bins {
        return vec2<f32>(0.0);
    }
    let after = frame * frames.n_bins + column;
    let before = (frames.before_frame + frame) * frames.before_n_bins + bin - frames.before_first_bin;
    let after_cell = comparable(vec2<u32>(after_magnitude[after], after_phase[after]));
    let before_cell = comparable(vec2<u32>(before_magnitude[before], before_phase[before]));
    if !differ(before_cell, after_cell) {
        return vec2<f32>(0.0);
    }
    atomicOr(&touched[frame], 1u);
    var x = complex_from_bits(after_cell) - complex_from_bits(before_cell);
    if bin == 0u || bin * 2u == frames.n_fft {
        x.y = 0.0;
    }
    return select(x, -x, bin % 2u == 1u);
}

@compute @workgroup_size(64)
fn stft_pack(@builtin(global_invocation_id) invocation: vec3<u32>) {
    let n_packed = frames.n_fft / 2u;
    let bin = invocation.x;
    if bin > n_packed / 2u {
        return;
    }
    let frame = frames.first_frame + invocation.y;
    let x = change(frame, bin);
    let mirror = conj(change(frame, n_packed - bin));
    let pair = packed_pair(x, mirror, twiddles[bin]);
    let row = invocation.y * n_packed;
    packed[row + packed_place(frames, bin)] = pair.xy;
    if bin > 0u {
        packed[row + packed_place(frames, n_packed - bin)] = pair.zw;
    }
}
