//! Encodes sounds. Samples that no edit changed are written with their original values; changed ones are rounded once,
//! with dither. For lossy formats, all are first rounded to 32-bit integers, so that samples beyond full scale count as
//! clipped in every format.

use super::container::{BitRate, Container, ExportFormat};
use super::flac_writer::{self, FlacShape, FlacWriter};
#[cfg(feature = "mp3")]
use super::lame_writer::{Mp3Shape, Mp3Writer};
use super::mp3_writer;
use super::opus_writer::{self, OpusShape, OpusWriter};
use super::rounding::{Clipping, Dither, Rounding};
use super::sample_writer::{Planes, SampleWriter, Storing, WavLayout};
use super::sound_to_write::{ReadSamples, SoundToWrite};
use super::wav_header::Chunk;
use super::wav_writer::{self, WavShape, WavWriter};
use crate::base::{Error, ErrorKind, Progress, Result, check_room, write_atomic};
use crate::metadata::kept_chunks::chunks_of_part;
use crate::metadata::sound_tags::SoundTags;
use crate::samples::resampled::Resampled;
use crate::samples::source::Source;
use crate::samples::values::full_scale;
use std::fs::File;
use std::io::BufWriter;
use std::ops::Range;
use std::path::Path;

/// Number of samples held in memory at a time, all channels together.
const BLOCK_SAMPLES: usize = 131_072;

/// Result of an export.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Encoded {
    /// Number of samples beyond full scale, which were clipped.
    pub clipped: u64,
    /// For display: `WAV, 24 bit`, `FLAC, 16 bit`, `MP3, VBR V2`.
    pub description: String,
    /// Notices, one sentence each.
    pub notices: Vec<String>,
}

/// Atomically writes a file with the samples from `read`, as many as `source` has. The extension of `path` determines
/// the [container](Container). A sample that equals the source's as f32 is written with the source's original value,
/// rounded once if the format cannot store it exactly. If `dither` is `None`, integers of 16 bits and less get
/// [`Dither::Tpdf`], and other formats no dither.
///
/// # Errors
/// [`Io`](crate::base::ErrorKind::Io), also for a `path` that is the source's own file;
/// [`DiskFull`](crate::base::ErrorKind::DiskFull), for WAV before anything is written;
/// [`Unsupported`](crate::base::ErrorKind::Unsupported) for floats, channels, rates and bit rates that the container
/// does not support; errors of `read`; [`Cancelled`](crate::base::ErrorKind::Cancelled). On any error, `path` is
/// unchanged.
pub fn encode(
    path: &Path,
    source: &Source,
    read: &ReadSamples<'_>,
    format: ExportFormat,
    dither: Option<Dither>,
    progress: &Progress,
) -> Result<Encoded> {
    let n_samples = source.info().n_samples;
    encode_part(path, &SoundToWrite::of(source, n_samples, read, None), 0..n_samples, format, dither, progress)
}

/// Options for encoding a file.
#[derive(Debug, Clone, Copy, Default)]
pub struct Encoding<'a> {
    /// Sample format; ignored by lossy containers.
    pub format: ExportFormat,
    /// Dither for integers; `None` means [`Dither::Tpdf`] for 16 bits and less, and no dither above.
    pub dither: Option<Dither>,
    /// Bit rate of a lossy file.
    pub bit_rate: BitRate,
    /// Chunks of a WAV file besides format and samples; `None` for those of the source's file.
    pub chunks: Option<&'a [Chunk]>,
    /// Names and texts of the comments for chapters (`CHAPTER001`, `CHAPTER001NAME`), in place of the source's; `None`
    /// keeps those. MP3 stores them in its own frames.
    pub chapters: Option<&'a [(String, String)]>,
    /// Whether the loudness in the source's tags (ReplayGain, R128) is still valid, since its samples are written
    /// unchanged.
    pub is_as_loud: bool,
}

