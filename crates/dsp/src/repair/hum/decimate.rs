//! Decimation, since hum lies at low frequencies, for which a low sample rate suffices.

use rayon::prelude::*;

/// Number of decimated samples on each side that the filter reads.
pub(super) const REACH: usize = 15;
/// Shape of the Kaiser window: 90 dB of attenuation (Kaiser and Schafer 1980).
const BETA: f64 = 8.96;

/// Every `factor`-th sample of a sound, starting with the first, after a zero-delay low-pass filter.
pub(super) struct Decimated {
    pub samples: Vec<f64>,
}

/// The largest factor that changes nothing below `highest_hz` by more than 1e-4.
pub(super) fn factor_for(rate_hz: f64, highest_hz: f64) -> usize {
    ((rate_hz / (2.5 * highest_hz)).floor() as usize).max(1)
}

impl Decimated {
    /// Decimates a sound, which counts as silent beyond its ends.
    pub fn new(sound: &[f32], factor: usize) -> Decimated {
        if factor == 1 {
            return Decimated { samples: sound.iter().map(|&x| f64::from(x)).collect() };
        }
        let reach = REACH * factor;
        let taps = low_pass(factor);
        let at = |i: usize| {
            let centre = i * factor;
            let (first, end) = (centre.saturating_sub(reach), (centre + reach + 1).min(sound.len()));
            let taps = &taps[first + reach - centre..];
            sound[first..end].iter().zip(taps).map(|(&x, tap)| f64::from(x) * tap).sum()
        };
        Decimated { samples: (0..sound.len().div_ceil(factor)).into_par_iter().map(at).collect() }
    }
}

/// A sinc whose cutoff is half the new rate, in a Kaiser window; the taps add up to 1.
fn low_pass(factor: usize) -> Vec<f64> {
    let reach = (REACH * factor) as f64;
    let tap = |i: usize| {
        let t = i as f64 - reach;
        let x = std::f64::consts::PI * t / factor as f64;
        let sinc = if t == 0.0 { 1.0 } else { x.sin() / x };
        sinc * bessel_i0(BETA * (1.0 - (t / (reach + 1.0)).powi(2)).sqrt())
    };
    let taps: Vec<f64> = (0..=2 * REACH * factor).map(tap).collect();
    let sum: f64 = taps.iter().sum();
    taps.into_iter().map(|tap| tap / sum).collect()
}

/// The modified Bessel function of the first kind and order 0, by its power series.
fn bessel_i0(x: f64) -> f64 {
    let (mut sum, mut term) = (1.0, 1.0);
    for k in 1..64 {
        term *= (x / (2.0 * f64::from(k))).powi(2);
        sum += term;
    }
    sum
}
