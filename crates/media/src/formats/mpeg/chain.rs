//! Detects the start of streams of frames: noise does not contain several matching frames in a row.

use super::frame::{CodedFrame, frame};
use crate::media::probe::file_bytes::FileBytes;

/// Maximum length of an ADTS frame in bytes.
pub(super) const MAX_ADTS: usize = 8_191;
/// Number of consecutive matching frames that noise does not contain, as each has 18 bits that must match.
pub(super) const ENOUGH_FRAMES: usize = 4;
/// Bytes searched for the first frames: up to the last possible start, plus enough frames after it.
pub(super) const SEARCHED_BYTES: usize = (ENOUGH_FRAMES + 2) * MAX_ADTS;

/// Name of the stream of frames that begins at a position, if any.
pub(crate) fn name_at(file: &FileBytes, at: u64, end: u64) -> Option<&'static str> {
    let mut bytes = [0];
    if at >= end || file.read_some_at(at, &mut bytes) == 0 || bytes != [0xff] {
        return None;
    }
    let mut bytes = vec![0; SEARCHED_BYTES.min(usize::try_from(end - at).ok()?)];
    let n = file.read_some_at(at, &mut bytes);
    bytes.truncate(n);
    let first = frame(&bytes)?;
    is_chain(&bytes, first, at + n as u64 == end, true).then_some(first.name())
}

/// Whether there are [`ENOUGH_FRAMES`] matching frames from `first` on; at the very start of a short stream, matching
/// frames up to its end are enough.
pub(super) fn is_chain(bytes: &[u8], first: CodedFrame, is_all: bool, is_at_start: bool) -> bool {
    let (mut at, mut n_frames) = (0, 0);
    while let Some(found) = bytes.get(at..).and_then(frame).filter(|found| found.key == first.key) {
        at += found.n_bytes;
        n_frames += 1;
        if n_frames == ENOUGH_FRAMES {
            return true;
        }
    }
    // The last frame may be truncated if it is not the only one; zeros may follow it, or replace its end.
    is_all && is_at_start && (at == bytes.len() || at >= n_before_zeros(bytes) && n_frames > 1)
}

/// Number of bytes before trailing zeros.
pub(super) fn n_before_zeros(bytes: &[u8]) -> usize {
    bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1)
}
