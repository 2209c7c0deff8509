//! Finds the frames of a FLAC file, from the first to the last complete one, and the STREAMINFO for decoding them.
//! Decoders treat data after the last frame as part of it, and refuse files with damaged metadata even if they do not
//! need it.
//!
//! Source: RFC 9639, sections 8 (metadata blocks), 9.1 (frame header) and 9.3 (frame footer).

use crate::base::{Progress, contained};
use crate::decoders::repaired::Spliced;
use crate::decoders::watched::Watched;
use crate::metadata::tags;
use crate::probe::file_bytes::FileBytes;
use symphonia::core::codecs::audio::well_known::CODEC_ID_FLAC;
use symphonia::core::codecs::audio::{AudioCodecParameters, AudioDecoder, AudioDecoderOptions};
use symphonia::core::formats::FormatOptions;
use symphonia::core::io::{MediaSourceStream, MediaSourceStreamOptions};
use symphonia::core::packet::Packet;
use symphonia::core::units::{Duration, Timestamp};
use symphonia::default::codecs::FlacDecoder;
use symphonia::default::formats::FlacReader;

/// Length of STREAMINFO in bytes.
const INFO_BYTES: usize = 34;
/// Maximum length of a frame header in bytes.
const MAX_HEADER: usize = 16;
/// Maximum number of metadata blocks, more than any program writes.
const MAX_BLOCKS: usize = 1 << 16;
/// Range searched for the first frame, and backwards from the end for the last one, in bytes.
const SEARCHED_BYTES: u64 = 64 << 20;
/// Initial and maximum size of the search window in bytes.
const WINDOWS: [u64; 2] = [1 << 16, 1 << 20];
/// Maximum number of bytes read to check whether headers belong to frames. Only hostile files have enough false headers
/// to reach it.
const CHECKED_BYTES: u64 = 512 << 20;
/// Maximum number of frames decoded to check whether they are whole.
const MAX_DECODED: u32 = 10_000;
/// Range after a first frame that contradicts the metadata in which a matching frame is searched for, in bytes.
const FIRST_FRAMES_BYTES: u64 = 1 << 20;

/// Maximum number of samples in damaged frames at the start, as a multiple of the number in typical frames of the same
/// total size.
const MAX_LOST_RATIO: u64 = 8;
/// Window of the search for another stream, in bytes.
const SCANNED_BYTES: usize = 1 << 20;

/// The sound of a FLAC stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FlacSound {
    /// `fLaC` and STREAMINFO, corrected to match the frames.
    pub(crate) head: Vec<u8>,
    /// Start of the first frame.
    pub(crate) start: u64,
    /// End of the last whole frame.
    pub(crate) end: u64,
    /// Number of samples in damaged frames before the first whole one.
    pub(crate) n_lost: u64,
    /// Samples per unit of frame numbers, so that gaps in the numbers reveal lost frames; `None` unless the first
    /// number is 0 and the last one matches the stated length.
    pub(crate) numbered: Option<u64>,
    /// Whether decoders would refuse the file for its metadata.
    pub(crate) is_metadata_damaged: bool,
    /// Sample rate and number of channels of frames of another format that follow the last frame, if any.
    pub(crate) followed_by: Option<(u32, usize)>,
    /// Position of the stream that follows in the same file.
    pub(crate) next: Option<u64>,
}

/// Finds the sound of a FLAC stream whose magic number is at `mark` in a file of `n_bytes`; `None` if there is no whole
/// frame.
pub(crate) fn find(file: &FileBytes, mark: u64, n_bytes: u64, progress: &Progress) -> Option<FlacSound> {
    let mut search = Search { file, n_bytes, progress, may_check: CHECKED_BYTES, may_decode: MAX_DECODED };
    let blocks = Blocks::read(file, mark, n_bytes);
    if blocks.is_cut {
        return None;
    }
    let stated = blocks.info.map(StreamInfo::read);
    let (start, header) = search.first_frame(&blocks, stated.as_ref())?;
    let next = search.next_mark(start);
    search.n_bytes = next.unwrap_or(n_bytes);
    let n_bytes = search.n_bytes;
    let info = info_of(blocks.info.as_ref(), &header, None)?;
    let last = search.last_frame(start, &header, &info);
    let info = info_of(blocks.info.as_ref(), &header, Some(last.is_none_or(|(at, _)| at != start)))?;
    let is_as_stated = stated.is_some_and(|stated| stated.is_near(&StreamInfo::read(info)));
    let is_read = blocks.end.is_some_and(|end| end <= start && search.is_read(mark, end, start));
    let end = last.map_or(n_bytes, |(_, end)| end);
    Some(FlacSound {
        head: [b"fLaC\x80\0\0\x22", &info[..]].concat(),
        start,
        end,
        n_lost: blocks.end.filter(|end| *end < start).map_or(0, |from| search.n_before(start, start - from)),
        numbered: blocks.info.and_then(|info| search.numbered(start, last?.0, &info)),
        is_metadata_damaged: !(is_as_stated && is_read),
        followed_by: search.frames_at(end, blocks.info.as_ref(), StreamInfo::read(info)),
        next,
    })
}

