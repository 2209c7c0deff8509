//! An opened sound, whose samples are immutable.

use super::format::SampleFormat;
use super::planar::PlanarSamples;
use super::storage::Storage;
use super::values::{Original, not_finite_notice};
use crate::base::{Error, ErrorKind, Progress, Result, crash, trace};
use crate::decoders::decode;
use crate::decoders::repaired::Repaired;
use crate::formats::raw::Raw;
use crate::formats::wav;
use crate::formats::wav::Content;
use crate::metadata::flac_speakers::stated_mask;
use crate::probe::file_bytes::FileBytes;
use crate::probe::look::{FileKind, Identity, ProbedFile};
use crate::probe::options::{OpenOptions, Opening};
use crate::probe::whole_file::WholeFile;
use crate::probe::{behind, look};
use crate::writers::wav_header::Chunk;
use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Information on a sound file.
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
    /// For display: `WAV, 24 bit`, `FLAC, 16 bit`, `MP3`.
    pub description: String,
    /// Bits per sample in the container, including unused ones; the valid bits of integers are the upper ones.
    pub container_bits: u32,
    /// Speaker mask of the channels, as in extensible WAV headers; `None` if not stated.
    pub channel_mask: Option<u32>,
}

/// Maximum length of a sound, in samples per channel: more than a thousand hours at 192 kHz.
pub const MAX_SAMPLES: u64 = 1_000_000_000_000;

/// A source, and notices about problems in reading it.
#[derive(Debug, Clone)]
pub struct Opened {
    /// The sound.
    pub source: Source,
    /// Notices, one sentence each.
    pub notices: Vec<String>,
}

/// An immutable sound: decoded from a file, created from samples, or silence. Clones share its data.
#[derive(Debug, Clone)]
pub struct Source(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// Unique for all sources ever created.
    serial: u64,
    info: SourceInfo,
    decoded: Arc<Decoded>,
    /// Whether this source was created while the file was still being decoded.
    is_preview: bool,
}

/// Decoded content of a file.
#[derive(Debug)]
struct Decoded {
    samples: Storage,
    chunks: Vec<Chunk>,
    file: Option<Identity>,
}

impl Source {
    /// Opens and decodes a file with the default [`OpenOptions`], under which long sounds stay on disk.
    ///
    /// # Errors
    /// If the file cannot be read or decoded; [`Cancelled`](crate::base::ErrorKind::Cancelled).
    pub fn open(path: &Path, progress: &Progress) -> Result<Opened> {
        Source::open_with(path, &OpenOptions::default(), &|_| (), progress)
    }

    /// As [`open`](Source::open), with options. `preview` is called at most once, on this thread, with a sound that is
    /// still being decoded to disk: it has the length stated by the file, and is silent from
    /// [`n_ready`](Source::n_ready) on. The returned source is the same one, unless the file's length differs from the
    /// stated length or the file is damaged.
    ///
    /// # Errors
    /// As [`open`](Source::open).
    pub fn open_with(
        path: &Path,
        options: &OpenOptions,
        preview: &dyn Fn(&Source),
        progress: &Progress,
    ) -> Result<Opened> {
        let _span = trace::span("open a file");
        crash::note_sound(path);
        Source::from_probed(look::open_regular(path)?, preview, (path, options), progress)
    }

    /// As [`open_with`](Source::open_with), for a file whose bytes were read as a whole; the file is not accessed
    /// again.
    ///
    /// # Errors
    /// As [`open`](Source::open).
    pub fn open_whole(file: WholeFile, path: &Path, options: &OpenOptions, progress: &Progress) -> Result<Opened> {
        let _span = trace::span("open a file");
        crash::note_sound(path);
        Source::from_probed(file.into_probed(), &|_| (), (path, options), progress)
    }

