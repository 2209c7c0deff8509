//! FLAC, MP1 to MP3, AAC, ALAC, Ogg Vorbis, Opus, AIFF, CAF and the compressed WAVs, through symphonia; Opus is
//! libopus.
//!
//! Time is kept by the packets' own time stamps: what could not be read is silence, and said. The decoder runs inside
//! `catch_unwind`; memory grows with what it delivers, never with what a file claims.

use super::decoded::{Samples, Speakers};
use super::look::{self, Head, Kind};
use super::mpeg::Coding;
use super::ogg::{self, OggPages};
use super::opus_streams::{Layout, StreamsDecoder};
use super::repaired::{Repaired, Spliced};
use super::source::{OpenOptions, Raw, SampleFormat};
use super::storage::{Budget, Storage};
use super::stored_bytes::StoredBytes;
use super::timing::Timing;
use super::wav::described;
use super::{flac, mp4, mpeg};
use crate::base::{Error, ErrorKind, Progress, Result};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use symphonia::core::audio::GenericAudioBufferRef;
use symphonia::core::codecs::audio::well_known as codecs;
use symphonia::core::codecs::audio::{
    AudioCodecId, AudioCodecParameters, AudioDecoder, AudioDecoderOptions, CODEC_ID_NULL_AUDIO,
};
use symphonia::core::codecs::registry::RegisterableAudioDecoder;
use symphonia::core::errors::Error as Trouble;
use symphonia::core::formats::{FormatOptions, FormatReader, Track, TrackType};
use symphonia::core::io::{MediaSource, MediaSourceStream, MediaSourceStreamOptions, ReadBytes};
use symphonia::core::packet::Packet;
use symphonia::core::units::Timestamp;
use symphonia::default::formats;

/// A longer jump of the time stamps is damage or another recording, not lost sound.
const MAX_GAP_SECS: u64 = 60;
/// Silence can be coded in next to nothing, but not in less.
const MOST_FRAMES_PER_BYTE: u64 = 1024;
/// Samples in a packet of ALAC.
const ALAC_PACKET: u64 = 4096;
/// Errors in a row after which a stream is given up.
const MAX_ERRORS_IN_A_ROW: u32 = 200;

/// Packets on the first three pages of an Ogg, at most: each page has room for 255.
const MOST_PACKETS_AHEAD: usize = 3 * 255;

/// How a file is decoded.
#[derive(Clone, Copy)]
pub(super) struct Order<'a> {
    pub(super) head: Head,
    /// Length of the file.
    pub(super) n_bytes: u64,
    /// What it is called where its codec says too little.
    pub(super) name: Option<&'a str>,
    /// What is decoded instead of the file as it is.
    pub(super) repaired: Option<&'a Repaired>,
    pub(super) path: &'a Path,
    pub(super) options: &'a OpenOptions,
    /// Told once of a sound that goes to disk, as soon as some of it is there.
    pub(super) publish: &'a dyn Fn(Raw),
    pub(super) progress: &'a Progress,
}