/// STREAMINFO, and where the metadata blocks end.
struct Blocks {
    info: Option<[u8; INFO_BYTES]>,
    /// Earliest possible start of the frames.
    earliest: u64,
    /// End of the last block, if it can be reached by following the blocks' lengths.
    end: Option<u64>,
    /// Whether the last block is longer than the rest of the file, so that no frames follow it: the file is truncated.
    is_cut: bool,
}

impl Blocks {
    fn read(file: &FileBytes, mark: u64, n_bytes: u64) -> Blocks {
        let mut blocks = Blocks { info: None, earliest: mark + 4, end: None, is_cut: false };
        let mut at = mark + 4;
        for _ in 0..MAX_BLOCKS {
            let mut head = [0; 4];
            if file.read_some_at(at, &mut head) < head.len() {
                break;
            }
            let n = u64::from(u32::from_be_bytes([0, head[1], head[2], head[3]]));
            let kind = head[0] & 0x7f;
            // Block types from 7 on are reserved; 127 is not a block, but the start of a frame.
            if kind > 126 || at + 4 + n > n_bytes {
                blocks.is_cut = kind <= 6 && head[0] & 0x80 != 0;
                break;
            }
            if kind == 0 && blocks.info.is_none() && n >= INFO_BYTES as u64 {
                let mut info = [0; INFO_BYTES];
                if file.read_some_at(at + 4, &mut info) == INFO_BYTES {
                    blocks.info = Some(info);
                    blocks.earliest = at + 4 + n;
                }
            }
            at += 4 + n;
            if head[0] & 0x80 != 0 {
                blocks.end = Some(at);
                break;
            }
        }
        blocks
    }
}

/// STREAMINFO's description of the frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct StreamInfo {
    min_block: u16,
    max_block: u16,
    sample_rate_hz: u32,
    n_channels: u32,
    bits: u32,
}

impl StreamInfo {
    fn read(info: [u8; INFO_BYTES]) -> StreamInfo {
        let word = u32::from_be_bytes([info[10], info[11], info[12], info[13]]);
        StreamInfo {
            min_block: u16::from_be_bytes([info[0], info[1]]),
            max_block: u16::from_be_bytes([info[2], info[3]]),
            sample_rate_hz: word >> 12,
            n_channels: (word >> 9 & 7) + 1,
            bits: (word >> 4 & 31) + 1,
        }
    }

    fn is_of_a_fixed_size(&self) -> bool {
        self.min_block == self.max_block && self.min_block >= 16
    }

    /// Whether a frame header matches STREAMINFO.
    fn agrees(&self, header: &Header) -> bool {
        header.n_channels == self.n_channels
            && header.sample_rate_hz.is_none_or(|rate| rate == self.sample_rate_hz)
            && header.bits.is_none_or(|bits| bits == self.bits)
    }

    /// Whether frames have the same positions and decode to the same samples with either STREAMINFO. The limits of a
    /// variable block size are ignored, as they only affect buffer sizes.
    fn is_near(&self, other: &StreamInfo) -> bool {
        (self.sample_rate_hz, self.n_channels, self.bits) == (other.sample_rate_hz, other.n_channels, other.bits)
            && self.is_of_a_fixed_size() == other.is_of_a_fixed_size()
            && (!self.is_of_a_fixed_size() || self.min_block == other.min_block)
    }
}

