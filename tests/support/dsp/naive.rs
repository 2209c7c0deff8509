//! Masks cell by cell in f64, from the definitions.

use dsp::{Axis, Grid, Stroke};
use std::f64::consts::PI;

/// Axis units, written down from the definitions (the crate's own are compared with librosa's elsewhere).
pub fn units(axis: Axis, hz: f64) -> f64 {
    match axis {
        Axis::Linear => hz,
        Axis::Log => hz.log2(),
        Axis::Mel if hz < 1000.0 => 3.0 * hz / 200.0,
        Axis::Mel => 15.0 + 27.0 * (hz / 1000.0).ln() / 6.4f64.ln(),
        Axis::Bark => 6.0 * (hz / 600.0).asinh(),
    }
}

pub fn profile(d: f64, hardness: f64) -> f64 {
    match d {
        d if d <= hardness => 1.0,
        d if d >= 1.0 => 0.0,
        d => (1.0 + (PI * (d - hardness) / (1.0 - hardness)).cos()) / 2.0,
    }
}

/// `M` of a stroke at a time and frequency.
pub fn stroke_at(stroke: &Stroke, secs: f64, hz: f64) -> f64 {
    let place = |secs: f64, hz: f64| [secs / stroke.radius[0], units(stroke.axis, hz) / stroke.radius[1]];
    let c = place(secs, hz);
    if !c[1].is_finite() {
        return 0.0;
    }
    let at = |a: [f64; 2], pressure: f64| pressure * profile((c[0] - a[0]).hypot(c[1] - a[1]), stroke.hardness);
    let mut max = 0.0f64;
    for pair in stroke.points.windows(2) {
        let (a, b) = (place(pair[0].secs, pair[0].hz), place(pair[1].secs, pair[1].hz));
        let v = [b[0] - a[0], b[1] - a[1]];
        let square = v[0] * v[0] + v[1] * v[1];
        let u = ((c[0] - a[0]) * v[0] + (c[1] - a[1]) * v[1]) / square;
        let u = if square > 0.0 { u.clamp(0.0, 1.0) } else { 0.0 };
        let pressure = pair[0].pressure + u * (pair[1].pressure - pair[0].pressure);
        max = max.max(at([a[0] + u * v[0], a[1] + u * v[1]], pressure));
    }
    if let [only] = stroke.points.as_slice() {
        max = at(place(only.secs, only.hz), only.pressure);
    }
    stroke.strength * max
}

/// Centre of a cell.
pub fn centre(grid: &Grid, frame: usize, bin: usize) -> (f64, f64) {
    let secs = (frame * grid.transform().as_stft().unwrap().hop) as f64 / grid.sample_rate_hz;
    (secs, bin as f64 * grid.sample_rate_hz / grid.transform().as_stft().unwrap().n_fft as f64)
}
