//! From packets to samples in their places: gaps become silence, what an encoder put around the sound is cut off, and what
//! is missing is told.

use super::order::DecodeOrder;
use super::track::{first_heard, is_lossy, is_mpeg, opus_gain, valid_bits};
use crate::base::{Error, Result};
use crate::media::budget::Budget;
use crate::media::decoded::{Samples, Speakers};
use crate::media::format::SampleFormat;
use crate::media::look::{self, FileKind};
use crate::media::ogg::OggPages;
use crate::media::raw::Raw;
use crate::media::storage::Storage;
use crate::media::timing::TrackTiming;
use crate::media::values::not_finite_notice;
use std::collections::VecDeque;
use symphonia::core::audio::GenericAudioBufferRef;
use symphonia::core::codecs::audio::well_known as codecs;
use symphonia::core::codecs::audio::{AudioCodecId, AudioDecoder};
use symphonia::core::errors::Error as Trouble;
use symphonia::core::formats::{FormatReader, Track};
use symphonia::core::packet::Packet;
use symphonia::core::units::Timestamp;

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

/// The samples so far.
pub(super) struct Decoding<'a> {
    track: &'a Track,
    codec: AudioCodecId,
    pages: &'a OggPages,
    samples: Option<Samples>,
    budget: Budget,
    /// Where time stamps lie in the sound; jumps that are no gaps move its offset.
    timing: TrackTiming,
    name: &'a str,
    order: &'a DecodeOrder<'a>,
    is_published: bool,
    /// Where the last packet ends, readable or not.
    end: i64,
    silent: u64,
    packet_bytes: u64,
    not_finite: u64,
    notices: Vec<String>,
}

impl<'a> Decoding<'a> {
    pub(super) fn new(
        track: &'a Track,
        codec: AudioCodecId,
        pages: &'a OggPages,
        timing: TrackTiming,
        name: &'a str,
        order: &'a DecodeOrder<'a>,
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

    /// Something to tell of the sound, one sentence.
    pub(super) fn note(&mut self, what: &str) {
        self.notices.push(what.into());
    }

    pub(super) fn run(
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
                    return Err(Error::io(&error, "read", self.order.opening.path));
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
            look::check_layout(rate, n_channels, self.order.opening.path)?;
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
            samples.settle(self.order.opening.options, stated, &mut self.budget)?;
        }
        Ok(())
    }

    /// An error about the file, unless it is about another place.
    fn about(&self, error: Error) -> Error {
        if error.path().is_some() { error } else { error.at(self.order.opening.path) }
    }

    /// Frames that the file says it has.
    fn stated(&self) -> Option<u64> {
        self.timing.length.or(self.track.num_frames)
    }

    /// Shows what there is of a long sound, once.
    fn publish(&mut self) {
        let Some(samples) = self.samples.as_ref().filter(|_| !self.is_published) else { return };
        // Nothing is sized by a length that cannot be true.
        let stated = self.stated().filter(|stated| *stated / MOST_FRAMES_PER_BYTE <= self.order.opening.n_bytes);
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
            format => format!(", {}", format.described()),
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

    pub(super) fn finish(mut self, n_bytes: u64) -> Result<Raw> {
        let path = self.order.opening.path;
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
            notices.push(format!("{} ms of it could not be read and were replaced by silence", millis(self.silent)));
        }
        // Of frames without a container the number is a guess by the file's length, unless a tag states it.
        let is_guess = is_mpeg(self.codec) || self.order.head.kind == FileKind::Unknown;
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
        notices.extend(not_finite_notice(self.not_finite));
        // All that there was may be what an encoder put before the sound.
        if n_samples == 0 {
            return Err(look::no_samples(self.order.opening.path));
        }
        let mut raw = self.raw(&samples, Storage::Silence, n_samples as u64, notices);
        raw.samples = samples.finish(n_samples, &mut self.budget).map_err(|error| self.about(error))?;
        Ok(raw)
    }
}
