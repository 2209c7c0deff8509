// First pass of the blur: along frames, over every bin of `before`, nearest-edge at its ends.

@group(0) @binding(0) var<uniform> cells: Cells;
@group(0) @binding(1) var<storage, read> before_magnitude: array<f32>;
@group(0) @binding(2) var<storage, read> taps: array<f32>;
@group(0) @binding(3) var<storage, read_write> along_frames: array<f32>;

@compute @workgroup_size(256)
fn blur_frames(invocation: Invocation) {
    let cell = cells.first_cell + number_of(invocation);
    if cell >= cells.end_cell {
        return;
    }
    let frame = i32(cells.before_frame + cell / cells.n_bins);
    let bin = cells.before_bin + cell % cells.n_bins;
    let last = i32(cells.before_n_frames) - 1;
    let n_taps = i32(arrayLength(&taps));
    let first = frame - n_taps / 2;
    var sum = 0.0;
    for (var k = 0; k < n_taps; k++) {
        let from_frame = u32(clamp(first + k, 0, last));
        sum += taps[k] * before_magnitude[from_frame * cells.before_n_bins + bin];
    }
    along_frames[cell] = sum;
}
