//! Stretches the sound of selections and clips in time, piece by piece.

use crate::base::{Error, ErrorKind, Progress, Result};
use crate::dsp::Clip;
use crate::dsp::pitch::onsets::onset_transform;
use crate::dsp::warps::peak_locking::LockedPeaks;
use crate::dsp::warps::stretch::{ReadInput, Stretcher, TimeMap, onsets_in, stretch_transform, stretched_length};
use crate::engine::Plans;

/// Range of the length of stretched sound, in percent of the original.
pub const STRETCH_PERCENT: [f64; 2] = [50.0, 200.0];

/// Number of samples computed at a time.
const PIECE_SAMPLES: usize = 1 << 17;

/// A sound that is stretched as it is read.
pub struct Stretched<'a> {
    stretcher: Stretcher,
    read: Box<ReadInput<'a>>,
}

impl<'a> Stretched<'a> {
    /// Stretches `n_channels` channels of one rate, as `read` returns them. Both lengths must be positive. Detects the
    /// onsets of the whole input.
    ///
    /// # Errors
    /// Read errors, and [`Cancelled`](ErrorKind::Cancelled).
    pub fn new(
        rate_hz: f64,
        n_channels: usize,
        [n_input, n_output]: [u64; 2],
        peaks: LockedPeaks,
        mut read: Box<ReadInput<'a>>,
        plans: &Plans,
        progress: &Progress,
    ) -> Result<Stretched<'a>> {
        let found = match n_input == n_output {
            true => Vec::new(),
            false => {
                let stft = plans.get(onset_transform(rate_hz));
                onsets_in(&stft, rate_hz, n_input, &mut *read, |_| progress.check())?
            }
        };
        let stft = plans.get(stretch_transform(rate_hz));
        let map = TimeMap::new(n_input, n_output, &found, stft.n_samples_under(1) as u64 / 2);
        Ok(Stretched { stretcher: Stretcher::new(stft, rate_hz, map, n_channels, peaks), read })
    }

    /// The next samples of every channel.
    ///
    /// # Errors
    /// Read errors.
    pub fn next(&mut self, n: usize) -> Result<Vec<Vec<f32>>> {
        self.stretcher.next(n, &mut *self.read)
    }
}

/// A clip stretched to a length in percent, keeping the sample `pivot` of its sound in place.
///
/// # Errors
/// [`Limit`](ErrorKind::Limit) if nothing would be left of it, and [`Cancelled`](ErrorKind::Cancelled).
pub fn stretched_clip(clip: &Clip, percent: f64, pivot: i64, plans: &Plans, progress: &Progress) -> Result<Clip> {
    let n_input = clip.n_samples() as u64;
    let n_output = stretched_length(n_input, percent);
    if n_output == 0 {
        return Err(Error::new(ErrorKind::Limit, "the selection is too short to stretch; select more time"));
    }
    let n_channels = clip.channels.len();
    let read = |first: i64, n: usize| {
        let of_channel = |channel: usize| {
            let mut samples = vec![0.0; n];
            clip.read(channel, first, &mut samples);
            samples
        };
        Ok((0..n_channels).map(of_channel).collect())
    };
    let (rate_hz, lengths) = (clip.sample_rate_hz, [n_input, n_output]);
    let mut stretched =
        Stretched::new(rate_hz, n_channels, lengths, LockedPeaks::Narrow, Box::new(read), plans, progress)?;
    let mut channels = vec![Vec::with_capacity(n_output as usize); n_channels];
    for first in (0..n_output).step_by(PIECE_SAMPLES) {
        progress.step(first, n_output)?;
        let piece = stretched.next(PIECE_SAMPLES.min((n_output - first) as usize))?;
        channels.iter_mut().zip(piece).for_each(|(channel, piece)| channel.extend(piece));
    }
    let before = (pivot - clip.first_sample) as f64 * percent / 100.0;
    let first_sample = pivot - before.round() as i64;
    Ok(Clip { sample_rate_hz: clip.sample_rate_hz, first_sample, channels: channels.into() })
}
