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

// A place of a line mirrored at both ends, the ends repeated.
fn mirrored(at: i32, n: i32) -> u32 {
    let period = 2 * n;
    let within = ((at % period) + period) % period;
    return u32(select(within, period - 1 - within, within >= n));
}

// The median of a window around a place of a line whose values stand `stride` apart from `first` on. As bits, numbers
// that are not negative are in their own order: bit by bit, the largest number that has no more than half below it.
fn median(first: u32, stride: u32, n: u32, place: u32, window: u32) -> f32 {
    let half = i32(window / 2u);
    var found = 0u;
    for (var bit = 30; bit >= 0; bit--) {
        let probe = found | (1u << u32(bit));
        var n_below = 0u;
        for (var k = -half; k <= half; k++) {
            let value = before_magnitude[first + mirrored(i32(place) + k, i32(n)) * stride];
            n_below += select(0u, 1u, bitcast<u32>(value) < probe);
        }
        if n_below <= u32(half) {
            found = probe;
        }
    }
    return bitcast<f32>(found);
}

fn edited(cell: u32, before: f32, m: f32) -> f32 {
    let at = index_in_before(cell);
    let frame = at / cells.before_n_bins;
    let bin = at % cells.before_n_bins;
    let harmonic = median(bin, cells.before_n_bins, cells.before_n_frames, frame, parameters.frame_window);
    let percussive = median(at - bin, 1u, cells.before_n_bins, bin, parameters.bin_window);
    return before * (1.0 + (harmonic_percussive(harmonic, percussive) - 1.0) * m);
}
