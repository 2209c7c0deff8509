//! A source's metadata for exports: Vorbis comments, which every writer converts to its own format. Tags and pictures
//! of a FLAC source, the texts of a WAV file's `LIST INFO`, and the fields of ID3, Ogg and MP4 that users search for.
//!
//! Sources: the RIFF INFO names of the Multimedia Programming Interface (1991); field names of the Vorbis comment
//! specification, and its chapter extension.

use super::file_tags::{FileTag, tags_of};
use super::flac_speakers::MASK_FIELD;
use crate::samples::source::Source;
use crate::writers::wav_header::Chunk;
use flac_codec::metadata::{BlockList, Picture, VorbisComment};

/// Pictures of this size in bytes and above are left out: a FLAC block has at most 16 MiB, including its other fields.
const MAX_PICTURE_BYTES: usize = 16_000_000;
/// Prefix of the names of chapter comments.
const CHAPTER: &str = "CHAPTER";
/// Corresponding field names of `LIST INFO` and Vorbis comments.
const FIELDS: [(&[u8; 4], &str); 8] = [
    (b"INAM", "TITLE"),
    (b"IART", "ARTIST"),
    (b"IPRD", "ALBUM"),
    (b"ICMT", "COMMENT"),
    (b"ICRD", "DATE"),
    (b"IGNR", "GENRE"),
    (b"ICOP", "COPYRIGHT"),
    (b"ITRK", "TRACKNUMBER"),
];

/// Prefixes of the names of comments that state a loudness, or the gain to a target loudness.
const LOUDNESS: [&str; 2] = ["REPLAYGAIN_", "R128_"];

/// Tags and pictures.
pub(crate) struct SoundTags {
    /// Comments of the form `NAME=text`.
    pub(crate) fields: Vec<String>,
    pub(crate) pictures: Vec<Picture>,
}

impl SoundTags {
    /// Tags of a source. `chapters`, as names and texts of comments, replace those of the source; `None` keeps them.
    pub(crate) fn of(source: &Source, chapters: Option<&[(String, String)]>) -> SoundTags {
        // Only FLAC files have metadata blocks.
        let blocks = source.path().and_then(|path| BlockList::open(path).ok());
        let mut tags = match &blocks {
            Some(blocks) => SoundTags {
                fields: blocks.get::<VorbisComment>().map(|comment| comment.fields.clone()).unwrap_or_default(),
                pictures: blocks
                    .get_all::<Picture>()
                    .filter(|one| one.data.len() < MAX_PICTURE_BYTES)
                    .cloned()
                    .collect(),
            },
            None => SoundTags { fields: other_fields(source), pictures: Vec::new() },
        };
        if let Some(chapters) = chapters {
            // Chapters of the source do not apply to the written sound.
            tags.fields.retain(|field| !is_of_chapter(field));
            tags.fields.extend(chapters.iter().map(|(name, text)| format!("{name}={text}")));
        }
        tags
    }

    /// The tags without the speaker mask, for formats that store it elsewhere or not at all.
    pub(crate) fn without_speakers(mut self) -> SoundTags {
        let is_of_speakers =
            |field: &String| field.split_once('=').is_some_and(|(name, _)| name.eq_ignore_ascii_case(MASK_FIELD));
        self.fields.retain(|field| !is_of_speakers(field));
        self
    }

    /// The tags without loudness and gain, which are wrong after a change of level.
    pub(crate) fn without_loudness(mut self) -> SoundTags {
        self.fields.retain(|field| !LOUDNESS.iter().any(|name| begins_with(field, name)));
        self
    }
}

/// Whether a comment states a chapter's position, its name or other details.
pub(crate) fn is_of_chapter(field: &str) -> bool {
    begins_with(field, CHAPTER)
}

fn begins_with(field: &str, name: &str) -> bool {
    field.get(..name.len()).is_some_and(|begins| begins.eq_ignore_ascii_case(name))
}

/// The number and the text of a comment that states a chapter's position; `None` for other comments. Comments with a
/// chapter's name or URL have a suffix after the number.
pub(crate) fn place_of_chapter(field: &str) -> Option<(&str, &str)> {
    if !is_of_chapter(field) {
        return None;
    }
    field[CHAPTER.len()..].split_once('=').filter(|(n, _)| n.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Number of chapters in the comments of a FLAC source.
pub fn n_flac_chapters(source: &Source) -> usize {
    let blocks = source.path().and_then(|path| BlockList::open(path).ok());
    let comment = blocks.as_ref().and_then(|blocks| blocks.get::<VorbisComment>());
    comment.map_or(0, |comment| comment.fields.iter().filter(|field| place_of_chapter(field).is_some()).count())
}

/// The comments of a source that is not a FLAC file: from `LIST INFO`, or else from the file's other tags.
fn other_fields(source: &Source) -> Vec<String> {
    let of_chunks = fields_of(source.chunks());
    let Some(path) = source.path().filter(|_| of_chunks.is_empty()) else { return of_chunks };
    let name = |tag: &FileTag| if tag.name == "key" { "INITIALKEY".to_owned() } else { tag.name.to_uppercase() };
    tags_of(path, &[]).iter().map(|tag| format!("{}={}", name(tag), tag.value)).collect()
}

/// The texts of `LIST INFO` chunks as comments.
fn fields_of(chunks: &[Chunk]) -> Vec<String> {
    let mut fields = Vec::new();
    let lists = chunks.iter().filter(|chunk| &chunk.id == b"LIST");
    for texts in lists.filter_map(|chunk| chunk.data.strip_prefix(b"INFO")) {
        let mut rest = texts;
        while let Some((head, behind)) = rest.split_at_checked(8) {
            let n = u32::from_le_bytes([head[4], head[5], head[6], head[7]]) as usize;
            let Some(text) = behind.get(..n) else { break };
            if let Some((_, field)) = FIELDS.iter().find(|(id, _)| id.as_slice() == &head[..4]) {
                let text = String::from_utf8_lossy(text);
                let text = text.trim_end_matches('\0').trim();
                if !text.is_empty() {
                    fields.push(format!("{field}={text}"));
                }
            }
            rest = behind.get(n + n % 2..).unwrap_or_default();
        }
    }
    fields
}