/// Decodes a whole file.
pub(super) fn decode(file: File, order: &Order<'_>) -> Result<Raw> {
    let &Order { head, n_bytes, path, progress, .. } = order;
    let work = AssertUnwindSafe(|| {
        let pages = if head.kind == Kind::Ogg { ogg::scan(&file, progress) } else { OggPages::default() };
        progress.check()?;
        let movie = if head.kind == Kind::Mp4 { mp4::scan(&file, n_bytes) } else { mp4::Movie::default() };
        let flac = match head.kind {
            Kind::Flac => flac::find(&file, head.start, n_bytes, progress),
            _ => None,
        };
        let frames = if head.kind == Kind::Unknown { mpeg::find(&file, head.start, n_bytes) } else { None };
        progress.check()?;
        let looked_at = file.try_clone();
        let source = match (order.repaired, &flac, &frames) {
            (Some(repaired), ..) => Spliced::new(repaired.head.clone(), file, repaired.data.clone(), Vec::new()),
            (_, Some(flac), _) => Spliced::new(flac.head.clone(), file, flac.start..flac.end, Vec::new()),
            (.., Some(frames)) => Spliced::part(file, frames.start..frames.end),
            _ => Spliced::part(file, head.start..n_bytes),
        };
        let mut raw = decode_with(Watched::new(source, progress), frames.as_ref(), &pages, &movie, order)?;
        if flac.is_some_and(|flac| flac.is_metadata_damaged) {
            raw.notices.push("its metadata is damaged or unusual and was ignored; all sound is read".into());
        }
        if let (Some(frames), Ok(file)) = (frames.filter(|frames| frames.coding == Coding::Mpeg), looked_at) {
            let between = mpeg::bytes_between_frames(&file, &frames, progress);
            if between > 0 {
                raw.notices.push(format!("{between} bytes between its frames are not sound and were skipped"));
            }
        }
        Ok(raw)
    });
    catch_unwind(work).unwrap_or_else(|_| {
        let sentence = "is damaged in a way that its decoder cannot handle; convert it to WAV with another program";
        Err(Error::new(ErrorKind::Malformed, sentence).at(path))
    })
}

/// The reader for what a file was found to be. Nothing is searched for, so that sound inside of other files is none.
fn reader_of(
    source: Watched,
    kind: Kind,
    frames: Option<&mpeg::Stream>,
) -> symphonia::core::errors::Result<Box<dyn FormatReader>> {
    let mut stream = MediaSourceStream::new(Box::new(source), MediaSourceStreamOptions::default());
    let options = FormatOptions::default();
    Ok(match (kind, frames.map(|frames| frames.coding)) {
        (Kind::Flac, _) => Box::new(formats::FlacReader::try_new(stream, options)?),
        (Kind::Ogg, _) => Box::new(formats::OggReader::try_new(stream, options)?),
        (Kind::Aiff, _) => Box::new(formats::AiffReader::try_new(stream, options)?),
        (Kind::Caf, _) => Box::new(formats::CafReader::try_new(stream, options)?),
        // Of Wave64 what our own reader leaves stands behind a header as WAV has it.
        (Kind::Wav | Kind::Wave64, _) => Box::new(formats::WavReader::try_new(stream, options)?),
        (Kind::Mp4, _) => {
            // It expects to stand behind the length of the first box.
            stream.read_quad_bytes()?;
            Box::new(formats::IsoMp4Reader::try_new(stream, options)?)
        }
        (_, Some(Coding::Mpeg)) => Box::new(formats::MpaReader::try_new(stream, options)?),
        (_, Some(Coding::Adts)) => Box::new(formats::AdtsReader::try_new(stream, options)?),
        _ => return Err(Trouble::Unsupported("no sound was found")),
    })
}

