//! The sound to export, and which of its samples are the source's original values.

use crate::base::Result;
use crate::samples::source::Source;
use crate::samples::values::Original;
use std::ops::Range;

/// Reads the samples to write, given the channel, the first sample and the buffer to fill.
pub type ReadSamples<'a> = dyn Fn(usize, u64, &mut [f32]) -> Result<()> + 'a;

/// Returns where the samples of a range come from, as runs that cover the range: the length of each, and the position
/// in the source of its first sample, or `None` for samples that are not from the source.
pub type FindOrigins<'a> = dyn Fn(Range<u64>) -> Vec<(u64, Option<u64>)> + 'a;

/// The sound to write. Its samples come from a source, at their own positions or others, or are computed.
pub struct SoundToWrite<'a> {
    /// Source of the samples, with its format and metadata.
    pub source: &'a Source,
    /// Number of samples per channel.
    pub n_samples: u64,
    /// Samples per second.
    pub sample_rate_hz: u32,
    /// Speaker mask of the channels, if any.
    pub channel_mask: Option<u32>,
    /// For each channel, the channel of the source from which it comes; `None` if it is computed.
    pub channels: Vec<Option<usize>>,
    /// Reads the samples.
    pub read: &'a ReadSamples<'a>,
    /// Origins of the samples in the source; `None` if each is at its position in the source.
    pub origins: Option<&'a FindOrigins<'a>>,
}

impl<'a> SoundToWrite<'a> {
    /// All samples of a source at its own rate, with its own channels.
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

    /// The source's values of a range of a channel, with zeros for samples that do not come from it; `None` for a
    /// computed channel.
    pub(crate) fn originals(&self, channel: usize, samples: Range<u64>) -> Result<Option<Original>> {
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

    /// Whether a range starts with the whole source, unmoved, so that positions in the source's metadata remain valid.
    pub(crate) fn holds_source(&self, samples: &Range<u64>) -> bool {
        let n_source = self.source.info().n_samples;
        samples.start == 0
            && match self.origins {
                None => samples.end == n_source,
                Some(origins) => origins(samples.clone()).first() == Some(&(n_source, Some(0))),
            }
    }

    /// Position of the start of a range relative to the start of the source, in samples.
    pub(crate) fn later_by(&self, samples: &Range<u64>) -> i64 {
        let runs = self.origins.map(|origins| origins(samples.clone()));
        runs.and_then(|runs| later_than_source(&runs)).unwrap_or(samples.start as i64)
    }
}

/// Position of the start of `runs` relative to the start of the source, in samples, computed from the first run that
/// comes from the source; `None` if none does. `runs` are as returned by [`FindOrigins`].
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
