//! Input of the network: band levels and bin cells, normalised by running means.

use super::speech_network::SpeechFeatures;
use super::{BAND_BINS, N_BANDS, N_FILTERED};
use crate::dsp::numeric::network::LayerFrames;
use rustfft::num_complex::Complex32;

/// Weight of the previous value in a running mean.
const SMOOTHING: f32 = 0.99;
/// Initial means of levels, from the lowest band to the highest, in dB.
const FIRST_LEVELS_DB: [f32; 2] = [-60.0, -90.0];
/// Initial means of magnitudes, from the lowest bin to the highest.
const FIRST_MAGNITUDES: [f32; 2] = [0.001, 0.0001];
/// Divisor of the normalised levels, in dB.
const LEVEL_SCALE_DB: f32 = 40.0;
const MIN_POWER: f32 = 1e-10;
/// Minimum of the means of magnitudes.
const MIN_MAGNITUDE: f32 = 1e-20;

/// Computes features of consecutive frames.
#[derive(Debug, Clone)]
pub struct FeatureMaker {
    levels_db: Vec<f32>,
    magnitudes: Vec<f32>,
    bands: Vec<f32>,
    bins: Vec<f32>,
}

impl FeatureMaker {
    /// A feature maker before its first frame.
    pub fn new() -> FeatureMaker {
        FeatureMaker {
            levels_db: line(FIRST_LEVELS_DB, N_BANDS),
            magnitudes: line(FIRST_MAGNITUDES, N_FILTERED),
            bands: Vec::new(),
            bins: Vec::new(),
        }
    }

    /// Adds the next frame, scaled by a gain.
    pub fn push(&mut self, cells: &[Complex32], gain: f32) {
        let mut first = 0;
        for (n, mean_db) in BAND_BINS.iter().zip(&mut self.levels_db) {
            let power: f32 = cells[first..first + n].iter().map(|cell| (cell * gain).norm_sqr()).sum();
            let level_db = 10.0 * (power / *n as f32 + MIN_POWER).log10();
            *mean_db = (1.0 - SMOOTHING) * level_db + SMOOTHING * *mean_db;
            self.bands.push((level_db - *mean_db) / LEVEL_SCALE_DB);
            first += n;
        }
        for (cell, mean) in cells.iter().zip(&mut self.magnitudes) {
            let cell = cell * gain;
            *mean = (1.0 - SMOOTHING) * cell.norm() + SMOOTHING * *mean;
            let scaled = cell / mean.max(MIN_MAGNITUDE).sqrt();
            self.bins.extend([scaled.re, scaled.im]);
        }
    }

    /// The features of the frames since the last call.
    pub fn take(&mut self) -> SpeechFeatures {
        let [bands, bins] = [&mut self.bands, &mut self.bins].map(std::mem::take);
        SpeechFeatures { bands: LayerFrames::new([N_BANDS, 1], bands), bins: LayerFrames::new([N_FILTERED, 2], bins) }
    }
}

/// `n` values spaced evenly from `first` to `last`.
fn line([first, last]: [f32; 2], n: usize) -> Vec<f32> {
    (0..n).map(|i| first + (last - first) * i as f32 / (n - 1) as f32).collect()
}
