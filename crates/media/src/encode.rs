//! WAV and FLAC out. Samples that no edit changed are written as they were; changed ones are rounded once, with dither.

use super::flac_writer::{FEWEST_BITS, FlacShape, FlacWriter, MOST_CHANNELS, MOST_RATE_HZ};
use super::format::SampleFormat;
use super::kept_chunks::chunks_of_part;
use super::rounding::{Clipping, Dither, Rounding};
use super::sound_to_write::{ReadSamples, SoundToWrite};
use super::source::Source;
use super::values::full_scale;
use super::wav_header::Chunk;
use super::wav_writer::{Planes, WavLayout, WavShape, WavWriter};
use crate::base::{Error, ErrorKind, Progress, Result, check_room, write_atomic};
use std::fs::File;
use std::io::BufWriter;
use std::ops::Range;
use std::path::Path;

/// Samples of all channels together that are in memory at a time.
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
    /// Samples beyond full scale, written as the nearest integer there is.
    pub clipped: u64,
    /// For people: `WAV, 24 bit`, `FLAC, 16 bit`.
    pub description: String,
    /// One sentence each.
    pub notices: Vec<String>,
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
    encode_part(path, &SoundToWrite::of(source, n_samples, read, None), 0..n_samples, format, dither, progress)
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
    let source = sound.source;
    if source.is_file_at(path) {
        let sentence = "is the open file, which is never overwritten; choose another name";
        return Err(Error::new(ErrorKind::Io, sentence).at(path));
    }
    let container = Container::of(path);
    let mut blocks = Blocks::of(container, sound, samples, encoding, path)?;
    let (layout, samples) = (blocks.layout, blocks.samples.clone());
    let is_part = !sound.holds_source(&samples);
    let of_part = if is_part { chunks_of_part(source.chunks(), sound.later_by(&samples)) } else { Vec::new() };
    let kept = if is_part { &of_part } else { source.chunks() };
    let shape = WavShape {
        layout,
        sample_rate_hz: sound.sample_rate_hz,
        n_channels: sound.channels.len(),
        n_frames: samples.end - samples.start,
        channel_mask: sound.channel_mask,
        chunks: encoding.chunks.unwrap_or(kept),
    };
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
        blocks.each(progress, &mut |planes, n| writer.write(planes, n))?;
        writer.finish()
    })
    .map_err(|error| {
        // What is about the source stays about it.
        let has_place = error.path().is_some_and(|place| !place.as_os_str().is_empty());
        if error.kind() == ErrorKind::Cancelled || has_place { error } else { error.at(path) }
    })?;
    progress.step(1, 1)?;
    let (clipped, not_finite) = (blocks.rounding.clipping.n_samples, blocks.rounding.not_finite);
    let mut notices = Vec::new();
    if clipped > 0 {
        notices.push(format!("{} beyond full scale and clipped", samples_were(clipped)));
    }
    if not_finite > 0 {
        let samples = samples_were(not_finite);
        notices.push(format!("{samples} not finite (NaN or infinity) and written as 0"));
    }
    Ok(Encoded { clipped, description: format!("{}, {}", container.name(), layout.described()), notices })
}

/// What [`encode_as`] would clip of a sound in a file at `path`, which is not written.
///
/// # Errors
/// As [`encode_as`], but for those of writing.
pub fn clipping_of(
    path: &Path,
    sound: &SoundToWrite<'_>,
    samples: Range<u64>,
    encoding: &Encoding<'_>,
    progress: &Progress,
) -> Result<Clipping> {
    let mut blocks = Blocks::of(Container::of(path), sound, samples, encoding, path)?;
    if matches!(blocks.layout, WavLayout::Integers { .. }) {
        blocks.each(progress, &mut |_, _| Ok(()))?;
    }
    Ok(blocks.rounding.clipping)
}

/// The highest sample that a file at `path` holds unclipped: 1 in floats, a step below that in integers.
///
/// # Errors
/// As [`encode_as`], for what the kind of file cannot hold.
pub fn highest_unclipped(path: &Path, sound: &SoundToWrite<'_>, format: ExportFormat) -> Result<f64> {
    Ok(match layout_in(Container::of(path), sound, format, path)? {
        // A sample is a 32-bit float, whose steps are coarser than those of 32-bit integers.
        WavLayout::Integers { valid_bits, .. } => {
            (1.0 - 1.0 / full_scale(valid_bits)).min(f64::from(1.0f32.next_down()))
        }
        WavLayout::Float32 | WavLayout::Float64 => 1.0,
    })
}

