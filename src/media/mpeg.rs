//! MPEG audio and ADTS: streams of frames without a container, so that any file with enough bytes has something in it
//! that looks like one. A stream is believed only where frame follows frame, near the start, in most of the file.
//!
//! Sources: ISO/IEC 11172-3, section 2.4.2.3, and 13818-3; 14496-3, section 1.A.2.2 (ADTS).

mod parts;
mod tag;

pub(super) use parts::{HeardSamples, frames};

use super::file_bytes::FileBytes;
use super::tags;

/// The longest frame of MPEG audio, and so how far behind the start the first may begin in a stream cut in mid frame.
const LONGEST_MPEG: usize = 2_881;
/// The longest ADTS frame.
const LONGEST_ADTS: usize = 8_191;
/// Frames in a row, alike, that noise does not have: each has 18 bits that must be right.
const ENOUGH_FRAMES: usize = 4;
/// What is searched for the first frames: as many as are enough, behind the farthest start.
const SEARCHED_BYTES: usize = (ENOUGH_FRAMES + 2) * LONGEST_ADTS;
/// Of so much behind the first frame, more than half must be frames.
const MEASURED_BYTES: usize = 1 << 20;
/// Zeros that may stand before the first frame.
const MOST_ZEROS: usize = 1 << 20;
/// Zeros that are looked for behind the last.
const MOST_ZEROS_BEHIND: u64 = 64 << 20;

/// Which frames they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameCoding {
    /// MPEG-1, 2 or 2.5, layers I to III.
    Mpeg,
    /// AAC.
    Adts,
}

/// Where a stream of frames lies in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stream {
    /// Which frames.
    pub coding: FrameCoding,
    /// Its first frame, in bytes from the start of the file.
    pub start: u64,
    /// Where the tags behind it begin.
    pub end: u64,
}

/// What the header of a frame says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Frame {
    coding: FrameCoding,
    /// The same in all frames of a stream: version, layer, rate, and whether it is mono.
    key: u32,
    n_bytes: usize,
    sample_rate_hz: u32,
    n_channels: usize,
    n_samples: u32,
}

impl Frame {
    /// The same in all frames of a recording: those of ADTS may differ in whether they have a checksum.
    fn kind(&self) -> (FrameCoding, u32) {
        (self.coding, if self.coding == FrameCoding::Adts { self.key & !1 } else { self.key })
    }

    /// Bytes between header and samples, without a checksum; none but of layer III.
    fn side_info_bytes(&self) -> Option<usize> {
        let is_first = self.key & 0x18 == 0x18;
        (self.coding == FrameCoding::Mpeg && self.key & 6 == 2).then(|| match (is_first, self.n_channels) {
            (true, 1) => 17,
            (true, _) => 32,
            (false, 1) => 9,
            (false, _) => 17,
        })
    }
}

/// The stream of frames that a file of `n_bytes` is, behind `from` bytes of tags; none where it is something else.
pub fn find(file: &FileBytes, from: u64, n_bytes: u64) -> Option<Stream> {
    let end = tags::trailing(file, from, n_bytes);
    let mut bytes = vec![0; MOST_ZEROS.min(usize::try_from(end.saturating_sub(from)).ok()?)];
    let n = file.read_some_at(from, &mut bytes);
    let from = from + bytes[..n].iter().position(|byte| *byte != 0)? as u64;
    let mut bytes = vec![0; MEASURED_BYTES.min(usize::try_from(end.saturating_sub(from)).ok()?)];
    let n = file.read_some_at(from, &mut bytes);
    bytes.truncate(n);
    let is_all = from + n as u64 == end;
    let searched = &bytes[..n.min(SEARCHED_BYTES)];
    let is_all_searched = is_all && n_before_zeros(&bytes) <= searched.len();
    let is_first = |at: &usize| {
        frame(&searched[*at..]).is_some_and(|first| {
            let longest = if first.coding == FrameCoding::Mpeg { LONGEST_MPEG } else { LONGEST_ADTS };
            *at <= longest && is_chain(&searched[*at..], first, is_all_searched, *at == 0)
        })
    };
    let at = (0..searched.len().min(LONGEST_ADTS)).find(is_first)?;
    let coding = frame(&bytes[at..])?.coding;
    let frames = FrameBytes::of(&bytes[at..]);
    let n_before_zeros = n_before_zeros(&bytes[at..]);
    let is_mostly_frames = 2 * frames.n_bytes.min(n_before_zeros) > n_before_zeros;
    // Zeros behind the last frame are none of it. Of a short file all frames were seen; of others the last may end in
    // zeros.
    let end = if is_all {
        from + (at + frames.end.max(n_before_zeros)) as u64
    } else {
        let longest = if coding == FrameCoding::Mpeg { LONGEST_MPEG } else { LONGEST_ADTS };
        end.min(end_before_zeros(file, from, end) + longest as u64)
    };
    is_mostly_frames.then_some(Stream { coding, start: from + at as u64, end })
}

/// Where the zeros at the end of a part of a file begin, of as many as are looked at.
fn end_before_zeros(file: &FileBytes, from: u64, end: u64) -> u64 {
    let mut bytes = vec![0; 1 << 16];
    let mut low = end;
    while low > from && end - low < MOST_ZEROS_BEHIND {
        let high = low;
        low = from.max(high.saturating_sub(bytes.len() as u64));
        let part = &mut bytes[..(high - low) as usize];
        // What cannot be read is not known to be zeros.
        let is_read = file.read_some_at(low, part) == part.len();
        let n = if is_read { n_before_zeros(part) } else { part.len() };
        if n > 0 {
            return low + n as u64;
        }
    }
    low
}

