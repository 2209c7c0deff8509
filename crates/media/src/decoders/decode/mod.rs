//! Decodes FLAC, MP1 to MP3, AAC, ALAC, Ogg Vorbis and compressed CAF and WAV files with symphonia, Opus with libopus.
//!
//! Positions follow the time stamps of the packets: unreadable parts become silence, with a notice. Recordings with the
//! same rate and number of channels that were joined to one file follow each other, each with its own delay and padding
//! trimmed; the first of another kind ends the sound. The decoder runs inside [`contained`]; memory grows with its
//! output, never with what a file claims.

mod decoding;
mod order;
mod track;

pub(crate) use order::DecodeOrder;

use self::decoding::{Decoding, Expected, StreamOrder};
use self::track::{describe, highest_byte_first, is_mpeg, timing_of};
use super::opus_streams::{OpusLayout, StreamsDecoder};
use super::repaired::Spliced;
use super::timing::TrackTiming;
use super::watched::Watched;
use crate::base::{Error, ErrorKind, Result, contained};
use crate::formats::mpeg::{FrameCoding, TrimmedSamples};
use crate::formats::ogg::OggPages;
use crate::formats::raw::Raw;
use crate::formats::{flac, mp4, mpeg, ogg};
use crate::probe::file_bytes::FileBytes;
use crate::probe::look::FileKind;
use crate::probe::options::Opening;
use crate::probe::{behind, look};
use crate::samples::stored_bytes::StoredBytes;
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;
use symphonia::core::codecs::audio::well_known as codecs;
use symphonia::core::codecs::audio::{AudioCodecParameters, AudioDecoder, AudioDecoderOptions, CODEC_ID_NULL_AUDIO};
use symphonia::core::codecs::registry::RegisterableAudioDecoder;
use symphonia::core::errors::Error as Trouble;
use symphonia::core::formats::{FormatOptions, FormatReader, Track, TrackType};
use symphonia::core::io::{MediaSourceStream, MediaSourceStreamOptions, ReadBytes};
use symphonia::default::formats;

/// Decodes a whole file.
pub(crate) fn decode(file: FileBytes, order: &DecodeOrder<'_>) -> Result<Raw> {
    let work = || {
        let mut decoding = Decoding::new(order);
        match order.head.kind {
            FileKind::Flac if order.repaired.is_none() => decode_flac(file, order, &mut decoding)?,
            FileKind::Ogg => decode_ogg(file, order, &mut decoding)?,
            FileKind::Unknown => decode_frames(file, order, &mut decoding)?,
            _ => decode_one(file, order, &mut decoding)?,
        }
        decoding.finish()
    };
    contained(work).unwrap_or_else(|_| {
        let sentence = "is damaged in a way that its decoder cannot handle; convert it to WAV with another program";
        Err(Error::new(ErrorKind::Malformed, sentence).at(order.opening.path))
    })
}

/// A stream for one reader and one decoder.
struct Stream {
    source: Spliced,
    coding: Option<FrameCoding>,
    pages: OggPages,
    movie: mp4::Movie,
    /// First sample and length, found by a scan of the frames, for streams whose reader does not determine them.
    frames: Option<TrimmedSamples>,
    /// Number of samples lost before the first packet.
    n_lost: u64,
    /// Samples per unit of FLAC frame numbers, if positions follow from these numbers.
    numbered: Option<u64>,
    /// The expected number of samples of the whole file.
    expected: Expected,
}

impl Stream {
    fn of(source: Spliced) -> Stream {
        Stream {
            source,
            coding: None,
            pages: OggPages::default(),
            movie: mp4::Movie::default(),
            frames: None,
            n_lost: 0,
            numbered: None,
            expected: Expected::OfStream,
        }
    }
}

