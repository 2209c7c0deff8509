// Blur and sharpening on rows, after the blur along frames (`blur_frames`): each row has weights of its own. Twin:
// `RowBlur::run`.

struct RowBlurring {
    first_row: u32,  // that of the first entry of `row_taps`
    sharpens: u32,
    amount: f32,
}

struct RowTaps {
    first_row: u32,  // the first row that is read
    n_taps: u32,
    first_tap: u32,
}

@group(0) @binding(6) var<storage, read> along_frames: array<f32>; // frames of the mask, all rows of `before`
@group(0) @binding(7) var<storage, read> row_taps: array<RowTaps>;
@group(0) @binding(8) var<storage, read> taps: array<f32>;         // of all rows
@group(0) @binding(9) var<uniform> parameters: RowBlurring;

fn edited(cell: u32, before: f32, m: f32) -> f32 {
    let own = row_taps[cells.first_bin + cell % cells.n_bins - parameters.first_row];
    let first_in_before = own.first_row - (cells.first_bin - cells.before_bin);
    let first = (cell / cells.n_bins) * cells.before_n_bins + first_in_before;
    var blurred = 0.0;
    for (var tap = 0u; tap < own.n_taps; tap++) {
        blurred += taps[own.first_tap + tap] * along_frames[first + tap];
    }
    if parameters.sharpens == 1u {
        return sharpen_mix(before, blurred, parameters.amount, m);
    }
    return blur_mix(before, blurred, m);
}
