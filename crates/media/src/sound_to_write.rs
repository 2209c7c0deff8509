//! The sound that an export writes: where its samples come from, and which of them are a source's own values.

use super::source::Source;
use super::values::Original;
use crate::base::Result;
use std::ops::Range;

/// Gives the samples to write: channel, first sample, where they go.
pub type ReadSamples<'a> = dyn Fn(usize, u64, &mut [f32]) -> Result<()> + 'a;

/// Where the samples of a range were in the source, as runs that fill the range: how many, and the first of them; none
/// for samples that were not in it.
pub type FindOrigins<'a> = dyn Fn(Range<u64>) -> Vec<(u64, Option<u64>)> + 'a;

/// What is written: samples that were read from a source, at their places in it or at others, or made of them.
pub struct SoundToWrite<'a> {
    /// Where they came from: format, and what its file held beside them.
    pub source: &'a Source,
    /// Samples of a channel.
    pub n_samples: u64,
    /// Samples a second.
    pub sample_rate_hz: u32,
    /// Which speaker each channel is for.
    pub channel_mask: Option<u32>,
    /// For each channel the one of the source whose values it has; none where its samples were made.
    pub channels: Vec<Option<usize>>,
    /// Gives them.
    pub read: &'a ReadSamples<'a>,
    /// Says which of the source's they were; none if each is at its place in the source.
    pub origins: Option<&'a FindOrigins<'a>>,
}

impl<'a> SoundToWrite<'a> {
    /// Samples with the rate and the channels of their source.
    pub fn of(
        source: &'a Source,
        n_samples: u64,
        read: &'a ReadSamples<'a>,
        origins: Option<&'a FindOrigins<'a>>,
    ) -> SoundToWrite<'a> {
        let info = source.info();
        SoundToWrite {
            source,
            n_samples,
            sample_rate_hz: info.sample_rate_hz,
            channel_mask: info.channel_mask,
            channels: (0..info.n_channels).map(Some).collect(),
            read,
            origins,
        }
    }

    /// The source's values of a range of a channel, zeros for samples that were not in it; none for a channel that was
    /// made.
    pub(super) fn originals(&self, channel: usize, samples: Range<u64>) -> Result<Option<Original>> {
        let Some(channel) = self.channels[channel] else { return Ok(None) };
        let Some(origins) = self.origins else {
            let n = (samples.end - samples.start) as usize;
            return self.source.read_original(channel, samples.start, n).map(Some);
        };
        let mut all = self.source.read_original(channel, 0, 0)?;
        for (n, first) in origins(samples) {
            match first {
                Some(first) => all.append(self.source.read_original(channel, first, n as usize)?),
                None => all.append_zeros(n as usize),
            }
        }
        Ok(Some(all))
    }

    /// Whether all of the source is in its place in a range: what its file holds beside the samples is still true.
    pub(super) fn holds_source(&self, samples: &Range<u64>) -> bool {
        let n_source = self.source.info().n_samples;
        samples.start == 0
            && match self.origins {
                None => samples.end == n_source,
                Some(origins) => origins(samples.clone()).first() == Some(&(n_source, Some(0))),
            }
    }

    /// By how many samples the first of a range is later than the first of the source.
    pub(super) fn later_by(&self, samples: &Range<u64>) -> i64 {
        let runs = self.origins.map(|origins| origins(samples.clone()));
        runs.and_then(|runs| later_than_source(&runs)).unwrap_or(samples.start as i64)
    }
}

/// By how many samples the first of some runs, as [`FindOrigins`] gives them, is later than the first of the source;
/// none where none of them was in it.
pub fn later_than_source(runs: &[(u64, Option<u64>)]) -> Option<i64> {
    let mut offset = 0;
    for (n, first) in runs {
        if let Some(first) = first {
            return Some(*first as i64 - offset);
        }
        offset += *n as i64;
    }
    None
}
