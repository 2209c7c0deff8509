// Two regions made one, as complex numbers. Twin: `combine` in Rust.

struct Combine {
    kept: f32, // 1 adds, 0 puts in place
}

@group(0) @binding(6) var<storage, read> other_magnitude: array<f32>; // of the cells that are written
@group(0) @binding(7) var<storage, read> other_phase: array<f32>;
@group(0) @binding(8) var<uniform> parameters: Combine;

@compute @workgroup_size(256)
fn run(invocation: Invocation) {
    let cell = cells.first_cell + number_of(invocation);
    if cell >= cells.end_cell {
        return;
    }
    let at = index_in_before(cell);
    let m = mask[cell];
    if m == 0.0 {
        magnitude[cell] = before_magnitude[at];
        phase[cell] = before_phase[at];
        return;
    }
    let own = before_magnitude[at] * cos_sin_turns(before_phase[at]);
    let other = other_magnitude[cell] * cos_sin_turns(other_phase[cell]);
    let edited = combine(own, other, m, parameters.kept);
    magnitude[cell] = magnitude_from_complex(edited);
    phase[cell] = turns_from_complex(edited);
}
