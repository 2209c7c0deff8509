// Of two signals the louder cell, with its phase. Twin of `Region::keep_louder` in crates/dsp/src/cells/region.rs.

@group(0) @binding(0) var<uniform> cells: Cells;
@group(0) @binding(1) var<storage, read_write> all_magnitude: array<f32>;
@group(0) @binding(2) var<storage, read_write> all_phase: array<f32>;
@group(0) @binding(3) var<storage, read> other_magnitude: array<f32>;
@group(0) @binding(4) var<storage, read> other_phase: array<f32>;

@compute @workgroup_size(256)
fn keep_louder(invocation: Invocation) {
    let cell = cells.first_cell + number_of(invocation);
    if cell >= cells.end_cell {
        return;
    }
    if other_magnitude[cell] > all_magnitude[cell] {
        all_magnitude[cell] = other_magnitude[cell];
        all_phase[cell] = other_phase[cell];
    }
}
