// What most kernels read and write: a region with its halo, a mask, and a region of the mask's rectangle.

@group(0) @binding(0) var<uniform> cells: Cells;
@group(0) @binding(1) var<storage, read> before_magnitude: array<f32>;
@group(0) @binding(2) var<storage, read> before_phase: array<f32>;
@group(0) @binding(3) var<storage, read> mask: array<f32>;
@group(0) @binding(4) var<storage, read_write> magnitude: array<f32>;
@group(0) @binding(5) var<storage, read_write> phase: array<f32>;

// Where a written cell stands in `before`.
fn index_in_before(cell: u32) -> u32 {
    let frame = cells.before_frame + cell / cells.n_bins;
    let bin = cells.before_bin + cell % cells.n_bins;
    return frame * cells.before_n_bins + bin;
}