/// As [`encode`], for a range of samples. A part of a WAV file keeps the chunks that contain no sample positions, and
/// `bext` with a shifted time reference. Other containers keep the texts of `LIST INFO`, and the tags and pictures
/// of a FLAC source.
///
/// # Errors
/// As [`encode`], and [`Script`](crate::base::ErrorKind::Script) for a range without a sample.
pub fn encode_part(
    path: &Path,
    sound: &SoundToWrite<'_>,
    samples: Range<u64>,
    format: ExportFormat,
    dither: Option<Dither>,
    progress: &Progress,
) -> Result<Encoded> {
    encode_as(path, sound, samples, &Encoding { format, dither, ..Encoding::default() }, progress)
}

/// As [`encode_part`], with all options of [`Encoding`].
///
/// # Errors
/// As [`encode_part`].
pub fn encode_as(
    path: &Path,
    sound: &SoundToWrite<'_>,
    samples: Range<u64>,
    encoding: &Encoding<'_>,
    progress: &Progress,
) -> Result<Encoded> {
    let source = sound.source;
    let samples = samples_in(sound, samples)?;
    if source.is_file_at(path) {
        let sentence = "is the open file, which is never overwritten; choose another name";
        return Err(Error::new(ErrorKind::Io, sentence).at(path));
    }
    let container = Container::of(path);
    let storing = storing_of(container, sound, encoding).map_err(|error| error.at(path))?;
    let is_part = !sound.holds_source(&samples);
    let of_part = if is_part { chunks_of_part(source.chunks(), sound.later_by(&samples)) } else { Vec::new() };
    let kept = if is_part { &of_part } else { source.chunks() };
    let shape = WavShape {
        layout: storing.layout,
        sample_rate_hz: storing.rate_hz,
        n_channels: sound.channels.len(),
        n_frames: n_resampled(samples.end - samples.start, sound.sample_rate_hz, storing.rate_hz),
        channel_mask: sound.channel_mask,
        chunks: encoding.chunks.unwrap_or(kept),
    };
    // An existing file at `path` frees no space: it stays until the new one is complete.
    let folder = path.parent().unwrap_or(Path::new("."));
    check_room(folder, min_bytes(container, &shape, &storing)).map_err(|error| error.at(path))?;
    let mut reading = Reading::new(sound, samples, &storing, encoding.dither)?;
    write_atomic(path, |out| {
        let mut writer = writer_of(container, out, &shape, (sound, encoding))?;
        reading.each_block(shape.n_frames, progress, &mut |planes, n| writer.write(planes, n))?;
        writer.finish()
    })
    .map_err(|error| {
        // Errors about the source keep its path.
        let has_place = error.path().is_some_and(|place| !place.as_os_str().is_empty());
        if error.kind() == ErrorKind::Cancelled || has_place { error } else { error.at(path) }
    })?;
    // The file is complete, so ignore a cancellation.
    progress.step(1, 1).ok();
    let (clipped, not_finite) = (reading.rounding.clipping.n_samples, reading.rounding.not_finite);
    let mut notices = Vec::new();
    if clipped > 0 {
        notices.push(format!("{} beyond full scale and clipped", samples_were(clipped)));
    }
    if not_finite > 0 {
        notices.push(format!("{} not finite (NaN or infinity) and written as 0", samples_were(not_finite)));
    }
    notices.extend(storing.notices);
    Ok(Encoded { clipped, description: storing.described, notices })
}

/// The clipping that [`encode_as`] would cause for a file at `path`. Writes nothing.
///
/// # Errors
/// As [`encode_as`], except write errors.
pub fn clipping_of(
    path: &Path,
    sound: &SoundToWrite<'_>,
    samples: Range<u64>,
    encoding: &Encoding<'_>,
    progress: &Progress,
) -> Result<Clipping> {
    let samples = samples_in(sound, samples)?;
    let storing = storing_of(Container::of(path), sound, encoding).map_err(|error| error.at(path))?;
    let n_frames = n_resampled(samples.end - samples.start, sound.sample_rate_hz, storing.rate_hz);
    let mut reading = Reading::new(sound, samples, &storing, encoding.dither)?;
    if matches!(storing.layout, WavLayout::Integers { .. }) {
        reading.each_block(n_frames, progress, &mut |_, _| Ok(()))?;
    }
    Ok(reading.rounding.clipping)
}

