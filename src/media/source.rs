//! The decoded file, immutable.

use super::look::{self, Identity, Kind};
use super::riff::Chunk;
use super::storage::{Storage, f32_from_integer};
use super::{decode, wav};
use crate::base::{Error, ErrorKind, Progress, Result, trace};
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
    /// Bits from one stored sample to the next: the valid bits of integers are the upper ones of these.
    pub container_bits: u32,
    /// Which speaker each channel is for, as extensible WAV headers code it.
    pub channel_mask: Option<u32>,
}

/// The original values of a run of samples of one channel.
#[derive(Debug, Clone, PartialEq)]
pub enum Original {
    /// Integers of [`SourceInfo::container_bits`], sign-extended; the valid bits are the upper ones.
    Integers(Vec<i32>),
    /// 32-bit floats, NaN and infinity as 0.
    Floats(Vec<f32>),
    /// 64-bit floats, NaN and infinity as 0.
    Doubles(Vec<f64>),
}

impl Original {
    /// Value `index` as [`Source::read`] gives it.
    pub fn as_f32(&self, index: usize, container_bits: u32) -> f32 {
        match self {
            Original::Integers(values) => f32_from_integer(values[index], container_bits),
            Original::Floats(values) => values[index],
            Original::Doubles(values) => values[index] as f32,
        }
    }
}

/// A thousand hours at 192 kHz: more was never meant.
const MOST_SAMPLES: u64 = 1_000_000_000_000;

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
    decoded: Arc<Decoded>,
}

/// What was read: of a lengthened source, less than its info says.
#[derive(Debug)]
struct Decoded {
    samples: Storage,
    chunks: Vec<Chunk>,
    file: Option<Identity>,
}

/// What a reader found.
#[derive(Debug)]
pub(super) struct Raw {
    pub(super) samples: Storage,
    pub(super) sample_rate_hz: u32,
    pub(super) n_channels: usize,
    pub(super) format: SampleFormat,
    pub(super) container_bits: u32,
    pub(super) channel_mask: Option<u32>,
    pub(super) description: String,
    pub(super) chunks: Vec<Chunk>,
    pub(super) notices: Vec<String>,
}

impl Source {
    /// Opens and decodes a file.
    ///
    /// # Errors
    /// One clear sentence about the file; [`Cancelled`](crate::base::ErrorKind::Cancelled).
    pub fn open(path: &Path, progress: &Progress) -> Result<Opened> {
        let _span = trace::span("open a file");
        let mut looked = look::open_regular(path)?;
        let head = look::head_of(&mut looked.file, path)?;
        let raw = match head.kind {
            Kind::Wav => match wav::read(looked.file, looked.n_bytes, path, progress)? {
                wav::Wav::Plain(raw) => raw,
                wav::Wav::Compressed { file, codec } => {
                    let raw = decode::decode(file, looked.n_bytes, head, path, progress)?;
                    Raw { description: format!("WAV, {codec}"), ..raw }
                }
            },
            Kind::Wave64 => wav::read_wave64(looked.file, looked.n_bytes, path, progress)?,
            Kind::Au => wav::read_au(looked.file, looked.n_bytes, path, progress)?,
            _ => decode::decode(looked.file, looked.n_bytes, head, path, progress)?,
        };
        progress.step(1, 1)?;
        let info = SourceInfo {
            n_samples: raw.samples.len() as u64,
            sample_rate_hz: raw.sample_rate_hz,
            n_channels: raw.n_channels,
            format: raw.format,
            description: raw.description,
            container_bits: raw.container_bits,
            channel_mask: raw.channel_mask,
        };
        let decoded = Decoded { samples: raw.samples, chunks: raw.chunks, file: Some(looked.identity) };
        let inner = Inner { info, decoded: Arc::new(decoded) };
        Ok(Opened { source: Source(Arc::new(inner)), notices: raw.notices })
    }

    /// The same with `n_more` samples of silence behind it; all it was stays as it was stored.
    ///
    /// # Errors
    /// [`Limit`](crate::base::ErrorKind::Limit) for more than a file can hold.
    pub fn lengthened(&self, n_more: u64) -> Result<Source> {
        let n_samples = self.0.info.n_samples.checked_add(n_more).filter(|&n| n <= MOST_SAMPLES);
        let Some(n_samples) = n_samples else {
            return Err(Error::new(ErrorKind::Limit, "this much silence is more than a file can hold; add less"));
        };
        let info = SourceInfo { n_samples, ..self.0.info.clone() };
        Ok(Source(Arc::new(Inner { info, decoded: self.0.decoded.clone() })))
    }

    /// Silence, as 32-bit float.
    ///
    /// # Errors
    /// [`Limit`](crate::base::ErrorKind::Limit) outside 1 to 32 channels, 4,000 to 768,000 Hz, 1 sample and more.
    pub fn silence(n_samples: u64, sample_rate_hz: u32, n_channels: usize) -> Result<Source> {
        Source::made(Storage::Silence, n_samples, sample_rate_hz, n_channels, "silence")
    }

