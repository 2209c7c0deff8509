// The cells of a group before and after a change, as synthesis takes them: times the reading of a unit sine.

@group(0) @binding(1) var<uniform> part: RowPart;
@group(0) @binding(2) var<storage, read> rows: array<RowEntry>;
@group(0) @binding(3) var<storage, read> before_magnitude: array<u32>;
@group(0) @binding(4) var<storage, read> before_phase: array<u32>;
@group(0) @binding(5) var<storage, read> after_magnitude: array<u32>;
@group(0) @binding(6) var<storage, read> after_phase: array<u32>;

fn times_peak(magnitude: u32, phase: u32, peak: f32) -> vec2<u32> {
    return comparable(vec2<u32>(bitcast<u32>(bitcast<f32>(magnitude) * peak), phase));
}

// A cell, its column and row counted from the first of the part.
fn before_cell(column: u32, row: u32) -> vec2<u32> {
    let at = (part.before_frame + column) * part.before_n_bins + part.before_first_bin + row;
    return times_peak(before_magnitude[at], before_phase[at], rows[part.first_row + row].peak);
}

fn after_cell(column: u32, row: u32) -> vec2<u32> {
    let at = (part.frame + column) * part.n_bins + part.first_bin + row;
    return times_peak(after_magnitude[at], after_phase[at], rows[part.first_row + row].peak);
}
