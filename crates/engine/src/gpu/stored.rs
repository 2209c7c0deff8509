//! Sounds as they are stored: what the device keeps in pages, and how a signal is put together from them.

use crate::base::{Result, trace};
use std::borrow::Cow;
use std::fmt::Debug;
use std::ops::Range;

/// Number of samples per page, 256 KB.
pub const PAGE_SAMPLES: usize = 1 << 16;

/// Number of blocks per page, each with its own serial.
pub const BLOCKS_PER_PAGE: usize = 16;

/// What a page holds apart from edits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PageBase {
    /// Page `index` of a channel of a source. Sources have different serials.
    Source {
        /// Number of the source, and of no other one.
        serial: u64,
        /// Channel of the source.
        channel: usize,
        /// Number of the page; that of the first sample is 0.
        index: u64,
    },
    /// Silence.
    Silence,
}

/// A page of a stored sound. Pages with equal bases and blocks hold equal samples, wherever they are used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPage {
    /// What it holds apart from edits.
    pub base: PageBase,
    /// Serials of the blocks that replace or change parts of it, 0 where there is none.
    pub blocks: [u64; BLOCKS_PER_PAGE],
    /// Where the sound finds it: a layer, and the number of the page in it.
    pub place: (u32, u64),
}

/// Where the samples of a run are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoredSamples {
    /// Nowhere: they are known to be 0.
    Silence,
    /// In a page, from this sample of it on.
    Page(StoredPage, usize),
    /// In a part of a source that may still change.
    Unsettled,
}

/// Consecutive samples of a channel that are stored together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRun {
    /// Number of samples.
    pub n: usize,
    /// Where they are.
    pub samples: StoredSamples,
}

/// How a signal is made of stored channels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SignalMix {
    /// A channel as it is.
    Channel(usize),
    /// `(left + sign * right) * 0.5` of the first two channels.
    Halves {
        /// 1 for mid, -1 for side.
        sign: f32,
    },
}

/// A signal of a sound, in RAM or on disk, of which the device may keep pages. Sample numbers may lie before the start
/// and after the end, where there is silence.
pub trait StoredSound: Debug {
    /// Reads the signal's samples from `first` on.
    ///
    /// # Errors
    /// Read errors.
    fn read(&self, first: i64, out: &mut [f32]) -> Result<()>;

    /// The channels of which the signal is made.
    fn mix(&self) -> SignalMix;

    /// The runs that fill a range of a channel, in order.
    fn runs(&self, channel: usize, samples: Range<i64>) -> Vec<StoredRun>;

    /// Reads samples of a channel from `first` on.
    ///
    /// # Errors
    /// Read errors.
    fn read_channel(&self, channel: usize, first: i64, out: &mut [f32]) -> Result<()>;

    /// Reads a page of [`runs`](StoredSound::runs) of a channel, [`PAGE_SAMPLES`] long. Returns whether the samples
    /// are final.
    ///
    /// # Errors
    /// Read errors.
    fn read_page(&self, channel: usize, page: &StoredPage, out: &mut [f32]) -> Result<bool>;
}

/// Consecutive samples of a signal, in RAM or as a sound stores them.
#[derive(Debug, Clone, Copy)]
pub enum SampleSource<'a> {
    /// In RAM.
    Ram(&'a [f32]),
    /// Samples of a sound.
    Stored {
        /// The sound.
        sound: &'a dyn StoredSound,
        /// The first sample.
        first: i64,
        /// Number of samples.
        n: usize,
    },
}

impl<'a> SampleSource<'a> {
    /// A range of a sound's samples.
    pub fn stored(sound: &'a dyn StoredSound, samples: &Range<i64>) -> SampleSource<'a> {
        let n = usize::try_from(samples.end - samples.start).unwrap_or(0);
        SampleSource::Stored { sound, first: samples.start, n }
    }

    /// Number of samples.
    pub fn n_samples(&self) -> usize {
        match self {
            SampleSource::Ram(samples) => samples.len(),
            SampleSource::Stored { n, .. } => *n,
        }
    }

    /// The samples in RAM, read if needed.
    ///
    /// # Errors
    /// Read errors of the sound.
    pub fn in_ram(&self) -> Result<Cow<'a, [f32]>> {
        match self {
            SampleSource::Ram(samples) => Ok(Cow::Borrowed(samples)),
            SampleSource::Stored { sound, first, n } => {
                let _span = trace::span("read samples");
                let mut samples = vec![0.0; *n];
                sound.read(*first, &mut samples)?;
                Ok(Cow::Owned(samples))
            }
        }
    }

    /// Part of the samples; `range` must lie inside.
    pub(super) fn part(&self, range: Range<usize>) -> SampleSource<'a> {
        match self {
            SampleSource::Ram(samples) => SampleSource::Ram(&samples[range]),
            SampleSource::Stored { sound, first, .. } => {
                SampleSource::Stored { sound: *sound, first: first + range.start as i64, n: range.len() }
            }
        }
    }
}

impl<'a> From<&'a [f32]> for SampleSource<'a> {
    fn from(samples: &'a [f32]) -> SampleSource<'a> {
        SampleSource::Ram(samples)
    }
}

impl<'a> From<&'a Vec<f32>> for SampleSource<'a> {
    fn from(samples: &'a Vec<f32>) -> SampleSource<'a> {
        SampleSource::Ram(samples)
    }
}

impl<'a, const N: usize> From<&'a [f32; N]> for SampleSource<'a> {
    fn from(samples: &'a [f32; N]) -> SampleSource<'a> {
        SampleSource::Ram(samples)
    }
}
