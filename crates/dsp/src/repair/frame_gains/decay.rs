//! The decay of a room, measured where the level falls without interruption.

use super::smoothed;
use crate::dsp::descriptors::{median, quantile};

/// Collects the levels of three octaves, and determines how fast they fall.
#[derive(Debug, Default)]
pub struct DecaySearch {
    levels_db: Vec<Vec<f64>>,
}

impl DecaySearch {
    /// The octaves, in hertz.
    pub const BANDS_HZ: [[f64; 2]; 3] = [[400.0, 800.0], [800.0, 1600.0], [1600.0, 3200.0]];
    /// Length of a falling stretch.
    const STRETCH_SECS: f64 = 0.15;
    /// Rise in level that ends a stretch, in dB.
    const MAX_RISE_DB: f64 = 0.35;
    /// Maximum distance of a stretch's start below the loud level, and minimum distance of its end above the quiet
    /// level, in dB.
    const BELOW_LOUD_DB: f64 = 25.0;
    const ABOVE_QUIET_DB: f64 = 6.0;
    /// Quantiles of the frame levels taken as the quietest and the loudest.
    const QUIET_QUANTILE: f64 = 0.05;
    const LOUD_QUANTILE: f64 = 0.95;
    /// Minimum number of decays for an estimate.
    const MIN_DECAYS: usize = 6;

    /// Adds the levels of the octaves in the next frame, in dB.
    pub fn push(&mut self, levels_db: Vec<f64>) {
        self.levels_db.push(levels_db);
    }

    /// The reverberation time (RT60), in seconds; `None` with too few decays.
    pub fn rt60_secs(&self, step_secs: f64) -> Option<f64> {
        let n_steps = (Self::STRETCH_SECS / step_secs).round() as usize;
        let mut found = Vec::new();
        for band in 0..Self::BANDS_HZ.len() {
            let powers: Vec<f64> = self.levels_db.iter().map(|levels| 10f64.powf(levels[band] / 10.0)).collect();
            let even: Vec<f64> = smoothed(&smoothed(&powers)).iter().map(|power| 10.0 * power.log10()).collect();
            let mut in_order = even.clone();
            in_order.sort_unstable_by(f64::total_cmp);
            let (loud, quiet) = (quantile(&in_order, Self::LOUD_QUANTILE)?, quantile(&in_order, Self::QUIET_QUANTILE)?);
            for stretch in even.windows(n_steps + 1) {
                let falls = stretch.windows(2).all(|pair| pair[1] - pair[0] <= Self::MAX_RISE_DB);
                let is_audible =
                    stretch[0] >= loud - Self::BELOW_LOUD_DB && stretch[n_steps] >= quiet + Self::ABOVE_QUIET_DB;
                let slope = slope(stretch) / step_secs;
                if falls && is_audible && slope < 0.0 {
                    found.push(-60.0 / slope);
                }
            }
        }
        if found.len() < Self::MIN_DECAYS { None } else { median(&found) }
    }
}

/// The slope of the regression line through values, per step.
fn slope(values: &[f64]) -> f64 {
    let middle = (values.len() - 1) as f64 / 2.0;
    let sums = values.iter().enumerate().fold([0.0; 2], |[product, square], (i, value)| {
        let at = i as f64 - middle;
        [product + at * value, square + at * at]
    });
    sums[0] / sums[1]
}