/// The STREAMINFO for decoding a frame. `others` is whether the stream has more frames, or `None` if unknown: if it
/// has, the frame's length is the fixed block size, while a single frame may be shorter. Returns `None` if neither the
/// metadata nor the frame states a valid sample rate and depth.
fn info_of(stated: Option<&[u8; INFO_BYTES]>, header: &Header, others: Option<bool>) -> Option<[u8; INFO_BYTES]> {
    let was = stated.map(|info| StreamInfo::read(*info));
    let sample_rate_hz = header.sample_rate_hz.or(was.map(|was| was.sample_rate_hz));
    let sample_rate_hz = sample_rate_hz.filter(|rate| (1..=655_350).contains(rate))?;
    let bits = header.bits.or(was.map(|was| was.bits)).filter(|bits| (4..=32).contains(bits))?;
    let (min, max) = if header.is_variable {
        (16, u16::MAX)
    } else {
        let size = was.filter(|was| others != Some(true) && was.is_of_a_fixed_size()).map_or(0, |was| was.min_block);
        let size = size.max(header.n_samples).max(16);
        (size, size)
    };
    let mut info = stated.copied().unwrap_or([0; INFO_BYTES]);
    info[..2].copy_from_slice(&min.to_be_bytes());
    info[2..4].copy_from_slice(&max.to_be_bytes());
    // Minimum and maximum frame size: 0 for unknown.
    info[4..10].fill(0);
    let word = sample_rate_hz << 12 | (header.n_channels - 1) << 9 | (bits - 1) << 4 | u32::from(info[13] & 15);
    info[10..14].copy_from_slice(&word.to_be_bytes());
    Some(info)
}

/// The header of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Header {
    n_bytes: usize,
    /// Whether blocks are numbered by samples, not by frames.
    is_variable: bool,
    number: u64,
    n_samples: u16,
    sample_rate_hz: Option<u32>,
    n_channels: u32,
    bits: Option<u32>,
}

impl Header {
    /// The header at the start of `bytes`, if its checksum is correct.
    fn read(bytes: &[u8]) -> Option<Header> {
        let &[0xff, second, sizes, kinds, ..] = bytes else { return None };
        if second & 0xfe != 0xf8 || kinds & 1 != 0 {
            return None;
        }
        let mut at = 4;
        let mut next = || {
            at += 1;
            bytes.get(at - 1).copied().map(u32::from)
        };
        // Coded like UTF-8, but with up to 36 bits: the number of leading ones gives the number of bytes.
        let first = next()?;
        let n_more = match (!(first as u8)).leading_zeros() {
            0 => 0,
            ones @ 2..=7 => ones - 1,
            _ => return None,
        };
        let mut number = u64::from(if n_more == 0 { first } else { first & 0x3f >> n_more });
        for _ in 0..n_more {
            number = number << 6 | u64::from(next().filter(|byte| byte & 0xc0 == 0x80)? & 0x3f);
        }
        let n_samples = match sizes >> 4 {
            0 => return None,
            1 => 192,
            code @ 2..=5 => 144 << code,
            6 => next()? + 1,
            7 => (next()? << 8 | next()?) + 1,
            code => 1 << code,
        };
        let sample_rate_hz = match sizes & 15 {
            0 => None,
            12 => Some(next()? * 1000),
            13 => Some(next()? << 8 | next()?),
            14 => Some((next()? << 8 | next()?) * 10),
            code => Some(
                *[88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000]
                    .get(usize::from(code) - 1)?,
            ),
        };
        let n_channels = match kinds >> 4 {
            code @ 0..8 => u32::from(code) + 1,
            8..=10 => 2,
            _ => return None,
        };
        let bits = match kinds >> 1 & 7 {
            0 => None,
            3 => return None,
            code => Some([8, 12, 0, 16, 20, 24, 32][usize::from(code) - 1]),
        };
        let is_right = *bytes.get(at)? == crc8(&bytes[..at]);
        let n_samples = u16::try_from(n_samples).ok()?;
        let is_variable = second & 1 != 0;
        is_right.then_some(Header { n_bytes: at + 1, is_variable, number, n_samples, sample_rate_hz, n_channels, bits })
    }

    /// Whether the two headers may belong to the same stream.
    fn is_like(&self, other: &Header) -> bool {
        let agree = |one: Option<u32>, other: Option<u32>| one.is_none() || other.is_none() || one == other;
        (self.is_variable, self.n_channels) == (other.is_variable, other.n_channels)
            && agree(self.sample_rate_hz, other.sample_rate_hz)
            && agree(self.bits, other.bits)
    }

