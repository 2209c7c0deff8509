//! WAV and FLAC out. SoundToWrite that no edit changed are written as they were; changed ones are rounded once, with dither.

use super::flac_writer::{FEWEST_BITS, FlacShape, FlacWriter, MOST_CHANNELS, MOST_RATE_HZ};
use super::format::SampleFormat;
use super::rounding::{Dither, Rounding};
use super::source::Source;
use super::values::Original;
use super::wav_header::Chunk;
use super::wav_writer::{Planes, WavLayout, WavShape, WavWriter};
use crate::base::{Error, ErrorKind, Progress, Result, check_room, write_atomic};
use std::fs::File;
use std::io::BufWriter;
use std::ops::Range;
use std::path::Path;

/// SoundToWrite of all channels together that are in memory at a time.
const BLOCK_SAMPLES: usize = 131_072;

/// The kind of file that an export writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Container {
    /// WAV, or RF64 beyond 4 GiB.
    #[default]
    Wav,
    /// FLAC: integers of up to 32 bits, up to 8 channels.
    Flac,
}

impl Container {
    /// Every kind that is written.
    pub const ALL: [Container; 2] = [Container::Wav, Container::Flac];

    /// The kind that a file's name asks for: FLAC where it ends in `.flac`, else WAV.
    pub fn of(path: &Path) -> Container {
        let is_flac = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("flac"));
        if is_flac { Container::Flac } else { Container::Wav }
    }

    /// The usual ending of its files, without the dot.
    pub fn ending(self) -> &'static str {
        match self {
            Container::Wav => "wav",
            Container::Flac => "flac",
        }
    }

    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Container::Wav => "WAV",
            Container::Flac => "FLAC",
        }
    }
}

/// The sample format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExportFormat {
    /// As the source: its own integers or floats; 32-bit float where it was lossy. FLAC, which holds no floats, gets 24 bits
    /// instead of them.
    #[default]
    Source,
    /// 16-bit integers.
    Pcm16,
    /// 24-bit integers.
    Pcm24,
    /// 32-bit integers.
    Pcm32,
    /// 32-bit float.
    Float32,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Encoded {
    /// SoundToWrite beyond full scale, written as the nearest integer there is.
    pub clipped: u64,
    /// For people: `WAV, 24 bit`, `FLAC, 16 bit`.
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
    /// SoundToWrite of a channel.
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

/// Writes a WAV or FLAC file atomically, by the ending of `path`: as long as `source`, with the samples that `read` gives
/// (channel, first sample, out).
/// A sample that equals the source's as f32 is written as the source's own value where the format holds it, else as that
/// value rounded once. Without `dither`, integers of 16 bits and less get [`Dither::Tpdf`], others none.
///
/// # Errors
/// [`Io`](crate::base::ErrorKind::Io), also for a `path` that is the source's own file;
/// [`DiskFull`](crate::base::ErrorKind::DiskFull), for WAV before anything is written; [`Unsupported`](crate::base::ErrorKind::Unsupported)
/// for floats, more channels or higher rates than FLAC holds; what `read` returns;
/// [`Cancelled`](crate::base::ErrorKind::Cancelled). Then `path` is as it was.
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
    /// How samples are stored.
    pub format: ExportFormat,
    /// How integers are rounded; none: [`Dither::Tpdf`] for 16 bits and less, no dither above.
    pub dither: Option<Dither>,
    /// What else a WAV file holds, in place of what the source's file held.
    pub chunks: Option<&'a [Chunk]>,
    /// Names and texts of the comments of a FLAC file that are its chapters, in place of the source's.
    pub chapters: Option<&'a [(String, String)]>,
}

/// [`encode`] of a range of samples. Of the other chunks a part keeps those that hold no place in the sound, and
/// `bext`, whose time reference it moves along. FLAC keeps the texts of `LIST INFO`, and of a FLAC source its tags and
/// pictures.
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
    let Encoding { format, dither, .. } = *encoding;
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
    let layout = match container {
        Container::Wav => layout_of(source, format),
        Container::Flac => flac_layout_of(source, format).map_err(|error| error.at(path))?,
    };
    let is_part = !sound.holds_source(&samples);
    let of_part = if is_part { chunks_of_part(source.chunks(), sound.later_by(&samples)) } else { Vec::new() };
    let kept = if is_part { &of_part } else { source.chunks() };
    let shape = WavShape {
        layout,
        sample_rate_hz: info.sample_rate_hz,
        n_channels: info.n_channels,
        n_frames: samples.end - samples.start,
        channel_mask: info.channel_mask,
        chunks: encoding.chunks.unwrap_or(kept),
    };
    let default = match layout {
        WavLayout::Integers { valid_bits, .. } if valid_bits <= 16 => Dither::Tpdf,
        _ => Dither::None,
    };
    let mut rounding =
        Rounding { dither: dither.unwrap_or(default), source_bits: info.container_bits, clipped: 0, not_finite: 0 };
    // The old file, if there is one, stays until the new one is whole.
    let folder = path.parent().unwrap_or(Path::new("."));
    // FLAC takes half of that of most sounds; a disk that it fills is told when it happens.
    let bytes = match container {
        Container::Wav => shape.file_bytes(),
        Container::Flac => shape.file_bytes() / 4,
    };
    check_room(folder, bytes).map_err(|error| error.at(path))?;
    write_atomic(path, |out| {
        let mut writer = SoundWriter::new(container, out, &shape, (source, encoding.chapters))?;
        let block = (BLOCK_SAMPLES / info.n_channels) as u64;
        let mut held = vec![0.0; block as usize];
        let mut first = samples.start;
        while first < samples.end {
            progress.step(first - samples.start, shape.n_frames)?;
            let n = block.min(samples.end - first) as usize;
            let mut planes = no_planes(layout);
            for channel in 0..info.n_channels {
                let held = &mut held[..n];
                (sound.read)(channel, first, held)?;
                let original = sound.originals(channel, first..first + n as u64)?;
                rounding.add_channel(&mut planes, held, &original, layout, (channel, first), source);
            }
            writer.write(&planes, n)?;
            first += n as u64;
        }
        writer.finish()
    })
    .map_err(|error| {
        // What is about the source stays about it.
        let has_place = error.path().is_some_and(|place| !place.as_os_str().is_empty());
        if error.kind() == ErrorKind::Cancelled || has_place { error } else { error.at(path) }
    })?;
    progress.step(1, 1)?;
    let mut notices = Vec::new();
    if rounding.clipped > 0 {
        let samples = samples_were(rounding.clipped);
        notices.push(format!("{samples} beyond full scale and clipped"));
    }
    if rounding.not_finite > 0 {
        let samples = samples_were(rounding.not_finite);
        notices.push(format!("{samples} not finite (NaN or infinity) and written as 0"));
    }
    Ok(Encoded {
        clipped: rounding.clipped,
        description: format!("{}, {}", container.name(), layout.described()),
        notices,
    })
}

