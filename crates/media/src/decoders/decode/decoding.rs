//! From packets to samples at their positions: gaps become silence, encoder delay and padding are trimmed, and missing
//! sound becomes a notice.

use super::order::DecodeOrder;
use super::track::{first_heard, is_lossy, is_mpeg, opus_gain, valid_bits};
use crate::base::{Error, Result};
use crate::media::decoders::decoded::{Samples, Speakers};
use crate::media::decoders::timing::TrackTiming;
use crate::media::formats::flac;
use crate::media::formats::ogg::OggPages;
use crate::media::formats::raw::Raw;
use crate::media::probe::look;
use crate::media::samples::budget::Budget;
use crate::media::samples::format::SampleFormat;
use crate::media::samples::storage::Storage;
use crate::media::samples::values::not_finite_notice;
use std::collections::VecDeque;
use symphonia::core::audio::GenericAudioBufferRef;
use symphonia::core::codecs::audio::well_known as codecs;
use symphonia::core::codecs::audio::{AudioCodecId, AudioDecoder};
use symphonia::core::errors::Error as Trouble;
use symphonia::core::formats::{FormatReader, Track};
use symphonia::core::packet::Packet;
use symphonia::core::units::Timestamp;

/// Maximum jump of the time stamps that counts as lost sound; longer ones are damage or another recording.
const MAX_GAP_SECS: u64 = 60;
/// Maximum number of frames per byte: even silence takes some bytes.
const MAX_FRAMES_PER_BYTE: u64 = 1024;
/// Number of samples in an ALAC packet.
const ALAC_PACKET: u64 = 4096;
/// Number of consecutive errors after which decoding of a stream stops.
const MAX_CONSECUTIVE_ERRORS: u32 = 200;

/// Maximum number of packets on the first three pages of an Ogg file: each page has room for 255.
const MAX_PACKETS_AHEAD: usize = 3 * 255;

/// The total number of samples of a file, as far as known before decoding ends.
#[derive(Debug, Clone, Copy)]
pub(super) enum Expected {
    /// As stated by this stream.
    OfStream,
    /// The sum over all streams.
    Samples(u64),
    /// Unknown: more streams may follow.
    Unknown,
}

/// Properties of a stream that are known before decoding.
pub(super) struct StreamOrder {
    pub(super) track: Track,
    pub(super) codec: AudioCodecId,
    pub(super) pages: OggPages,
    /// Converts the stream's time stamps to positions in the sound; its offset absorbs jumps that are too long for a
    /// gap.
    pub(super) timing: TrackTiming,
    /// Samples per unit of FLAC frame numbers, if positions follow from these numbers rather than from the frames'
    /// order.
    pub(super) numbered: Option<u64>,
    /// Number of samples that the file states for this stream, if any.
    pub(super) stated: Option<u64>,
    pub(super) expected: Expected,
}

/// A stream that is being decoded.
struct Current {
    order: StreamOrder,
    /// Frame of the sound at which this stream starts.
    base: usize,
    /// Frame of the sound at which the last packet ends, readable or not.
    end: i64,
    /// Whether any of its samples were appended.
    is_begun: bool,
    /// Description of its first packet, if it is incompatible with the previous streams.
    other: Option<String>,
}

impl Current {
    /// Number of frames of this stream that may still be appended to a sound of `length` frames.
    fn room(&self, length: usize) -> usize {
        let length_of_stream =
            self.order.timing.length.map_or(usize::MAX, |n| usize::try_from(n).unwrap_or(usize::MAX));
        self.base.saturating_add(length_of_stream.max(1)).saturating_sub(length)
    }
}

/// Decoded samples so far.
pub(super) struct Decoding<'a> {
    order: &'a DecodeOrder<'a>,
    current: Option<Current>,
    n_streams: usize,
    /// Whether another recording follows, which is not opened.
    is_ended: bool,
    samples: Option<Samples>,
    budget: Budget,
    name: String,
    is_published: bool,
    /// Total number of bytes of the streams so far.
    pub(super) n_bytes_read: u64,
    /// Offset in the file at which the last stream or its container ends, if known.
    pub(super) end: Option<u64>,
    silent: u64,
    not_finite: u64,
    /// Notices about streams that are shorter than they state.
    early: Vec<String>,
    /// Whether the last stream lacks its last page.
    has_no_last_page: bool,
    has_others: bool,
    notices: Vec<String>,
}