    /// The number of the frame that follows.
    fn next_number(&self) -> u64 {
        self.number + if self.is_variable { u64::from(self.n_samples) } else { 1 }
    }

    /// Offset of the next frame, recognised by its number, in `bytes`, which start with this header.
    fn next_in(&self, bytes: &[u8]) -> Option<usize> {
        let is_next = |offset: &usize| {
            bytes[*offset] == 0xff
                && Header::read(&bytes[*offset..])
                    .is_some_and(|next| next.is_like(self) && next.number == self.next_number())
        };
        (self.n_bytes..bytes.len()).find(is_next)
    }

    /// Maximum size of a frame: twice its uncompressed samples, far above any encoder's.
    fn max_bytes(&self) -> u64 {
        let subframe = u64::from(self.n_samples) * u64::from(self.bits.unwrap_or(32) + 1) / 8 + 64;
        2 * u64::from(self.n_channels) * subframe + 64
    }
}

/// Searches for frames, with limits on the bytes read.
struct Search<'a> {
    file: &'a FileBytes,
    n_bytes: u64,
    progress: &'a Progress,
    may_check: u64,
    may_decode: u32,
}

impl Search<'_> {
    fn bytes(&self, from: u64, end: u64) -> Vec<u8> {
        let mut bytes = vec![0; end.min(self.n_bytes).saturating_sub(from) as usize];
        let n = self.file.read_some_at(from, &mut bytes);
        bytes.truncate(n);
        bytes
    }

    fn header_at(&self, at: u64) -> Option<Header> {
        Header::read(&self.bytes(at, at + MAX_HEADER as u64))
    }

    /// The position of the first frame, and a header with the format of the stream.
    fn first_frame(&mut self, blocks: &Blocks, stated: Option<&StreamInfo>) -> Option<(u64, Header)> {
        let first = blocks.end.and_then(|at| Some((at, self.header_at(at)?)));
        if let Some((_, header)) = first
            && stated.is_some_and(|stated| stated.agrees(&header))
        {
            return first;
        }
        let from = first.map_or(blocks.earliest, |(at, _)| at);
        let search_end = from + if first.is_some() { FIRST_FRAMES_BYTES } else { SEARCHED_BYTES };
        let is_requested = |header: &Header| first.is_none() || stated.is_some_and(|stated| stated.agrees(header));
        let found = self.search_forward(from, search_end, blocks.info.as_ref(), &is_requested);
        match (first, found) {
            // If the first frame contradicts the metadata, use the later header that agrees with it.
            (Some((at, _)), Some((_, header))) => Some((at, header)),
            (first, found) => first.or(found),
        }
    }

    /// The position, from `from` on, of the next stream's magic number, recognised by the STREAMINFO block header that
    /// follows it.
    fn next_mark(&self, from: u64) -> Option<u64> {
        let mut bytes = vec![0; SCANNED_BYTES.min(self.n_bytes.saturating_sub(from) as usize)];
        let mut at = from;
        while !self.progress.is_cancelled() {
            let n = self.file.read_some_at(at, &mut bytes);
            if let Some(offset) = mark_in(&bytes[..n]) {
                return Some(at + offset as u64);
            }
            if n < bytes.len() || n <= MARK_BYTES {
                break;
            }
            at += (n - MARK_BYTES + 1) as u64;
        }
        None
    }

    /// Samples per unit of frame numbers, if the first number is 0 and the last matches the stated length.
    fn numbered(&self, first: u64, last: u64, stated: &[u8; INFO_BYTES]) -> Option<u64> {
        let (first, last) = (self.header_at(first)?, self.header_at(last)?);
        // The total number of samples, a field of 36 bits.
        let n_stated = stated[13..18].iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)) & 0xf_ffff_ffff;
        let unit = if first.is_variable { 1 } else { u64::from(first.n_samples) };
        (first.number == 0 && last.number * unit + u64::from(last.n_samples) == n_stated).then_some(unit)
    }

    /// Number of samples of the damaged frames in the `n_bytes` before a frame: from its frame number or, if that is
    /// too high for so few bytes (as in a stream cut from another), from how many frames of the same size fit.
    fn n_before(&mut self, at: u64, n_bytes: u64) -> u64 {
        let Some(header) = self.header_at(at) else { return 0 };
        let block = u64::from(header.n_samples);
        let n_samples = if header.is_variable { header.number } else { header.number * block };
        let next = self.checked(at, &header).and_then(|bytes| header.next_in(&bytes));
        let n_fit = next.map_or(1, |frame_bytes| (n_bytes / frame_bytes as u64).max(1));
        if n_samples <= MAX_LOST_RATIO * (n_fit + 1) * block { n_samples } else { n_fit * block }
    }

    /// Sample rate and number of channels of the frame at a position, if there is one and its format differs from the
    /// stream's.
    fn frames_at(&mut self, at: u64, stated: Option<&[u8; INFO_BYTES]>, was: StreamInfo) -> Option<(u32, usize)> {
        let header = self.header_at(at).filter(|header| !was.agrees(header))?;
        let is_frame = self.is_frame(at, &header, stated) == Some(true);
        is_frame.then_some((header.sample_rate_hz.unwrap_or(was.sample_rate_hz), header.n_channels as usize))
    }

    fn search_forward(
        &mut self,
        from: u64,
        end: u64,
        stated: Option<&[u8; INFO_BYTES]>,
        is_requested: &dyn Fn(&Header) -> bool,
    ) -> Option<(u64, Header)> {
        let end = end.min(self.n_bytes);
        let mut at = from;
        while at < end && !self.progress.is_cancelled() {
            let bytes = self.bytes(at, at + WINDOWS[1] + MAX_HEADER as u64);
            let n = bytes.len().min(WINDOWS[1] as usize);
            for offset in (0..n).filter(|offset| bytes[*offset] == 0xff) {
                let place = at + offset as u64;
                let Some(header) = Header::read(&bytes[offset..]).filter(|header| is_requested(header)) else {
                    continue;
                };
                if self.is_frame(place, &header, stated)? {
                    return Some((place, header));
                }
            }
            if n == 0 {
                break;
            }
            at += n as u64;
        }
        None
    }

    /// Whether a header belongs to a frame: the next frame follows, or its end is valid. `None` once the byte budget
    /// for such checks is used up.
    fn is_frame(&mut self, at: u64, header: &Header, stated: Option<&[u8; INFO_BYTES]>) -> Option<bool> {
        let bytes = self.checked(at, header)?;
        if header.next_in(&bytes).is_some() {
            return Some(true);
        }
        Some(info_of(stated, header, None).is_some_and(|info| self.end_of(at, header, &bytes, &info).is_some()))
    }

    /// Reads enough bytes from a frame header on to include the end of its frame, if it is one. `None` once the byte
    /// budget for such checks is used up.
    fn checked(&mut self, at: u64, header: &Header) -> Option<Vec<u8>> {
        let bytes = self.bytes(at, at + header.max_bytes());
        self.may_check = self.may_check.checked_sub(bytes.len() as u64)?;
        Some(bytes)
    }

    /// Start and end of the last whole frame; `None` if it is not found.
    fn last_frame(&mut self, start: u64, first: &Header, info: &[u8; INFO_BYTES]) -> Option<(u64, u64)> {
        let mut high = tags::trailing(self.file, start, self.n_bytes);
        let lowest = start.max(high.saturating_sub(SEARCHED_BYTES));
        let mut window = WINDOWS[0];
        while high > lowest && !self.progress.is_cancelled() {
            let low = lowest.max(high.saturating_sub(window));
            let bytes = self.bytes(low, high + MAX_HEADER as u64);
            let n = bytes.len().min((high - low) as usize);
            for offset in (0..n).rev().filter(|offset| bytes[*offset] == 0xff) {
                let header = Header::read(&bytes[offset..]).filter(|header| header.is_like(first));
                let Some(header) = header else { continue };
                let at = low + offset as u64;
                let checked = self.checked(at, &header)?;
                if let Some(n) = self.end_of(at, &header, &checked, info) {
                    return Some((at, at + n as u64));
                }
            }
            high = low;
            window = WINDOWS[1];
        }
        None
    }

    /// Length of a frame in bytes, including its checksum: the length at which the checksum is correct and the frame
    /// decodes, but fails to decode if one byte shorter. If there is none, a correct checksum at the end of the file is
    /// enough. `None` if no end is found.
    fn end_of(&mut self, at: u64, header: &Header, bytes: &[u8], info: &[u8; INFO_BYTES]) -> Option<usize> {
        let mut sum = 0;
        for (n, byte) in (1..).zip(bytes) {
            sum = crc16(sum, *byte);
            // The sum is 0 after the frame's two-byte checksum, and stays 0 in zeros that follow.
            if sum == 0 && n > header.n_bytes + 2 && self.may_decode > 0 {
                self.may_decode -= 1;
                // A frame followed by extra bytes decodes as well. At its true end, decoding fails without the last
                // byte before the checksum.
                if is_decoded(&bytes[..n - 2], header, info) && !is_decoded(&bytes[..n - 3], header, info) {
                    return Some(n);
                }
            }
        }
        (sum == 0 && at + bytes.len() as u64 == self.n_bytes).then_some(bytes.len())
    }

    /// Whether symphonia's reader accepts the metadata from `mark` to `end`.
    fn is_read(&self, mark: u64, end: u64, first_frame: u64) -> bool {
        let (Ok(file), Some(header)) = (self.file.try_clone(), self.header_at(first_frame)) else { return false };
        // The reader looks for a frame after the metadata: a frame header is enough, and saves a search of the whole
        // file.
        let header = self.bytes(first_frame, first_frame + header.n_bytes as u64);
        let source = Watched::new(Spliced::new(Vec::new(), file, mark..end, header), self.progress);
        let stream = MediaSourceStream::new(Box::new(source), MediaSourceStreamOptions::default());
        contained(|| FlacReader::try_new(stream, FormatOptions::default()).is_ok()).unwrap_or(false)
    }
}