fn decode_with(
    source: Watched,
    frames: Option<&mpeg::Stream>,
    pages: &OggPages,
    movie: &mp4::Movie,
    order: &Order<'_>,
) -> Result<Raw> {
    let &Order { head, path, progress, .. } = order;
    let n_bytes = source.len();
    let position = source.position.clone();
    let trouble = |error: &Trouble| -> Error {
        match (progress.check(), error, head.name) {
            (Err(cancelled), ..) => cancelled,
            (_, Trouble::IoError(error), _) if error.kind() != std::io::ErrorKind::UnexpectedEof => {
                Error::io(error, "read", path)
            }
            (_, Trouble::Unsupported(_), Some(name)) => look::unsupported(&format!("a kind of {name}"), path),
            (.., Some(name)) => look::damaged(name, path),
            (.., None) => look::not_audio(path),
        }
    };
    let mut reader = reader_of(source, head.kind, frames).map_err(|error| trouble(&error))?;
    // It knows of no codec where QuickTime puts ALAC's configuration.
    let of_alac = || movie.sound().filter(|(id, _)| movie.alac(*id).is_some());
    let of_alac = || of_alac().and_then(|(id, _)| reader.tracks().iter().find(|track| track.id == id));
    let track = reader.default_track(TrackType::Audio).or_else(of_alac);
    let track = track.ok_or_else(|| look::not_audio(path))?.clone();
    let parameters = track.codec_params.as_ref().and_then(|parameters| parameters.audio());
    let mut parameters = parameters.ok_or_else(|| look::not_audio(path))?.clone();
    if movie.described(track.id).is_some_and(|described| described.plain.bytes == StoredBytes::Swapped) {
        parameters.codec = highest_byte_first(parameters.codec);
    }
    if let Some(configuration) = movie.alac(track.id).filter(|_| parameters.codec == CODEC_ID_NULL_AUDIO) {
        parameters.for_codec(codecs::CODEC_ID_ALAC).with_extra_data(configuration.into());
        parameters.sample_rate = configuration.last_chunk().map(|rate| u32::from_be_bytes(*rate));
    }
    if head.kind == Kind::Mp4 && parameters.codec == codecs::CODEC_ID_AAC {
        parameters.sample_rate = parameters.extra_data.as_deref().and_then(mp4::aac_rate).or(parameters.sample_rate);
    }
    let parameters = &parameters;
    let codec = parameters.codec;
    if let (Some(rate), Some(channels)) = (parameters.sample_rate, &parameters.channels) {
        look::check_layout(rate, channels.count(), path)?;
        if codec == codecs::CODEC_ID_AAC && channels.count() > 2 {
            let n = channels.count();
            let sentence =
                format!("has {n} channels of AAC, of which Sonobrush decodes at most 2; convert it to WAV or FLAC");
            return Err(Error::new(ErrorKind::Unsupported, sentence).at(path));
        }
    }
    let format_name = reader.format_info().short_name;
    // MPEG's length is often a guess, by which symphonia would cut the end off; we trim it ourselves.
    let options = AudioDecoderOptions::default().gapless(!is_mpeg(codec));
    let mut decoder = decoder_of(parameters, &options).map_err(|error| match error {
        Trouble::Unsupported(_) => {
            look::unsupported(&format!("a kind of {} that no decoder here reads", describe(codec, format_name)), path)
        }
        error => trouble(&error),
    })?;
    let heard = movie.heard(track.id);
    let timing = timing_of(&track, parameters, format_name, heard.as_ref());
    let name = order.name.unwrap_or_else(|| describe(codec, format_name));
    let mut decoding = Decoding::new(&track, codec, pages, timing, name, order);
    if heard.is_some_and(|heard| heard.has_more) {
        decoding.notices.push("plays several pieces of its sound; what follows the first is left out".into());
    }
    decoding.run(reader.as_mut(), decoder.as_mut(), &|| progress.step(position.load(Relaxed), n_bytes))?;
    decoding.finish(n_bytes)
}

/// The decoder of a stream.
fn decoder_of(
    parameters: &AudioCodecParameters,
    options: &AudioDecoderOptions,
) -> symphonia::core::errors::Result<Box<dyn AudioDecoder>> {
    if parameters.codec != codecs::CODEC_ID_OPUS {
        return symphonia::default::get_codecs().make_audio_decoder(parameters, options);
    }
    if let Some(layout) = parameters.extra_data.as_deref().and_then(Layout::of) {
        return Ok(Box::new(StreamsDecoder::new(parameters, layout, options)?));
    }
    // Without the identification header, by which the adapter would trim what we trim by time.
    let bare = AudioCodecParameters { extra_data: None, ..parameters.clone() };
    symphonia_adapter_libopus::OpusDecoder::try_registry_new(&bare, options)
}

/// What an Opus header asks players to multiply by (RFC 7845, section 5.1: dB in 256ths); 1 for all else.
fn opus_gain(track: &Track) -> f32 {
    let parameters = track.codec_params.as_ref().and_then(|parameters| parameters.audio());
    let header = parameters.filter(|parameters| parameters.codec == codecs::CODEC_ID_OPUS);
    let header = header.and_then(|parameters| parameters.extra_data.as_deref());
    match header.and_then(|header| header.strip_prefix(b"OpusHead")).and_then(|rest| rest.get(8..10)) {
        Some(&[first, second]) => {
            // MP4 has the same fields the other way round, and counts its versions from 0.
            let is_mp4 = header.is_some_and(|header| header.get(8) == Some(&0));
            let db = if is_mp4 { i16::from_be_bytes([first, second]) } else { i16::from_le_bytes([first, second]) };
            10f32.powf(f32::from(db) / 256.0 / 20.0)
        }
        _ => 1.0,
    }
}

