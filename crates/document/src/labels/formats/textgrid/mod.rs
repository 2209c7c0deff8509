//! TextGrids of Praat: long, short, chronological and binary ones are read, long ones written.

mod binary;
mod read;
mod tokens;
mod words;
mod write;

use super::format::{LabelContent, LabelFormat};
use super::losses::{Keeps, KeptText, KeptTimes};
use super::textual::first_line;
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
    keeps: |writing| Keeps {
        times: KeptTimes::Exact,
        ends: true,
        band: writing.keeps_in_text,
        text: KeptText::NoBreaks,
        channel: writing.keeps_in_text,
        confidence: writing.keeps_in_text,
        colour: false,
        column: |name| name == TIER,
        empty_text: false,
    },
};

fn recognises(content: &LabelContent<'_>) -> bool {
    match content {
        LabelContent::Bytes(bytes) => bytes.starts_with(MAGIC),
        LabelContent::Text(text) => {
            if first_line(text).is_some_and(|line| line.trim_start().starts_with(&format!("\"{CHRONOLOGICAL}\""))) {
                return true;
            }
            let mut strings = Tokens::new(text).filter_map(|token| match token {
                Ok((Token::Text(text), _)) => Some(text),
                _ => None,
            });
            strings.next().is_some_and(|first| first.starts_with("ooTextFile"))
                && strings.next().is_some_and(|second| second == "TextGrid")
        }
    }
}
