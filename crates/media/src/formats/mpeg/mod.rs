//! MPEG audio and ADTS: streams of frames without a container. Any sufficiently long file contains bytes that resemble
//! a frame. A stream is accepted only if its frames follow each other, begin near the start, and make up most of the
//! file.

pub(crate) mod chain;
mod frame;
mod parts;
mod tag;

pub use frame::{FrameCoding, Stream, frame_bytes};
pub(crate) use parts::{TrimmedSamples, frames};

use self::chain::{MAX_ADTS, SEARCHED_BYTES, is_chain, n_before_zeros};
use self::frame::frame;
use crate::metadata::tags;
use crate::probe::behind;
use crate::probe::file_bytes::FileBytes;
use crate::probe::look::FileKind;

/// Maximum length of a frame of MPEG audio, and so the maximum offset of the first frame in a stream cut in mid-frame.
const MAX_MPEG: usize = 2_881;
/// Number of bytes from the first frame on of which more than half must belong to frames.
const MEASURED_BYTES: usize = 1 << 20;
/// Maximum number of zeros before the first frame.
const MAX_ZEROS: usize = 1 << 20;
/// Maximum number of zeros skipped after the last frame.
const MAX_ZEROS_BEHIND: u64 = 64 << 20;

/// Finds the stream of frames in a file of `n_bytes`, after `from` bytes of tags; `None` for other formats.
pub fn find(file: &FileBytes, from: u64, n_bytes: u64) -> Option<Stream> {
    let end = tags::trailing(file, from, n_bytes);
    let mut bytes = vec![0; MAX_ZEROS.min(usize::try_from(end.saturating_sub(from)).ok()?)];
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
            let longest = if first.coding == FrameCoding::Mpeg { MAX_MPEG } else { MAX_ADTS };
            *at <= longest && is_chain(&searched[*at..], first, is_all_searched, *at == 0)
        })
    };
    let at = (0..searched.len().min(MAX_ADTS)).find(is_first)?;
    let coding = frame(&bytes[at..])?.coding;
    let frames = FrameBytes::of(&bytes[at..]);
    let n_before_zeros = n_before_zeros(&bytes[at..]);
    let is_mostly_frames = 2 * frames.n_bytes.min(n_before_zeros) > n_before_zeros;
    if !is_mostly_frames {
        // Another file may follow a short recording.
        let end = from + (at + frames.first_break) as u64;
        let is_joined = behind::other_file(file, FileKind::Unknown, end, n_bytes).is_some();
        return is_joined.then_some(Stream { coding, start: from + at as u64, end });
    }
    // Zeros after the last frame are not part of the stream. In a short file, the end of the last frame is known;
    // otherwise the last frame may itself end in zeros, so the stream ends a maximum frame length later.
    let end = if is_all {
        from + (at + frames.end.max(n_before_zeros)) as u64
    } else {
        let longest = if coding == FrameCoding::Mpeg { MAX_MPEG } else { MAX_ADTS };
        end.min(end_before_zeros(file, from, end) + longest as u64)
    };
    Some(Stream { coding, start: from + at as u64, end })
}

/// Start of the zeros at the end of the bytes from `from` to `end`; zeros beyond the search limit are not found.
fn end_before_zeros(file: &FileBytes, from: u64, end: u64) -> u64 {
    let mut bytes = vec![0; 1 << 16];
    let mut low = end;
    while low > from && end - low < MAX_ZEROS_BEHIND {
        let high = low;
        low = from.max(high.saturating_sub(bytes.len() as u64));
        let part = &mut bytes[..(high - low) as usize];
        // Unreadable bytes are not taken for zeros.
        let is_read = file.read_some_at(low, part) == part.len();
        let n = if is_read { n_before_zeros(part) } else { part.len() };
        if n > 0 {
            return low + n as u64;
        }
    }
    low
}

/// The number of bytes that belong to frames. After an interruption, a frame only counts if another one follows it.
struct FrameBytes {
    /// Number of bytes that belong to frames.
    n_bytes: usize,
    /// End of the last frame.
    end: usize,
    /// End of the first contiguous run of frames.
    first_break: usize,
}

impl FrameBytes {
    fn of(bytes: &[u8]) -> FrameBytes {
        let (mut at, mut frames, mut is_in_step) = (0, FrameBytes { n_bytes: 0, end: 0, first_break: 0 }, true);
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
                    if frames.n_bytes == at {
                        frames.first_break = at;
                    }
                }
                None => at += 1,
            }
        }
        frames
    }
}
