//! FLAC, MP1 to MP3, AAC, ALAC, Ogg Vorbis, Opus, AIFF, CAF and the compressed WAVs, through symphonia; Opus is
//! libopus.
//!
//! Time is kept by the packets' own time stamps: what could not be read is silence, and said. The decoder runs inside
//! `catch_unwind`; memory grows with what it delivers, never with what a file claims.

mod decoding;
mod order;
mod track;

pub(super) use order::DecodeOrder;

use self::decoding::Decoding;
use self::track::{describe, highest_byte_first, is_mpeg, timing_of};
use super::file_bytes::FileBytes;
use super::look::{self, FileKind};
use super::mpeg::FrameCoding;
use super::ogg::{self, OggPages};
use super::options::Opening;
use super::opus_streams::{OpusLayout, StreamsDecoder};
use super::raw::Raw;
use super::repaired::Spliced;
use super::stored_bytes::StoredBytes;
use super::watched::Watched;
use super::{flac, mp4, mpeg};
use crate::base::{Error, ErrorKind, Result};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering::Relaxed;
use symphonia::core::codecs::audio::well_known as codecs;
use symphonia::core::codecs::audio::{AudioCodecParameters, AudioDecoder, AudioDecoderOptions, CODEC_ID_NULL_AUDIO};
use symphonia::core::codecs::registry::RegisterableAudioDecoder;
use symphonia::core::errors::Error as Trouble;
use symphonia::core::formats::{FormatOptions, FormatReader, TrackType};
use symphonia::core::io::{MediaSourceStream, MediaSourceStreamOptions, ReadBytes};
use symphonia::default::formats;

/// Decodes a whole file.
pub(super) fn decode(file: FileBytes, order: &DecodeOrder<'_>) -> Result<Raw> {
    let &DecodeOrder { head, opening: Opening { n_bytes, path, progress, .. }, .. } = order;
    let work = AssertUnwindSafe(|| {
        let pages = if head.kind == FileKind::Ogg { ogg::scan(&file, progress) } else { OggPages::default() };
        progress.check()?;
        let movie = if head.kind == FileKind::Mp4 { mp4::scan(&file, n_bytes) } else { mp4::Movie::default() };
        let flac = match head.kind {
            FileKind::Flac => flac::find(&file, head.start, n_bytes, progress),
            _ => None,
        };
        let frames = if head.kind == FileKind::Unknown { mpeg::find(&file, head.start, n_bytes) } else { None };
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
            raw.notices.push("its metadata is damaged or unusual and was ignored; all audio was read".into());
        }
        if let (Some(frames), Ok(file)) = (frames.filter(|frames| frames.coding == FrameCoding::Mpeg), looked_at) {
            let between = mpeg::bytes_between_frames(&file, &frames, progress);
            if between > 0 {
                raw.notices.push(format!("{between} bytes between its frames are not audio and were skipped"));
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
    kind: FileKind,
    frames: Option<&mpeg::Stream>,
) -> symphonia::core::errors::Result<Box<dyn FormatReader>> {
    let mut stream = MediaSourceStream::new(Box::new(source), MediaSourceStreamOptions::default());
    let options = FormatOptions::default();
    Ok(match (kind, frames.map(|frames| frames.coding)) {
        (FileKind::Flac, _) => Box::new(formats::FlacReader::try_new(stream, options)?),
        (FileKind::Ogg, _) => Box::new(formats::OggReader::try_new(stream, options)?),
        (FileKind::Aiff, _) => Box::new(formats::AiffReader::try_new(stream, options)?),
        (FileKind::Caf, _) => Box::new(formats::CafReader::try_new(stream, options)?),
        // Of Wave64 what our own reader leaves stands behind a header as WAV has it.
        (FileKind::Wav | FileKind::Wave64, _) => Box::new(formats::WavReader::try_new(stream, options)?),
        (FileKind::Mp4, _) => {
            // It expects to stand behind the length of the first box.
            stream.read_quad_bytes()?;
            Box::new(formats::IsoMp4Reader::try_new(stream, options)?)
        }
        (_, Some(FrameCoding::Mpeg)) => Box::new(formats::MpaReader::try_new(stream, options)?),
        (_, Some(FrameCoding::Adts)) => Box::new(formats::AdtsReader::try_new(stream, options)?),
        _ => return Err(Trouble::Unsupported("no sound was found")),
    })
}

fn decode_with(
    source: Watched,
    frames: Option<&mpeg::Stream>,
    pages: &OggPages,
    movie: &mp4::Movie,
    order: &DecodeOrder<'_>,
) -> Result<Raw> {
    let &DecodeOrder { head, opening: Opening { path, progress, .. }, .. } = order;
    let n_bytes = source.len();
    let position = source.position.clone();
    let trouble = |error: &Trouble| -> Error {
        match (progress.check(), error, head.name) {
            (Err(cancelled), ..) => cancelled,
            (_, Trouble::IoError(error), _) if error.kind() != std::io::ErrorKind::UnexpectedEof => {
                Error::io(error, "read", path)
            }
            (_, Trouble::Unsupported(_), Some(name)) => look::unsupported(&format!("a variant of {name}"), path),
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
    if head.kind == FileKind::Mp4 && parameters.codec == codecs::CODEC_ID_AAC {
        parameters.sample_rate = parameters.extra_data.as_deref().and_then(mp4::aac_rate).or(parameters.sample_rate);
    }
    let parameters = &parameters;
    let codec = parameters.codec;
    if let (Some(rate), Some(channels)) = (parameters.sample_rate, &parameters.channels) {
        look::check_layout(rate, channels.count(), path)?;
        if codec == codecs::CODEC_ID_AAC && channels.count() > 2 {
            let n = channels.count();
            let sentence =
                format!("has {n} channels of AAC, and Sonobrush decodes at most 2; convert it to WAV or FLAC");
            return Err(Error::new(ErrorKind::Unsupported, sentence).at(path));
        }
    }
    let format_name = reader.format_info().short_name;
    // MPEG's length is often a guess, by which symphonia would cut the end off; we trim it ourselves.
    let options = AudioDecoderOptions::default().gapless(!is_mpeg(codec));
    let mut decoder = decoder_of(parameters, &options).map_err(|error| match error {
        Trouble::Unsupported(_) => {
            look::unsupported(&format!("a variant of {} without a decoder", describe(codec, format_name)), path)
        }
        error => trouble(&error),
    })?;
    let heard = movie.heard(track.id);
    let timing = timing_of(&track, parameters, format_name, heard.as_ref());
    let name = order.name.unwrap_or_else(|| describe(codec, format_name));
    let mut decoding = Decoding::new(&track, codec, pages, timing, name, order);
    if heard.is_some_and(|heard| heard.has_more) {
        decoding.note("has an edit list of several segments; only the first was opened");
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
    if let Some(layout) = parameters.extra_data.as_deref().and_then(OpusLayout::of) {
        return Ok(Box::new(StreamsDecoder::new(parameters, layout, options)?));
    }
    // Without the identification header, by which the adapter would trim what we trim by time.
    let bare = AudioCodecParameters { extra_data: None, ..parameters.clone() };
    symphonia_adapter_libopus::OpusDecoder::try_registry_new(&bare, options)
}
