//! Writes tags at the start of an MP3 file: ID3v2.3, which every player reads, with pictures and chapters.
//!
//! Sources: ID3v2.3.0 (id3.org); the ID3v2 Chapter Frame Addendum; field names of the Vorbis comment specification.

use crate::base::secs_from_clock;
use crate::metadata::sound_tags::{SoundTags, is_of_chapter, place_of_chapter};

/// Maximum size of a tag in bytes: its length has 28 bits.
const MAX_BYTES: usize = (1 << 28) - 1;
/// Comments and the corresponding text frames.
const FRAMES: [(&str, &[u8; 4]); 20] = [
    ("TITLE", b"TIT2"),
    ("VERSION", b"TIT3"),
    ("SUBTITLE", b"TIT3"),
    ("GROUPING", b"TIT1"),
    ("ARTIST", b"TPE1"),
    ("ALBUMARTIST", b"TPE2"),
    ("ALBUM ARTIST", b"TPE2"),
    ("CONDUCTOR", b"TPE3"),
    ("COMPOSER", b"TCOM"),
    ("LYRICIST", b"TEXT"),
    ("ALBUM", b"TALB"),
    ("GENRE", b"TCON"),
    ("COPYRIGHT", b"TCOP"),
    ("ORGANIZATION", b"TPUB"),
    ("PUBLISHER", b"TPUB"),
    ("LABEL", b"TPUB"),
    ("ISRC", b"TSRC"),
    ("LANGUAGE", b"TLAN"),
    ("BPM", b"TBPM"),
    ("INITIALKEY", b"TKEY"),
];
/// Comments that are stored in other frames, and those that are valid only for the source's file.
const UNCOPIED_COMMENTS: [&str; 12] = [
    "DATE",
    "YEAR",
    "TRACKNUMBER",
    "TRACKTOTAL",
    "TOTALTRACKS",
    "DISCNUMBER",
    "DISCTOTAL",
    "TOTALDISCS",
    "COMMENT",
    "DESCRIPTION",
    "ENCODER",
    "METADATA_BLOCK_PICTURE",
];
/// Maximum number of chapters in the table of contents.
const MAX_CHAPTERS: usize = 255;

/// The ID3v2 tag for a sound of `sound_secs`; empty if there is nothing to write, or too much.
pub(crate) fn id3_tag(tags: &SoundTags, sound_secs: f64) -> Vec<u8> {
    let fields: Vec<(String, &str)> = tags.fields.iter().filter_map(|field| named(field)).collect();
    let values = |wanted: &[&str]| -> Vec<&str> {
        let is_requested = |name: &String| wanted.contains(&name.as_str());
        fields.iter().filter(|(name, text)| is_requested(name) && !text.is_empty()).map(|(_, text)| *text).collect()
    };
    let mut frames = Vec::new();
    let mut ids: Vec<&[u8; 4]> = FRAMES.map(|(_, id)| id).to_vec();
    ids.dedup();
    for id in ids {
        let names: Vec<&str> = FRAMES.iter().filter(|(_, other)| *other == id).map(|(name, _)| *name).collect();
        put_text(&mut frames, id, &values(&names).join("/"));
    }
    if let Some(date) = values(&["DATE", "YEAR"]).first() {
        put_date(&mut frames, date);
    }
    for (id, number, total) in
        [(b"TRCK", "TRACKNUMBER", ["TRACKTOTAL", "TOTALTRACKS"]), (b"TPOS", "DISCNUMBER", ["DISCTOTAL", "TOTALDISCS"])]
    {
        let number = values(&[number]).first().copied().unwrap_or_default();
        match values(&total).first().filter(|_| !number.is_empty() && !number.contains('/')) {
            Some(total) => put_text(&mut frames, id, &format!("{number}/{total}")),
            None => put_text(&mut frames, id, number),
        }
    }
    let comments = values(&["COMMENT", "DESCRIPTION"]);
    if !comments.is_empty() {
        put_frame(&mut frames, b"COMM", &coded("XXX", &["", &comments.join("\n")]));
    }
    let is_other = |name: &str| FRAMES.iter().all(|(known, _)| *known != name) && !UNCOPIED_COMMENTS.contains(&name);
    let mut others: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).filter(|name| is_other(name)).collect();
    others.sort_unstable();
    others.dedup();
    for name in others {
        put_frame(&mut frames, b"TXXX", &coded("", &[name, &values(&[name]).join("/")]));
    }
    put_chapters(&mut frames, &tags.fields, sound_secs);
    for picture in &tags.pictures {
        let is_wide = !picture.description.is_ascii();
        let kind = [&[u8::from(is_wide)], picture.media_type.as_bytes(), &[0, picture.picture_type as u8]].concat();
        let frame = [kind, letters(&picture.description, is_wide, true), picture.data.clone()].concat();
        if frames.len() + frame.len() + 20 < MAX_BYTES {
            put_frame(&mut frames, b"APIC", &frame);
        }
    }
    if frames.is_empty() || frames.len() > MAX_BYTES {
        return Vec::new();
    }
    let n = frames.len() as u32;
    let n_coded = [n >> 21, n >> 14, n >> 7, n].map(|part| (part & 0x7f) as u8);
    [&b"ID3\x03\0\0"[..], &n_coded, &frames].concat()
}