/// The highest sample value that is not clipped in a file at `path`: 1 for floats, one step below 1 for integers.
///
/// # Errors
/// As [`encode_as`], for unsupported options.
pub fn highest_unclipped(path: &Path, sound: &SoundToWrite<'_>, encoding: &Encoding<'_>) -> Result<f64> {
    let storing = storing_of(Container::of(path), sound, encoding).map_err(|error| error.at(path))?;
    Ok(match storing.layout {
        // Edited samples are 32-bit floats, whose steps below 1 are coarser than those of 32-bit integers.
        WavLayout::Integers { valid_bits, .. } => {
            (1.0 - 1.0 / full_scale(valid_bits)).min(f64::from(1.0f32.next_down()))
        }
        WavLayout::Float32 | WavLayout::Float64 => 1.0,
    })
}

/// The part of a range that is inside the sound.
///
/// # Errors
/// [`Script`](ErrorKind::Script) if it contains no sample.
fn samples_in(sound: &SoundToWrite<'_>, samples: Range<u64>) -> Result<Range<u64>> {
    let samples = samples.start..samples.end.min(sound.n_samples);
    if samples.is_empty() && sound.n_samples > 0 {
        return Err(Error::new(ErrorKind::Script, "the selection holds no sample; select a longer range"));
    }
    Ok(samples)
}

/// The layout, rate and description with which a container stores a sound.
///
/// # Errors
/// [`Unsupported`](ErrorKind::Unsupported) for options that it does not support.
fn storing_of(container: Container, sound: &SoundToWrite<'_>, encoding: &Encoding<'_>) -> Result<Storing> {
    container.refuse_chosen(false, encoding.bit_rate)?;
    match container {
        Container::Wav => Ok(wav_writer::storing(sound, encoding.format)),
        Container::Flac => flac_writer::storing(sound, encoding.format),
        Container::Mp3 => mp3_writer::storing(sound, encoding.bit_rate),
        Container::Opus => opus_writer::storing(sound, encoding.bit_rate),
    }
}

/// Number of samples per channel after resampling.
fn n_resampled(n: u64, from_hz: u32, to_hz: u32) -> u64 {
    let (from, to) = (u128::from(from_hz), u128::from(to_hz));
    ((u128::from(n) * to + from / 2) / from) as u64
}

/// Disk space required before a file is written, in bytes. For compressed formats, this is about half the size of a
/// typical file, since a full disk is still detected during writing.
fn min_bytes(container: Container, shape: &WavShape<'_>, storing: &Storing) -> u64 {
    match (container, storing.kbps) {
        (Container::Wav, _) => shape.file_bytes(),
        (_, None) => shape.file_bytes() / 4,
        (_, Some(kbps)) => {
            (shape.n_frames / u64::from(shape.sample_rate_hz.max(1))).saturating_mul(u64::from(kbps) * 62)
        }
    }
}

/// Reads a sound from start to end, in the layout and at the rate of the file to write.
struct Reading<'a> {
    sound: &'a SoundToWrite<'a>,
    layout: WavLayout,
    rounding: Rounding,
    /// Range of the samples that have not been read yet.
    left: Range<u64>,
    held: Vec<f32>,
    /// The resampler, for a file at another rate.
    resampled: Option<Resampled>,
}

