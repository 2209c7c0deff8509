//! The decoded file, immutable.

use crate::base::{Progress, Result};
use std::path::Path;
use std::sync::Arc;

/// How samples were stored, and so how `source` format is written again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleFormat {
    /// Integers of so many valid bits, 1 to 32; 8 bits and less are unsigned in WAV.
    Pcm {
        /// Valid bits.
        bits: u32,
    },
    /// 32-bit floating point.
    Float32,
    /// 64-bit floating point.
    Float64,
    /// A lossy codec; written as 32-bit float.
    Lossy,
}

/// What is known of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceInfo {
    /// Samples per channel.
    pub n_samples: u64,
    /// Samples per second.
    pub sample_rate_hz: u32,
    /// Number of channels, 1 to 32.
    pub n_channels: usize,
    /// How samples were stored.
    pub format: SampleFormat,
    /// For people: `WAV, 24 bit`, `FLAC, 16 bit`, `MP3`.
    pub description: String,
}

/// The original values of a run of samples of one channel.
#[derive(Debug, Clone, PartialEq)]
pub enum Original {
    /// Integers of the source's bit depth, sign-extended.
    Integers(Vec<i32>),
    /// 32-bit floats, NaN and infinity as 0.
    Floats(Vec<f32>),
    /// 64-bit floats, NaN and infinity as 0.
    Doubles(Vec<f64>),
}

/// A source and what the user should know about how it was read.
#[derive(Debug, Clone)]
pub struct Opened {
    /// The sound.
    pub source: Source,
    /// One sentence each.
    pub notices: Vec<String>,
}

/// The decoded file, or silence, immutable; clones share it.
#[derive(Debug, Clone)]
pub struct Source(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    info: SourceInfo,
}

impl Source {
    /// Opens and decodes a file.
    ///
    /// # Errors
    /// One clear sentence about the file; [`Cancelled`](crate::base::ErrorKind::Cancelled).
    pub fn open(path: &Path, progress: &Progress) -> Result<Opened> {
        let _ = (path, progress);
        unimplemented!()
    }

    /// Silence, as 32-bit float.
    pub fn silence(n_samples: u64, sample_rate_hz: u32, n_channels: usize) -> Result<Source> {
        let _ = (n_samples, sample_rate_hz, n_channels);
        unimplemented!()
    }

    /// 32-bit float samples, one vector per channel, all of one length.
    pub fn from_channels(channels: Vec<Vec<f32>>, sample_rate_hz: u32) -> Result<Source> {
        let _ = (channels, sample_rate_hz);
        unimplemented!()
    }

    /// What is known of it.
    pub fn info(&self) -> &SourceInfo {
        &self.0.info
    }

    /// Samples of one channel from `first` on; 0 beyond the ends. Integers of b bits are divided by `2^(b-1)`.
    pub fn read(&self, channel: usize, first: i64, out: &mut [f32]) -> Result<()> {
        let _ = (channel, first, out);
        unimplemented!()
    }

    /// The original values of `n` samples from `first` on, all inside the source.
    pub fn read_original(&self, channel: usize, first: u64, n: usize) -> Result<Original> {
        let _ = (channel, first, n);
        unimplemented!()
    }
}