    fn from_probed(
        looked: ProbedFile,
        preview: &dyn Fn(&Source),
        (path, options): (&Path, &OpenOptions),
        progress: &Progress,
    ) -> Result<Opened> {
        let ProbedFile { mut file, n_bytes, identity } = looked;
        let again = file.try_clone().map_err(|error| Error::io(&error, "read", path))?;
        let head = look::head_of(&mut file, path)?;
        let opening = Opening { path, n_bytes, options, progress };
        let published = RefCell::new(None);
        let with_speakers = |raw: Raw| {
            let is_open = head.kind == FileKind::Flac && raw.n_channels > 2 && raw.channel_mask.is_none();
            if is_open { Raw { channel_mask: stated_mask(path, raw.n_channels), ..raw } } else { raw }
        };
        let publish = |raw: Raw| {
            let source = Source::of_raw(with_speakers(raw), identity.clone(), true).0;
            preview(&source);
            published.replace(Some(source));
        };
        let decoded = |file, head, repaired: Option<&Repaired>, name: Option<&str>| {
            let publish = &publish;
            let order = decode::DecodeOrder { head, name, repaired, opening, publish };
            decode::decode(file, &order)
        };
        let found = match head.kind {
            FileKind::Wav if head.start == 0 => wav::read(file, &opening)?,
            FileKind::Wave64 => wav::read_wave64(file, &opening)?,
            FileKind::Aiff => wav::read_aiff(file, head.start, &opening)?,
            FileKind::Au => wav::read_au(file, &opening)?,
            FileKind::Caf => wav::read_caf(file, &opening)?,
            FileKind::Mp4 => match wav::read_mp4(&file, &opening)? {
                Some(raw) => Content::Plain(raw),
                None => Content::Plain(decoded(file, head, None, None)?),
            },
            _ => Content::Plain(decoded(file, head, None, None)?),
        };
        let raw = match found {
            Content::Plain(raw) => raw,
            Content::Coded { file, repaired, name } => decoded(file, head, Some(&repaired), name.as_deref())?,
            Content::Frames { file, repaired, name } => {
                let head = look::FileHead { kind: FileKind::Unknown, ..head };
                decoded(file, head, Some(&repaired), Some(&name))?
            }
        };
        progress.step(1, 1)?;
        let raw = with_what_follows(raw, &again, head.kind, n_bytes);
        let (found, notices) = Source::of_raw(with_speakers(raw), identity.clone(), false);
        let source = match published.take() {
            Some(published) if published.became(&found) => published,
            _ => found,
        };
        Ok(Opened { source, notices })
    }

    fn of_raw(raw: Raw, identity: Identity, is_preview: bool) -> (Source, Vec<String>) {
        let info = SourceInfo {
            n_samples: raw.n_samples,
            sample_rate_hz: raw.sample_rate_hz,
            n_channels: raw.n_channels,
            format: raw.format,
            description: raw.description,
            container_bits: raw.container_bits,
            channel_mask: raw.channel_mask,
        };
        let decoded = Decoded { samples: raw.samples, chunks: raw.chunks, file: Some(identity) };
        (Source::with(info, decoded, is_preview), raw.notices)
    }

    /// Whether this preview matches the final result, and so can be used in its place.
    fn became(&self, found: &Source) -> bool {
        let is_revised = match &self.0.decoded.samples {
            Storage::Scratch(scratch) => scratch.is_revised(),
            _ => true,
        };
        !is_revised && self.0.info == found.0.info
    }

    /// Silence, as 32-bit float.
    ///
    /// # Errors
    /// [`Limit`](crate::base::ErrorKind::Limit) outside 1 to 32 channels, 4,000 to 768,000 Hz, and 1 to a trillion
    /// samples.
    pub fn silence(n_samples: u64, sample_rate_hz: u32, n_channels: usize) -> Result<Source> {
        Source::made(Storage::Silence, n_samples, sample_rate_hz, n_channels, "silence")
    }