/// Decodes a file that is a single stream.
fn decode_one(file: FileBytes, order: &DecodeOrder<'_>, decoding: &mut Decoding<'_>) -> Result<()> {
    let &DecodeOrder { head, opening: Opening { n_bytes, progress, .. }, .. } = order;
    let movie = if head.kind == FileKind::Mp4 { mp4::scan(&file, n_bytes) } else { mp4::Movie::default() };
    progress.check()?;
    decoding.end = order.repaired.map(|repaired| repaired.end).or(movie.end);
    let source = match order.repaired {
        Some(repaired) => Spliced::new(repaired.head.clone(), file, repaired.data.clone(), Vec::new()),
        None => {
            let is_end = |end: &u64| behind::other_file(&file, head.kind, *end, n_bytes).is_some();
            let end = movie.end.filter(is_end).unwrap_or(n_bytes);
            Spliced::part(file, head.start..end)
        }
    };
    decode_stream(Stream { movie, ..Stream::of(source) }, order, decoding).map(|_| ())
}

/// Decodes FLAC streams, one after another.
fn decode_flac(file: FileBytes, order: &DecodeOrder<'_>, decoding: &mut Decoding<'_>) -> Result<()> {
    let &DecodeOrder { head, opening: Opening { n_bytes, path, progress, .. }, .. } = order;
    let handle = || file.try_clone().map_err(|error| Error::io(&error, "read", path));
    let mut is_damaged = false;
    let mut mark = Some(head.start);
    while let Some(at) = mark {
        let found = flac::find(&file, at, n_bytes, progress);
        progress.check()?;
        let source = match &found {
            Some(found) => Spliced::new(found.head.clone(), handle()?, found.start..found.end, Vec::new()),
            None => Spliced::part(handle()?, at..n_bytes),
        };
        let is_only = at == head.start && found.as_ref().is_none_or(|found| found.next.is_none());
        let expected = if is_only { Expected::OfStream } else { Expected::Unknown };
        let n_lost = found.as_ref().map_or(0, |found| found.n_lost);
        let numbered = found.as_ref().and_then(|found| found.numbered);
        let goes_on = decode_stream(Stream { n_lost, numbered, expected, ..Stream::of(source) }, order, decoding)?;
        decoding.end = found.as_ref().map(|found| found.end);
        is_damaged |= found.as_ref().is_some_and(|found| found.is_metadata_damaged);
        if let Some((rate, n_channels)) = found.as_ref().and_then(|found| found.followed_by).filter(|_| goes_on) {
            decoding.end_before(&look::shape_in_words(rate, n_channels));
            break;
        }
        mark = found.and_then(|found| found.next).filter(|_| goes_on);
    }
    if is_damaged {
        decoding.note("its metadata is damaged or unusual and was ignored; all audio was read");
    }
    Ok(())
}

/// Decodes Ogg streams, one after another.
fn decode_ogg(file: FileBytes, order: &DecodeOrder<'_>, decoding: &mut Decoding<'_>) -> Result<()> {
    let &DecodeOrder { head, opening: Opening { n_bytes, path, progress, .. }, .. } = order;
    let links = ogg::links(&file, head.start, n_bytes, progress);
    progress.check()?;
    let expected = if links.len() == 1 { Expected::OfStream } else { Expected::Unknown };
    let n_unread = links.last().map_or(0, |link| link.n_unread);
    decoding.end = links.last().map(|link| link.bytes.end);
    for link in links {
        let file = file.try_clone().map_err(|error| Error::io(&error, "read", path))?;
        let source = Spliced::new(Vec::new(), file, link.bytes, link.tail);
        let stream = Stream { pages: link.pages, expected, ..Stream::of(source) };
        if !decode_stream(stream, order, decoding)? {
            break;
        }
    }
    if n_unread > 0 {
        decoding.note(&format!("its last {n_unread} bytes are damaged or no sound and were not read"));
    }
    Ok(())
}