/// Planes of a layout without a channel.
fn no_planes(layout: WavLayout) -> Planes {
    match layout {
        WavLayout::Integers { .. } => Planes::Integers(Vec::new()),
        WavLayout::Float32 => Planes::Float32(Vec::new()),
        WavLayout::Float64 => Planes::Float64(Vec::new()),
    }
}

/// The file being written.
enum SoundWriter<'a> {
    Wav(WavWriter<'a>),
    Flac(Box<FlacWriter<'a>>),
}

impl<'a> SoundWriter<'a> {
    fn new(
        container: Container,
        out: &'a mut BufWriter<File>,
        shape: &WavShape<'_>,
        (source, chapters): (&Source, Option<&[(String, String)]>),
    ) -> Result<SoundWriter<'a>> {
        match container {
            Container::Wav => WavWriter::new(out, shape).map(SoundWriter::Wav),
            Container::Flac => {
                let shape = FlacShape {
                    bits: shape.layout.container_bits(),
                    sample_rate_hz: shape.sample_rate_hz,
                    n_channels: shape.n_channels,
                    n_frames: shape.n_frames,
                    channel_mask: shape.channel_mask,
                    chapters,
                };
                FlacWriter::new(out, &shape, source).map(Box::new).map(SoundWriter::Flac)
            }
        }
    }

    fn write(&mut self, planes: &Planes, n: usize) -> Result<()> {
        match self {
            SoundWriter::Wav(writer) => writer.write(planes, n),
            SoundWriter::Flac(writer) => writer.write(planes, n),
        }
    }

    fn finish(self) -> Result<()> {
        match self {
            SoundWriter::Wav(writer) => writer.finish(),
            SoundWriter::Flac(writer) => writer.finish(),
        }
    }
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

/// How a format stores samples; `source` keeps depth and container.
fn layout_of(source: &Source, format: ExportFormat) -> WavLayout {
    let whole = |bits| WavLayout::Integers { container_bits: bits, valid_bits: bits };
    let info = source.info();
    match format {
        ExportFormat::Pcm16 => whole(16),
        ExportFormat::Pcm24 => whole(24),
        ExportFormat::Pcm32 => whole(32),
        ExportFormat::Float32 => WavLayout::Float32,
        ExportFormat::Source => match info.format {
            SampleFormat::Pcm { bits } => WavLayout::Integers { container_bits: info.container_bits, valid_bits: bits },
            SampleFormat::Float32 | SampleFormat::Lossy => WavLayout::Float32,
            SampleFormat::Float64 => WavLayout::Float64,
        },
    }
}

/// How FLAC stores samples: integers, of the source's depth where it has one.
fn flac_layout_of(source: &Source, format: ExportFormat) -> Result<WavLayout> {
    let info = source.info();
    let refused = |sentence: String| Err(Error::new(ErrorKind::Unsupported, sentence));
    if info.n_channels > MOST_CHANNELS {
        return refused(format!(
            "FLAC holds at most {MOST_CHANNELS} channels, and this sound has {}; export WAV",
            info.n_channels
        ));
    }
    if info.sample_rate_hz > MOST_RATE_HZ {
        return refused(format!(
            "FLAC holds at most {MOST_RATE_HZ} Hz, and this sound has {}; export WAV",
            info.sample_rate_hz
        ));
    }
    let bits = match format {
        ExportFormat::Pcm16 => 16,
        ExportFormat::Pcm24 => 24,
        ExportFormat::Pcm32 => 32,
        ExportFormat::Float32 => return refused("FLAC holds no floats; choose 16, 24 or 32 bit, or export WAV".into()),
        ExportFormat::Source => match info.format {
            SampleFormat::Pcm { bits } => bits.max(FEWEST_BITS),
            SampleFormat::Float32 | SampleFormat::Float64 | SampleFormat::Lossy => 24,
        },
    };
    Ok(WavLayout::Integers { container_bits: bits, valid_bits: bits })
}
