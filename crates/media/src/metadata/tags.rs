//! Tags around a stream: ID3v2 and APE before it; ID3v1, APE, Lyrics3 and ID3v2 after it, in any order.
//!
//! Sources: ID3v1, ID3v2.2 to 2.4 (id3.org), APEv2 (the Monkey's Audio project), Lyrics3 v1 and v2.

use crate::probe::file_bytes::FileBytes;

/// Maximum number of consecutive tags, more than any program writes.
const MAX_TAGS: usize = 16;
/// Length of an ID3v2 header, and of its footer.
const ID3V2_HEAD: u64 = 10;
/// Length of an APE header, and of its footer.
const APE_HEAD: u64 = 32;
/// Length of an ID3v1 tag, and of an enhanced tag before it, in bytes.
const ID3V1: u64 = 128;
const ID3V1_ENHANCED: u64 = 227;
/// Maximum size of a Lyrics3 v1 tag in bytes, including its begin and end marks.
const LYRICS3V1_MAX_BYTES: u64 = 5_120;

fn bytes_at<const N: usize>(file: &FileBytes, at: u64) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    (file.read_some_at(at, &mut bytes) == N).then_some(bytes)
}

/// Length of the tags at the start of a file. If a tag's stated size exceeds the file, only its header counts.
pub(crate) fn leading(file: &FileBytes, n_bytes: u64) -> u64 {
    let mut at = 0;
    for _ in 0..MAX_TAGS {
        let Some((n_head, n)) = tag_at(file, at) else { break };
        at += if at + n <= n_bytes { n } else { n_head };
    }
    at.min(n_bytes)
}

/// Lengths of the header of the ID3v2 or APE tag that begins at `at`, and of the whole tag; `None` if there is no tag.
fn tag_at(file: &FileBytes, at: u64) -> Option<(u64, u64)> {
    let head = bytes_at::<10>(file, at)?;
    if head.starts_with(b"ID3") {
        // Only version 4 may have a footer.
        let footer = if head[3] == 4 && head[5] & 0x10 != 0 { ID3V2_HEAD } else { 0 };
        Some((ID3V2_HEAD, ID3V2_HEAD + synchsafe(&head[6..10]) + footer))
    } else if head.starts_with(b"APETAGEX") {
        Some((APE_HEAD, APE_HEAD + u64::from(word(&bytes_at::<32>(file, at)?[12..16]))))
    } else {
        None
    }
}

/// Length of a tag between the frames of joined recordings; `None` unless one begins at `at` and is complete before
/// `end`.
pub(crate) fn between(file: &FileBytes, at: u64, end: u64) -> Option<u64> {
    let head = bytes_at::<10>(file, at)?;
    let n = if head.starts_with(b"TAG+") {
        ID3V1_ENHANCED
    } else if head.starts_with(b"TAG") {
        ID3V1
    } else if head.starts_with(b"ID3") && head[6..].iter().any(|byte| byte & 0x80 != 0) {
        return None;
    } else {
        tag_at(file, at)?.1
    };
    (at + n <= end).then_some(n)
}

/// Start of the tags at the end of a file; `end` if there are none. A tag that begins before `start` does not count.
pub(crate) fn trailing(file: &FileBytes, start: u64, end: u64) -> u64 {
    let mut end = end;
    for _ in 0..MAX_TAGS {
        let found = id3v1(file, end).or_else(|| ape(file, end)).or_else(|| lyrics3(file, end));
        match found.or_else(|| id3v2_with_footer(file, end)) {
            Some(before) if before >= start && before < end => end = before,
            _ => break,
        }
    }
    end
}

fn id3v1(file: &FileBytes, end: u64) -> Option<u64> {
    let at = end.checked_sub(ID3V1)?;
    if &bytes_at::<3>(file, at)? != b"TAG" {
        return None;
    }
    // An enhanced tag may precede it.
    let enhanced =
        at.checked_sub(ID3V1_ENHANCED).filter(|at| bytes_at::<4>(file, *at).is_some_and(|mark| &mark == b"TAG+"));
    Some(enhanced.unwrap_or(at))
}

fn ape(file: &FileBytes, end: u64) -> Option<u64> {
    let footer = bytes_at::<32>(file, end.checked_sub(APE_HEAD)?)?;
    if !footer.starts_with(b"APETAGEX") {
        return None;
    }
    // The size includes the footer but not the header.
    let at = end.checked_sub(u64::from(word(&footer[12..16])).max(APE_HEAD));
    let has_header = footer[23] & 0x80 != 0;
    let at = match at {
        Some(at) if has_header => {
            at.checked_sub(APE_HEAD).filter(|at| bytes_at::<8>(file, *at).is_some_and(|mark| &mark == b"APETAGEX"))
        }
        at => at,
    };
    // If the size is impossible, only the footer counts.
    Some(at.unwrap_or(end - APE_HEAD))
}

fn lyrics3(file: &FileBytes, end: u64) -> Option<u64> {
    let mark = bytes_at::<9>(file, end.checked_sub(9)?)?;
    if &mark == b"LYRICS200" {
        let digits = bytes_at::<6>(file, end.checked_sub(15)?)?;
        let n: u64 = std::str::from_utf8(&digits).ok()?.parse().ok()?;
        let at = end.checked_sub(15)?.checked_sub(n)?;
        return (&bytes_at::<11>(file, at)? == b"LYRICSBEGIN").then_some(at);
    }
    if &mark != b"LYRICSEND" {
        return None;
    }
    let from = end.saturating_sub(LYRICS3V1_MAX_BYTES);
    let mut text = vec![0; (end - from) as usize];
    let n = file.read_some_at(from, &mut text);
    text[..n].windows(11).rposition(|window| window == b"LYRICSBEGIN").map(|at| from + at as u64)
}

fn id3v2_with_footer(file: &FileBytes, end: u64) -> Option<u64> {
    let footer = bytes_at::<10>(file, end.checked_sub(ID3V2_HEAD)?)?;
    if !footer.starts_with(b"3DI") {
        return None;
    }
    let at = end.checked_sub(2 * ID3V2_HEAD + synchsafe(&footer[6..10]))?;
    (&bytes_at::<3>(file, at)? == b"ID3").then_some(at)
}

/// A number stored as seven bits per byte.
fn synchsafe(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |sum, byte| sum << 7 | u64::from(byte & 0x7f))
}

fn word(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u32::from(*byte))
}
