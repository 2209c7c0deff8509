//! Transforms on log-frequency rows: the product of them that tests take, and their definition.
//!
//! The default run takes the transforms at 44.1 kHz and a few of them at other rates; `SONOBRUSH_LONG_TESTS` the whole
//! product of transforms, rates and lengths.

pub mod moved_twin;
pub mod twin;

use crate::fourier::Complex;
pub use crate::is_long;
use crate::signals::Rng;
use dsp::transforms::rows::{RowBank, RowsParams};
use dsp::{CellRect, GridPlan, Region, SampleDifference};
use std::f64::consts::TAU;

pub const RATE: f64 = 44_100.0;

/// The rates of the whole product, or some of them.
pub fn rates(short: &'static [f64]) -> &'static [f64] {
    const ALL: [f64; 9] = [8_000.0, 11_025.0, 16_000.0, 22_050.0, 32_000.0, 44_100.0, 48_000.0, 96_000.0, 192_000.0];
    if is_long() { &ALL } else { short }
}

pub fn bank(params: &RowsParams, rate: f64) -> RowBank {
    RowBank::new(params, rate).unwrap()
}

/// Every transform that the page measures, with the least round trip in f32 that is allowed, in dB.
pub fn transforms() -> Vec<(&'static str, RowsParams, f64)> {
    let cqt = |bins: u32| RowsParams::log(bins).with_gamma_hz(0.0);
    vec![
        ("log 12 erb", RowsParams::log(12), 125.0),
        ("log 24 erb", RowsParams::log(24), 130.0),
        ("log 48 erb", RowsParams::log(48), 130.0),
        ("log 96 erb", RowsParams::log(96), 130.0),
        ("log 12", cqt(12), 125.0),
        ("log 24", cqt(24), 125.0),
        ("log 48", cqt(48), 125.0),
        ("mel 128", RowsParams::mel(128), 125.0),
        ("mel 40", RowsParams::mel(40), 125.0),
        ("bark 96", RowsParams::bark(96), 125.0),
        ("log 12, 80 to 8000 Hz", RowsParams::log(12).with_fmin_hz(80.0).with_fmax_hz(8000.0), 125.0),
        ("log 36 from 27.5 Hz, gamma 6", RowsParams::log(36).with_fmin_hz(27.5).with_gamma_hz(6.0), 125.0),
        ("list of thirds", RowsParams::list(&thirds()), 125.0),
    ]
}

/// 24 frequencies, some third of an octave apart.
pub fn thirds() -> Vec<f64> {
    let near = |k: i32| 63.0 * 2f64.powf(f64::from(k) / 3.0) * (1.0 + 0.01 * f64::from(k % 3 - 1));
    (0..24).map(near).collect()
}

/// Noise, a sweep over all frequencies, and a click.
pub fn sound(n: usize, seed: u64) -> Vec<f32> {
    let mut rng = Rng(seed);
    let sweep = |i: usize| 0.3 * (TAU * 0.5 * (i as f64).powi(2) / (2.0 * n as f64)).sin();
    let click = |i: usize| if i == n / 3 { 0.7 } else { 0.0 };
    (0..n).map(|i| (sweep(i) + click(i) + 0.1 * rng.normal()) as f32).collect()
}

/// A cell as a complex number.
pub fn complex(region: &Region, index: usize) -> Complex {
    let angle = TAU * f64::from(region.phase[index]);
    let magnitude = f64::from(region.magnitude[index]);
    [magnitude * angle.cos(), magnitude * angle.sin()]
}

/// `20 log10(||a - b|| / ||b||)` of complex numbers.
pub fn distance_db(a: impl IntoIterator<Item = Complex>, b: impl IntoIterator<Item = Complex>) -> f64 {
    let (mut error, mut power) = (0.0, 0.0);
    for (a, b) in a.into_iter().zip(b) {
        error += (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2);
        power += b[0] * b[0] + b[1] * b[1];
    }
    10.0 * (error / power).log10()
}

/// The cells of a rectangle of a sound, of the samples that they depend on alone.
pub fn analysed(plan: &GridPlan, samples: &[f32], rect: &CellRect) -> Region {
    let at = |i: i64| usize::try_from(i).ok().and_then(|i| samples.get(i)).copied().unwrap_or(0.0);
    plan.analyse(&plan.samples_read(rect).map(at).collect::<Vec<_>>(), rect)
}

/// Adds what changed to samples.
pub fn add(difference: &SampleDifference, samples: &mut [f32]) {
    for range in &difference.ranges {
        for i in range.start.max(0)..range.end.min(samples.len() as i64) {
            samples[i as usize] += difference.samples[(i - difference.first) as usize];
        }
    }
}
