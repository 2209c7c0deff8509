//! Measures of how far apart, how loud, and how high.

use super::fourier::{fft, turn};
use std::f64::consts::TAU;

/// `20 log10(||reference|| / ||actual - reference||)`; infinite when equal.
pub fn snr_db(actual: &[f64], reference: &[f64]) -> f64 {
    assert_eq!(actual.len(), reference.len());
    let error: f64 = actual.iter().zip(reference).map(|(a, r)| (a - r) * (a - r)).sum();
    let power: f64 = reference.iter().map(|r| r * r).sum();
    10.0 * (power / error).log10()
}

pub fn snr_db_f32(actual: &[f32], reference: &[f32]) -> f64 {
    snr_db(&f64s(actual), &f64s(reference))
}

pub fn f64s(values: &[f32]) -> Vec<f64> {
    values.iter().map(|&v| f64::from(v)).collect()
}

/// The scale-invariant ratio of what two sounds have in common to what they have not, in dB (SI-SDR).
pub fn si_sdr_db(heard: &[f32], clean: &[f32]) -> f64 {
    let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
    let scale = product(heard, clean) / product(clean, clean);
    snr_db(&f64s(heard), &clean.iter().map(|sample| scale * f64::from(*sample)).collect::<Vec<_>>())
}

/// Largest distance between two lists.
pub fn max_error(actual: impl IntoIterator<Item = f64>, reference: impl IntoIterator<Item = f64>) -> f64 {
    let (mut actual, mut reference) = (actual.into_iter(), reference.into_iter());
    let mut max = 0.0f64;
    loop {
        match (actual.next(), reference.next()) {
            (Some(a), Some(r)) => {
                assert!(a.is_finite() && r.is_finite(), "{a} and {r}");
                max = max.max((a - r).abs());
            }
            (None, None) => return max,
            _ => panic!("lists of different lengths"),
        }
    }
}

/// Root of the mean square.
pub fn rms(x: &[f32]) -> f64 {
    (x.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>() / x.len() as f64).sqrt()
}

/// What differs from the clean sound, in decibels relative to it.
pub fn error_db(heard: &[f32], clean: &[f32]) -> f64 {
    let error: Vec<f32> = heard.iter().zip(clean).map(|(heard, clean)| heard - clean).collect();
    20.0 * (rms(&error) / rms(clean)).log10()
}

/// Indices of samples whose bits differ.
pub fn changed(a: &[f32], b: &[f32]) -> Vec<usize> {
    assert_eq!(a.len(), b.len());
    (0..a.len()).filter(|&i| a[i].to_bits() != b[i].to_bits()).collect()
}

/// A sine found in samples.
#[derive(Debug, Clone, Copy)]
pub struct Tone {
    pub hz: f64,
    /// Amplitude.
    pub level: f64,
}

/// The strongest sine between two frequencies: the maximum of the Hann-windowed spectrum, searched to 0.001 Hz.
pub fn strongest_tone(samples: &[f32], rate: f64, low_hz: f64, high_hz: f64) -> Tone {
    let n = samples.len();
    let weights: Vec<f64> = (0..n).map(|k| 0.5 - 0.5 * (TAU * k as f64 / n as f64).cos()).collect();
    let windowed: Vec<f64> = samples.iter().zip(&weights).map(|(&s, w)| f64::from(s) * w).collect();
    let level_at = |hz: f64| {
        // The sum turns by a recurrence in f64: over a few thousand samples its error is 1e-12.
        let step = turn(hz / rate);
        let (mut unit, mut sum) = ([1.0, 0.0], [0.0, 0.0]);
        for &s in &windowed {
            sum = [sum[0] + s * unit[0], sum[1] - s * unit[1]];
            unit = super::fourier::times(unit, step);
        }
        2.0 * sum[0].hypot(sum[1]) / weights.iter().sum::<f64>()
    };
    // First a grid finer than the main lobe, then by thirds around its peak.
    let n_fft = (4 * n).next_power_of_two();
    let mut spectrum: Vec<[f64; 2]> = windowed.iter().map(|&s| [s, 0.0]).collect();
    spectrum.resize(n_fft, [0.0; 2]);
    fft(&mut spectrum, -1.0);
    let grid = rate / n_fft as f64;
    let (first, last) = ((low_hz / grid).ceil() as usize, (high_hz / grid).floor() as usize);
    let level = |bin: &usize| spectrum[*bin][0].hypot(spectrum[*bin][1]);
    let loudest = (first..=last).max_by(|a, b| level(a).total_cmp(&level(b)));
    let mut best = loudest.map_or((low_hz + high_hz) / 2.0, |bin| bin as f64 * grid);
    let mut width = 2.0 * grid;
    while width > 5e-4 {
        let places = [best - width / 2.0, best, best + width / 2.0].map(|hz| (hz, level_at(hz)));
        best = places.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap().0;
        width /= 1.6;
    }
    Tone { hz: best, level: level_at(best) }
}

/// Mean power of the samples between two frequencies, by the DFT of the whole run, a power of two long, under a Kaiser
/// window whose side lobes (-190 dB) hide nothing that is 90 dB down.
pub fn band_power(samples: &[f32], rate: f64, low_hz: f64, high_hz: f64) -> f64 {
    let n = samples.len();
    let bessel_i0 = |x: f64| {
        let terms = (1..200).scan(1.0, |term, k| {
            *term *= (x / 2.0 / f64::from(k)).powi(2);
            Some(*term)
        });
        1.0 + terms.sum::<f64>()
    };
    let window = |k: usize| {
        let across = 2.0 * k as f64 / n as f64 - 1.0;
        bessel_i0(26.0 * (1.0 - across * across).max(0.0).sqrt()) / bessel_i0(26.0)
    };
    let mut x: Vec<[f64; 2]> = samples.iter().enumerate().map(|(k, &s)| [window(k) * f64::from(s), 0.0]).collect();
    fft(&mut x, -1.0);
    let bins = (low_hz * n as f64 / rate).ceil() as usize..=(high_hz * n as f64 / rate).floor() as usize;
    let count = bins.clone().count() as f64;
    bins.map(|k| x[k][0] * x[k][0] + x[k][1] * x[k][1]).sum::<f64>() / count
}

/// Largest step from one sample to the next.
pub fn largest_step(samples: &[f32]) -> f32 {
    samples.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f32::max)
}

/// First and last time at which the level of a note around `secs` is half of what it is in its middle.
pub fn half_level_secs(samples: &[f32], rate: f64, secs: [f64; 2], hz: f64) -> [f64; 2] {
    // Over one period the mean square of a sine is steady.
    let period = (rate / hz).round() as usize;
    let level = |at: usize| {
        let squares = samples[at - period / 2..][..period].iter().map(|s| f64::from(*s).powi(2));
        (squares.sum::<f64>() / period as f64).sqrt()
    };
    let [start, middle, end] = [secs[0] - 0.25, (secs[0] + secs[1]) / 2.0, secs[1] + 0.25];
    let at = |secs: f64| (secs * rate) as usize;
    let half = level(at(middle)) / 2.0;
    assert!(half > 0.01, "a note sounds at {middle} s");
    let first = (at(start)..at(middle)).find(|at| level(*at) >= half).unwrap();
    let last = (at(middle)..at(end)).rfind(|at| level(*at) >= half).unwrap();
    [first, last].map(|at| at as f64 / rate)
}
