// Before the inverse transform: the difference of two regions, and which frames it touches, packed as N/2 complex values.
// Cells are compared as bits, so that equal ones differ by exactly 0 however the compiler contracts or flushes.

@group(0) @binding(0) var<uniform> frames: Frames;
@group(0) @binding(1) var<storage, read> before_magnitude: array<u32>;
@group(0) @binding(2) var<storage, read> before_phase: array<u32>;
@group(0) @binding(3) var<storage, read> after_magnitude: array<u32>;
@group(0) @binding(4) var<storage, read> after_phase: array<u32>;
@group(0) @binding(5) var<storage, read> twiddles: array<vec2<f32>>; // exp(-2 pi i k / N)
@group(0) @binding(6) var<storage, read_write> packed: array<vec2<f32>>;
@group(0) @binding(7) var<storage, read_write> touched: array<atomic<u32>>;

// The bits, -0 written as 0.
fn comparable(bits: vec2<u32>) -> vec2<u32> {
    return select(bits, vec2<u32>(0u), bits == vec2<u32>(0x80000000u));
}

fn complex_from_bits(magnitude: u32, phase: u32) -> vec2<f32> {
    return bitcast<f32>(magnitude) * cos_sin_turns(bitcast<f32>(phase));
}

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
    let both_0 = (after_cell.x | before_cell.x) == 0u;
    if both_0 || all(after_cell == before_cell) {
        return vec2<f32>(0.0);
    }
    atomicOr(&touched[frame], 1u);
    var x = complex_from_bits(after_cell.x, after_cell.y) - complex_from_bits(before_cell.x, before_cell.y);
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
    let even = (x + mirror) * 0.5;
    let odd = mul((x - mirror) * 0.5, conj(twiddles[bin]));
    let row = invocation.y * n_packed;
    packed[row + packed_place(frames, bin)] = vec2<f32>(even.x - odd.y, even.y + odd.x);
    if bin > 0u {
        packed[row + packed_place(frames, n_packed - bin)] = vec2<f32>(even.x + odd.y, odd.x - even.y);
    }
}
