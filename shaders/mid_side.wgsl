// Half the sum or half the difference of two channels, in place of the first. Twin of `Signal::read` in
// crates/document/src/sound/signal.rs, to the bit: a product by 1, -1 or 0.5 rounds nothing.

struct MixedHalves {
    n_samples: u32,
    sign: f32,             // 1 for the sum, -1 for the difference
}

@group(0) @binding(0) var<uniform> halves: MixedHalves;
@group(0) @binding(1) var<storage, read_write> left: array<f32>;
@group(0) @binding(2) var<storage, read> right: array<f32>;

@compute @workgroup_size(256)
fn mid_side(invocation: Invocation) {
    let sample = number_of(invocation);
    if sample >= halves.n_samples {
        return;
    }
    left[sample] = (left[sample] + halves.sign * right[sample]) * 0.5;
}
