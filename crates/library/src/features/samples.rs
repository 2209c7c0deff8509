//! A sound as one channel at the features' rate, read from the start.

use super::options::ChannelChoice;
use crate::base::{Error, ErrorKind, Result};
use crate::media::{Resampler, SampleFormat, Source};

/// Number of frames read from a sound at a time.
const BLOCK_FRAMES: usize = 1 << 14;
/// Maximum level of samples, +120 dBFS: the power of a spectrum could otherwise exceed 32-bit floats.
const LOUDEST: f32 = 1e6;

/// Number of zeros emitted at a time.
const ZEROS: [f32; 1 << 12] = [0.0; 1 << 12];

/// Reads a sound in order. Known silence, of which a tiny file can encode days, is neither read nor resampled.
pub struct SampleReader<'a> {
    source: &'a Source,
    channel: ChannelChoice,
    /// Next frame of the source.
    at: u64,
    resampling: Option<Resampler>,
    /// Remaining samples at the features' rate.
    n_left: u64,
    channel_block: Vec<f32>,
    n_limited: u64,
    /// Samples read or resampled but not yet emitted.
    ready: Vec<f32>,
    /// Zeros to emit before reading continues.
    zeros_left: u64,
    silence: SilenceSkip,
}

/// Finds silence that can be skipped without changing any other sample.
struct SilenceSkip {
    rates_hz: [u64; 2],
    /// Frames of the sound, and output samples, after which the resampler is in its initial phase again.
    period: [u64; 2],
    /// End of the last frames that may not be silent.
    audible_until: u64,
    /// Number of samples emitted.
    n_made: u64,
}

impl SilenceSkip {
    fn new(from_hz: u32, to_hz: u32) -> SilenceSkip {
        let (mut a, mut b) = (from_hz, to_hz);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        // The resampler may halve the rate first, as often as the ratio allows.
        let halvings = u64::from((from_hz / to_hz).max(1).next_power_of_two()) * 2;
        let period = [from_hz / a, to_hz / a].map(|n| u64::from(n) * halvings);
        SilenceSkip { rates_hz: [from_hz, to_hz].map(u64::from), period, audible_until: 0, n_made: 0 }
    }

    /// The frame at which to continue, with silence over the whole filter length on both sides, and the number of zeros
    /// to emit before it.
    fn next(&self, at: u64, silent_until: u64) -> Option<(u64, u64)> {
        let [from_hz, _] = self.rates_hz;
        if at < self.audible_until.saturating_add(from_hz) {
            return None;
        }
        let periods = silent_until.saturating_sub(from_hz) / self.period[0];
        let n_made = periods.saturating_mul(self.period[1]);
        let next = periods * self.period[0];
        (next > at && n_made > self.n_made).then(|| (next, n_made - self.n_made))
    }
}

/// The length of a sound at another rate.
pub fn n_samples_at(source: &Source, rate_hz: u32) -> u64 {
    let info = source.info();
    let exact = u128::from(info.n_samples) * u128::from(rate_hz);
    let rate = u128::from(info.sample_rate_hz);
    u64::try_from((exact + rate / 2) / rate).unwrap_or(u64::MAX)
}

