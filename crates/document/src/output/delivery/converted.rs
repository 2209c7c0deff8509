//! The samples of a range as written: changed, with some or all channels, at another rate.

use super::choice::{Delivery, Taken};
use crate::base::{Error, ErrorKind, Progress, Result};
use crate::document::Snapshot;
use crate::document::analysis::levels::{MAX_PASSES, MeasureBlock, MeasuredSound};
use crate::document::output::export::{ChangeSamples, with_changed};
use crate::media::{Resampled, SoundToWrite};
use std::cell::{Cell, RefCell};
use std::ops::Range;

/// Number of samples of all channels measured at a time.
const BLOCK_SAMPLES: usize = 131_072;
/// Maximum fraction of the progress for measuring.
pub(super) const MEASURED_PART: f64 = 0.6;

/// A range of a sound as written, before its gain.
pub(super) struct Converted<'a> {
    snapshot: &'a Snapshot,
    /// Range of samples; not empty unless the sound is.
    samples: Range<u64>,
    change: &'a ChangeSamples<'a>,
    taken: Taken,
    /// Rate at which the samples are played, and sample rate of the file, in hertz.
    rates: [u32; 2],
    progress: &'a Progress,
    /// Number of measuring passes so far.
    n_passes: Cell<usize>,
}

impl<'a> Converted<'a> {
    /// Converts a range of a sound.
    ///
    /// # Errors
    /// [`Unsupported`](ErrorKind::Unsupported) for channels that do not exist and sample rates that no file has;
    /// [`Script`](ErrorKind::Script) for a range without a sample.
    pub(super) fn of(
        snapshot: &'a Snapshot,
        samples: Range<u64>,
        change: &'a ChangeSamples<'a>,
        delivery: &Delivery,
        progress: &'a Progress,
    ) -> Result<Converted<'a>> {
        let samples = samples.start..samples.end.min(snapshot.n_samples());
        if samples.is_empty() && snapshot.n_samples() > 0 {
            return Err(Error::new(ErrorKind::Script, "the selection holds no sample; select a longer range"));
        }
        let sound_hz = snapshot.source().info().sample_rate_hz;
        let paced_hz = delivery.paced_hz(sound_hz)?;
        let rates = [paced_hz, delivery.rate_hz.unwrap_or(paced_hz)];
        let taken = delivery.channels.of(snapshot.n_channels())?;
        Ok(Converted { snapshot, samples, change, taken, rates, progress, n_passes: Cell::new(0) })
    }

    /// The range of samples in the sound.
    pub(super) fn samples(&self) -> &Range<u64> {
        &self.samples
    }

    /// The channels taken from the sound.
    pub(super) fn taken(&self) -> Taken {
        self.taken
    }

    /// Sample rate of the file.
    pub(super) fn written_hz(&self) -> u32 {
        self.rates[1]
    }

    /// The actual playback speed, since the sample rate is rounded to whole hertz.
    pub(super) fn speed(&self) -> f64 {
        f64::from(self.rates[0]) / self.snapshot.sample_rate_hz()
    }

    fn is_resampled(&self) -> bool {
        self.rates[0] != self.rates[1]
    }

    /// Samples per channel of the file.
    fn n_written(&self) -> u64 {
        let n = self.samples.end - self.samples.start;
        if !self.is_resampled() {
            return n;
        }
        let [from_hz, to_hz] = self.rates.map(f64::from);
        ((n as f64 * to_hz / from_hz).round() as u64).max(u64::from(n > 0))
    }

    fn n_channels(&self) -> usize {
        if self.taken == Taken::All { self.snapshot.n_channels() } else { 1 }
    }

    /// The source channel of each channel of the file; `None` for computed channels, that is, for all if `is_made` is
    /// true.
    fn channels(&self, is_made: bool) -> Vec<Option<usize>> {
        match self.taken {
            _ if is_made || self.is_resampled() => vec![None; self.n_channels()],
            Taken::All => (0..self.snapshot.n_channels()).map(Some).collect(),
            Taken::One(channel) => vec![Some(channel)],
            Taken::Sum(_) => vec![None],
        }
    }

    /// Calls `take` with the sound to write, after a gain, and its range of samples.
    pub(super) fn to_write<R>(
        &self,
        gain: f64,
        take: impl FnOnce(&SoundToWrite<'_>, Range<u64>) -> Result<R>,
    ) -> Result<R> {
        with_changed(self.snapshot, self.change, |sound| {
            let is_plain = self.taken == Taken::All && !self.is_resampled() && gain == 1.0;
            let stream = RefCell::new(Stream::of(self)?);
            let streamed = |channel: usize, first: u64, out: &mut [f32]| {
                let mut stream = stream.borrow_mut();
                let begin = if self.is_resampled() { 0 } else { self.samples.start };
                out.copy_from_slice(&stream.block_at(first - begin, out.len())?[channel]);
                if gain != 1.0 {
                    out.iter_mut().for_each(|sample| *sample = (f64::from(*sample) * gain) as f32);
                }
                Ok(())
            };
            let (n_samples, samples) = match self.is_resampled() {
                true => (self.n_written(), 0..self.n_written()),
                false => (sound.n_samples, self.samples.clone()),
            };
            let written = SoundToWrite {
                source: sound.source,
                n_samples,
                sample_rate_hz: self.written_hz(),
                channel_mask: self.channel_mask(),
                channels: self.channels(gain != 1.0),
                read: if is_plain { sound.read } else { &streamed },
                origins: sound.origins,
            };
            take(&written, samples)
        })
    }

    /// Samples of a channel of the file at the sound's rate, counted from the start of the range; 0 past its end.
    fn read(&self, channel: usize, first: u64, out: &mut [f32]) -> Result<()> {
        let n_inside = (self.samples.end - self.samples.start).saturating_sub(first).min(out.len() as u64) as usize;
        let (out, behind) = out.split_at_mut(n_inside);
        behind.fill(0.0);
        if out.is_empty() {
            return Ok(());
        }
        let first = self.samples.start + first;
        let read = |channel: usize, out: &mut [f32]| {
            self.snapshot.read(channel, first as i64, out)?;
            (self.change)(channel, first, out)
        };
        let factor = match self.taken {
            Taken::All => return read(channel, out),
            Taken::One(one) => return read(one, out),
            Taken::Sum(factor) => factor,
        };
        let mut sum = vec![0.0f64; out.len()];
        for one in 0..self.snapshot.n_channels() {
            read(one, out)?;
            sum.iter_mut().zip(&*out).for_each(|(sum, sample)| *sum += f64::from(*sample));
        }
        out.iter_mut().zip(sum).for_each(|(sample, sum)| *sample = (sum * factor) as f32);
        Ok(())
    }
}

