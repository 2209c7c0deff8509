//! Detects another file after the end of the audio, as in joined files of different formats. Tags and zeros between
//! them are skipped.

use super::file_bytes::FileBytes;
use super::look::{self, FileKind};
use crate::formats::mpeg;
use crate::metadata::tags;

/// Maximum number of zeros before the other file.
const MAX_ZEROS: u64 = 1 << 20;
/// Number of leading zeros in the 32-bit length of an MP4's first box, which is short.
const BOX_ZEROS: u64 = 3;
/// Maximum number of tags before the other file.
const MAX_TAGS: usize = 16;

/// Start of another file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OtherFile {
    /// Its offset in bytes.
    pub(crate) at: u64,
    /// Name of its format.
    pub(crate) name: &'static str,
}

impl OtherFile {
    /// The description in messages: `FLAC at byte 8044`.
    pub(crate) fn described(&self) -> String {
        format!("{} at byte {}", self.name, self.at)
    }
}

/// Finds another file that begins at `end`, or after tags and zeros there; `end` is the end of the audio of a file of
/// format `kind`. After Ogg, further pages are not another file, but a damaged or truncated part of the same one.
pub(crate) fn other_file(file: &FileBytes, kind: FileKind, end: u64, n_bytes: u64) -> Option<OtherFile> {
    let n_bytes = tags::trailing(file, end, n_bytes);
    let mut at = end;
    for _ in 0..MAX_TAGS {
        let n = n_zeros(file, at, n_bytes);
        // An MP4 itself begins with zeros, those of its first box's length.
        let box_at = at + n.saturating_sub(BOX_ZEROS);
        if n >= BOX_ZEROS
            && let Some(name) = name_at(file, box_at, n_bytes)
        {
            return Some(OtherFile { at: box_at, name });
        }
        at += n;
        match tags::between(file, at, n_bytes) {
            Some(n) => at += n,
            None => break,
        }
    }
    let name = name_at(file, at, n_bytes).or_else(|| mpeg::chain::name_at(file, at, n_bytes))?;
    (kind != FileKind::Ogg || name != "Ogg").then_some(OtherFile { at, name })
}

/// Name of the format whose signature is at a position, if any.
fn name_at(file: &FileBytes, at: u64, end: u64) -> Option<&'static str> {
    let mut head = [0; 64];
    let n = file.read_some_at(at, &mut head).min(usize::try_from(end.saturating_sub(at)).unwrap_or(head.len()));
    look::name_of(&head[..n])
}

/// Number of zeros from a position on, up to the limit.
fn n_zeros(file: &FileBytes, at: u64, end: u64) -> u64 {
    let mut bytes = [0; 4096];
    let mut n_found = 0;
    while n_found < MAX_ZEROS.min(end.saturating_sub(at)) {
        let n = file.read_some_at(at + n_found, &mut bytes);
        let n_zeros = bytes[..n].iter().take_while(|byte| **byte == 0).count();
        n_found += n_zeros as u64;
        if n_zeros < bytes.len() {
            break;
        }
    }
    n_found
}
