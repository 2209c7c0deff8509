//! FLAC, MP1 to MP3, AAC, ALAC, Ogg Vorbis, Opus, AIFF, CAF and the compressed WAVs, through symphonia; Opus is
//! libopus.
//!
//! Time is kept by the packets' own time stamps: what could not be read is silence, and said. The decoder runs inside
//! `catch_unwind`; memory grows with what it delivers, never with what a file claims.

mod decoding;
mod watched;

pub(super) use watched::Watched;

use self::decoding::{Decoding, is_mpeg};
use super::look::{self, Head, Kind};
use super::mpeg::Coding;
use super::ogg::{self, OggPages};
use super::opus_streams::{Layout, StreamsDecoder};
use super::repaired::{Repaired, Spliced};
use super::source::{OpenOptions, Raw};
use super::stored_bytes::StoredBytes;
use super::timing::Timing;
use super::{flac, mp4, mpeg};
use crate::base::{Error, ErrorKind, Progress, Result};
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;
use symphonia::core::codecs::audio::well_known as codecs;
use symphonia::core::codecs::audio::{
    AudioCodecId, AudioCodecParameters, AudioDecoder, AudioDecoderOptions, CODEC_ID_NULL_AUDIO,
};
use symphonia::core::codecs::registry::RegisterableAudioDecoder;
use symphonia::core::errors::Error as Trouble;
use symphonia::core::formats::{FormatOptions, FormatReader, Track, TrackType};
use symphonia::core::io::{MediaSourceStream, MediaSourceStreamOptions, ReadBytes};
use symphonia::default::formats;

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
        decoding.note("plays several pieces of its sound; what follows the first is left out");
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