    /// 32-bit float samples, one vector per channel, all of one length. NaN and infinity become 0.
    ///
    /// # Errors
    /// As [`silence`](Source::silence), and channels of different lengths.
    pub fn from_channels(channels: Vec<Vec<f32>>, sample_rate_hz: u32) -> Result<Source> {
        let n_samples = channels.first().map_or(0, Vec::len);
        if channels.iter().any(|channel| channel.len() != n_samples) {
            return Err(Error::new(ErrorKind::Malformed, "the channels of the sound differ in length"));
        }
        let mut channels = channels;
        for sample in channels.iter_mut().flatten().filter(|sample| !sample.is_finite()) {
            *sample = 0.0;
        }
        let n_channels = channels.len();
        Source::made(Storage::Float32(channels), n_samples as u64, sample_rate_hz, n_channels, "32 bit float")
    }

    fn made(samples: Storage, n_samples: u64, rate_hz: u32, n_channels: usize, description: &str) -> Result<Source> {
        look::check_layout_of("the new sound ", rate_hz, n_channels)?;
        if n_samples == 0 || n_samples > i64::MAX as u64 {
            return Err(Error::new(ErrorKind::Limit, "the new sound has no samples, or too many; give it a length"));
        }
        let info = SourceInfo {
            n_samples,
            sample_rate_hz: rate_hz,
            n_channels,
            format: SampleFormat::Float32,
            description: description.into(),
            container_bits: 32,
            channel_mask: None,
        };
        let decoded = Decoded { samples, chunks: Vec::new(), file: None };
        Ok(Source(Arc::new(Inner { info, decoded: Arc::new(decoded) })))
    }

    /// What is known of it.
    pub fn info(&self) -> &SourceInfo {
        &self.0.info
    }

    /// The RIFF chunks that export carries through, in the order of the file.
    pub fn chunks(&self) -> &[Chunk] {
        &self.0.decoded.chunks
    }

    /// The file it was read from, symbolic links resolved.
    pub fn path(&self) -> Option<&Path> {
        self.0.decoded.file.as_ref().map(Identity::canonical)
    }

    /// Size and time of the file when it was opened.
    pub fn stamp(&self) -> Option<look::FileStamp> {
        self.0.decoded.file.as_ref().map(Identity::stamp)
    }

    /// Whether it is nothing but zeros, made and not read.
    pub fn is_silence(&self) -> bool {
        matches!(self.0.decoded.samples, Storage::Silence)
    }

    /// Whether writing to `path` would replace the file that this was read from, whatever link leads there.
    pub fn is_file_at(&self, path: &Path) -> bool {
        self.0.decoded.file.as_ref().is_some_and(|file| file.is_at(path))
    }

    /// Samples of one channel from `first` on; 0 beyond the ends. Integers of b bits are divided by `2^(b-1)`.
    ///
    /// # Errors
    /// A channel that there is not; in time, what reading a disk may return.
    pub fn read(&self, channel: usize, first: i64, out: &mut [f32]) -> Result<()> {
        self.check_channel(channel)?;
        let n_samples = match &self.0.decoded.samples {
            Storage::Silence => self.0.info.n_samples,
            samples => self.0.info.n_samples.min(samples.len() as u64),
        } as i64;
        let length = out.len() as i64;
        // The part of `out` that lies inside the source.
        let start = first.saturating_neg().clamp(0, length);
        let end = n_samples.saturating_sub(first).clamp(start, length);
        out[..start as usize].fill(0.0);
        out[end as usize..].fill(0.0);
        if start < end {
            let inside = &mut out[start as usize..end as usize];
            self.0.decoded.samples.read(channel, (first + start) as usize, self.0.info.container_bits, inside);
        }
        Ok(())
    }

    /// The original values of `n` samples from `first` on, all inside the source.
    ///
    /// # Errors
    /// A channel or a range that is not inside.
    pub fn read_original(&self, channel: usize, first: u64, n: usize) -> Result<Original> {
        self.check_channel(channel)?;
        if first.checked_add(n as u64).is_none_or(|end| end > self.0.info.n_samples) {
            return Err(Error::new(ErrorKind::Internal, "samples outside the file were asked for"));
        }
        let samples = &self.0.decoded.samples;
        let n_stored = match samples {
            Storage::Silence => n,
            samples => n.min(samples.len().saturating_sub(first as usize)),
        };
        let mut original = samples.original(channel, (first as usize).min(samples.len()), n_stored);
        match &mut original {
            Original::Integers(values) => values.resize(n, 0),
            Original::Floats(values) => values.resize(n, 0.0),
            Original::Doubles(values) => values.resize(n, 0.0),
        }
        Ok(original)
    }

    fn check_channel(&self, channel: usize) -> Result<()> {
        if channel < self.0.info.n_channels {
            return Ok(());
        }
        let sentence = format!("channel {channel} was asked for, but there are {}", self.0.info.n_channels);
        Err(Error::new(ErrorKind::Internal, sentence))
    }
}
