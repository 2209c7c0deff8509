//! WebVTT subtitles (`.vtt`).

use super::common::subtitles::{ARROW, KEEPS, read_blocks, written_blocks};
use super::common::textual::{first_line, lines};
use super::common::writing::LabelWriting;
use super::format::{LabelContent, LabelFormat};
use crate::base::Result;
use crate::document::labels::LabelSet;

pub(super) const FORMAT: LabelFormat = LabelFormat {
    name: "vtt",
    title: "WebVTT",
    endings: &["vtt"],
    recognises: |content| matches!(content, LabelContent::Text(text) if first_line(text).is_some_and(is_head)),
    read_text: Some(|text, import| read_blocks(lines(text), import, is_passed_over, unescaped)),
    read_bytes: None,
    write,
    keeps: |_| KEEPS,
};

fn is_head(line: &str) -> bool {
    line.strip_prefix("WEBVTT").is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
}

/// Whether a block is something other than a label.
fn is_passed_over(first: &str) -> bool {
    let is = |word: &str| first.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']));
    is_head(first) || !first.contains(ARROW) && ["NOTE", "STYLE", "REGION"].into_iter().any(is)
}

/// Decodes character references; tags stay text.
fn unescaped(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let letters = [("&lt;", "<"), ("&gt;", ">"), ("&nbsp;", "\u{a0}"), ("&lrm;", "\u{200e}"), ("&rlm;", "\u{200f}")];
    let text = letters.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
    text.replace("&amp;", "&")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace(ARROW, "--&gt;")
}

fn write(labels: &LabelSet, writing: &LabelWriting) -> Result<String> {
    let mut out = String::from("WEBVTT\n\n");
    written_blocks(&mut out, labels, writing, '.', escaped);
    Ok(out)
}
