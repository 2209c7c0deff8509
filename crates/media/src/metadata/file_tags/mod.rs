//! Text metadata of files: `bext`, `iXML`, `LIST` and `id3 ` chunks of WAV, ID3, Vorbis comments, and the items of MP4.
//! The sound itself is not read.
//!
//! Sources: EBU Tech 3285 (bext), the iXML specification, RIFF INFO, the Vorbis I specification section 5, FLAC's
//! `VORBIS_COMMENT` block, RFC 7845 (Opus).

mod found;
mod genres;
mod id3;
mod mp4;

pub use found::FileTag;

use crate::base::{open_without_waiting, read_head};
use crate::writers::wav_header::Chunk;
use found::{FoundTags, fixed, latin_or_utf8};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// Number of bytes at the start of a file that are searched for tags, without and with a picture among the tags.
const HEAD_BYTES: usize = 256 << 10;
const MAX_HEAD_BYTES: usize = 16 << 20;

/// The tags in a sound's file and its kept chunks; unreadable tags are left out.
pub fn tags_of(path: &Path, chunks: &[Chunk]) -> Vec<FileTag> {
    let mut found = FoundTags::default();
    for chunk in chunks {
        match &chunk.id {
            b"bext" => bext(&chunk.data, &mut found),
            b"iXML" => ixml(&chunk.data, &mut found),
            b"LIST" => info(&chunk.data, &mut found),
            b"id3 " | b"ID3 " => id3::read_v2(&chunk.data, &mut found),
            _ => {}
        }
    }
    let mut head = read_head(path, HEAD_BYTES).unwrap_or_default();
    let n_id3 = id3::length_of(&head).unwrap_or(0);
    let stream = head.get(n_id3..).unwrap_or_default();
    let is_cut = n_id3 > HEAD_BYTES || stream.starts_with(b"fLaC") && comments_of_flac(stream).is_none();
    if head.len() == HEAD_BYTES && is_cut {
        head = read_head(path, MAX_HEAD_BYTES).unwrap_or_default();
    }
    id3::read_v2(&head, &mut found);
    let stream = head.get(n_id3..).unwrap_or_default();
    if stream.starts_with(b"fLaC") {
        vorbis_comments(comments_of_flac(stream).unwrap_or_default(), &mut found);
    } else if stream.starts_with(b"OggS") {
        ogg(stream, &mut found);
    } else if head.get(4..8) == Some(b"ftyp") || stream.first() == Some(&0xff) && found.is_empty() {
        around(path, &mut found);
    }
    found.into_tags()
}

/// Adds the tags that are not at the start of the file: MP4 items, and ID3v1 at the end.
fn around(path: &Path, found: &mut FoundTags) {
    let opened = open_without_waiting(path).and_then(|file| Ok((file.metadata()?.len(), file)));
    let Ok((n_bytes, file)) = opened else { return };
    mp4::read(&file, n_bytes, found);
    if let Some(bytes) = last_bytes(&file) {
        id3::read_v1(&bytes, found);
    }
}

fn last_bytes(mut file: &File) -> Option<[u8; id3::V1_BYTES]> {
    let mut bytes = [0; id3::V1_BYTES];
    file.seek(SeekFrom::End(-(id3::V1_BYTES as i64))).ok()?;
    file.read_exact(&mut bytes).ok()?;
    Some(bytes)
}

fn bext(data: &[u8], found: &mut FoundTags) {
    for (name, range) in [("description", 0..256), ("originator", 256..288)] {
        found.add(name, &fixed(data.get(range).unwrap_or_default()), "bext");
    }
}

/// Adds the text of the first element of each name that users search for, at any depth.
fn ixml(data: &[u8], found: &mut FoundTags) {
    let text = latin_or_utf8(data);
    for name in ["PROJECT", "SCENE", "TAKE", "NOTE", "TAPE", "CATEGORY", "FXNAME", "KEYWORDS", "LIBRARY"] {
        let inside = text.split_once(&format!("<{name}>")).and_then(|(_, rest)| rest.split_once(&format!("</{name}>")));
        if let Some((value, _)) = inside.filter(|(value, _)| !value.contains('<')) {
            let value = value.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&");
            found.add(name, &value, "ixml");
        }
    }
}

fn info(data: &[u8], found: &mut FoundTags) {
    let Some(mut rest) = data.strip_prefix(b"INFO") else { return };
    while let Some((head, behind)) = rest.split_at_checked(8) {
        let n = u32::from_le_bytes([head[4], head[5], head[6], head[7]]) as usize;
        let name = match &head[..4] {
            b"INAM" => "title",
            b"IART" => "artist",
            b"IPRD" => "album",
            b"IGNR" => "genre",
            b"ICRD" => "date",
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

/// The content of FLAC's comment block, empty if the file has none; `None` if `head` ends before it.
fn comments_of_flac(head: &[u8]) -> Option<&[u8]> {
    const COMMENTS: u8 = 4;
    let mut rest = head.get(4..)?;
    loop {
        let (block, behind) = rest.split_at_checked(4)?;
        let n = u32::from_be_bytes([0, block[1], block[2], block[3]]) as usize;
        if block[0] & 0x7f == COMMENTS {
            return behind.get(..n);
        }
        if block[0] & 0x80 != 0 {
            return Some(&[]);
        }
        rest = behind.get(n..)?;
    }
}

/// Adds the comments after the signature of a Vorbis or Opus comment packet in an Ogg file's first pages.
fn ogg(head: &[u8], found: &mut FoundTags) {
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

fn vorbis_comments(bytes: &[u8], found: &mut FoundTags) {
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
    let Some((n, mut rest)) = rest.split_first_chunk().map(|(n, rest)| (u32::from_le_bytes(*n), rest)) else { return };
    for _ in 0..n {
        let Some(comment) = take(&mut rest) else { return };
        // A cover picture in Base64 is of no use in a search.
        match latin_or_utf8(comment).split_once('=') {
            Some((name, _)) if name.eq_ignore_ascii_case("METADATA_BLOCK_PICTURE") => {}
            Some((name, value)) => found.add(name, value, "vorbis"),
            None => {}
        }
    }
}
