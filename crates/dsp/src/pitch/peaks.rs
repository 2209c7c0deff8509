//! Interpolates frequency and level of a tone between bins, from the magnitudes of one frame and the shape of the
//! window's main lobe.

use crate::{Grid, Transform, Window};
use std::borrow::Cow;

/// Distance in bins within which a peak's main lobe certainly dominates: the lobe of the narrowest available window
/// ends at 1.5.
const LOBE_BINS: f64 = 1.5;

/// The fractional bin and the magnitude of the peak whose main lobe contains `place`, a position in fractional bins.
/// The search goes uphill from the nearest cell; `None` if the peak is more than 1.5 bins away, or in silence.
pub fn peak_under(magnitude: &[f32], place: f64, lobe: &Lobe) -> Option<(f64, f64)> {
    let start = (place.round().max(0.0) as usize).min(magnitude.len().saturating_sub(1));
    peak_near(magnitude, start, lobe).filter(|(bin, _)| (bin - place).abs() <= LOBE_BINS)
}

/// The fractional bin and the magnitude of the peak uphill from `start`; `None` in silence.
pub fn peak_near(magnitude: &[f32], start: usize, lobe: &Lobe) -> Option<(f64, f64)> {
    let at = |bin: usize| magnitude.get(bin).copied().unwrap_or(0.0);
    let mut bin = start;
    loop {
        let higher = |next: usize| at(next) > at(bin);
        if bin + 1 < magnitude.len() && higher(bin + 1) && at(bin + 1) >= at(bin.saturating_sub(1)) {
            bin += 1;
        } else if bin > 0 && higher(bin - 1) {
            bin -= 1;
        } else {
            break;
        }
    }
    if at(bin) <= 0.0 {
        return None;
    }
    let (below, above) = (bin.checked_sub(1).map_or(0.0, at), at(bin + 1));
    let ratio = f64::from(below.max(above)) / f64::from(at(bin));
    let offset = lobe.offset_from_ratio(ratio);
    let sign = if above >= below { 1.0 } else { -1.0 };
    Some((bin as f64 + sign * offset, f64::from(at(bin)) / lobe.at(offset)))
}

/// The main lobe of a window's transform: the level of a tone in a bin, by its distance to the bin's centre.
#[derive(Debug, Clone)]
pub struct Lobe(Vec<f64>);

/// Number of table steps per bin.
const LOBE_STEPS: usize = 64;

impl Lobe {
    /// The lobe of a transform's window.
    pub fn of(transform: &Transform) -> Lobe {
        let stft = transform.stft_or_default();
        Lobe::new(stft.window, stft.window_len())
    }

    /// The lobe of a window of `n` samples. Windows longer than 2,048 have the same lobe to 6 digits.
    pub fn new(window: Window, n: usize) -> Lobe {
        let n = n.min(2048);
        let samples = window.samples(n);
        let sum: f64 = samples.iter().sum();
        let at = |step: usize| {
            let turns = step as f64 / (LOBE_STEPS * n) as f64;
            let part = |(k, w): (usize, &f64)| w * (std::f64::consts::TAU * turns * (k as f64 - n as f64 / 2.0)).cos();
            samples.iter().enumerate().map(part).sum::<f64>() / sum
        };
        Lobe((0..=LOBE_STEPS).map(at).collect())
    }

    /// The lobe around a bin: this one on an STFT, or that of the row's own window on a transform with rows.
    pub fn around(&self, grid: &Grid, bin: usize) -> Cow<'_, Lobe> {
        let Some(table) = grid.row_table() else { return Cow::Borrowed(self) };
        let row = &table.rows()[bin];
        let width = row.width_hz / grid.hz_around_bin(bin);
        let at = |step: usize| (std::f64::consts::PI * step as f64 / LOBE_STEPS as f64 / width).cos().powi(6);
        Cow::Owned(Lobe((0..=LOBE_STEPS).map(at).collect()))
    }

    /// The relative magnitude at a distance of 0 to 1 bins: 1 at the centre, falling with distance.
    pub fn at(&self, bins: f64) -> f64 {
        let place = (bins.clamp(0.0, 1.0) * LOBE_STEPS as f64).min(LOBE_STEPS as f64 - 1e-9);
        let step = place as usize;
        self.0[step] + (self.0[step + 1] - self.0[step]) * (place - step as f64)
    }

    /// The distance, 0 to 0.5, at which the next bin's magnitude is `ratio` times that of the nearest.
    pub fn offset_from_ratio(&self, ratio: f64) -> f64 {
        let (mut low, mut high) = (0.0, 0.5);
        for _ in 0..40 {
            let middle = (low + high) / 2.0;
            if self.at(1.0 - middle) / self.at(middle) < ratio { low = middle } else { high = middle }
        }
        (low + high) / 2.0
    }
}
