//! Decoding text, and splitting it into lines.

use crate::base::{Error, ErrorKind, Result};
use std::borrow::Cow;

/// Characters of Windows-1252 from 0x80 to 0x9f; undefined ones are control characters.
const WINDOWS_1252: [char; 32] = [
    '\u{20ac}', '\u{81}', '\u{201a}', '\u{192}', '\u{201e}', '\u{2026}', '\u{2020}', '\u{2021}', '\u{2c6}', '\u{2030}',
    '\u{160}', '\u{2039}', '\u{152}', '\u{8d}', '\u{17d}', '\u{8f}', '\u{90}', '\u{2018}', '\u{2019}', '\u{201c}',
    '\u{201d}', '\u{2022}', '\u{2013}', '\u{2014}', '\u{2dc}', '\u{2122}', '\u{161}', '\u{203a}', '\u{153}', '\u{9d}',
    '\u{17e}', '\u{178}',
];

/// Decodes a file according to its byte order mark, otherwise as UTF-8, otherwise as Windows-1252. Returns the text,
/// and a notice if characters may be wrong.
///
/// # Errors
/// [`Malformed`](ErrorKind::Malformed) for UTF-16 that ends within a character, and for UTF-32.
pub(in crate::labels::formats) fn decoded(bytes: &[u8]) -> Result<(Cow<'_, str>, Option<String>)> {
    if bytes.starts_with(&[0xff, 0xfe, 0, 0]) || bytes.starts_with(&[0, 0, 0xfe, 0xff]) {
        return Err(Error::new(ErrorKind::Malformed, "is UTF-32, which is not read; save it as UTF-8"));
    }
    let is_big_endian = bytes.starts_with(&[0xfe, 0xff]);
    if is_big_endian || bytes.starts_with(&[0xff, 0xfe]) {
        return utf16(&bytes[2..], is_big_endian);
    }
    let bytes = bytes.strip_prefix(&[0xef, 0xbb, 0xbf]).unwrap_or(bytes);
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Ok((text.into(), None));
    }
    let notice = "is not UTF-8 and was read as Windows-1252; check letters with accents";
    Ok((windows_1252(bytes).into(), Some(notice.into())))
}

/// Decodes Windows-1252.
pub(in crate::labels::formats) fn windows_1252(bytes: &[u8]) -> String {
    let letter = |&byte: &u8| match byte {
        0x80..=0x9f => WINDOWS_1252[usize::from(byte - 0x80)],
        _ => char::from(byte),
    };
    bytes.iter().map(letter).collect()
}

fn utf16(bytes: &[u8], is_big_endian: bool) -> Result<(Cow<'_, str>, Option<String>)> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(Error::new(ErrorKind::Malformed, "is UTF-16 that ends within a letter; the file is cut short"));
    }
    let units =
        pairs.iter().map(|&pair| if is_big_endian { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) });
    let mut n_bad = 0;
    let text: String = char::decode_utf16(units)
        .map(|letter| {
            letter.unwrap_or_else(|_| {
                n_bad += 1;
                char::REPLACEMENT_CHARACTER
            })
        })
        .collect();
    let notice = (n_bad > 0).then(|| format!("{n_bad} halves of letters in its UTF-16 were replaced"));
    Ok((text.into(), notice))
}

/// A position in a text, counted from 1; in a file without lines the line is 0 and the column counts bytes from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::labels::formats) struct Spot {
    pub(in crate::labels::formats) line: usize,
    pub(in crate::labels::formats) column: usize,
}

impl std::fmt::Display for Spot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => write!(f, "byte {}", self.column),
            line => write!(f, "{line}:{}", self.column),
        }
    }
}

impl Spot {
    /// A position in a file without lines.
    pub(in crate::labels::formats) fn at_byte(at: usize) -> Spot {
        Spot { line: 0, column: at }
    }

    /// The position of `part`, a slice of the line's text.
    pub(in crate::labels::formats) fn of(line: &LabelLine<'_>, part: &str) -> Spot {
        let start = (part.as_ptr() as usize).saturating_sub(line.text.as_ptr() as usize).min(line.text.len());
        let before = line.text.get(..start).unwrap_or(line.text);
        Spot { line: line.number, column: 1 + before.chars().count() }
    }
}

/// One line, without its line ending.
#[derive(Debug, Clone, Copy)]
pub(in crate::labels::formats) struct LabelLine<'a> {
    pub(in crate::labels::formats) text: &'a str,
    /// Counted from 1.
    pub(in crate::labels::formats) number: usize,
}

/// The lines of a text; each may end with LF, CRLF or CR.
pub(in crate::labels::formats) fn lines(text: &str) -> impl Iterator<Item = LabelLine<'_>> + Clone {
    let mut rest = Some(text).filter(|text| !text.is_empty());
    let mut number = 0;
    std::iter::from_fn(move || {
        let text = rest?;
        number += 1;
        let end = text.find(['\n', '\r']).unwrap_or(text.len());
        let behind = &text[end..];
        let behind = behind.strip_prefix("\r\n").or_else(|| behind.get(1..)).unwrap_or_default();
        rest = Some(behind).filter(|text| !text.is_empty());
        Some(LabelLine { text: &text[..end], number })
    })
}

/// The first non-blank line.
pub(in crate::labels::formats) fn first_line(text: &str) -> Option<&str> {
    lines(text).map(|line| line.text).find(|line| !line.trim().is_empty())
}

/// A text on one line: line breaks and tabs become spaces.
pub(in crate::labels::formats) fn on_one_line(text: &str) -> Cow<'_, str> {
    match text.contains(['\n', '\r', '\t']) {
        true => text.replace(['\n', '\r', '\t'], " ").into(),
        false => text.into(),
    }
}