impl<'a> SampleReader<'a> {
    /// A reader for one channel.
    ///
    /// # Errors
    /// For a channel that the sound does not have, or rates between which it cannot be resampled.
    pub fn new(source: &'a Source, channel: ChannelChoice, rate_hz: u32) -> Result<SampleReader<'a>> {
        let info = source.info();
        if let ChannelChoice::One(index) = channel
            && index >= info.n_channels
        {
            let sentence = format!("has {} channels, so there is no channel {index}", info.n_channels);
            return Err(Error::new(ErrorKind::Unsupported, sentence));
        }
        let resampling = match info.sample_rate_hz == rate_hz {
            true => None,
            false => Some(Resampler::measured(f64::from(info.sample_rate_hz), f64::from(rate_hz), 1)?),
        };
        Ok(SampleReader {
            source,
            channel,
            at: 0,
            resampling,
            n_left: n_samples_at(source, rate_hz),
            channel_block: Vec::new(),
            n_limited: 0,
            ready: Vec::new(),
            zeros_left: 0,
            silence: SilenceSkip::new(info.sample_rate_hz, rate_hz),
        })
    }

    /// Number of samples read above +120 dBFS, which were limited.
    pub fn n_limited(&self) -> u64 {
        self.n_limited
    }

    /// Appends the next samples, at most `n`; fewer only at the end of the sound.
    ///
    /// # Errors
    /// Read errors.
    pub fn read(&mut self, n: usize, out: &mut Vec<f32>) -> Result<()> {
        let n = n.min(usize::try_from(self.n_left).unwrap_or(usize::MAX));
        self.n_left -= n as u64;
        let wanted = out.len() + n;
        while out.len() < wanted {
            if self.ready.is_empty() && self.zeros_left == 0 {
                self.skip_silence()?;
            }
            if self.ready.is_empty() && self.zeros_left > 0 {
                let n = ZEROS.len().min(wanted - out.len()).min(usize::try_from(self.zeros_left).unwrap_or(usize::MAX));
                out.extend_from_slice(&ZEROS[..n]);
                self.zeros_left -= n as u64;
                continue;
            }
            if self.ready.is_empty() {
                self.fill()?;
            }
            let n_taken = (wanted - out.len()).min(self.ready.len());
            out.extend(self.ready.drain(..n_taken));
        }
        Ok(())
    }

    fn skip_silence(&mut self) -> Result<()> {
        let silent_until = self.source.silent_until(self.at);
        if silent_until == self.at {
            return Ok(());
        }
        if let Some((next, n_zeros)) = self.silence.next(self.at, silent_until) {
            let [from_hz, to_hz] = self.silence.rates_hz.map(|rate| rate as f64);
            if self.resampling.is_some() {
                self.resampling = Some(Resampler::measured(from_hz, to_hz, 1)?);
            }
            (self.at, self.zeros_left) = (next, n_zeros);
            self.silence.n_made += n_zeros;
        }
        Ok(())
    }

    fn fill(&mut self) -> Result<()> {
        let Some(mut resampling) = self.resampling.take() else {
            let mut block = std::mem::take(&mut self.ready);
            self.mix(BLOCK_FRAMES, &mut block)?;
            self.silence.n_made += block.len() as u64;
            self.ready = block;
            return Ok(());
        };
        let mut block = Vec::new();
        while self.ready.is_empty() {
            self.mix(resampling.frames_wanted(), &mut block)?;
            self.ready.extend_from_slice(resampling.process(&block)?);
        }
        self.silence.n_made += self.ready.len() as u64;
        self.resampling = Some(resampling);
        Ok(())
    }

    /// The next frames as one channel, with zeros after the end.
    fn mix(&mut self, n: usize, out: &mut Vec<f32>) -> Result<()> {
        let first = i64::try_from(self.at).unwrap_or(i64::MAX);
        self.at += n as u64;
        if self.source.silent_until(self.at - n as u64) < self.at {
            self.silence.audible_until = self.at;
        }
        out.clear();
        out.resize(n, 0.0);
        let n_channels = self.source.info().n_channels;
        let only = match self.channel {
            ChannelChoice::One(index) => Some(index),
            ChannelChoice::Mix => (n_channels == 1).then_some(0),
        };
        if let Some(index) = only {
            self.source.read(index, first, out)?;
            self.n_limited += limit(out, self.source.info().format);
            return Ok(());
        }
        self.channel_block.resize(n, 0.0);
        for channel in 0..n_channels {
            self.source.read(channel, first, &mut self.channel_block)?;
            self.n_limited += limit(&mut self.channel_block, self.source.info().format);
            out.iter_mut().zip(&self.channel_block).for_each(|(sum, sample)| *sum += sample);
        }
        let scale = 1.0 / n_channels as f32;
        out.iter_mut().for_each(|sum| *sum *= scale);
        Ok(())
    }
}

/// Limits samples to [`LOUDEST`], and returns the number of limited ones. Integer formats never exceed it.
fn limit(samples: &mut [f32], format: SampleFormat) -> u64 {
    if matches!(format, SampleFormat::Pcm { .. }) {
        return 0;
    }
    let is_beyond = |sample: &f32| sample.abs() > LOUDEST;
    // Without a branch per sample, since such samples are rare.
    if !samples.iter().fold(false, |is_any, sample| is_any | is_beyond(sample)) {
        return 0;
    }
    let mut n_limited = 0;
    for sample in samples.iter_mut().filter(|sample| is_beyond(sample)) {
        *sample = sample.clamp(-LOUDEST, LOUDEST);
        n_limited += 1;
    }
    n_limited
}
