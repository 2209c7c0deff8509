//! A sound at another sample rate, in pieces.

use super::resample::Resampler;
use crate::base::Result;

/// Gives the input: the `n` samples of every channel that follow those given before; 0 beyond the end.
pub type ReadOn<'a> = dyn FnMut(usize) -> Result<Vec<Vec<f32>>> + 'a;

/// Gives resampled sound from its start on, in pieces of any length: the same bits as at once.
pub struct Resampled {
    resampler: Resampler,
    n_channels: usize,
    /// Frames of silence that the resampler is still to be given before the input.
    lead_left: usize,
    /// Interleaved frames that are made and not yet given.
    ready: Vec<f32>,
}

impl Resampled {
    /// The ratio of the rates is what counts.
    ///
    /// # Errors
    /// [`Unsupported`](crate::base::ErrorKind::Unsupported) for a pair of rates that cannot be bridged.
    pub fn new(from_hz: f64, to_hz: f64, n_channels: usize) -> Result<Resampled> {
        let (resampler, lead_left) = Resampler::fine(from_hz, to_hz, n_channels)?;
        Ok(Resampled { resampler, n_channels, lead_left, ready: Vec::new() })
    }

    /// The next `n` samples of every channel.
    ///
    /// # Errors
    /// Those of reading the input.
    pub fn next(&mut self, n: usize, read: &mut ReadOn<'_>) -> Result<Vec<Vec<f32>>> {
        while self.ready.len() < n * self.n_channels {
            let n_wanted = self.resampler.frames_wanted();
            let n_silent = self.lead_left.min(n_wanted);
            self.lead_left -= n_silent;
            let mut frames = vec![0.0; n_silent * self.n_channels];
            if n_wanted > n_silent {
                let input = read(n_wanted - n_silent)?;
                frames.extend((0..n_wanted - n_silent).flat_map(|i| input.iter().map(move |channel| channel[i])));
            }
            self.ready.extend_from_slice(self.resampler.process(&frames)?);
        }
        let mut channels = vec![Vec::with_capacity(n); self.n_channels];
        let frames = self.ready.drain(..n * self.n_channels);
        frames.enumerate().for_each(|(i, sample)| channels[i % self.n_channels].push(sample));
        Ok(channels)
    }
}
