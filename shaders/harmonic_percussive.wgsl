// Harmonic / percussive gain: soft masks out of medians along time and along frequency. Twin: `harmonic_percussive` in
// Rust.

struct HarmonicPercussive {
    frame_window: u32,    // both odd
    bin_window: u32,
    harmonic_gain: f32,
    percussive_gain: f32,
}

@group(0) @binding(6) var<uniform> parameters: HarmonicPercussive;

// Each part has its gain; both count half where there is neither.
fn harmonic_percussive(harmonic: f32, percussive: f32) -> f32 {
    let largest = max(harmonic, percussive);
    if largest < 1e-30 {
        return 0.5 * (parameters.harmonic_gain + parameters.percussive_gain);
    }
    let ratio = min(harmonic, percussive) / largest;
    let square = ratio * ratio;
    let is_harmonic = harmonic >= percussive;
    let larger = select(parameters.percussive_gain, parameters.harmonic_gain, is_harmonic);
    let smaller = select(parameters.harmonic_gain, parameters.percussive_gain, is_harmonic);
    return (larger + smaller * square) / (1.0 + square);
}

fn edited(cell: u32, before: f32, m: f32) -> f32 {
    let at = index_in_before(cell);
    let frame = at / cells.before_n_bins;
    let bin = at % cells.before_n_bins;
    let harmonic = median(bin, cells.before_n_bins, cells.before_n_frames, frame, parameters.frame_window);
    let percussive = median(at - bin, 1u, cells.before_n_bins, bin, parameters.bin_window);
    return before * (1.0 + (harmonic_percussive(harmonic, percussive) - 1.0) * m);
}