impl<'a> Decoding<'a> {
    pub(super) fn new(order: &'a DecodeOrder<'a>) -> Decoding<'a> {
        Decoding {
            order,
            current: None,
            n_streams: 0,
            is_ended: false,
            samples: None,
            budget: Budget::new(),
            name: String::new(),
            is_published: false,
            n_bytes_read: 0,
            end: None,
            silent: 0,
            not_finite: 0,
            early: Vec::new(),
            has_no_last_page: false,
            has_others: false,
            notices: order.repaired.map_or_else(Vec::new, |repaired| repaired.notices.clone()),
        }
    }

    /// Whether there is no sound yet.
    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Starts a stream, whose packets [`run`](Decoding::run) then decodes.
    pub(super) fn begin(&mut self, order: StreamOrder, name: &str) {
        let base = self.len();
        let mut order = order;
        order.timing.offset = order.timing.offset.saturating_add_unsigned(base as u64);
        if self.n_streams == 0 {
            self.name = name.to_owned();
        }
        if let Some(samples) = &mut self.samples {
            samples.gain = opus_gain(&order.track);
        }
        self.n_streams += 1;
        self.current = Some(Current { order, base, end: base as i64, is_begun: false, other: None });
    }

    /// Records that another recording, described by `what`, follows and is not opened.
    pub(super) fn end_before(&mut self, what: &str) {
        self.is_ended = true;
        let rate = self.samples.as_ref().map_or(1, |samples| samples.sample_rate_hz);
        self.notices.push(look::another_recording(self.len(), rate, what));
    }

    /// Adds a notice about the sound, one sentence.
    pub(super) fn note(&mut self, what: &str) {
        self.notices.push(what.into());
    }

    /// Decodes the packets of the stream that was begun.
    pub(super) fn run(
        &mut self,
        reader: &mut dyn FormatReader,
        decoder: &mut dyn AudioDecoder,
        step: &dyn Fn() -> Result<()>,
    ) -> Result<()> {
        let Some(mut current) = self.current.take() else { return Ok(()) };
        let codec = current.order.codec;
        let mut ahead = first_packets(&current.order, reader);
        let mut n_errors = 0;
        while n_errors < MAX_CONSECUTIVE_ERRORS && current.other.is_none() {
            step()?;
            let packet = match ahead.pop_front().unwrap_or_else(|| reader.next_packet()) {
                Ok(Some(packet)) => packet,
                Ok(None) => break,
                Err(Trouble::ResetRequired) => {
                    self.end_before("in the middle of the first");
                    break;
                }
                Err(Trouble::IoError(error)) if error.kind() == std::io::ErrorKind::UnexpectedEof => break,
                Err(Trouble::IoError(error)) => {
                    step()?;
                    return Err(Error::io(&error, "read", self.order.opening.path));
                }
                Err(_) => {
                    n_errors += 1;
                    continue;
                }
            };
            if packet.track_id != current.order.track.id {
                continue;
            }
            let by_number = current.order.numbered.and_then(|unit| flac::first_sample(&packet.data, unit));
            let ticks = by_number.unwrap_or(packet.pts.get());
            let from = current.order.timing.sample(ticks);
            let trimmed = if is_mpeg(codec) { 0 } else { packet.trim_start.get() as i64 };
            let bits = valid_bits(decoder, codec);
            match decoder.decode(&packet) {
                Ok(buffer) => {
                    n_errors = 0;
                    let at = from.saturating_add(trimmed);
                    self.add(&mut current, &buffer, at, bits).map_err(|error| self.about(error))?;
                    self.publish(&current);
                    current.end = current.end.max(self.len() as i64);
                }
                Err(_) => {
                    n_errors += 1;
                    let end = ticks.saturating_add_unsigned(packet.dur.get());
                    current.end = current.end.max(current.order.timing.sample(end));
                }
            }
        }
        self.current = Some(current);
        Ok(())
    }

    fn len(&self) -> usize {
        self.samples.as_ref().map_or(0, Samples::len)
    }

    fn max_gap(&self) -> i64 {
        self.samples.as_ref().map_or(0, |samples| (MAX_GAP_SECS * u64::from(samples.sample_rate_hz)) as i64)
    }

    /// Appends a decoded packet whose first sample belongs at `at`.
    fn add(&mut self, current: &mut Current, buffer: &GenericAudioBufferRef<'_>, at: i64, bits: u32) -> Result<()> {
        if buffer.frames() == 0 {
            return Ok(());
        }
        let (rate, n_channels) = (buffer.spec().rate(), buffer.num_planes());
        let codec = current.order.codec;
        if self.samples.is_none() {
            look::check_layout(rate, n_channels, self.order.opening.path)?;
            let speakers = Speakers::of(codec, n_channels);
            let mut samples = Samples::new(buffer, is_lossy(codec), bits, opus_gain(&current.order.track), speakers);
            samples.insert_silence(0, current.order.timing.pause, &mut self.budget)?;
            self.samples = Some(samples);
        }
        if let Some(other) = self.samples.as_ref().and_then(|samples| differs(samples, buffer, is_lossy(codec), bits)) {
            if !current.is_begun && self.n_streams > 1 {
                current.other = Some(other);
            }
            // A change in mid-stream is handled and reported like a damaged packet.
            current.end = current.end.max(at.saturating_add(buffer.frames() as i64));
            return Ok(());
        }
        current.is_begun = true;
        // Skip the encoder delay, which precedes the stream's first sample.
        let skipped = (current.base as i64).saturating_sub(at).clamp(0, buffer.frames() as i64);
        let gap = at.saturating_add(skipped).saturating_sub(self.len() as i64);
        if gap > self.max_gap() {
            current.order.timing.offset = current.order.timing.offset.saturating_sub(gap);
        } else if gap > current.order.timing.slack() {
            self.fill(current, gap as usize)?;
        }
        let expected = expected(current);
        let first = skipped as usize;
        let heard = first..buffer.frames().min(first.saturating_add(current.room(self.len())));
        if let Some(samples) = &mut self.samples {
            samples.append(buffer, heard, &mut self.budget, &mut self.not_finite)?;
            samples.settle(self.order.opening.options, expected, &mut self.budget)?;
        }
        Ok(())
    }

    /// Attributes an error to the file, unless it has a path already.
    fn about(&self, error: Error) -> Error {
        if error.path().is_some() { error } else { error.at(self.order.opening.path) }
    }

    /// Publishes the samples decoded so far of a long sound, once.
    fn publish(&mut self, current: &Current) {
        let Some(samples) = self.samples.as_ref().filter(|_| !self.is_published) else { return };
        // Ignore stated lengths that are impossible for the size of the file.
        let expected = expected(current).filter(|n| *n / MAX_FRAMES_PER_BYTE <= self.order.opening.n_bytes);
        if let (Some(scratch), Some(expected)) = (samples.scratch(), expected) {
            self.is_published = true;
            let storage = Storage::Scratch(scratch.clone());
            (self.order.publish)(self.raw(samples, storage, expected.max(1), Vec::new()));
        }
    }

    /// The result, with `storage` in place of the samples decoded so far.
    fn raw(&self, samples: &Samples, storage: Storage, n_samples: u64, notices: Vec<String>) -> Raw {
        let depth = match samples.format {
            _ if self.order.name.is_some() => String::new(),
            SampleFormat::Lossy => String::new(),
            format => format!(", {}", format.described()),
        };
        Raw {
            samples: storage,
            n_samples,
            sample_rate_hz: samples.sample_rate_hz,
            n_channels: samples.n_channels,
            format: samples.format,
            container_bits: samples.container_bits,
            channel_mask: samples.channel_mask,
            description: format!("{}{depth}", self.name),
            chunks: self.order.repaired.map_or_else(Vec::new, |repaired| repaired.chunks.clone()),
            notices,
            end: self.end.filter(|_| !self.is_ended),
        }
    }

    /// Inserts silence for a gap.
    fn fill(&mut self, current: &Current, n: usize) -> Result<()> {
        let length = self.len();
        let n = n.min(current.room(length));
        let placed = |gap: &i64| usize::try_from(gap + current.order.timing.offset).unwrap_or(0).max(current.base);
        // The page after the gap was already appended at the start of the gap, so the silence is inserted before that
        // page.
        let lost_at = current.order.pages.gaps.iter().rev().map(placed).find(|gap| *gap <= length);
        if let Some(samples) = &mut self.samples {
            samples.insert_silence(lost_at.unwrap_or(length), n, &mut self.budget)?;
            self.silent += n as u64;
        }
        Ok(())
    }

    /// Fills missing samples at the end of the current stream. Returns whether another may follow.
    pub(super) fn end_stream(&mut self) -> Result<bool> {
        let Some(current) = self.current.take() else { return Ok(false) };
        if let Some(other) = &current.other {
            self.end_before(other);
            return Ok(false);
        }
        // The number of frames missing at the end, according to unreadable packets or the last page.
        let (pages, offset) = (&current.order.pages, current.order.timing.offset);
        let last_page = pages.end.filter(|_| !pages.gaps.is_empty()).map_or(0, |end| end + offset);
        let missing = current.end.max(last_page) - self.len() as i64;
        if missing > 0 && missing <= self.max_gap() {
            self.fill(&current, missing as usize).map_err(|error| self.about(error))?;
        }
        let missing = current.order.stated.unwrap_or(0).saturating_sub((self.len() - current.base) as u64);
        // If the stated length counts whole packets, the last packet may be shorter.
        let is_short_packet = current.order.codec == codecs::CODEC_ID_ALAC && missing < ALAC_PACKET;
        let is_early = missing > 0 && !is_short_packet;
        if let (true, Some(samples)) = (is_early, &self.samples) {
            self.early.push(look::ends_early(missing, samples.sample_rate_hz));
        }
        self.has_no_last_page = !is_early && pages.end.is_some() && !pages.has_last_page;
        self.has_others |= pages.has_others;
        Ok(!self.is_ended)
    }

    pub(super) fn finish(mut self) -> Result<Raw> {
        let path = self.order.opening.path;
        // A file may contain nothing but encoder delay.
        let Some(samples) = self.samples.take().filter(|samples| samples.len() > 0) else {
            return Err(look::no_samples(path));
        };
        let n_samples = samples.len();
        let mut notices = std::mem::take(&mut self.notices);
        if self.silent > 0 {
            let part = look::part_in_words(self.silent as f64 / f64::from(samples.sample_rate_hz));
            notices.push(format!("{part} of it could not be read and were replaced by silence"));
        }
        let of_several = |early: String| match self.n_streams {
            1 => early,
            _ => format!("holds several recordings, of which one {early}"),
        };
        notices.extend(std::mem::take(&mut self.early).into_iter().map(of_several));
        if self.has_no_last_page {
            notices.push("ends without its last page; its end may be missing".into());
        }
        if self.has_others && notices.is_empty() {
            notices.push("holds several recordings; only the first is opened".into());
        }
        notices.extend(not_finite_notice(self.not_finite));
        let mut raw = self.raw(&samples, Storage::Silence, n_samples as u64, notices);
        raw.samples = samples.finish(n_samples, &mut self.budget).map_err(|error| self.about(error))?;
        Ok(raw)
    }
}

