//! FLAC, MP3, Ogg Vorbis, AIFF and the compressed WAVs, through symphonia.
//!
//! Time is kept by the packets' own time stamps: what could not be read is silence, and said. The decoder runs inside
//! `catch_unwind`; memory grows with what it delivers, never with what a file claims.

use super::look::{self, Kind};
use super::ogg::{self, OggPages};
use super::source::{Raw, SampleFormat};
use super::storage::{Budget, Storage};
use super::wav::{described, finite_f32, finite_f64};
use crate::base::{Error, ErrorKind, Progress, Result};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use symphonia::core::audio::GenericAudioBufferRef;
use symphonia::core::codecs::audio::well_known as codecs;
use symphonia::core::codecs::audio::{AudioCodecId, AudioDecoder, AudioDecoderOptions};
use symphonia::core::errors::Error as Trouble;
use symphonia::core::formats::probe::Hint;
use symphonia::core::formats::{FormatOptions, FormatReader, Track, TrackType};
use symphonia::core::io::{MediaSource, MediaSourceStream, MediaSourceStreamOptions};
use symphonia::core::meta::MetadataOptions;

/// A longer jump of the time stamps is damage or another recording, not lost sound.
const MAX_GAP_SECS: u64 = 60;
/// Errors in a row after which a stream is given up.
const MAX_ERRORS_IN_A_ROW: u32 = 200;

/// Decodes a whole file.
pub(super) fn decode(file: File, n_bytes: u64, kind: Kind, path: &Path, progress: &Progress) -> Result<Raw> {
    let work = AssertUnwindSafe(|| {
        let pages = if kind == Kind::Ogg { ogg::scan(&file, progress) } else { OggPages::default() };
        progress.check()?;
        let mut file = file;
        file.seek(SeekFrom::Start(0)).map_err(|error| Error::io(&error, "read", path))?;
        decode_with(Watched { file, n_bytes, progress: progress.clone() }, &pages, path, progress)
    });
    catch_unwind(work).unwrap_or_else(|_| {
        let sentence = "is damaged in a way that its decoder cannot handle; convert it to WAV with another program";
        Err(Error::new(ErrorKind::Malformed, sentence).at(path))
    })
}

fn decode_with(source: Watched, pages: &OggPages, path: &Path, progress: &Progress) -> Result<Raw> {
    let n_bytes = source.n_bytes;
    let stream = MediaSourceStream::new(Box::new(source), MediaSourceStreamOptions::default());
    let trouble = |error: &Trouble| -> Error {
        match (progress.check(), error) {
            (Err(cancelled), _) => cancelled,
            (_, Trouble::IoError(error)) if error.kind() != std::io::ErrorKind::UnexpectedEof => {
                Error::io(error, "read", path)
            }
            _ => look::not_audio(path),
        }
    };
    let mut reader = symphonia::default::get_probe()
        .probe(&Hint::new(), stream, FormatOptions::default(), MetadataOptions::default())
        .map_err(|error| trouble(&error))?;
    let track = reader.default_track(TrackType::Audio).ok_or_else(|| look::not_audio(path))?.clone();
    let parameters = track.codec_params.as_ref().and_then(|parameters| parameters.audio());
    let parameters = parameters.ok_or_else(|| look::not_audio(path))?;
    let codec = parameters.codec;
    if let (Some(rate), Some(channels)) = (parameters.sample_rate, &parameters.channels) {
        look::check_layout(rate, channels.count(), path)?;
    }
    // MPEG's length is often a guess, by which symphonia would cut the end off; we trim it ourselves.
    let options = AudioDecoderOptions::default().gapless(!is_mpeg(codec));
    let mut decoder =
        symphonia::default::get_codecs().make_audio_decoder(parameters, &options).map_err(|error| match error {
            Trouble::Unsupported(_) => look::unsupported("of a kind", path),
            error => trouble(&error),
        })?;
    let format_name = reader.format_info().short_name;
    let mut decoding = Decoding::new(&track, codec, pages);
    decoding.run(reader.as_mut(), decoder.as_mut(), path, progress)?;
    let description = describe(codec, format_name);
    decoding.finish(description, n_bytes, path)
}

