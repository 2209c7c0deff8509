//! Harmonic fraction of a sound's energy, as opposed to percussive sound.

use super::analysis::N_BINS;
use crate::dsp::kernels::medians;
use crate::dsp::{CellRect, Region};

/// Window length of the medians, in frames and in bins.
pub const MEDIAN_WINDOW: usize = 31;
/// Number of frames on either side of a frame that its median needs.
pub(super) const HALF: usize = MEDIAN_WINDOW / 2;
/// Number of frames whose medians are computed together.
const BLOCK: usize = 256;

/// Sums the energy that soft masks assign to harmonic and to percussive sound.
#[derive(Debug, Clone, Default)]
pub struct HarmonicMeter {
    /// Magnitudes, starting half a window before the block in progress, or at the start.
    rows: Vec<f32>,
    /// Number of frames before the block in progress.
    n_before: usize,
    energy: MaskedEnergy,
}

/// Energy after soft masks.
#[derive(Debug, Clone, Copy, Default)]
struct MaskedEnergy {
    harmonic: f64,
    percussive: f64,
}

impl MaskedEnergy {
    /// Adds cells: their magnitudes, and medians along time and along frequency.
    fn add(&mut self, magnitude: &[f32], [harmonic, percussive]: [&[f32]; 2]) {
        for ((&value, &harmonic), &percussive) in magnitude.iter().zip(harmonic).zip(percussive) {
            let [value, harmonic, percussive] = [value, harmonic, percussive].map(f64::from);
            let (power, squares) = (value * value, [harmonic * harmonic, percussive * percussive]);
            let both = squares[0] + squares[1];
            let mask = if both > 0.0 { squares[0] / both } else { 0.5 };
            self.harmonic += power * mask * mask;
            self.percussive += power * (1.0 - mask) * (1.0 - mask);
        }
    }
}

impl HarmonicMeter {
    /// Processes the magnitudes of the next frame.
    pub fn push(&mut self, magnitude: &[f64]) {
        self.rows.extend(magnitude.iter().map(|&value| value as f32));
        if self.rows.len() / N_BINS == self.n_before + BLOCK + HALF {
            self.measure(BLOCK);
            // The last measured frames are the context of the next block.
            let n_done = self.n_before + BLOCK - HALF;
            self.rows.drain(..n_done * N_BINS);
            self.n_before = HALF;
        }
    }

    /// Processes the next frames, given their medians along time and along frequency.
    pub fn push_medians(&mut self, magnitude: &[f32], medians: [&[f32]; 2]) {
        self.energy.add(magnitude, medians);
    }

    /// The harmonic fraction `sum P m^2 / (sum P m^2 + sum P (1 - m)^2)` of the power `P`, with
    /// `m = H^2 / (H^2 + V^2)`, H and V the medians along time and along frequency, 1/2 where both are 0; `None` for
    /// silence.
    pub fn finish(&mut self) -> Option<f64> {
        let n_left = self.rows.len() / N_BINS - self.n_before;
        if n_left > 0 {
            self.measure(n_left);
        }
        let MaskedEnergy { harmonic, percussive } = self.energy;
        let all = harmonic + percussive;
        let ratio = (all > 0.0).then(|| harmonic / all);
        *self = HarmonicMeter::default();
        ratio
    }

    /// Measures the `n_frames` of the block in progress. At an end of the sound, frames are mirrored.
    fn measure(&mut self, n_frames: usize) {
        // Silence adds nothing, and recordings may contain hours of it.
        let own = &self.rows[self.n_before * N_BINS..][..n_frames * N_BINS];
        if own.iter().all(|value| *value == 0.0) {
            return;
        }
        let rect = |frames| CellRect::new(frames, 0..N_BINS);
        let mut region = Region::zeros(rect(0..self.rows.len() / N_BINS));
        region.magnitude.copy_from_slice(&self.rows);
        let block = rect(self.n_before..self.n_before + n_frames);
        let [harmonic, percussive] = medians([MEDIAN_WINDOW; 2], &region, &block);
        self.energy.add(own, [&harmonic, &percussive]);
    }
}