impl MeasuredSound for Converted<'_> {
    fn sample_rate_hz(&self) -> f64 {
        f64::from(self.written_hz())
    }

    fn n_signals(&self) -> usize {
        self.n_channels()
    }

    fn channel_mask(&self) -> Option<u32> {
        self.snapshot.source().info().channel_mask.filter(|_| self.taken == Taken::All)
    }

    fn each_block(&self, take: &mut MeasureBlock<'_>) -> Result<()> {
        let mut stream = Stream::of(self)?;
        let (n_all, n_block) = (self.n_written(), (BLOCK_SAMPLES / self.n_channels()) as u64);
        // Up to `MAX_PASSES` passes measure the loudness, and one more the peak.
        let at_pass = |pass: usize| MEASURED_PART * (pass as f64 / (MAX_PASSES + 1) as f64).min(1.0);
        let pass = self.n_passes.replace(self.n_passes.get() + 1);
        let progress = self.progress.within([at_pass(pass), at_pass(pass + 1)]);
        for first in (0..n_all).step_by(n_block as usize) {
            progress.step(first, n_all)?;
            take(&mut stream.next(n_block.min(n_all - first) as usize)?)?;
        }
        Ok(())
    }
}

/// The samples of a file, computed in order from its start.
struct Stream<'a> {
    converted: &'a Converted<'a>,
    resampled: Option<Resampled>,
    /// Number of samples read from the sound.
    n_read: u64,
    /// Start and samples of the last block.
    block: (u64, Vec<Vec<f32>>),
}

impl<'a> Stream<'a> {
    fn of(converted: &'a Converted<'a>) -> Result<Stream<'a>> {
        let [from_hz, to_hz] = converted.rates.map(f64::from);
        let n_channels = converted.n_channels();
        let resampled = match converted.is_resampled() {
            true => Some(Resampled::new(from_hz, to_hz, n_channels)?),
            false => None,
        };
        Ok(Stream { converted, resampled, n_read: 0, block: (0, vec![Vec::new(); n_channels]) })
    }

    /// The next samples of every channel.
    fn next(&mut self, n: usize) -> Result<Vec<Vec<f32>>> {
        let (converted, n_read) = (self.converted, &mut self.n_read);
        let mut read = |n: usize| {
            let first = *n_read;
            *n_read += n as u64;
            let of_channel = |channel: usize| {
                let mut samples = vec![0.0; n];
                converted.read(channel, first, &mut samples).map(|()| samples)
            };
            (0..converted.n_channels()).map(of_channel).collect::<Result<Vec<_>>>()
        };
        match &mut self.resampled {
            Some(resampled) => resampled.next(n, &mut read),
            None => read(n),
        }
    }

    /// The block of `n` samples at `first`: either the last block again, or the one that follows.
    fn block_at(&mut self, first: u64, n: usize) -> Result<&[Vec<f32>]> {
        let n_last = self.block.1[0].len();
        if self.block.0 != first || n_last != n {
            if self.block.0 + n_last as u64 != first {
                return Err(Error::new(ErrorKind::Internal, "the samples of a file were not asked for in their order"));
            }
            self.block = (first, self.next(n)?);
        }
        Ok(&self.block.1)
    }
}