/// The file, with progress and cancel at every read.
struct Watched {
    file: File,
    n_bytes: u64,
    progress: Progress,
}

impl Read for Watched {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        if self.progress.is_cancelled() {
            return Err(std::io::Error::other("cancelled"));
        }
        let n = self.file.read(bytes)?;
        let position = self.file.stream_position()?;
        // The answer is looked at above, at the next read.
        let _ = self.progress.step(position, self.n_bytes.max(1));
        Ok(n)
    }
}

impl Seek for Watched {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.file.seek(to)
    }
}

impl MediaSource for Watched {
    fn is_seekable(&self) -> bool {
        true
    }

    fn byte_len(&self) -> Option<u64> {
        Some(self.n_bytes)
    }
}

/// The samples so far.
struct Decoding<'a> {
    track: &'a Track,
    codec: AudioCodecId,
    pages: &'a OggPages,
    samples: Option<Samples>,
    budget: Budget,
    /// Added to time stamps: where the sound starts, and jumps that are no gaps.
    offset: i64,
    /// Where the last packet ends, readable or not.
    end: i64,
    silent: u64,
    packet_bytes: u64,
    not_finite: u64,
    notices: Vec<String>,
}

struct Samples {
    storage: Storage,
    sample_rate_hz: u32,
    n_channels: usize,
    format: SampleFormat,
    container_bits: u32,
}