/// How many of the bytes there are without the zeros at their end.
fn n_before_zeros(bytes: &[u8]) -> usize {
    bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1)
}

/// Whether enough frames like the first follow it; at the very start of a short stream, up to its end.
fn is_chain(bytes: &[u8], first: Frame, is_all: bool, is_at_start: bool) -> bool {
    let (mut at, mut n_frames) = (0, 0);
    while let Some(found) = bytes.get(at..).and_then(frame).filter(|found| found.key == first.key) {
        at += found.n_bytes;
        n_frames += 1;
        if n_frames == ENOUGH_FRAMES {
            return true;
        }
    }
    // The last may be cut short, but not be all there is; zeros may follow, or be its end.
    is_all && is_at_start && (at == bytes.len() || at >= n_before_zeros(bytes) && n_frames > 1)
}

/// The frames among some bytes; behind a place that is none, they count from where two follow each other.
struct FrameBytes {
    /// How many bytes belong to them.
    n_bytes: usize,
    /// Where the last ends.
    end: usize,
}

impl FrameBytes {
    fn of(bytes: &[u8]) -> FrameBytes {
        let (mut at, mut frames, mut is_in_step) = (0, FrameBytes { n_bytes: 0, end: 0 }, true);
        while at < bytes.len() {
            let found = frame(&bytes[at..]).filter(|found| {
                is_in_step || bytes.get(at + found.n_bytes..).and_then(frame).is_some_and(|next| next.key == found.key)
            });
            is_in_step = found.is_some();
            match found {
                Some(found) => {
                    let n = found.n_bytes.min(bytes.len() - at);
                    at += n;
                    frames.n_bytes += n;
                    frames.end = at;
                }
                None => at += 1,
            }
        }
        frames
    }
}

/// The length in bytes, header included, of the frame whose header stands at the start; none where none stands there, or
/// one of free format.
pub fn frame_bytes(bytes: &[u8]) -> Option<usize> {
    frame(bytes).map(|frame| frame.n_bytes)
}

/// The frame whose header stands at the start.
fn frame(bytes: &[u8]) -> Option<Frame> {
    mpeg_frame(*bytes.first_chunk()?).or_else(|| adts_frame(*bytes.first_chunk()?))
}

/// A frame of MPEG audio by its header; none where it is no header, or of free format.
fn mpeg_frame(word: [u8; 4]) -> Option<Frame> {
    /// In kbit/s, by layer, for MPEG-1.
    const KBITS_1: [[usize; 14]; 3] = [
        [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
        [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
        [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
    ];
    /// In kbit/s, by layer, for MPEG-2 and 2.5.
    const KBITS_2: [[usize; 14]; 3] = [
        [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
        [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
        [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    ];
    let is_sync = word[0] == 0xff && word[1] & 0xe0 == 0xe0;
    let layer = 3usize.checked_sub(usize::from(word[1] >> 1 & 3)).filter(|layer| is_sync && *layer < 3)?;
    let (kbits, is_first, rate_divisor) = match word[1] >> 3 & 3 {
        3 => (KBITS_1, true, 1),
        2 => (KBITS_2, false, 2),
        0 => (KBITS_2, false, 4),
        _ => return None,
    };
    let bits_per_sec = 1000 * kbits[layer].get(usize::from(word[2] >> 4).checked_sub(1)?)?;
    let rate = [44_100, 48_000, 32_000].get(usize::from(word[2] >> 2 & 3))? / rate_divisor;
    let padding = usize::from(word[2] >> 1 & 1);
    let n_bytes = match layer {
        0 => 4 * (12 * bits_per_sec / rate + padding),
        2 if !is_first => 72 * bits_per_sec / rate + padding,
        _ => 144 * bits_per_sec / rate + padding,
    };
    let is_mono = word[3] >> 6 == 3;
    let key = u32::from(word[1] & 0x1e) | u32::from(word[2] & 0x0c) << 8 | u32::from(is_mono) << 16;
    let n_samples = match layer {
        0 => 384,
        2 if !is_first => 576,
        _ => 1152,
    };
    let n_channels = if is_mono { 1 } else { 2 };
    Some(Frame { coding: FrameCoding::Mpeg, key, n_bytes, sample_rate_hz: rate as u32, n_channels, n_samples })
}

/// A frame of AAC by its ADTS header.
fn adts_frame(bytes: [u8; 7]) -> Option<Frame> {
    const RATES: [u32; 13] =
        [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350];
    let is_sync = bytes[0] == 0xff && bytes[1] & 0xf6 == 0xf0;
    let sample_rate_hz = *RATES.get(usize::from(bytes[2] >> 2 & 15))?;
    let n_bytes = usize::from(bytes[3] & 3) << 11 | usize::from(bytes[4]) << 3 | usize::from(bytes[5] >> 5);
    let n_head = if bytes[1] & 1 == 0 { 9 } else { 7 };
    let key = u32::from(bytes[1] & 9) | u32::from(bytes[2] & 0xfd) << 8 | u32::from(bytes[3] & 0xc0) << 16;
    // 7 stands for 8.
    let n_channels = match usize::from(bytes[2] & 1) << 2 | usize::from(bytes[3] >> 6) {
        7 => 8,
        n => n,
    };
    let n_samples = 1024 * (u32::from(bytes[6] & 3) + 1);
    let coding = FrameCoding::Adts;
    (is_sync && n_bytes > n_head).then_some(Frame { coding, key, n_bytes, sample_rate_hz, n_channels, n_samples })
}