/// The first sample of a frame, computed from its number, which counts units of `unit` samples. `None` without a valid
/// header.
pub(crate) fn first_sample(frame: &[u8], unit: u64) -> Option<i64> {
    i64::try_from(Header::read(frame)?.number.checked_mul(unit)?).ok()
}

/// Number of samples of the frame whose header is at the start; `None` without a valid header.
pub(crate) fn n_samples(frame: &[u8]) -> Option<u64> {
    Some(Header::read(frame)?.n_samples.into())
}

/// Length of a stream's magic number and the block header that follows it, in bytes.
const MARK_BYTES: usize = 8;

/// Offset of the first magic number of a stream.
fn mark_in(bytes: &[u8]) -> Option<usize> {
    // Number of bytes by which the search window advances if this is its fourth byte.
    let step = |byte: u8| match byte {
        b'f' => 3,
        b'L' => 2,
        b'a' => 1,
        _ => 4,
    };
    let mut at = 3;
    while let Some(byte) = bytes.get(at) {
        if *byte != b'C' {
            at += step(*byte);
            continue;
        }
        let is_mark = matches!(bytes.get(at - 3..=at + 4), Some([b'f', b'L', b'a', b'C', 0 | 0x80, 0, 0, 34]));
        if is_mark {
            return Some(at - 3);
        }
        at += 1;
    }
    None
}

