//! Onset rate of a sound.

use super::analysis::RATE_HZ;
use crate::dsp::pitch::onsets::{onset_transform, onsets, onsets_of_flux};
use crate::dsp::{FftPlans, Stft, StftParams};

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
    /// The transform for counting onsets.
    pub fn transform() -> StftParams {
        onset_transform(f64::from(RATE_HZ))
    }

    /// Onsets per second of a sound whose [flux](crate::dsp::pitch::onsets::onset_flux) is known; `None` if there
    /// are no samples.
    pub fn of_flux(samples: &[f32], flux: &[f32]) -> Option<f64> {
        let found = onsets_of_flux(OnsetCounter::transform(), samples, flux, f64::from(RATE_HZ));
        per_second(found.len() as u64, samples.len() as u64)
    }

    /// Creates a counter with an FFT from `ffts`.
    pub fn new(ffts: &FftPlans) -> OnsetCounter {
        let stft = Stft::with_ffts(OnsetCounter::transform(), ffts);
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
        per_second(self.n_onsets, self.n_samples)
    }

    fn count(&mut self, n_samples: usize) {
        let piece = self.n_before..self.n_before + n_samples;
        let found = onsets(&self.stft, &self.pending, f64::from(RATE_HZ));
        self.n_onsets += found.iter().filter(|at| piece.contains(at)).count() as u64;
    }
}

fn per_second(n_onsets: u64, n_samples: u64) -> Option<f64> {
    (n_samples > 0).then(|| n_onsets as f64 * f64::from(RATE_HZ) / n_samples as f64)
}