    /// A sound of 32-bit float samples, one vector per channel, all of the same length. NaN and infinity become 0.
    ///
    /// # Errors
    /// As [`silence`](Source::silence), and for channels of different lengths.
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
        Source::made(
            Storage::Memory(PlanarSamples::Float32(channels)),
            n_samples as u64,
            sample_rate_hz,
            n_channels,
            "32 bit float",
        )
    }

    fn made(samples: Storage, n_samples: u64, rate_hz: u32, n_channels: usize, description: &str) -> Result<Source> {
        look::check_layout_of("the new sound ", rate_hz, n_channels)?;
        if n_samples == 0 || n_samples > MAX_SAMPLES {
            return Err(Error::new(
                ErrorKind::Limit,
                "the new sound has no samples or too many; choose another length",
            ));
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
        Ok(Source::with(info, decoded, false))
    }

    fn with(info: SourceInfo, decoded: Decoded, is_preview: bool) -> Source {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let serial = NEXT.fetch_add(1, Relaxed);
        Source(Arc::new(Inner { serial, info, decoded: Arc::new(decoded), is_preview }))
    }

    /// Whether both are clones of the same source.
    pub fn is_same(&self, other: &Source) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// A number of this source and of no other one ever created, if its samples before `end` are final; `None` while
    /// they are being decoded, and if silence was inserted before samples that were already readable.
    pub fn serial_before(&self, end: u64) -> Option<u64> {
        let is_final = match &self.0.decoded.samples {
            Storage::Scratch(scratch) if self.0.is_preview => {
                !scratch.is_revised() && scratch.len() >= end.min(self.0.info.n_samples)
            }
            _ => true,
        };
        is_final.then_some(self.0.serial)
    }

    /// Number of samples per channel, from the start, that are decoded: all, unless the sound is still being decoded.
    pub fn n_ready(&self) -> u64 {
        match &self.0.decoded.samples {
            Storage::Scratch(scratch) if !scratch.is_complete() => scratch.len().min(self.0.info.n_samples),
            _ => self.0.info.n_samples,
        }
    }

    /// Whether the sound is complete and will not change. False while it is still being decoded, and for a preview that
    /// another source replaced when decoding ended.
    pub fn is_final(&self) -> bool {
        match &self.0.decoded.samples {
            Storage::Scratch(scratch) if self.0.is_preview => {
                scratch.is_complete() && !scratch.is_revised() && scratch.len() >= self.0.info.n_samples
            }
            _ => true,
        }
    }

    /// Whether samples are read from disk rather than from memory.
    pub fn is_on_disk(&self) -> bool {
        matches!(self.0.decoded.samples, Storage::Plain(_) | Storage::Scratch(_))
    }

    /// The reason why the sound can no longer be read: another program changed or truncated its file while it was open.
    /// `None` until a read has failed for this reason; every later read then fails with the same error.
    pub fn fault(&self) -> Option<Error> {
        match &self.0.decoded.samples {
            Storage::Plain(file) => file.fault().cloned(),
            _ => None,
        }
    }

    /// The next notice since opening, one sentence, which is returned only once: the file can no longer be read, or
    /// contains NaN or infinite values. `None` if there is none. Cheap to call.
    pub fn take_notice(&self) -> Option<String> {
        match &self.0.decoded.samples {
            Storage::Plain(file) => file.take_notice(),
            _ => None,
        }
    }

    /// A notice with the number of NaN and infinite values read so far, for plain samples that stay in their file;
    /// otherwise `None`. Repeated reads count them again.
    pub fn not_finite_notice(&self) -> Option<String> {
        match &self.0.decoded.samples {
            Storage::Plain(file) => not_finite_notice(file.n_not_finite()),
            _ => None,
        }
    }

    /// Information on the sound.
    pub fn info(&self) -> &SourceInfo {
        &self.0.info
    }

    /// The RIFF chunks that an export keeps, in the order of the file.
    pub fn chunks(&self) -> &[Chunk] {
        &self.0.decoded.chunks
    }

    /// The file that the sound was read from, with symbolic links resolved; `None` for created sounds.
    pub fn path(&self) -> Option<&Path> {
        self.0.decoded.file.as_ref().map(Identity::canonical)
    }

    /// Size and modification time of the file when it was opened; `None` for created sounds.
    pub fn stamp(&self) -> Option<look::FileStamp> {
        self.0.decoded.file.as_ref().map(Identity::stamp)
    }

    /// Whether this is silence made by [`silence`](Source::silence).
    pub fn is_silence(&self) -> bool {
        matches!(self.0.decoded.samples, Storage::Silence)
    }

    /// The end of the silence in all channels that contains sample `first`, if known without reading; otherwise
    /// `first`. Everything after the end of the sound counts as silence.
    pub fn silent_until(&self, first: u64) -> u64 {
        if first >= self.0.info.n_samples { u64::MAX } else { self.0.decoded.samples.silent_until(first) }
    }

    /// The path, size and time of the sound's file as text; a different text means a different sound. `None` for
    /// created sounds, and if the time is unknown.
    pub fn identity(&self) -> Option<String> {
        self.0.decoded.file.as_ref().and_then(Identity::described)
    }

    /// Whether writing to `path` would replace the file that this was read from, through any link.
    pub fn is_file_at(&self, path: &Path) -> bool {
        self.0.decoded.file.as_ref().is_some_and(|file| file.is_at(path))
    }

    /// Fills `out` with samples of a channel from `first` on; 0 before the start and after the end. Integers in
    /// containers of b bits are divided by `2^(b-1)`.
    ///
    /// # Errors
    /// If the channel does not exist; for a sound on disk, [`SourceChanged`](ErrorKind::SourceChanged) if another
    /// program changed its file, and [`Io`](ErrorKind::Io).
    pub fn read(&self, channel: usize, first: i64, out: &mut [f32]) -> Result<()> {
        self.check_channel(channel)?;
        let n_samples = match &self.0.decoded.samples {
            Storage::Silence => self.0.info.n_samples,
            samples => self.0.info.n_samples.min(samples.len() as u64),
        } as i64;
        let length = out.len() as i64;
        // The part of `out` that is inside the source.
        let start = first.saturating_neg().clamp(0, length);
        let end = n_samples.saturating_sub(first).clamp(start, length);
        out[..start as usize].fill(0.0);
        out[end as usize..].fill(0.0);
        if start < end {
            let inside = &mut out[start as usize..end as usize];
            self.0.decoded.samples.read(channel, (first + start) as usize, self.0.info.container_bits, inside)?;
        }
        Ok(())
    }

    /// The original values of `n` samples from `first` on, all of which must exist.
    ///
    /// # Errors
    /// If the channel or the range does not exist, and as [`read`](Source::read).
    pub fn read_original(&self, channel: usize, first: u64, n: usize) -> Result<Original> {
        self.check_channel(channel)?;
        if first.checked_add(n as u64).is_none_or(|end| end > self.0.info.n_samples) {
            return Err(Error::new(ErrorKind::Internal, "samples outside the file were requested"));
        }
        let samples = &self.0.decoded.samples;
        let n_stored = match samples {
            Storage::Silence => n,
            samples => n.min(samples.len().saturating_sub(first as usize)),
        };
        let mut original = samples.original(channel, (first as usize).min(samples.len()), n_stored)?;
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
        let sentence = format!("channel {channel} was requested, but there are {}", self.0.info.n_channels);
        Err(Error::new(ErrorKind::Internal, sentence))
    }
}

/// Adds a notice if another sound follows in the same file.
fn with_what_follows(raw: Raw, file: &FileBytes, kind: FileKind, n_bytes: u64) -> Raw {
    let other = raw.end.and_then(|end| behind::other_file(file, kind, end, n_bytes));
    let Some(other) = other else { return raw };
    let mut raw = raw;
    let n_before = usize::try_from(raw.n_samples).unwrap_or(usize::MAX);
    raw.notices.push(look::another_recording(n_before, raw.sample_rate_hz, &other.described()));
    raw
}