impl<'a> Decoding<'a> {
    fn new(track: &'a Track, codec: AudioCodecId, pages: &'a OggPages) -> Decoding<'a> {
        Decoding {
            track,
            codec,
            pages,
            samples: None,
            budget: Budget::new(),
            offset: -track.start_ts.get().max(0),
            end: 0,
            silent: 0,
            packet_bytes: 0,
            not_finite: 0,
            notices: Vec::new(),
        }
    }

    fn run(
        &mut self,
        reader: &mut dyn FormatReader,
        decoder: &mut dyn AudioDecoder,
        path: &Path,
        progress: &Progress,
    ) -> Result<()> {
        let mut n_errors = 0;
        while n_errors < MAX_ERRORS_IN_A_ROW {
            progress.check()?;
            let packet = match reader.next_packet() {
                Ok(Some(packet)) => packet,
                Ok(None) => break,
                Err(Trouble::ResetRequired) => {
                    self.notices.push("holds several recordings one after the other; only the first is opened".into());
                    break;
                }
                Err(Trouble::IoError(error)) if error.kind() == std::io::ErrorKind::UnexpectedEof => break,
                Err(Trouble::IoError(error)) => {
                    progress.check()?;
                    return Err(Error::io(&error, "read", path));
                }
                Err(_) => {
                    n_errors += 1;
                    continue;
                }
            };
            if packet.track_id != self.track.id {
                continue;
            }
            self.packet_bytes += packet.data.len() as u64;
            let from = packet.pts.get().saturating_add(self.offset);
            let trimmed = if is_mpeg(self.codec) { 0 } else { packet.trim_start.get() as i64 };
            let bits = valid_bits(decoder, self.codec);
            match decoder.decode(&packet) {
                Ok(buffer) => {
                    n_errors = 0;
                    self.add(&buffer, from.saturating_add(trimmed), bits, path)?;
                    self.end = self.end.max(self.len() as i64);
                }
                Err(_) => {
                    n_errors += 1;
                    self.end = self.end.max(from.saturating_add(packet.dur.get() as i64));
                }
            }
        }
        Ok(())
    }

    fn len(&self) -> usize {
        self.samples.as_ref().map_or(0, |samples| samples.storage.len())
    }

    fn max_gap(&self) -> i64 {
        self.samples.as_ref().map_or(0, |samples| (MAX_GAP_SECS * u64::from(samples.sample_rate_hz)) as i64)
    }

    /// Appends a decoded packet whose first sample belongs at `at`.
    fn add(&mut self, buffer: &GenericAudioBufferRef<'_>, at: i64, bits: u32, path: &Path) -> Result<()> {
        if buffer.frames() == 0 {
            return Ok(());
        }
        let (rate, n_channels) = (buffer.spec().rate(), buffer.num_planes());
        if self.samples.is_none() {
            look::check_layout(rate, n_channels, path)?;
            self.samples = Some(Samples::new(buffer, self.codec, bits));
        }
        if self.samples.as_ref().is_some_and(|found| (found.sample_rate_hz, found.n_channels) != (rate, n_channels)) {
            // Another rate or layout in mid-stream: as unreadable as damage, and told as such.
            self.end = self.end.max(at.saturating_add(buffer.frames() as i64));
            return Ok(());
        }
        // Encoder delay stands before time 0.
        let skipped = at.saturating_neg().clamp(0, buffer.frames() as i64);
        let gap = at.saturating_add(skipped).saturating_sub(self.len() as i64);
        if gap > self.max_gap() {
            self.offset = self.offset.saturating_sub(gap);
        } else if gap > 0 {
            self.fill(gap as usize).map_err(|error| error.at(path))?;
        }
        if let Some(samples) = &mut self.samples {
            samples
                .append(buffer, skipped as usize, &mut self.budget, &mut self.not_finite)
                .map_err(|error| error.at(path))?;
        }
        Ok(())
    }

    /// Silence for a gap, where it belongs.
    fn fill(&mut self, n: usize) -> Result<()> {
        let length = self.len();
        let offset = self.offset;
        // The page behind a gap was placed right at it, so the silence goes before that page.
        let lost_at = self.pages.gaps.iter().rev().map(|gap| (gap + offset).max(0) as usize).find(|gap| *gap <= length);
        if let Some(samples) = &mut self.samples {
            samples.storage.insert_silence(lost_at.unwrap_or(length), n, &mut self.budget)?;
            self.silent += n as u64;
        }
        Ok(())
    }

    fn finish(mut self, name: &str, n_bytes: u64, path: &Path) -> Result<Raw> {
        // What is missing at the end, by the packets that could not be read or by the last page.
        let last_page = self.pages.end.filter(|_| !self.pages.gaps.is_empty()).map_or(0, |end| end + self.offset);
        let missing = self.end.max(last_page) - self.len() as i64;
        if missing > 0 && missing <= self.max_gap() {
            self.fill(missing as usize).map_err(|error| error.at(path))?;
        }
        let Some(mut samples) = self.samples else {
            return Err(look::no_samples(path));
        };
        let mut n_samples = samples.storage.len();
        if is_mpeg(self.codec) {
            // Noise has false headers, one in a while; music is nearly all frames.
            if self.packet_bytes < n_bytes.saturating_sub(tag_bytes(path)) / 8 {
                return Err(look::not_audio(path));
            }
            // Only a stated padding makes the stated length more than a guess.
            if let (Some(_), Some(stated)) = (self.track.padding, self.track.num_frames) {
                n_samples = n_samples.min(usize::try_from(stated).unwrap_or(usize::MAX).max(1));
            }
        }
        samples.storage.finish(n_samples);
        let mut notices = self.notices;
        let millis = |n: u64| (n as f64 * 1000.0 / f64::from(samples.sample_rate_hz)).ceil() as u64;
        if self.silent > 0 {
            notices.push(format!("{} ms of it could not be read and are silent", millis(self.silent)));
        }
        let is_stated = !is_mpeg(self.codec) || self.track.padding.is_some();
        if let Some(stated) = self.track.num_frames.filter(|stated| is_stated && *stated > n_samples as u64) {
            let missing = stated - n_samples as u64;
            notices.push(format!("ends {} ms before the length that its header states", millis(missing)));
        } else if self.pages.end.is_some() && !self.pages.has_last_page {
            notices.push("ends without its last page; its end may be missing".into());
        }
        if self.pages.is_chained && notices.is_empty() {
            notices.push("holds several recordings; only the first is opened".into());
        }
        notices.extend(super::wav::not_finite_notice(self.not_finite));
        let depth = match samples.format {
            SampleFormat::Lossy => String::new(),
            format => format!(", {}", described(format)),
        };
        Ok(Raw {
            samples: samples.storage,
            sample_rate_hz: samples.sample_rate_hz,
            n_channels: samples.n_channels,
            format: samples.format,
            container_bits: samples.container_bits,
            channel_mask: None,
            description: format!("{name}{depth}"),
            chunks: Vec::new(),
            notices,
        })
    }
}