/// A comment's name in upper case, and its text; `None` for chapters and malformed comments.
fn named(field: &str) -> Option<(String, &str)> {
    let (name, text) = field.split_once('=')?;
    (!is_of_chapter(field) && !name.is_empty()).then(|| (name.to_uppercase(), text.trim()))
}

/// Adds the year, and the day and month if both are stated.
fn put_date(frames: &mut Vec<u8>, date: &str) {
    let digits = |range: std::ops::Range<usize>| {
        date.get(range).filter(|part| part.bytes().all(|byte| byte.is_ascii_digit())).unwrap_or_default()
    };
    put_text(frames, b"TYER", digits(0..4));
    let (month, day) = (digits(5..7), digits(8..10));
    if !month.is_empty() && !day.is_empty() {
        put_text(frames, b"TDAT", &format!("{day}{month}"));
    }
}

/// Adds chapters in order of their times, and the table of contents that lists them.
fn put_chapters(frames: &mut Vec<u8>, fields: &[String], sound_secs: f64) {
    let places = fields.iter().filter_map(|field| place_of_chapter(field));
    let mut chapters: Vec<(f64, String)> = places
        .filter_map(|(number, clock)| {
            let wanted = format!("CHAPTER{number}NAME");
            let name = fields.iter().filter_map(|field| field.split_once('='));
            let name =
                name.filter(|(name, _)| name.eq_ignore_ascii_case(&wanted)).map(|(_, text)| text.to_owned()).next();
            Some((secs_from_clock(clock)?, name.unwrap_or_default()))
        })
        .collect();
    chapters.sort_by(|one, other| one.0.total_cmp(&other.0));
    chapters.truncate(MAX_CHAPTERS);
    if chapters.is_empty() {
        return;
    }
    let id = |index: usize| format!("chp{index}\0");
    let mut table = [&b"toc\0\x03"[..], &[chapters.len() as u8]].concat();
    (0..chapters.len()).for_each(|index| table.extend_from_slice(id(index).as_bytes()));
    put_frame(frames, b"CTOC", &table);
    let millis = |secs: f64| ((secs * 1_000.0).round().min(f64::from(u32::MAX)) as u32).to_be_bytes();
    for (index, (secs, name)) in chapters.iter().enumerate() {
        let end_secs = chapters.get(index + 1).map_or(sound_secs, |next| next.0).max(*secs);
        let mut title = Vec::new();
        put_text(&mut title, b"TIT2", name);
        // 0xff: no byte offsets.
        let frame = [id(index).as_bytes(), &millis(*secs), &millis(end_secs), &[0xff; 8], &title].concat();
        put_frame(frames, b"CHAP", &frame);
    }
}

fn put_text(frames: &mut Vec<u8>, id: &[u8; 4], text: &str) {
    if !text.is_empty() {
        put_frame(frames, id, &coded("", &[text]));
    }
}

fn put_frame(frames: &mut Vec<u8>, id: &[u8; 4], content: &[u8]) {
    frames.extend_from_slice(id);
    frames.extend_from_slice(&(content.len() as u32).to_be_bytes());
    frames.extend_from_slice(&[0, 0]);
    frames.extend_from_slice(content);
}

/// A frame's content: the encoding of the texts, the language if not empty, and the texts, all but the last terminated
/// by zeros.
fn coded(language: &str, texts: &[&str]) -> Vec<u8> {
    let is_wide = texts.iter().any(|text| !text.is_ascii());
    let mut bytes = vec![u8::from(is_wide)];
    bytes.extend_from_slice(language.as_bytes());
    for (index, text) in texts.iter().enumerate() {
        bytes.extend(letters(text, is_wide, index + 1 < texts.len()));
    }
    bytes
}

/// A text as ASCII, or as UTF-16 with a byte order mark if `is_wide`; terminated by a zero if `ends`.
fn letters(text: &str, is_wide: bool, ends: bool) -> Vec<u8> {
    let mut bytes = match is_wide {
        true => [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect(),
        false => text.as_bytes().to_vec(),
    };
    bytes.extend(std::iter::repeat_n(0, if ends { 1 + usize::from(is_wide) } else { 0 }));
    bytes
}