/// Expected total number of frames.
fn expected(current: &Current) -> Option<u64> {
    match current.order.expected {
        Expected::OfStream => current.order.stated,
        Expected::Samples(n) => Some(n),
        Expected::Unknown => None,
    }
}

/// A description of the rate, channels, coding or depth of a packet that cannot follow the previous samples; `None` if
/// it can.
fn differs(samples: &Samples, buffer: &GenericAudioBufferRef<'_>, is_lossy: bool, bits: u32) -> Option<String> {
    let (rate, n_channels) = (buffer.spec().rate(), buffer.num_planes());
    if (samples.sample_rate_hz, samples.n_channels) != (rate, n_channels) {
        Some(look::shape_in_words(rate, n_channels))
    } else if is_lossy != (samples.format == SampleFormat::Lossy) {
        Some("in another coding".into())
    } else if !is_lossy && bits > samples.container_bits {
        Some(format!("of {bits} bits"))
    } else {
        None
    }
}

/// Reads ahead the first packets of a Vorbis stream that, by the time stamp of its first page, starts before time 0, so
/// that samples would be trimmed. If the time stamps then jump although no page is lost, the first one is wrong by this
/// jump: the packets before the jump are moved by it, and fewer samples are trimmed. Empty for other streams, or if
/// pages are lost.
///
/// Source: the Vorbis I specification, section A.2.
fn first_packets(
    order: &StreamOrder,
    reader: &mut dyn FormatReader,
) -> VecDeque<symphonia::core::errors::Result<Option<Packet>>> {
    let mut ahead = VecDeque::new();
    let is_cut = order.codec == codecs::CODEC_ID_VORBIS && first_heard(&order.track) < 0;
    while is_cut && order.pages.gaps.is_empty() && ahead.len() < MAX_PACKETS_AHEAD {
        ahead.push_back(reader.next_packet());
        if !matches!(ahead.back(), Some(Ok(Some(_)))) {
            break;
        }
    }
    let mut end = None;
    let jump = ahead.iter().enumerate().find_map(|(index, packet)| {
        let packet = packet.as_ref().ok()?.as_ref().filter(|packet| packet.track_id == order.track.id)?;
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
