//! Levels of bands in a frame.

use super::MIN_POWER;
use super::frames::{FrameCells, GainFrames};
use std::ops::Range;

/// Levels of some bands, from the mean power of all channels.
pub struct BandLevels {
    bins: Vec<Range<usize>>,
    full_scale_power: f64,
}

impl BandLevels {
    /// Levels of bands in hertz, without the bins at and above their upper ends.
    pub fn new(frames: &GainFrames, bands_hz: &[[f64; 2]]) -> BandLevels {
        let bin = |hz: f64| ((hz * frames.n_samples() as f64 / frames.rate_hz()).ceil() as usize).min(frames.n_bins());
        let bins = bands_hz.iter().map(|[low, high]| bin(*low)..bin(*high)).collect();
        BandLevels { bins, full_scale_power: frames.full_scale_power() }
    }

    /// The level of each band in dB; 0 dB is a full-scale sine in it.
    pub fn of(&self, frame: &FrameCells) -> Vec<f64> {
        let scale = 1.0 / (frame.len() as f64 * self.full_scale_power);
        let level = |bins: &Range<usize>| {
            let power = |channel: &Vec<_>| channel[bins.clone()].iter().map(squared).sum::<f64>();
            10.0 * (scale * frame.iter().map(power).sum::<f64>() + MIN_POWER).log10()
        };
        self.bins.iter().map(level).collect()
    }
}

/// The power of a cell.
pub(super) fn squared(cell: &rustfft::num_complex::Complex32) -> f64 {
    f64::from(cell.re).powi(2) + f64::from(cell.im).powi(2)
}
