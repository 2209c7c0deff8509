//! Onset rate of a sound.

use super::analysis::RATE_HZ;
use crate::dsp::pitch::onsets::{onset_transform, onsets};
use crate::dsp::{FftPlans, Stft};

/// Number of samples searched at a time, about six minutes. Longer sounds are searched in pieces.
const PIECE_SAMPLES: usize = 1 << 24;
/// Context searched around a piece, so that its ends are treated like any other position.
const CONTEXT_SAMPLES: usize = RATE_HZ as usize;

/// Counts onsets.
pub struct OnsetCounter {
    stft: Stft,
    /// Samples, starting with the context of the current piece.
    pending: Vec<f32>,
    n_before: usize,
    n_onsets: u64,
    n_samples: u64,
}

impl OnsetCounter {
    /// Creates a counter with an FFT from `ffts`.
    pub fn new(ffts: &FftPlans) -> OnsetCounter {
        let stft = Stft::with_ffts(onset_transform(f64::from(RATE_HZ)), ffts);
        OnsetCounter { stft, pending: Vec::new(), n_before: 0, n_onsets: 0, n_samples: 0 }
    }

    /// Processes the next samples.
    pub fn push(&mut self, samples: &[f32]) {
        self.n_samples += samples.len() as u64;
        self.pending.extend_from_slice(samples);
        if self.pending.len() >= self.n_before + PIECE_SAMPLES + CONTEXT_SAMPLES {
            self.count(PIECE_SAMPLES);
            self.pending.drain(..self.n_before + PIECE_SAMPLES - CONTEXT_SAMPLES);
            self.n_before = CONTEXT_SAMPLES;
        }
    }

    /// Onsets per second; `None` if there were no samples.
    pub fn finish(mut self) -> Option<f64> {
        self.count(self.pending.len());
        (self.n_samples > 0).then(|| self.n_onsets as f64 * f64::from(RATE_HZ) / self.n_samples as f64)
    }

    fn count(&mut self, n_samples: usize) {
        let piece = self.n_before..self.n_before + n_samples;
        let found = onsets(&self.stft, &self.pending, f64::from(RATE_HZ));
        self.n_onsets += found.iter().filter(|at| piece.contains(at)).count() as u64;
    }
}
