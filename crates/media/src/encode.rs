//! Sounds out. Samples that no edit changed are written as they were; changed ones are rounded once, with dither. Lossy
//! containers get integers of 32 bits, so that what is beyond full scale counts as clipped in every container.

use super::container::{BitRate, Container, ExportFormat};
use super::flac_writer::{self, FlacShape, FlacWriter};
#[cfg(feature = "mp3")]
use super::lame_writer::{Mp3Shape, Mp3Writer};
use super::mp3_writer;
use super::opus_writer::{self, OpusShape, OpusWriter};
use super::resampled::Resampled;
use super::rounding::{Dither, Rounding};
use super::sample_writer::{Planes, SampleWriter, Storing, WavLayout};
use super::sound_tags::SoundTags;
use super::source::Source;
use super::values::Original;
use super::wav_header::Chunk;
use super::wav_writer::{self, WavShape, WavWriter};
use crate::base::{Error, ErrorKind, Progress, Result, check_room, write_atomic};
use std::fs::File;
use std::io::BufWriter;
use std::ops::Range;
use std::path::Path;

/// Samples of all channels together that are in memory at a time.
const BLOCK_SAMPLES: usize = 131_072;

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Encoded {
    /// Samples beyond full scale, written as the nearest integer there is.
    pub clipped: u64,
    /// For people: `WAV, 24 bit`, `FLAC, 16 bit`, `MP3, VBR V2`.
    pub description: String,
    /// One sentence each.
    pub notices: Vec<String>,
}

/// Gives the samples to write: channel, first sample, where they go.
pub type ReadSamples<'a> = dyn Fn(usize, u64, &mut [f32]) -> Result<()> + 'a;

/// Where the samples of a range were in the source, as runs that fill the range: how many, and the first of them; none for
/// samples that were not in it.
pub type FindOrigins<'a> = dyn Fn(Range<u64>) -> Vec<(u64, Option<u64>)> + 'a;

/// What is written: samples that were read from a source, at their places in it or at others.
pub struct SoundToWrite<'a> {
    /// Where they came from: rate, channels, format, and what its file held beside them.
    pub source: &'a Source,
    /// Samples of a channel.
    pub n_samples: u64,
    /// Gives them.
    pub read: &'a ReadSamples<'a>,
    /// Says which of the source's they were; none if each is at its place in the source.
    pub origins: Option<&'a FindOrigins<'a>>,
}

impl SoundToWrite<'_> {
    /// The source's values of a range; zeros for samples that were not in it.
    fn originals(&self, channel: usize, samples: Range<u64>) -> Result<Original> {
        let Some(origins) = self.origins else {
            return self.source.read_original(channel, samples.start, (samples.end - samples.start) as usize);
        };
        let mut all = self.source.read_original(channel, 0, 0)?;
        for (n, first) in origins(samples) {
            match first {
                Some(first) => all.append(self.source.read_original(channel, first, n as usize)?),
                None => all.append_zeros(n as usize),
            }
        }
        Ok(all)
    }

    /// Whether all of the source is in its place in a range: what its file holds beside the samples is still true.
    fn holds_source(&self, samples: &Range<u64>) -> bool {
        let n_source = self.source.info().n_samples;
        samples.start == 0
            && match self.origins {
                None => samples.end == n_source,
                Some(origins) => origins(samples.clone()).first() == Some(&(n_source, Some(0))),
            }
    }

    /// By how many samples the first of a range is later than the first of the source.
    fn later_by(&self, samples: &Range<u64>) -> i64 {
        let runs = self.origins.map(|origins| origins(samples.clone()));
        runs.and_then(|runs| later_than_source(&runs)).unwrap_or(samples.start as i64)
    }
}

/// By how many samples the first of some runs, as [`FindOrigins`] gives them, is later than the first of the source; none
/// where none of them was in it.
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

/// Writes a file atomically, of the [container](Container) that the ending of `path` names: as long as `source`, with the
/// samples that `read` gives (channel, first sample, out).
/// A sample that equals the source's as f32 is written as the source's own value where the format holds it, else as that
/// value rounded once. Without `dither`, integers of 16 bits and less get [`Dither::Tpdf`], others none.
///
/// # Errors
/// [`Io`](crate::base::ErrorKind::Io), also for a `path` that is the source's own file;
/// [`DiskFull`](crate::base::ErrorKind::DiskFull), for WAV before anything is written;
/// [`Unsupported`](crate::base::ErrorKind::Unsupported) for floats, channels, rates and bit rates that the container does
/// not hold; what `read` returns; [`Cancelled`](crate::base::ErrorKind::Cancelled). Then `path` is as it was.
pub fn encode(
    path: &Path,
    source: &Source,
    read: &ReadSamples<'_>,
    format: ExportFormat,
    dither: Option<Dither>,
    progress: &Progress,
) -> Result<Encoded> {
    let n_samples = source.info().n_samples;
    encode_part(path, &SoundToWrite { source, n_samples, read, origins: None }, 0..n_samples, format, dither, progress)
}

