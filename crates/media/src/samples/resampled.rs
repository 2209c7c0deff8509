//! A sound at another sample rate, computed in pieces.

use super::resample::Resampler;
use crate::base::Result;

/// Returns the next `n` input samples of every channel; 0 beyond the end.
pub type ReadInputSamples<'a> = dyn FnMut(usize) -> Result<Vec<Vec<f32>>> + 'a;

/// Resamples a sound from its start, in pieces of any length; the samples are bit-identical to those of a single call.
pub struct Resampled {
    resampler: Resampler,
    n_channels: usize,
    /// Interleaved frames that were computed but not returned yet.
    ready: Vec<f32>,
}

impl Resampled {
    /// A conversion between two rates, of which only the ratio matters.
    ///
    /// # Errors
    /// [`Unsupported`](crate::base::ErrorKind::Unsupported) if it cannot convert between the rates.
    pub fn new(from_hz: f64, to_hz: f64, n_channels: usize) -> Result<Resampled> {
        Ok(Resampled { resampler: Resampler::kept(from_hz, to_hz, n_channels)?, n_channels, ready: Vec::new() })
    }

    /// A conversion for a change of a sound, with the highest possible bandwidth: [`Resampler::sharp`].
    ///
    /// # Errors
    /// As [`new`](Resampled::new).
    pub fn sharp(from_hz: f64, to_hz: f64, n_channels: usize) -> Result<Resampled> {
        Ok(Resampled { resampler: Resampler::sharp(from_hz, to_hz, n_channels)?, n_channels, ready: Vec::new() })
    }

    /// The next `n` samples of every channel.
    ///
    /// # Errors
    /// Errors reading the input.
    pub fn next(&mut self, n: usize, read: &mut ReadInputSamples<'_>) -> Result<Vec<Vec<f32>>> {
        while self.ready.len() < n * self.n_channels {
            let n_wanted = self.resampler.frames_wanted();
            let input = read(n_wanted)?;
            let frames: Vec<f32> = (0..n_wanted).flat_map(|i| input.iter().map(move |channel| channel[i])).collect();
            self.ready.extend_from_slice(self.resampler.process(&frames)?);
        }
        let mut channels = vec![Vec::with_capacity(n); self.n_channels];
        let frames = self.ready.drain(..n * self.n_channels);
        frames.enumerate().for_each(|(i, sample)| channels[i % self.n_channels].push(sample));
        Ok(channels)
    }
}
