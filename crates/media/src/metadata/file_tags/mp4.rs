//! MP4 metadata as written by iTunes and others: the items of `moov/udta/meta/ilst`.
//!
//! Sources: ISO/IEC 14496-12, section 4.2; Apple, "QuickTime File Format", Metadata.

use super::found::FoundTags;
use super::genres::genre_of;
use crate::base::read_at;
use crate::media::formats::boxes::{BoxHead, boxes};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;

/// Maximum number of boxes read per level.
const MAX_BOXES: usize = 10_000;
/// Maximum length of a text in bytes.
const MAX_BYTES: u64 = 4_096;
/// Length of the version and flags before the content of some boxes.
const FLAGS_BYTES: u64 = 4;
const SOURCE: &str = "mp4";

/// Adds the items of a file of `n_bytes` to `found`, without reading its sound.
pub fn read(file: &File, n_bytes: u64, found: &mut FoundTags) {
    let list = inside(file, 0..n_bytes, b"moov")
        .and_then(|moov| inside(file, moov, b"udta"))
        .and_then(|udta| inside(file, udta, b"meta"))
        .and_then(|meta| inside(file, meta.start + FLAGS_BYTES..meta.end, b"ilst"));
    for BoxHead { kind, content } in list.into_iter().flat_map(|list| boxes_of(file, list)) {
        item(file, kind, content, found);
    }
}

/// The boxes of a range, up to the first that is not valid.
fn boxes_of(file: &File, range: Range<u64>) -> impl Iterator<Item = BoxHead> {
    boxes(range, |at, bytes| read_at(file, bytes, at).ok()).take(MAX_BOXES)
}

/// Content of the first box of a kind.
fn inside(file: &File, range: Range<u64>, kind: &[u8; 4]) -> Option<Range<u64>> {
    boxes_of(file, range).find(|found| &found.kind == kind).map(|found| found.content)
}

fn item(file: &File, id: [u8; 4], range: Range<u64>, found: &mut FoundTags) {
    let Some(data) = inside(file, range.clone(), b"data") else { return };
    // The value follows the type of the data and its locale.
    let value = content(file, data.start + 8..data.end);
    let text = String::from_utf8_lossy(&value);
    let name = match &id {
        b"\xa9nam" => "title",
        b"\xa9ART" => "artist",
        b"\xa9alb" => "album",
        b"\xa9gen" => "genre",
        b"\xa9day" => "date",
        b"\xa9cmt" => "comment",
        b"\xa9wrt" => "composer",
        b"gnre" => {
            // Genres are numbered from 1.
            let number = value.iter().take(2).fold(0, |sum, byte| sum << 8 | usize::from(*byte));
            if let Some(genre) = number.checked_sub(1).and_then(genre_of) {
                found.add("genre", genre, SOURCE);
            }
            return;
        }
        b"tmpo" => {
            let bpm = value.iter().take(8).fold(0u64, |sum, byte| sum << 8 | u64::from(*byte));
            if bpm > 0 {
                found.add("bpm", &bpm.to_string(), SOURCE);
            }
            return;
        }
        b"----" => {
            let name = inside(file, range, b"name").map(|name| content(file, name.start + FLAGS_BYTES..name.end));
            let name = name.unwrap_or_default();
            // These items contain player data, such as for gapless playback and volume adjustment.
            if !name.starts_with(b"iTun") {
                found.add(&String::from_utf8_lossy(&name), &text, SOURCE);
            }
            return;
        }
        _ => return,
    };
    found.add(name, &text, SOURCE);
}

/// The content of a box, at most [`MAX_BYTES`]; empty if it cannot be read.
fn content(mut file: &File, range: Range<u64>) -> Vec<u8> {
    let n = range.end.saturating_sub(range.start).min(MAX_BYTES);
    let mut bytes = Vec::new();
    let is_read = file.seek(SeekFrom::Start(range.start)).and_then(|_| file.take(n).read_to_end(&mut bytes));
    if is_read.is_ok() { bytes } else { Vec::new() }
}