/// Whether a frame without its footer decodes to all its samples.
fn is_decoded(frame: &[u8], header: &Header, info: &[u8; INFO_BYTES]) -> bool {
    let decode = || {
        let mut parameters = AudioCodecParameters::new();
        parameters.for_codec(CODEC_ID_FLAC).with_extra_data(Box::from(&info[..]));
        let mut decoder = FlacDecoder::try_new(&parameters, &AudioDecoderOptions::default()).ok()?;
        let data: Box<[u8]> = Box::from(frame);
        let packet = Packet::new(0, Timestamp::ZERO, Duration::from(header.n_samples), data);
        decoder.decode(&packet).ok().map(|_| ())
    };
    matches!(contained(decode), Ok(Some(())))
}

fn crc8(bytes: &[u8]) -> u8 {
    bytes
        .iter()
        .fold(0, |sum, byte| (0..8).fold(sum ^ byte, |sum, _| if sum & 0x80 == 0 { sum << 1 } else { sum << 1 ^ 0x07 }))
}

fn crc16(sum: u16, byte: u8) -> u16 {
    const TABLE: [u16; 256] = {
        let mut table = [0; 256];
        let mut index = 0;
        while index < 256 {
            let mut value = (index as u16) << 8;
            let mut bit = 0;
            while bit < 8 {
                value = if value & 0x8000 == 0 { value << 1 } else { value << 1 ^ 0x8005 };
                bit += 1;
            }
            table[index] = value;
            index += 1;
        }
        table
    };
    sum << 8 ^ TABLE[usize::from((sum >> 8) as u8 ^ byte)]
}
