//! What files say of themselves in words: `bext`, `iXML` and `LIST` chunks of WAV, ID3v2, Vorbis comments.
//!
//! Sources: EBU Tech 3285 (bext), the iXML specification, RIFF INFO, ID3v2.3 and 2.4 (id3.org), the Vorbis I
//! specification section 5, FLAC's `VORBIS_COMMENT` block, RFC 7845 (Opus).

use crate::base::read_head;
use crate::media::Chunk;
use std::path::Path;

/// Bytes at the start of a file that are searched for tags.
const HEAD_BYTES: usize = 256 << 10;
/// Tags of one file, and letters of one value.
const MOST_TAGS: usize = 64;
const MOST_LETTERS: usize = 1_000;

/// A tag that a file carries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileTag {
    /// In lower case: `title`, `description`.
    pub name: String,
    /// Its text.
    pub value: String,
    /// What it stood in: `bext`, `id3`.
    pub source: &'static str,
}

/// The tags of a sound; what cannot be read is left out.
pub fn tags_of(path: &Path, chunks: &[Chunk]) -> Vec<FileTag> {
    let mut found = Found::default();
    for chunk in chunks {
        match &chunk.id {
            b"bext" => bext(&chunk.data, &mut found),
            b"iXML" => ixml(&chunk.data, &mut found),
            b"LIST" => info(&chunk.data, &mut found),
            _ => {}
        }
    }
    let head = read_head(path, HEAD_BYTES).unwrap_or_default();
    match head.get(..4) {
        Some([b'I', b'D', b'3', _]) => id3(&head, &mut found),
        Some(b"fLaC") => flac(&head, &mut found),
        Some(b"OggS") => ogg(&head, &mut found),
        _ => {}
    }
    found.0
}

#[derive(Default)]
struct Found(Vec<FileTag>);

impl Found {
    fn add(&mut self, name: &str, value: &str, source: &'static str) {
        let text = |text: &str| -> String {
            let text = text.trim_matches(|letter: char| letter.is_whitespace() || letter == '\0');
            text.chars().take(MOST_LETTERS).collect()
        };
        let tag = FileTag { name: text(name).to_lowercase(), value: text(value), source };
        let is_known = self.0.iter().any(|known| known.name == tag.name && known.value == tag.value);
        if self.0.len() < MOST_TAGS && !tag.name.is_empty() && !tag.value.is_empty() && !is_known {
            self.0.push(tag);
        }
    }
}

/// Text of a fixed length that ends at the first zero.
fn fixed(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    latin_or_utf8(&bytes[..end])
}

fn latin_or_utf8(bytes: &[u8]) -> String {
    let latin = || bytes.iter().map(|byte| char::from(*byte)).collect();
    std::str::from_utf8(bytes).map_or_else(|_| latin(), str::to_owned)
}

fn bext(data: &[u8], found: &mut Found) {
    for (name, range) in [("description", 0..256), ("originator", 256..288)] {
        found.add(name, &fixed(data.get(range).unwrap_or_default()), "bext");
    }
}

/// The text of elements that people search for, wherever they stand.
fn ixml(data: &[u8], found: &mut Found) {
    let text = latin_or_utf8(data);
    for name in ["PROJECT", "SCENE", "TAKE", "NOTE", "TAPE", "CATEGORY", "FXNAME", "KEYWORDS", "LIBRARY"] {
        let inside = text.split_once(&format!("<{name}>")).and_then(|(_, rest)| rest.split_once(&format!("</{name}>")));
        if let Some((value, _)) = inside.filter(|(value, _)| !value.contains('<')) {
            let value = value.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&");
            found.add(name, &value, "ixml");
        }
    }
}

fn info(data: &[u8], found: &mut Found) {
    let Some(mut rest) = data.strip_prefix(b"INFO") else { return };
    while let Some((head, behind)) = rest.split_at_checked(8) {
        let n = u32::from_le_bytes([head[4], head[5], head[6], head[7]]) as usize;
        let name = match &head[..4] {
            b"INAM" => "title",
            b"IART" => "artist",
            b"IPRD" => "album",
            b"IGNR" => "genre",
            b"ICMT" => "comment",
            b"IKEY" => "keywords",
            b"ISBJ" => "subject",
            _ => "",
        };
        let Some(value) = behind.get(..n) else { return };
        found.add(name, &fixed(value), "info");
        rest = behind.get(n + n % 2..).unwrap_or_default();
    }
}