/// How a file is written.
#[derive(Debug, Clone, Copy, Default)]
pub struct Encoding<'a> {
    /// How samples are stored; lossy containers store none.
    pub format: ExportFormat,
    /// How integers are rounded; none: [`Dither::Tpdf`] for 16 bits and less, no dither above.
    pub dither: Option<Dither>,
    /// How much a lossy file takes.
    pub bit_rate: BitRate,
    /// What else a WAV file holds, in place of what the source's file held.
    pub chunks: Option<&'a [Chunk]>,
    /// Names and texts of the comments that are a file's chapters (`CHAPTER001`, `CHAPTER001NAME`), in place of the
    /// source's; MP3 has them as frames of its own.
    pub chapters: Option<&'a [(String, String)]>,
}

/// [`encode`] of a range of samples. Of the other chunks a part keeps those that hold no place in the sound, and
/// `bext`, whose time reference it moves along. Others keep the texts of `LIST INFO`, and of a FLAC source its tags
/// and pictures.
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

/// [`encode_part`], and with other chunks.
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
    let samples = samples.start..samples.end.min(sound.n_samples);
    if samples.is_empty() && sound.n_samples > 0 {
        return Err(Error::new(ErrorKind::Script, "the selection holds no sample; select a longer range"));
    }
    if source.is_file_at(path) {
        let sentence = "is the open file, which is never overwritten; choose another name";
        return Err(Error::new(ErrorKind::Io, sentence).at(path));
    }
    let info = source.info();
    let container = Container::of(path);
    let storing = storing_of(container, source, encoding).map_err(|error| error.at(path))?;
    let is_part = !sound.holds_source(&samples);
    let of_part = if is_part { chunks_of_part(source.chunks(), sound.later_by(&samples)) } else { Vec::new() };
    let kept = if is_part { &of_part } else { source.chunks() };
    let shape = WavShape {
        layout: storing.layout,
        sample_rate_hz: storing.rate_hz,
        n_channels: info.n_channels,
        n_frames: n_resampled(samples.end - samples.start, info.sample_rate_hz, storing.rate_hz),
        channel_mask: info.channel_mask,
        chunks: encoding.chunks.unwrap_or(kept),
    };
    // The old file, if there is one, stays until the new one is whole.
    let folder = path.parent().unwrap_or(Path::new("."));
    check_room(folder, least_bytes(container, &shape, &storing)).map_err(|error| error.at(path))?;
    let mut reading = Reading::new(sound, samples, &storing, encoding.dither)?;
    write_atomic(path, |out| {
        let mut writer = writer_of(container, out, &shape, (source, encoding))?;
        let block = (BLOCK_SAMPLES / info.n_channels) as u64;
        for first in (0..shape.n_frames).step_by(block as usize) {
            progress.step(first, shape.n_frames)?;
            let n = block.min(shape.n_frames - first) as usize;
            writer.write(&reading.next(n)?, n)?;
        }
        writer.finish()
    })
    .map_err(|error| {
        // What is about the source stays about it.
        let has_place = error.path().is_some_and(|place| !place.as_os_str().is_empty());
        if error.kind() == ErrorKind::Cancelled || has_place { error } else { error.at(path) }
    })?;
    progress.step(1, 1)?;
    let Rounding { clipped, not_finite, .. } = reading.rounding;
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

/// How a container stores a sound.
///
/// # Errors
/// [`Unsupported`](ErrorKind::Unsupported) for what it does not hold.
fn storing_of(container: Container, source: &Source, encoding: &Encoding<'_>) -> Result<Storing> {
    container.refuse_chosen(false, encoding.bit_rate)?;
    match container {
        Container::Wav => Ok(wav_writer::storing(source, encoding.format)),
        Container::Flac => flac_writer::storing(source, encoding.format),
        Container::Mp3 => mp3_writer::storing(source, encoding.bit_rate),
        Container::Opus => opus_writer::storing(source, encoding.bit_rate),
    }
}

/// Samples of a channel at another rate.
fn n_resampled(n: u64, from_hz: u32, to_hz: u32) -> u64 {
    let (from, to) = (u128::from(from_hz), u128::from(to_hz));
    ((u128::from(n) * to + from / 2) / from) as u64
}

/// What a file needs of a disk before it is written: where the size of the samples does not say it, about half of that of
/// most sounds, as a disk that it fills is told when it happens.
fn least_bytes(container: Container, shape: &WavShape<'_>, storing: &Storing) -> u64 {
    match (container, storing.kbps) {
        (Container::Wav, _) => shape.file_bytes(),
        (_, None) => shape.file_bytes() / 4,
        (_, Some(kbps)) => {
            (shape.n_frames / u64::from(shape.sample_rate_hz.max(1))).saturating_mul(u64::from(kbps) * 62)
        }
    }
}