impl Samples {
    fn new(buffer: &GenericAudioBufferRef<'_>, codec: AudioCodecId, bits: u32) -> Samples {
        let n_channels = buffer.num_planes();
        let (format, container_bits) = match buffer {
            _ if is_lossy(codec) => (SampleFormat::Lossy, 32),
            GenericAudioBufferRef::F32(_) => (SampleFormat::Float32, 32),
            GenericAudioBufferRef::F64(_) => (SampleFormat::Float64, 64),
            _ => (SampleFormat::Pcm { bits }, bits.div_ceil(8) * 8),
        };
        let storage = match format {
            SampleFormat::Pcm { .. } => Storage::integers(container_bits, n_channels),
            SampleFormat::Float64 => Storage::Float64(vec![Vec::new(); n_channels]),
            _ => Storage::Float32(vec![Vec::new(); n_channels]),
        };
        Samples { storage, sample_rate_hz: buffer.spec().rate(), n_channels, format, container_bits }
    }

    /// Appends a packet less its first `skipped` samples.
    fn append(
        &mut self,
        buffer: &GenericAudioBufferRef<'_>,
        skipped: usize,
        budget: &mut Budget,
        not_finite: &mut u64,
    ) -> Result<()> {
        // Integers come at the top of their own width; the container's width keeps every valid bit.
        let shift = 32 - self.container_bits.min(32);
        for channel in 0..self.n_channels {
            match &mut self.storage {
                Storage::Silence => (),
                Storage::Int16(channels) => {
                    extend(&mut channels[channel], buffer, channel, skipped, budget, |value| {
                        (value.top_aligned() >> shift) as i16
                    })?
                }
                Storage::Int32(channels) => {
                    extend(&mut channels[channel], buffer, channel, skipped, budget, |value| {
                        value.top_aligned() >> shift
                    })?
                }
                Storage::Float32(channels) => {
                    extend(&mut channels[channel], buffer, channel, skipped, budget, |value| {
                        finite_f32(value.float() as f32, not_finite)
                    })?;
                }
                Storage::Float64(channels) => {
                    extend(&mut channels[channel], buffer, channel, skipped, budget, |value| {
                        finite_f64(value.float(), not_finite)
                    })?;
                }
            }
        }
        Ok(())
    }
}

/// One decoded value.
#[derive(Clone, Copy)]
enum Value {
    Integer(i32),
    Float(f64),
}

impl Value {
    /// An integer whose upper bits are the valid ones.
    fn top_aligned(self) -> i32 {
        match self {
            Value::Integer(value) => value,
            Value::Float(value) => (value * 2f64.powi(31)) as i32,
        }
    }

    fn float(self) -> f64 {
        match self {
            Value::Integer(value) => f64::from(value) / 2f64.powi(31),
            Value::Float(value) => value,
        }
    }
}

