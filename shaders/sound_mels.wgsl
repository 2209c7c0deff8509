// The power in each mel of frames, from their magnitudes. Twin: `apply` of `MelBank` in Rust.

struct MelRows {
    first: u32,     // of this dispatch, counted over frames and mels
    end: u32,
    n_bins: u32,
    n_mels: u32,
}

struct MelTriangle {
    first_bin: u32,
    n_bins: u32,
    first_weight: u32,
}

@group(0) @binding(0) var<uniform> rows: MelRows;
@group(0) @binding(1) var<storage, read> magnitude: array<f32>;
@group(0) @binding(2) var<storage, read> triangles: array<MelTriangle>;
@group(0) @binding(3) var<storage, read> weights: array<f32>;
// [frames, mels].
@group(0) @binding(4) var<storage, read_write> mels: array<f32>;

@compute @workgroup_size(256)
fn apply(invocation: Invocation) {
    let at = rows.first + number_of(invocation);
    if at >= rows.end {
        return;
    }
    let triangle = triangles[at % rows.n_mels];
    let first = at / rows.n_mels * rows.n_bins + triangle.first_bin;
    var sum = 0.0;
    for (var k = 0u; k < triangle.n_bins; k++) {
        let value = magnitude[first + k];
        sum += weights[triangle.first_weight + k] * (value * value);
    }
    mels[at] = sum;
}