/// Reads a sound from front to back as its file stores it.
struct Reading<'a> {
    sound: &'a SoundToWrite<'a>,
    layout: WavLayout,
    rounding: Rounding,
    /// Samples that were not read yet.
    left: Range<u64>,
    held: Vec<f32>,
    /// Of a file at another rate.
    resampled: Option<Resampled>,
}

impl<'a> Reading<'a> {
    fn new(
        sound: &'a SoundToWrite<'a>,
        samples: Range<u64>,
        storing: &Storing,
        dither: Option<Dither>,
    ) -> Result<Reading<'a>> {
        let info = sound.source.info();
        let layout = storing.layout;
        let default = match layout {
            WavLayout::Integers { valid_bits, .. } if valid_bits <= 16 => Dither::Tpdf,
            _ => Dither::None,
        };
        let dither = dither.unwrap_or(default);
        let rounding = Rounding { dither, source_bits: info.container_bits, clipped: 0, not_finite: 0 };
        let [from_hz, to_hz] = [info.sample_rate_hz, storing.rate_hz].map(f64::from);
        let resampled = if from_hz == to_hz { None } else { Some(Resampled::new(from_hz, to_hz, info.n_channels)?) };
        Ok(Reading { sound, layout, rounding, left: samples, held: Vec::new(), resampled })
    }

    /// The next `n` frames of the file.
    fn next(&mut self, n: usize) -> Result<Planes> {
        let Some(mut resampled) = self.resampled.take() else { return self.stored(n) };
        let channels = resampled.next(n, &mut |n| self.unresampled(n));
        self.resampled = Some(resampled);
        channels.map(Planes::Float32)
    }

    /// The next `n` frames of the sound, silent beyond its end.
    fn unresampled(&mut self, n: usize) -> Result<Vec<Vec<f32>>> {
        let n_left = (self.left.end - self.left.start).min(n as u64) as usize;
        let mut channels = self.stored(n_left)?.into_floats(self.layout);
        channels.iter_mut().for_each(|channel| channel.resize(n, 0.0));
        Ok(channels)
    }

    /// The next `n` frames of the sound.
    fn stored(&mut self, n: usize) -> Result<Planes> {
        let (sound, first) = (self.sound, self.left.start);
        let mut planes = Planes::none(self.layout);
        self.held.resize(n, 0.0);
        for channel in 0..sound.source.info().n_channels {
            (sound.read)(channel, first, &mut self.held)?;
            let original = sound.originals(channel, first..first + n as u64)?;
            self.rounding.add_channel(&mut planes, &self.held, &original, self.layout, (channel, first), sound.source);
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
    (source, encoding): (&Source, &Encoding<'_>),
) -> Result<Box<dyn SampleWriter + 'a>> {
    let WavShape { sample_rate_hz, n_channels, n_frames, channel_mask, .. } = *shape;
    let bit_rate = encoding.bit_rate;
    let tags = || SoundTags::of(source, encoding.chapters);
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
        Container::Opus => Box::new(OpusWriter::new(out, OpusShape::of(source, n_frames, bit_rate)?, tags())?),
    })
}

fn samples_were(n: u64) -> String {
    if n == 1 { "1 sample was".into() } else { format!("{n} samples were") }
}

/// Where `bext` counts the samples since midnight, low word first.
const TIME_REFERENCE: Range<usize> = 338..346;

/// How many samples after midnight a file begins, as its `bext` chunk says (EBU Tech 3285); none without one, and where it
/// says 0, as do files whose time nobody set.
pub fn samples_since_midnight(chunks: &[Chunk]) -> Option<u64> {
    let stated = chunks.iter().find(|chunk| &chunk.id == b"bext")?.data.get(TIME_REFERENCE)?;
    Some(from_low_byte_first(stated)).filter(|samples| *samples > 0)
}

fn from_low_byte_first(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

/// The chunks that are still true of samples that begin so much later than the source: those that hold no place in the
/// sound, and `bext`, whose time reference moves.
pub fn chunks_of_part(chunks: &[Chunk], later_by: i64) -> Vec<Chunk> {
    let moved = |chunk: &Chunk| match (&chunk.id, chunk.data.get(TIME_REFERENCE)) {
        (b"bext", Some(stated)) => {
            let mut moved = chunk.clone();
            let since_midnight = from_low_byte_first(stated);
            moved.data[TIME_REFERENCE].copy_from_slice(&since_midnight.saturating_add_signed(later_by).to_le_bytes());
            Some(moved)
        }
        (b"LIST", _) if chunk.data.starts_with(b"INFO") => Some(chunk.clone()),
        (b"id3 " | b"ID3 ", _) => Some(chunk.clone()),
        _ => None,
    };
    chunks.iter().filter_map(moved).collect()
}
