//! ID3v2 at the start of a file or in a chunk of WAV, and ID3v1 at the end of a file.
//!
//! Sources: ID3v1, ID3v2.2, 2.3 and 2.4 (id3.org); mutagen for deviations of common programs.

use super::found::{FoundTags, fixed, latin};
use super::genres::genres_in;

/// Bytes of a tag's header.
pub const HEAD_BYTES: usize = 10;
/// Bytes of a whole ID3v1 tag.
pub const V1_BYTES: usize = 128;
const SOURCE: &str = "id3";

/// Length of an ID3v2 tag in bytes, according to its header; `None` without a header.
pub fn length_of(head: &[u8]) -> Option<usize> {
    let size = head.get(6..HEAD_BYTES).filter(|_| head.starts_with(b"ID3"))?;
    Some(HEAD_BYTES + synchsafe(size))
}

/// Adds the fields of an ID3v2 tag to `found`; if the tag is truncated, only its complete fields.
pub fn read_v2(tag: &[u8], found: &mut FoundTags) {
    let Some(length) = length_of(tag) else { return };
    let (version, flags) = (tag[3], tag[5]);
    let body = &tag[HEAD_BYTES..length.min(tag.len())];
    let is_unsynchronised = flags & 0x80 != 0;
    let has_second_head = flags & 0x40 != 0;
    let body = if is_unsynchronised && version < 4 { synchronised(body) } else { body.to_vec() };
    let n_second_head = match (version, body.get(..4)) {
        // Some programs set the bit without writing an extended header: a frame follows.
        (3 | 4, Some(id)) if has_second_head && is_id(id) => 0,
        (3, Some(size)) if has_second_head => 4 + plain(size),
        (4, Some(size)) if has_second_head => synchsafe(size),
        // In version 2 the bit marks a compressed tag, but the compression was never defined.
        (2, _) if has_second_head => return,
        (2..=4, _) => 0,
        _ => return,
    };
    let (n_name, n_head) = if version == 2 { (3, 6) } else { (4, 10) };
    let mut rest = body.get(n_second_head..).unwrap_or_default();
    let is_plain = version == 3 || version == 4 && has_plain_sizes(rest);
    while let Some((head, behind)) = rest.split_at_checked(n_head) {
        let n = match version {
            2 => plain(&head[3..6]),
            _ if is_plain => plain(&head[4..8]),
            _ => synchsafe(&head[4..8]),
        };
        let (Some(content), true) = (behind.get(..n), head[0] != 0) else { return };
        rest = &behind[n..];
        // Version 4 has flags per frame, and may prepend the frame's length.
        let [flags_3, flags_4] = [3, 4].map(|of| if version == of { head[9] } else { 0 });
        let is_packed_or_secret = flags_3 & 0xc0 != 0 || flags_4 & 0x0c != 0;
        if is_packed_or_secret {
            continue;
        }
        let content = if flags_4 & 0x01 != 0 { content.get(4..).unwrap_or_default() } else { content };
        let has_zeros = flags_4 & 0x02 != 0 || version == 4 && is_unsynchronised;
        // Some programs set the bit without inserting zeros.
        if has_zeros && !content.windows(2).any(|pair| pair[0] == 0xff && pair[1] >= 0xe0) {
            frame(&head[..n_name], &synchronised(content), found);
        } else {
            frame(&head[..n_name], content, found);
        }
    }
}

/// Whether the frame sizes of version 4 are plain integers, as iTunes wrote them, instead of seven bits per byte. They
/// are if this interpretation yields more frames, or as many without running past the end. Mutagen uses the same test.
fn has_plain_sizes(frames: &[u8]) -> bool {
    let (n_safe, safe_beyond) = walk(frames, synchsafe);
    let (n_plain, plain_beyond) = walk(frames, plain);
    n_plain > n_safe || n_plain == n_safe && safe_beyond >= 1 && plain_beyond <= 1
}

/// The number of frames read with this interpretation of sizes, and the number of bytes by which the last one exceeds
/// the end; negative if bytes are left.
fn walk(frames: &[u8], size_of: fn(&[u8]) -> usize) -> (usize, i64) {
    const HEAD: usize = 10;
    let (mut at, mut n_found) = (0, 0);
    while at + HEAD < frames.len() {
        let head = &frames[at..at + HEAD];
        if head.iter().all(|byte| *byte == 0) {
            return (n_found, -(((frames.len() - at) % HEAD) as i64));
        }
        at += HEAD + size_of(&head[4..8]);
        n_found += usize::from(is_id(&head[..4]));
    }
    (n_found, at as i64 - frames.len() as i64)
}