/// The samples of a range, block after block, as a file stores them.
struct Blocks<'a> {
    sound: &'a SoundToWrite<'a>,
    samples: Range<u64>,
    layout: WavLayout,
    rounding: Rounding,
}

impl<'a> Blocks<'a> {
    fn of(
        container: Container,
        sound: &'a SoundToWrite<'a>,
        samples: Range<u64>,
        encoding: &Encoding<'_>,
        path: &Path,
    ) -> Result<Blocks<'a>> {
        let samples = samples.start..samples.end.min(sound.n_samples);
        if samples.is_empty() && sound.n_samples > 0 {
            return Err(Error::new(ErrorKind::Script, "the selection holds no sample; select a longer range"));
        }
        let layout = layout_in(container, sound, encoding.format, path)?;
        let default = match layout {
            WavLayout::Integers { valid_bits, .. } if valid_bits <= 16 => Dither::Tpdf,
            _ => Dither::None,
        };
        let rounding = Rounding {
            dither: encoding.dither.unwrap_or(default),
            source_bits: sound.source.info().container_bits,
            clipping: Clipping::default(),
            not_finite: 0,
        };
        Ok(Blocks { sound, samples, layout, rounding })
    }

    fn each(&mut self, progress: &Progress, take: &mut dyn FnMut(&Planes, usize) -> Result<()>) -> Result<()> {
        let Blocks { sound, samples, layout, rounding } = self;
        let n_channels = sound.channels.len();
        let block = (BLOCK_SAMPLES / n_channels) as u64;
        let mut held = vec![0.0; block as usize];
        let mut first = samples.start;
        while first < samples.end {
            progress.step(first - samples.start, samples.end - samples.start)?;
            let n = block.min(samples.end - first) as usize;
            let mut planes = no_planes(*layout);
            for channel in 0..n_channels {
                let held = &mut held[..n];
                (sound.read)(channel, first, held)?;
                let original = sound.originals(channel, first..first + n as u64)?;
                rounding.add_channel(&mut planes, held, original.as_ref(), *layout, (channel, first), sound.source);
            }
            take(&planes, n)?;
            first += n as u64;
        }
        Ok(())
    }
}

/// How a kind of file stores samples.
fn layout_in(container: Container, sound: &SoundToWrite<'_>, format: ExportFormat, path: &Path) -> Result<WavLayout> {
    match container {
        Container::Wav => Ok(layout_of(sound.source, format)),
        Container::Flac => flac_layout_of(sound, format).map_err(|error| error.at(path)),
    }
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
fn flac_layout_of(sound: &SoundToWrite<'_>, format: ExportFormat) -> Result<WavLayout> {
    let refused = |sentence: String| Err(Error::new(ErrorKind::Unsupported, sentence));
    let (n_channels, rate_hz) = (sound.channels.len(), sound.sample_rate_hz);
    if n_channels > MOST_CHANNELS {
        return refused(format!(
            "FLAC holds at most {MOST_CHANNELS} channels, and this sound has {n_channels}; export WAV"
        ));
    }
    if rate_hz > MOST_RATE_HZ {
        return refused(format!("FLAC holds at most {MOST_RATE_HZ} Hz, and this sound has {rate_hz}; export WAV"));
    }
    let bits = match format {
        ExportFormat::Pcm16 => 16,
        ExportFormat::Pcm24 => 24,
        ExportFormat::Pcm32 => 32,
        ExportFormat::Float32 => return refused("FLAC holds no floats; choose 16, 24 or 32 bit, or export WAV".into()),
        ExportFormat::Source => match sound.source.info().format {
            SampleFormat::Pcm { bits } => bits.max(FEWEST_BITS),
            SampleFormat::Float32 | SampleFormat::Float64 | SampleFormat::Lossy => 24,
        },
    };
    Ok(WavLayout::Integers { container_bits: bits, valid_bits: bits })
}
