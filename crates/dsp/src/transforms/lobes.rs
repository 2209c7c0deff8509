//! Transforms of windows: the level of a tone in the bins around its own.

use crate::Window;
use rayon::prelude::*;
use std::f64::consts::{PI, TAU};

/// Number of bins drawn on each side of a partial; under a Hann window the rest is 80 dB below the tone.
pub(crate) const REACH: f64 = 16.0;

/// Entries of the table per bin: cubic interpolation between them is off by 1e-7.
const PER_BIN: f64 = 64.0;

/// Distance in bins within which other peaks are compared with the side lobes of a window.
pub(crate) const LOBE_BINS: usize = 64;

/// Factor on the level of side lobes: a peak's loudest cell may be half a bin off its centre.
const LOBE_MARGIN: f64 = 1.5;

/// The transform of a window around its centre, over distances in bins.
#[derive(Debug, Clone)]
pub(crate) enum WindowTransform {
    Hann {
        half_n: f64,
    },
    /// Values at the distances `-1 / PER_BIN, 0, 1 / PER_BIN ...`.
    Table(Vec<f64>),
}

impl WindowTransform {
    /// The transform of a window, given its name and its samples.
    pub fn new(window: Window, samples: &[f64]) -> WindowTransform {
        let n = samples.len();
        if window == Window::Hann {
            return WindowTransform::Hann { half_n: n as f64 / 2.0 };
        }
        let entry = |i: i32| {
            let distance = f64::from(i - 1) / PER_BIN;
            let terms = samples
                .iter()
                .enumerate()
                .map(|(k, w)| w * (TAU * distance * (k as f64 - n as f64 / 2.0) / n as f64).cos());
            terms.sum::<f64>()
        };
        WindowTransform::Table((0..(REACH * PER_BIN) as i32 + 4).into_par_iter().map(entry).collect())
    }

    /// The value at a distance in bins.
    pub fn at(&self, distance: f64) -> f64 {
        let d = distance.abs();
        match self {
            WindowTransform::Hann { half_n } if d < 1e-6 => *half_n,
            WindowTransform::Hann { half_n } if (d - 1.0).abs() < 1e-6 => half_n / 2.0,
            WindowTransform::Hann { half_n } => half_n * (PI * d).sin() / (PI * d * (1.0 - d * d)),
            WindowTransform::Table(table) => {
                let place = d * PER_BIN;
                let whole = place.floor();
                let t = place - whole;
                let Some(&[a, b, c, e]) = table.get(whole as usize..).and_then(|rest| rest.first_chunk::<4>()) else {
                    return 0.0;
                };
                // Catmull-Rom.
                b + 0.5 * t * (c - a + t * (2.0 * a - 5.0 * b + 4.0 * c - e + t * (3.0 * (b - c) + e - a)))
            }
        }
    }
}

/// The maximum level of a side lobe relative to its peak, by distance in bins.
pub(crate) fn side_lobes(window: Window) -> Vec<f32> {
    // The shape of the transform is the same for every length but the shortest.
    const N: usize = 512;
    const PER_BIN: usize = 4;
    let window = window.samples(N);
    let sum: f64 = window.iter().sum();
    let at = |step: usize| {
        let per_sample = TAU * step as f64 / (PER_BIN * N) as f64;
        let terms = window.iter().enumerate().map(|(k, w)| w * (per_sample * (k as f64 - N as f64 / 2.0)).cos());
        terms.sum::<f64>().abs() / sum
    };
    let steps: Vec<f64> = (0..=(LOBE_BINS + 1) * PER_BIN).into_par_iter().map(at).collect();
    let around = |bins: usize| {
        let steps = &steps[bins.saturating_sub(1) * PER_BIN..=(bins + 1) * PER_BIN];
        (LOBE_MARGIN * steps.iter().fold(0.0, |max, &step| f64::max(max, step))) as f32
    };
    (0..=LOBE_BINS).map(around).collect()
}