/// Decodes frames of MPEG audio or ADTS, of one recording or several.
fn decode_frames(file: FileBytes, order: &DecodeOrder<'_>, decoding: &mut Decoding<'_>) -> Result<()> {
    let &DecodeOrder { head, opening: Opening { n_bytes, path, progress, .. }, .. } = order;
    let data = order.repaired.map_or(head.start..n_bytes, |repaired| repaired.data.clone());
    let stream = mpeg::find(&file, data.start, data.end);
    let found = stream.and_then(|stream| Some((stream, mpeg::frames(&file, &stream, progress)?)));
    progress.check()?;
    let not_audio = || order.head.name.map_or_else(|| look::not_audio(path), |name| look::damaged(name, path));
    let (stream, frames) = found.ok_or_else(not_audio)?;
    let is_mpeg = stream.coding == FrameCoding::Mpeg;
    // Noise contains a false header now and then; a real stream consists almost entirely of frames.
    if is_mpeg && frames.n_bytes < (frames.end - stream.start).saturating_sub(frames.n_tag_bytes) / 8 {
        return Err(not_audio());
    }
    decoding.end = Some(order.repaired.map_or(frames.end, |repaired| repaired.end));
    let shape = frames.parts[0].shape();
    let alike = frames.parts.iter().take_while(|part| part.shape() == shape);
    let n_expected = alike.map(|part| part.heard().length.unwrap_or(part.n_samples())).sum();
    for part in &frames.parts {
        let file = file.try_clone().map_err(|error| Error::io(&error, "read", path))?;
        let stream = Stream {
            coding: Some(stream.coding),
            frames: Some(part.heard()),
            expected: Expected::Samples(n_expected),
            ..Stream::of(Spliced::parts(file, &part.runs))
        };
        if !decode_stream(stream, order, decoding)? {
            break;
        }
    }
    if is_mpeg && frames.n_between > 0 {
        decoding.note(&format!("{} bytes between its frames are not audio and were skipped", frames.n_between));
    }
    Ok(())
}

/// The reader for a detected format. It does not search the file, so sound inside other files is not found.
fn reader_of(
    source: Watched,
    kind: FileKind,
    coding: Option<FrameCoding>,
) -> symphonia::core::errors::Result<Box<dyn FormatReader>> {
    let mut stream = MediaSourceStream::new(Box::new(source), MediaSourceStreamOptions::default());
    let options = FormatOptions::default();
    Ok(match (kind, coding) {
        (_, Some(FrameCoding::Mpeg)) => Box::new(formats::MpaReader::try_new(stream, options)?),
        (_, Some(FrameCoding::Adts)) => Box::new(formats::AdtsReader::try_new(stream, options)?),
        (FileKind::Flac, _) => Box::new(formats::FlacReader::try_new(stream, options)?),
        (FileKind::Ogg, _) => Box::new(formats::OggReader::try_new(stream, options)?),
        (FileKind::Caf, _) => Box::new(formats::CafReader::try_new(stream, options)?),
        // Wave64 data that our own reader does not decode is passed on with a WAV header.
        (FileKind::Wav | FileKind::Wave64, _) => Box::new(formats::WavReader::try_new(stream, options)?),
        (FileKind::Mp4, _) => {
            // The reader expects a stream that is positioned after the length of the first box.
            stream.read_quad_bytes()?;
            Box::new(formats::IsoMp4Reader::try_new(stream, options)?)
        }
        _ => return Err(Trouble::Unsupported("no sound was found")),
    })
}