/// Whether a frame of version 3 or 4 may have this name.
fn is_id(id: &[u8]) -> bool {
    id[0].is_ascii_uppercase() && id.iter().all(|letter| letter.is_ascii_uppercase() || letter.is_ascii_digit())
}

fn frame(id: &[u8], content: &[u8], found: &mut FoundTags) {
    let name = match id {
        b"TIT2" | b"TT2" => "title",
        b"TPE1" | b"TP1" => "artist",
        b"TALB" | b"TAL" => "album",
        b"TCON" | b"TCO" => "genre",
        b"TDRC" | b"TYER" | b"TYE" => "date",
        b"TBPM" | b"TBP" => "bpm",
        b"TKEY" | b"TKE" => "key",
        b"TCOM" | b"TCM" => "composer",
        b"COMM" | b"COM" => "comment",
        b"TXXX" | b"TXX" => "",
        _ => return,
    };
    let Some((&encoding, content)) = content.split_first() else { return };
    if name == "comment" {
        // A language and a description precede the text. Comments whose description begins with "iTun" contain data for
        // players.
        let text = decoded(encoding, content.get(3..).unwrap_or_default());
        if let Some((description, text)) = text.split_once('\0')
            && !description.starts_with("iTun")
        {
            found.add(name, text, SOURCE);
        }
        return;
    }
    let text = decoded(encoding, content);
    match text.split_once('\0') {
        Some((name, value)) if matches!(id, b"TXXX" | b"TXX") => found.add(name, value, SOURCE),
        _ if name == "genre" => {
            let genres = text.split('\0').flat_map(genres_in);
            genres.for_each(|genre| found.add(name, genre, SOURCE));
        }
        _ => text.split('\0').for_each(|value| found.add(name, value, SOURCE)),
    }
}

/// Adds the fields of an ID3v1 tag to `found`.
pub fn read_v1(tag: &[u8], found: &mut FoundTags) {
    if tag.len() != V1_BYTES || !tag.starts_with(b"TAG") {
        return;
    }
    // 255 means no genre.
    if tag[V1_BYTES - 1] != u8::MAX {
        let number = tag[V1_BYTES - 1].to_string();
        genres_in(&number).into_iter().for_each(|genre| found.add("genre", genre, SOURCE));
    }
    for (name, range) in
        [("title", 3..33), ("artist", 33..63), ("album", 63..93), ("date", 93..97), ("comment", 97..127)]
    {
        found.add(name, &fixed(&tag[range]), SOURCE);
    }
}

fn decoded(encoding: u8, text: &[u8]) -> String {
    let wide = |is_big: bool, bytes: &[u8]| {
        let unit = |pair: &[u8]| u16::from_le_bytes(if is_big { [pair[1], pair[0]] } else { [pair[0], pair[1]] });
        // Each of several texts has its own byte order mark.
        String::from_utf16_lossy(&bytes.chunks_exact(2).map(unit).collect::<Vec<_>>()).replace('\u{feff}', "")
    };
    match (encoding, text) {
        (1, [0xff, 0xfe, rest @ ..]) => wide(false, rest),
        (1 | 2, rest) => wide(true, rest),
        (3, rest) => String::from_utf8_lossy(rest).into_owned(),
        (_, rest) => latin(rest),
    }
}

/// Reverses unsynchronisation: removes the zeros that were inserted after 0xff bytes.
fn synchronised(bytes: &[u8]) -> Vec<u8> {
    let is_put_in = |at: usize| at > 0 && bytes[at] == 0 && bytes[at - 1] == 0xff;
    (0..bytes.len()).filter(|&at| !is_put_in(at)).map(|at| bytes[at]).collect()
}

/// A number stored as seven bits per byte.
fn synchsafe(bytes: &[u8]) -> usize {
    bytes.iter().fold(0, |sum, byte| sum << 7 | usize::from(byte & 0x7f))
}

fn plain(bytes: &[u8]) -> usize {
    bytes.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte))
}
