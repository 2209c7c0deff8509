// Heal brush, mode attenuate. Twin: `attenuate`, `along` and `measured` in Rust, where the runs of the hole are found.

struct HoleRun {
    line: u32,     // where the run's line begins in the planes
    step: u32,     // from one cell of the line to the next
    first: u32,    // the run's first cell, counted along the line
    end: u32,
    n_before: u32, // cells of the context
    n_after: u32,
    before: f32,   // levels, as powers of 2
    after: f32,
}

struct Attenuate {
    weight_before: f32,
    weight_after: f32,
    weight_below: f32,
    weight_above: f32,
    frame_unit: f32, // how far away a neighbouring frame is
    bin_unit: f32,
    mixing: u32,     // 0 time, 1 frequency, 2 both, 3 by nearness
    n_runs: u32,
}

@group(0) @binding(6) var<storage, read> of_frames: array<u32>; // per cell that is written: its run along time
@group(0) @binding(7) var<storage, read> of_bins: array<u32>;   // and along frequency
@group(0) @binding(8) var<storage, read_write> runs: array<HoleRun>;
@group(0) @binding(9) var<uniform> parameters: Attenuate;

// The level of n cells, each a step further from the run; the one k places away counts 1 / k^2.
fn side(first: i32, step: i32, n: u32) -> f32 {
    var sums = vec2<f32>(0.0, 0.0);
    for (var k = 0u; k < n; k++) {
        let distance = f32(k + 1u);
        let near = 1.0 / (distance * distance);
        let level = log2_poly(before_magnitude[first + i32(k) * step]);
        sums += vec2<f32>(near, near * level);
    }
    return select(0.0, sums.y / sums.x + RAISED_LOG2, n > 0u);
}

// The levels around each run.
@compute @workgroup_size(256)
fn measure(invocation: Invocation) {
    let index = cells.first_cell + number_of(invocation);
    if index >= cells.end_cell {
        return;
    }
    let run = runs[index];
    let step = i32(run.step);
    runs[index].before = side(i32(run.line) + (i32(run.first) - 1) * step, -step, run.n_before);
    runs[index].after = side(i32(run.line) + i32(run.end) * step, step, run.n_after);
}

// What one axis says of the cell `at` of a line: the sum of its sides' weights by nearness, and of their levels by these.
fn along(run: HoleRun, at: u32, weight_before: f32, weight_after: f32, unit: f32) -> vec2<f32> {
    var sums = vec2<f32>(0.0, 0.0);
    if run.n_before > 0u {
        let near = weight_before / (f32(at - run.first + 1u) * unit);
        sums += vec2<f32>(near, near * run.before);
    }
    if run.n_after > 0u {
        let near = weight_after / (f32(run.end - at) * unit);
        sums += vec2<f32>(near, near * run.after);
    }
    return sums;
}

// |E| = lerp(|O|, min(|O|, 2^level), M), unchanged where nothing surrounds it.
fn attenuate(magnitude: f32, frames: vec2<f32>, bins: vec2<f32>, mixing: u32, mask: f32) -> f32 {
    var shares = vec2<f32>(1.0, 1.0);
    switch mixing {
        case 0u: { shares.y = 0.0; }
        case 1u: { shares.x = 0.0; }
        case 2u: { }
        default: { shares = vec2<f32>(frames.x * frames.x, bins.x * bins.x); }
    }
    var sums = vec2<f32>(0.0, 0.0);
    if frames.x > 0.0 {
        sums += vec2<f32>(shares.x, shares.x * (frames.y / frames.x));
    }
    if bins.x > 0.0 {
        sums += vec2<f32>(shares.y, shares.y * (bins.y / bins.x));
    }
    if sums.x <= 0.0 {
        return magnitude;
    }
    let wanted = min(magnitude, exp2_poly(sums.y / sums.x));
    return magnitude + (wanted - magnitude) * mask;
}

fn edited(cell: u32, before: f32, m: f32) -> f32 {
    let p = parameters;
    let frame = cells.before_frame + cell / cells.n_bins;
    let bin = cells.before_bin + cell % cells.n_bins;
    let frames = along(runs[of_frames[cell]], frame, p.weight_before, p.weight_after, p.frame_unit);
    let bins = along(runs[of_bins[cell]], bin, p.weight_below, p.weight_above, p.bin_unit);
    return attenuate(before, frames, bins, p.mixing, m);
}