impl<'a> Reading<'a> {
    fn new(
        sound: &'a SoundToWrite<'a>,
        samples: Range<u64>,
        storing: &Storing,
        dither: Option<Dither>,
    ) -> Result<Reading<'a>> {
        let layout = storing.layout;
        let default = match layout {
            WavLayout::Integers { valid_bits, .. } if valid_bits <= 16 => Dither::Tpdf,
            _ => Dither::None,
        };
        let dither = dither.unwrap_or(default);
        let source_bits = sound.source.info().container_bits;
        let rounding = Rounding { dither, source_bits, clipping: Clipping::default(), not_finite: 0 };
        let [from_hz, to_hz] = [sound.sample_rate_hz, storing.rate_hz].map(f64::from);
        let n_channels = sound.channels.len();
        let resampled = if from_hz == to_hz { None } else { Some(Resampled::new(from_hz, to_hz, n_channels)?) };
        Ok(Reading { sound, layout, rounding, left: samples, held: Vec::new(), resampled })
    }

    /// Passes all frames of the file to `take`, block by block.
    fn each_block(
        &mut self,
        n_frames: u64,
        progress: &Progress,
        take: &mut dyn FnMut(&Planes, usize) -> Result<()>,
    ) -> Result<()> {
        let block = (BLOCK_SAMPLES / self.sound.channels.len()) as u64;
        for first in (0..n_frames).step_by(block as usize) {
            progress.step(first, n_frames)?;
            let n = block.min(n_frames - first) as usize;
            take(&self.next(n)?, n)?;
        }
        Ok(())
    }

    /// The next `n` frames of the file.
    fn next(&mut self, n: usize) -> Result<Planes> {
        let Some(mut resampled) = self.resampled.take() else { return self.stored(n) };
        let channels = resampled.next(n, &mut |n| self.unresampled(n));
        self.resampled = Some(resampled);
        channels.map(Planes::Float32)
    }

    /// The next `n` frames of the sound at its own rate as floats, silent beyond its end.
    fn unresampled(&mut self, n: usize) -> Result<Vec<Vec<f32>>> {
        let n_left = (self.left.end - self.left.start).min(n as u64) as usize;
        let mut channels = self.stored(n_left)?.into_floats(self.layout);
        channels.iter_mut().for_each(|channel| channel.resize(n, 0.0));
        Ok(channels)
    }

    /// The next `n` frames of the sound at its own rate, in the layout of the file.
    fn stored(&mut self, n: usize) -> Result<Planes> {
        let (sound, first) = (self.sound, self.left.start);
        let mut planes = Planes::none(self.layout);
        self.held.resize(n, 0.0);
        for channel in 0..sound.channels.len() {
            (sound.read)(channel, first, &mut self.held)?;
            let original = sound.originals(channel, first..first + n as u64)?;
            let (original, at) = (original.as_ref(), (channel, first));
            self.rounding.add_channel(&mut planes, &self.held, original, self.layout, at, sound.source);
        }
        self.left.start += n as u64;
        Ok(planes)
    }
}

/// The writer of a container.
fn writer_of<'a>(
    container: Container,
    out: &'a mut BufWriter<File>,
    shape: &WavShape<'_>,
    (sound, encoding): (&SoundToWrite<'_>, &Encoding<'_>),
) -> Result<Box<dyn SampleWriter + 'a>> {
    let WavShape { sample_rate_hz, n_channels, n_frames, channel_mask, .. } = *shape;
    let bit_rate = encoding.bit_rate;
    let tags = || {
        let tags = SoundTags::of(sound.source, encoding.chapters);
        let tags = if encoding.is_as_loud { tags } else { tags.without_loudness() };
        // The source's speaker mask refers to other channels.
        if sound.channel_mask.is_none() { tags.without_speakers() } else { tags }
    };
    Ok(match container {
        Container::Wav => Box::new(WavWriter::new(out, shape)?),
        Container::Flac => {
            let bits = shape.layout.container_bits();
            let shape = FlacShape { bits, sample_rate_hz, n_channels, n_frames, channel_mask };
            Box::new(FlacWriter::new(out, &shape, tags())?)
        }
        #[cfg(not(feature = "mp3"))]
        Container::Mp3 => return Err(mp3_writer::not_in_build()),
        #[cfg(feature = "mp3")]
        Container::Mp3 => {
            let shape = Mp3Shape { sample_rate_hz, n_channels, n_frames, bit_rate };
            Box::new(Mp3Writer::new(out, &shape, tags())?)
        }
        Container::Opus => Box::new(OpusWriter::new(out, OpusShape::of(sound, n_frames, bit_rate)?, tags())?),
    })
}

fn samples_were(n: u64) -> String {
    if n == 1 { "1 sample was".into() } else { format!("{n} samples were") }
}