/// Decodes a stream that follows the previous ones. Returns whether others may follow. An unreadable stream is an error
/// only if it is the first.
fn decode_stream(stream: Stream, order: &DecodeOrder<'_>, decoding: &mut Decoding<'_>) -> Result<bool> {
    let &DecodeOrder { opening: Opening { progress, .. }, .. } = order;
    let n_bytes = order.opening.n_bytes;
    let before = decoding.n_bytes_read;
    decoding.n_bytes_read += stream.source.n_bytes();
    let source = Watched::new(stream.source, progress);
    let position = source.position.clone();
    let opened = open_stream(source, (stream.coding, &stream.movie), order);
    let OpenStream { mut reader, mut decoder, track, parameters, heard } = match opened {
        Ok(started) => started,
        Err(error) if decoding.is_empty() || matches!(error.kind(), ErrorKind::Cancelled | ErrorKind::Io) => {
            return Err(error);
        }
        Err(_) => {
            decoding.end_before("which cannot be read");
            return Ok(false);
        }
    };
    let format_name = reader.format_info().short_name;
    let mut timing = timing_of(&track, &parameters, format_name, heard.as_ref());
    let mut stated = timing.length.or(track.num_frames);
    if let Some(frames) = stream.frames {
        timing = TrackTiming::from_sample(frames.first as i64, frames.length);
        stated = frames.stated;
    }
    timing.offset = timing.offset.saturating_add_unsigned(stream.n_lost);
    if heard.is_some_and(|heard| heard.has_more) {
        decoding.note("has an edit list of several segments; only the first was opened");
    }
    let name = order.name.unwrap_or_else(|| describe(parameters.codec, format_name));
    let Stream { pages, numbered, expected, .. } = stream;
    let codec = parameters.codec;
    decoding.begin(StreamOrder { track, codec, pages, timing, numbered, stated, expected }, name);
    let step = || progress.step((before + position.load(Relaxed)).min(n_bytes), n_bytes);
    decoding.run(reader.as_mut(), decoder.as_mut(), &step)?;
    decoding.end_stream()
}

/// A stream that can be decoded.
struct OpenStream {
    reader: Box<dyn FormatReader>,
    decoder: Box<dyn AudioDecoder>,
    track: Track,
    parameters: AudioCodecParameters,
    heard: Option<mp4::EditedRange>,
}

fn open_stream(
    source: Watched,
    (coding, movie): (Option<FrameCoding>, &mp4::Movie),
    order: &DecodeOrder<'_>,
) -> Result<OpenStream> {
    let &DecodeOrder { head, opening: Opening { path, progress, .. }, .. } = order;
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
    let reader = reader_of(source, head.kind, coding).map_err(|error| trouble(&error))?;
    // Symphonia detects no codec if ALAC's configuration is where QuickTime stores it.
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
    check_parameters(&parameters, path)?;
    // Symphonia often only estimates the length of MPEG audio and would truncate its end, so it is trimmed by our own
    // code.
    let options = AudioDecoderOptions::default().gapless(!is_mpeg(parameters.codec));
    let decoder = decoder_of(&parameters, &options).map_err(|error| match error {
        Trouble::Unsupported(_) => {
            let name = describe(parameters.codec, reader.format_info().short_name);
            look::unsupported(&format!("a variant of {name} without a decoder"), path)
        }
        error => trouble(&error),
    })?;
    let heard = movie.heard(track.id);
    Ok(OpenStream { reader, decoder, track, parameters, heard })
}

fn check_parameters(parameters: &AudioCodecParameters, path: &Path) -> Result<()> {
    if let (Some(rate), Some(channels)) = (parameters.sample_rate, &parameters.channels) {
        let n = channels.count();
        look::check_layout(rate, n, path)?;
        if parameters.codec == codecs::CODEC_ID_AAC && n > 2 {
            let sentence =
                format!("has {n} channels of AAC, and Sonobrush decodes at most 2; convert it to WAV or FLAC");
            return Err(Error::new(ErrorKind::Unsupported, sentence).at(path));
        }
    }
    Ok(())
}

/// The decoder for a stream: libopus for Opus, symphonia's for all other codecs.
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
    // The identification header is left out: the adapter would use it to trim samples that we trim by their time
    // stamps.
    let bare = AudioCodecParameters { extra_data: None, ..parameters.clone() };
    symphonia_adapter_libopus::OpusDecoder::try_registry_new(&bare, options)
}