/// Where the sound of a track begins and ends.
fn timing_of(track: &Track, parameters: &AudioCodecParameters, container: &str, heard: Option<&mp4::Heard>) -> Timing {
    match (heard, track.delay) {
        (Some(heard), _) => Timing::of_mp4(heard, parameters.sample_rate.unwrap_or(heard.timescale)),
        // Opus counts from the first decoded sample (RFC 7845, section 4.3), as does CAF's packet table.
        (_, Some(delay)) if parameters.codec == codecs::CODEC_ID_OPUS && container == "ogg" => {
            Timing::from_sample(delay.into(), track.num_frames.map(|n| n.saturating_sub(delay.into())))
        }
        (_, Some(delay)) if container == "caf" && track.start_ts.get() == 0 => {
            Timing::from_sample(delay.into(), track.num_frames)
        }
        _ if parameters.codec == codecs::CODEC_ID_VORBIS => Timing::from_sample(first_heard(track).max(0), None),
        _ => Timing::from_sample(track.start_ts.get().max(0), None),
    }
}

/// The time stamp of the first sample that a Vorbis decoder gives: the first packet gives none.
fn first_heard(track: &Track) -> i64 {
    track.start_ts.get().saturating_add(track.delay.unwrap_or(0).into())
}

/// What is decoded, which can be cancelled at every read, and tells where it is.
pub(super) struct Watched {
    file: Spliced,
    position: Arc<AtomicU64>,
    progress: Progress,
}

impl Watched {
    pub(super) fn new(file: Spliced, progress: &Progress) -> Watched {
        Watched { file, position: Arc::default(), progress: progress.clone() }
    }

    fn len(&self) -> u64 {
        self.file.n_bytes()
    }
}

impl Read for Watched {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        if self.progress.is_cancelled() {
            return Err(std::io::Error::other("cancelled"));
        }
        let n = self.file.read(bytes)?;
        self.position.fetch_add(n as u64, Relaxed);
        Ok(n)
    }
}

impl Seek for Watched {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        let position = self.file.seek(to)?;
        self.position.store(position, Relaxed);
        Ok(position)
    }
}

impl MediaSource for Watched {
    fn is_seekable(&self) -> bool {
        true
    }

    fn byte_len(&self) -> Option<u64> {
        Some(self.len())
    }
}

/// The samples so far.
struct Decoding<'a> {
    track: &'a Track,
    codec: AudioCodecId,
    pages: &'a OggPages,
    samples: Option<Samples>,
    budget: Budget,
    /// Where time stamps lie in the sound; jumps that are no gaps move its offset.
    timing: Timing,
    name: &'a str,
    order: &'a Order<'a>,
    is_published: bool,
    /// Where the last packet ends, readable or not.
    end: i64,
    silent: u64,
    packet_bytes: u64,
    not_finite: u64,
    notices: Vec<String>,
}