fn extend<T>(
    out: &mut Vec<T>,
    buffer: &GenericAudioBufferRef<'_>,
    channel: usize,
    skipped: usize,
    budget: &mut Budget,
    mut convert: impl FnMut(Value) -> T,
) -> Result<()> {
    use symphonia::core::audio::Audio;
    budget.reserve(out, buffer.frames().saturating_sub(skipped))?;
    macro_rules! plane {
        ($buffer:expr, $value:expr) => {
            if let Some(plane) = $buffer.plane(channel) {
                out.extend(plane.iter().skip(skipped).map(|value| convert($value(*value))));
            }
        };
    }
    match buffer {
        GenericAudioBufferRef::U8(buffer) => plane!(buffer, |v: u8| Value::Integer((i32::from(v) - 128) << 24)),
        GenericAudioBufferRef::U16(buffer) => plane!(buffer, |v: u16| Value::Integer((i32::from(v) - 32768) << 16)),
        GenericAudioBufferRef::U24(buffer) => {
            plane!(buffer, |v: symphonia::core::audio::sample::u24| Value::Integer(
                (v.inner() as i32 - 0x80_0000) << 8
            ));
        }
        GenericAudioBufferRef::U32(buffer) => {
            plane!(buffer, |v: u32| Value::Integer((v ^ 0x8000_0000) as i32));
        }
        GenericAudioBufferRef::S8(buffer) => plane!(buffer, |v: i8| Value::Integer(i32::from(v) << 24)),
        GenericAudioBufferRef::S16(buffer) => plane!(buffer, |v: i16| Value::Integer(i32::from(v) << 16)),
        GenericAudioBufferRef::S24(buffer) => {
            plane!(buffer, |v: symphonia::core::audio::sample::i24| Value::Integer(v.inner() << 8));
        }
        GenericAudioBufferRef::S32(buffer) => plane!(buffer, Value::Integer),
        GenericAudioBufferRef::F32(buffer) => plane!(buffer, |v: f32| Value::Float(f64::from(v))),
        GenericAudioBufferRef::F64(buffer) => plane!(buffer, Value::Float),
    }
    Ok(())
}

fn is_mpeg(codec: AudioCodecId) -> bool {
    matches!(codec, codecs::CODEC_ID_MP1 | codecs::CODEC_ID_MP2 | codecs::CODEC_ID_MP3)
}

fn is_lossy(codec: AudioCodecId) -> bool {
    is_mpeg(codec) || codec == codecs::CODEC_ID_VORBIS
}

/// Valid bits of a lossless codec's integers; those of A-law, mu-law and ADPCM are worth 16.
fn valid_bits(decoder: &dyn AudioDecoder, codec: AudioCodecId) -> u32 {
    let parameters = decoder.codec_params();
    let is_pcm = [
        codecs::CODEC_ID_FLAC,
        codecs::CODEC_ID_PCM_S8,
        codecs::CODEC_ID_PCM_U8,
        codecs::CODEC_ID_PCM_S16LE,
        codecs::CODEC_ID_PCM_S16BE,
        codecs::CODEC_ID_PCM_S24LE,
        codecs::CODEC_ID_PCM_S24BE,
        codecs::CODEC_ID_PCM_S32LE,
        codecs::CODEC_ID_PCM_S32BE,
    ]
    .contains(&codec);
    parameters.bits_per_sample.filter(|bits| is_pcm && (1..=32).contains(bits)).unwrap_or(16)
}

/// What people call it.
fn describe(codec: AudioCodecId, container: &'static str) -> &'static str {
    match codec {
        codecs::CODEC_ID_FLAC if container == "ogg" => "Ogg FLAC",
        codecs::CODEC_ID_FLAC => "FLAC",
        codecs::CODEC_ID_MP1 => "MP1",
        codecs::CODEC_ID_MP2 => "MP2",
        codecs::CODEC_ID_MP3 => "MP3",
        codecs::CODEC_ID_VORBIS => "Ogg Vorbis",
        _ if container == "aiff" => "AIFF",
        _ => "WAV",
    }
}

/// The length of an ID3v2 tag at the start, which may hold pictures larger than the sound.
fn tag_bytes(path: &Path) -> u64 {
    let mut head = [0; 10];
    let is_read = File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok();
    if !is_read || !head.starts_with(b"ID3") {
        return 0;
    }
    head[6..].iter().fold(0, |length, byte| length << 7 | u64::from(byte & 0x7f))
}
