// How far a sound's own cells are from what was painted. Twin: `distance_squares` in Rust. `magnitude` and `phase` are
// what was painted.

@group(0) @binding(6) var<storage, read> now_magnitude: array<f32>;
@group(0) @binding(7) var<storage, read> now_phase: array<f32>;
// Per workgroup: |now - painted|^2 and |painted - before|^2, summed where the mask is above 0.
@group(0) @binding(8) var<storage, read_write> squares: array<vec2<f32>>;

var<workgroup> sums: array<vec2<f32>, 256>;

fn distance_squares(cell: u32) -> vec2<f32> {
    let at = index_in_before(cell);
    let wanted = magnitude[cell] * cos_sin_turns(phase[cell]);
    let off = now_magnitude[cell] * cos_sin_turns(now_phase[cell]) - wanted;
    let painted = wanted - before_magnitude[at] * cos_sin_turns(before_phase[at]);
    return vec2<f32>(dot(off, off), dot(painted, painted));
}

@compute @workgroup_size(256)
fn run(invocation: Invocation) {
    let cell = cells.first_cell + number_of(invocation);
    var own = vec2<f32>(0.0);
    if cell < cells.end_cell {
        if mask[cell] > 0.0 {
            own = distance_squares(cell);
        }
    }
    sums[invocation.local_index] = own;
    for (var half = 128u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if invocation.local_index < half {
            sums[invocation.local_index] += sums[invocation.local_index + half];
        }
    }
    if invocation.local_index == 0u && cell < cells.end_cell {
        squares[cell / 256u] = sums[0];
    }
}
