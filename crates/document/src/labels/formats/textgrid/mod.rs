//! TextGrids of Praat: long, short, chronological and binary ones can be read, long ones written.

mod binary;
mod read;
mod tokens;
mod words;
mod write;

use super::common::losses::{FormatFidelity, TextFidelity, TimePrecision};
use super::common::textual::first_line;
use super::format::{LabelContent, LabelFormat};
use tokens::{Token, Tokens};
use words::{CHRONOLOGICAL, MAGIC, TIER};

pub(super) const FORMAT: LabelFormat = LabelFormat {
    name: "textgrid",
    title: "TextGrid",
    endings: &["textgrid"],
    recognises,
    read_text: Some(read::read),
    read_bytes: Some(binary::read),
    write: write::write,
    keeps: |writing| FormatFidelity {
        times: TimePrecision::Exact,
        ends: true,
        band: writing.keeps_in_text,
        text: TextFidelity::NoBreaks,
        channel: writing.keeps_in_text,
        confidence: writing.keeps_in_text,
        colour: false,
        column: |name| name == TIER,
        empty_text: false,
    },
};

/// Size of the part of a file in which the two texts that identify a grid must lie.
const HEAD_BYTES: usize = 4_096;

fn recognises(content: &LabelContent<'_>) -> bool {
    match content {
        LabelContent::Bytes(bytes) => bytes.starts_with(MAGIC),
        LabelContent::Text(text) => {
            if first_line(text).is_some_and(|line| line.trim_start().starts_with(&format!("\"{CHRONOLOGICAL}\""))) {
                return true;
            }
            // Only the head: in a large file of another kind, all of it might be searched for a token.
            let mut tokens = Tokens::new(&text[..text.floor_char_boundary(HEAD_BYTES)]);
            let mut is_text = |wanted: fn(&str) -> bool| {
                let token = tokens.next().and_then(Result::ok);
                token.is_some_and(|(token, _)| matches!(token, Token::Text(text) if wanted(&text)))
            };
            is_text(|first| first.starts_with("ooTextFile")) && is_text(|second| second == "TextGrid")
        }
    }
}