impl<'a> Decoding<'a> {
    fn new(
        track: &'a Track,
        codec: AudioCodecId,
        pages: &'a OggPages,
        timing: Timing,
        name: &'a str,
        order: &'a Order<'a>,
    ) -> Decoding<'a> {
        Decoding {
            track,
            codec,
            pages,
            samples: None,
            budget: Budget::new(),
            timing,
            name,
            order,
            is_published: false,
            end: 0,
            silent: 0,
            packet_bytes: 0,
            not_finite: 0,
            notices: order.repaired.map_or_else(Vec::new, |repaired| repaired.notices.clone()),
        }
    }

    fn run(
        &mut self,
        reader: &mut dyn FormatReader,
        decoder: &mut dyn AudioDecoder,
        step: &dyn Fn() -> Result<()>,
    ) -> Result<()> {
        let mut ahead = self.first_packets(reader);
        let mut n_errors = 0;
        while n_errors < MAX_ERRORS_IN_A_ROW {
            step()?;
            let packet = match ahead.pop_front().unwrap_or_else(|| reader.next_packet()) {
                Ok(Some(packet)) => packet,
                Ok(None) => break,
                Err(Trouble::ResetRequired) => {
                    self.notices.push("holds several recordings one after the other; only the first is opened".into());
                    break;
                }
                Err(Trouble::IoError(error)) if error.kind() == std::io::ErrorKind::UnexpectedEof => break,
                Err(Trouble::IoError(error)) => {
                    step()?;
                    return Err(Error::io(&error, "read", self.order.path));
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
            let from = self.timing.sample(packet.pts.get());
            let trimmed = if is_mpeg(self.codec) { 0 } else { packet.trim_start.get() as i64 };
            let bits = valid_bits(decoder, self.codec);
            match decoder.decode(&packet) {
                Ok(buffer) => {
                    n_errors = 0;
                    self.add(&buffer, from.saturating_add(trimmed), bits).map_err(|error| self.about(error))?;
                    self.publish();
                    self.end = self.end.max(self.len() as i64);
                }
                Err(_) => {
                    n_errors += 1;
                    let end = packet.pts.get().saturating_add_unsigned(packet.dur.get());
                    self.end = self.end.max(self.timing.sample(end));
                }
            }
        }
        Ok(())
    }

    /// The first packets of a Vorbis stream that says that its first samples lie before time 0 and are not to be heard.
    /// Only the time stamp of the first page says so: where those of the next pages do not agree and no page is lost,
    /// it is wrong by the jump between them, and by so much less is cut off.
    ///
    /// Source: the Vorbis I specification, section A.2.
    fn first_packets(
        &self,
        reader: &mut dyn FormatReader,
    ) -> VecDeque<symphonia::core::errors::Result<Option<Packet>>> {
        let mut ahead = VecDeque::new();
        let is_cut = self.codec == codecs::CODEC_ID_VORBIS && first_heard(self.track) < 0;
        while is_cut && self.pages.gaps.is_empty() && ahead.len() < MOST_PACKETS_AHEAD {
            ahead.push_back(reader.next_packet());
            if !matches!(ahead.back(), Some(Ok(Some(_)))) {
                break;
            }
        }
        let mut end = None;
        let jump = ahead.iter().enumerate().find_map(|(index, packet)| {
            let packet = packet.as_ref().ok()?.as_ref().filter(|packet| packet.track_id == self.track.id)?;
            let jump = packet.pts.get().saturating_sub(end.unwrap_or(packet.pts.get()));
            let n = packet.trim_start.get().saturating_add(packet.dur.get()).saturating_add(packet.trim_end.get());
            end = Some(packet.pts.get().saturating_add_unsigned(n));
            (jump > 0).then_some((index, jump))
        });
        if let Some((n, jump)) = jump {
            for packet in ahead.iter_mut().take(n).flatten().flatten() {
                packet.pts = Timestamp::new(packet.pts.get().saturating_add(jump));
            }
        }
        ahead
    }

    fn len(&self) -> usize {
        self.samples.as_ref().map_or(0, Samples::len)
    }

    fn max_gap(&self) -> i64 {
        self.samples.as_ref().map_or(0, |samples| (MAX_GAP_SECS * u64::from(samples.sample_rate_hz)) as i64)
    }

    /// Appends a decoded packet whose first sample belongs at `at`.
    fn add(&mut self, buffer: &GenericAudioBufferRef<'_>, at: i64, bits: u32) -> Result<()> {
        if buffer.frames() == 0 {
            return Ok(());
        }
        let (rate, n_channels) = (buffer.spec().rate(), buffer.num_planes());
        if self.samples.is_none() {
            look::check_layout(rate, n_channels, self.order.path)?;
            let speakers = Speakers::of(self.codec, n_channels);
            let mut samples = Samples::new(buffer, is_lossy(self.codec), bits, opus_gain(self.track), speakers);
            samples.insert_silence(0, self.timing.pause, &mut self.budget)?;
            self.samples = Some(samples);
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
            self.timing.offset = self.timing.offset.saturating_sub(gap);
        } else if gap > self.timing.slack() {
            self.fill(gap as usize)?;
        }
        let stated = self.stated();
        if let Some(samples) = &mut self.samples {
            samples.append(buffer, skipped as usize, &mut self.budget, &mut self.not_finite)?;
            samples.settle(self.order.options, stated, &mut self.budget)?;
        }
        Ok(())
    }

    /// An error about the file, unless it is about another place.
    fn about(&self, error: Error) -> Error {
        if error.path().is_some() { error } else { error.at(self.order.path) }
    }

    /// Frames that the file says it has.
    fn stated(&self) -> Option<u64> {
        self.timing.length.or(self.track.num_frames)
    }

    /// Shows what there is of a long sound, once.
    fn publish(&mut self) {
        let Some(samples) = self.samples.as_ref().filter(|_| !self.is_published) else { return };
        // Nothing is sized by a length that cannot be true.
        let stated = self.stated().filter(|stated| *stated / MOST_FRAMES_PER_BYTE <= self.order.n_bytes);
        if let (Some(scratch), Some(stated)) = (samples.scratch(), stated) {
            self.is_published = true;
            let storage = Storage::Scratch(scratch.clone());
            (self.order.publish)(self.raw(samples, storage, stated.max(1), Vec::new()));
        }
    }

    /// What was found, with its samples elsewhere.
    fn raw(&self, samples: &Samples, storage: Storage, n_samples: u64, notices: Vec<String>) -> Raw {
        let depth = match samples.format {
            _ if self.order.name.is_some() => String::new(),
            SampleFormat::Lossy => String::new(),
            format => format!(", {}", described(format)),
        };
        Raw {
            samples: storage,
            n_samples,
            sample_rate_hz: samples.sample_rate_hz,
            n_channels: samples.n_channels,
            format: samples.format,
            container_bits: samples.container_bits,
            channel_mask: samples.speakers.map(|speakers| speakers.mask),
            description: format!("{}{depth}", self.name),
            chunks: self.order.repaired.map_or_else(Vec::new, |repaired| repaired.chunks.clone()),
            notices,
        }
    }

    /// Silence for a gap, where it belongs.
    fn fill(&mut self, n: usize) -> Result<()> {
        let length = self.len();
        let offset = self.timing.offset;
        // The page behind a gap was placed right at it, so the silence goes before that page.
        let lost_at = self.pages.gaps.iter().rev().map(|gap| (gap + offset).max(0) as usize).find(|gap| *gap <= length);
        if let Some(samples) = &mut self.samples {
            samples.insert_silence(lost_at.unwrap_or(length), n, &mut self.budget)?;
            self.silent += n as u64;
        }
        Ok(())
    }

    fn finish(mut self, n_bytes: u64) -> Result<Raw> {
        let path = self.order.path;
        // What is missing at the end, by the packets that could not be read or by the last page.
        let last_page =
            self.pages.end.filter(|_| !self.pages.gaps.is_empty()).map_or(0, |end| end + self.timing.offset);
        let missing = self.end.max(last_page) - self.len() as i64;
        if missing > 0 && missing <= self.max_gap() {
            self.fill(missing as usize).map_err(|error| self.about(error))?;
        }
        let Some(samples) = self.samples.take() else {
            return Err(look::no_samples(path));
        };
        let mut n_samples = samples.len();
        if is_mpeg(self.codec) {
            // Noise has false headers, one in a while; music is nearly all frames.
            if self.packet_bytes < n_bytes / 8 {
                return Err(look::not_audio(path));
            }
            // Only a stated padding makes the stated length more than a guess.
            if let (Some(_), Some(stated)) = (self.track.padding, self.track.num_frames) {
                n_samples = n_samples.min(usize::try_from(stated).unwrap_or(usize::MAX).max(1));
            }
        }
        if let Some(length) = self.timing.length {
            n_samples = n_samples.min(usize::try_from(length).unwrap_or(usize::MAX).max(1));
        }
        let mut notices = std::mem::take(&mut self.notices);
        let millis = |n: u64| (n as f64 * 1000.0 / f64::from(samples.sample_rate_hz)).ceil() as u64;
        if self.silent > 0 {
            notices.push(format!("{} ms of it could not be read and are silent", millis(self.silent)));
        }
        // Of frames without a container the number is a guess by the file's length, unless a tag states it.
        let is_guess = is_mpeg(self.codec) || self.order.head.kind == Kind::Unknown;
        let is_stated = !is_guess || self.track.padding.is_some();
        let stated = self.timing.length.or(self.track.num_frames.filter(|_| is_stated)).unwrap_or(0);
        let missing = stated.saturating_sub(n_samples as u64);
        // Where packets are counted, the last may be a short one.
        let is_short_packet = self.codec == codecs::CODEC_ID_ALAC && missing < ALAC_PACKET;
        if missing > 0 && !is_short_packet {
            notices.push(look::ends_early(missing, samples.sample_rate_hz));
        } else if self.pages.end.is_some() && !self.pages.has_last_page {
            notices.push("ends without its last page; its end may be missing".into());
        }
        if self.pages.is_chained && notices.is_empty() {
            notices.push("holds several recordings; only the first is opened".into());
        }
        notices.extend(super::wav::not_finite_notice(self.not_finite));
        // All that there was may be what an encoder put before the sound.
        if n_samples == 0 {
            return Err(look::no_samples(self.order.path));
        }
        let mut raw = self.raw(&samples, Storage::Silence, n_samples as u64, notices);
        raw.samples = samples.finish(n_samples, &mut self.budget).map_err(|error| self.about(error))?;
        Ok(raw)
    }
}

/// The same samples in the other order, which symphonia's reader of MP4 does not know of.
fn highest_byte_first(codec: AudioCodecId) -> AudioCodecId {
    match codec {
        codecs::CODEC_ID_PCM_S24LE => codecs::CODEC_ID_PCM_S24BE,
        codecs::CODEC_ID_PCM_S32LE => codecs::CODEC_ID_PCM_S32BE,
        codecs::CODEC_ID_PCM_F32LE => codecs::CODEC_ID_PCM_F32BE,
        codecs::CODEC_ID_PCM_F64LE => codecs::CODEC_ID_PCM_F64BE,
        _ => codec,
    }
}

fn is_mpeg(codec: AudioCodecId) -> bool {
    matches!(codec, codecs::CODEC_ID_MP1 | codecs::CODEC_ID_MP2 | codecs::CODEC_ID_MP3)
}

fn is_lossy(codec: AudioCodecId) -> bool {
    is_mpeg(codec) || [codecs::CODEC_ID_VORBIS, codecs::CODEC_ID_AAC, codecs::CODEC_ID_OPUS].contains(&codec)
}

/// Valid bits of a lossless codec's integers; those of A-law, mu-law and ADPCM are worth 16.
fn valid_bits(decoder: &dyn AudioDecoder, codec: AudioCodecId) -> u32 {
    let parameters = decoder.codec_params();
    let is_pcm = [
        codecs::CODEC_ID_FLAC,
        codecs::CODEC_ID_ALAC,
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
    // The container does not know, but ALAC's own configuration does.
    let configuration = parameters.extra_data.as_deref().filter(|_| codec == codecs::CODEC_ID_ALAC);
    let bits = configuration.and_then(|bytes| bytes.get(5)).map(|bits| u32::from(*bits)).or(parameters.bits_per_sample);
    bits.filter(|bits| is_pcm && (1..=32).contains(bits)).unwrap_or(16)
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
        codecs::CODEC_ID_OPUS => "Opus",
        codecs::CODEC_ID_AAC => "AAC",
        codecs::CODEC_ID_ALAC => "ALAC",
        _ if container == "caf" => "CAF",
        _ if container == "aiff" => "AIFF",
        _ if container == "isomp4" => "MP4",
        _ => "WAV",
    }
}