fn flac(head: &[u8], found: &mut Found) {
    const COMMENTS: u8 = 4;
    let mut rest = &head[4..];
    while let Some((block, behind)) = rest.split_at_checked(4) {
        let n = u32::from_be_bytes([0, block[1], block[2], block[3]]) as usize;
        if block[0] & 0x7f == COMMENTS {
            vorbis_comments(behind.get(..n).unwrap_or(behind), found);
        }
        if block[0] & 0x80 != 0 {
            return;
        }
        rest = behind.get(n..).unwrap_or_default();
    }
}

/// The payload of the first pages holds the comments behind a mark of the codec.
fn ogg(head: &[u8], found: &mut Found) {
    let mut payload = Vec::new();
    let mut rest = head;
    while rest.starts_with(b"OggS") {
        let Some(n_segments) = rest.get(26).map(|n| usize::from(*n)) else { break };
        let Some(lengths) = rest.get(27..27 + n_segments) else { break };
        let n: usize = lengths.iter().map(|length| usize::from(*length)).sum();
        let body = &rest[27 + n_segments..];
        payload.extend_from_slice(body.get(..n).unwrap_or(body));
        rest = body.get(n..).unwrap_or_default();
    }
    for mark in [&b"\x03vorbis"[..], b"OpusTags"] {
        if let Some(at) = payload.windows(mark.len()).position(|window| window == mark) {
            return vorbis_comments(&payload[at + mark.len()..], found);
        }
    }
}

fn vorbis_comments(bytes: &[u8], found: &mut Found) {
    fn take<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
        let (head, behind) = rest.split_at_checked(4)?;
        let n = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let (value, behind) = behind.split_at_checked(n)?;
        *rest = behind;
        Some(value)
    }
    let mut rest = bytes;
    if take(&mut rest).is_none() {
        return;
    }
    rest = rest.get(4..).unwrap_or_default();
    while let Some(comment) = take(&mut rest) {
        if let Some((name, value)) = latin_or_utf8(comment).split_once('=') {
            found.add(name, value, "vorbis");
        }
    }
}

fn id3(head: &[u8], found: &mut Found) {
    let (Some(&version), Some(size)) = (head.get(3), head.get(6..10)) else { return };
    let synchsafe = |bytes: &[u8]| bytes.iter().fold(0usize, |sum, byte| sum << 7 | usize::from(byte & 0x7f));
    if !(3..=4).contains(&version) {
        return;
    }
    let mut rest = head.get(10..(10 + synchsafe(size)).min(head.len())).unwrap_or_default();
    while let Some((frame, behind)) = rest.split_at_checked(10) {
        let plain = || frame[4..8].iter().fold(0usize, |sum, byte| sum << 8 | usize::from(*byte));
        let n = if version == 4 { synchsafe(&frame[4..8]) } else { plain() };
        let name = match &frame[..4] {
            b"TIT2" => "title",
            b"TPE1" => "artist",
            b"TALB" => "album",
            b"TCON" => "genre",
            b"TKEY" => "initial key",
            b"TCOM" => "composer",
            [0, ..] => return,
            _ => "",
        };
        let Some((encoding, text)) = behind.get(..n).and_then(|value| value.split_first()) else { return };
        found.add(name, &id3_text(*encoding, text), "id3");
        rest = &behind[n..];
    }
}

fn id3_text(encoding: u8, text: &[u8]) -> String {
    let wide = |is_big: bool, bytes: &[u8]| {
        let unit = |pair: &[u8]| u16::from_le_bytes(if is_big { [pair[1], pair[0]] } else { [pair[0], pair[1]] });
        String::from_utf16_lossy(&bytes.chunks_exact(2).map(unit).collect::<Vec<_>>())
    };
    match (encoding, text) {
        (1, [0xff, 0xfe, rest @ ..]) => wide(false, rest),
        (1, [0xfe, 0xff, rest @ ..]) => wide(true, rest),
        (1 | 2, rest) => wide(true, rest),
        (3, rest) => String::from_utf8_lossy(rest).into_owned(),
        (_, rest) => rest.iter().map(|byte| char::from(*byte)).collect(),
    }
}
