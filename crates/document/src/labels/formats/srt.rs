//! SubRip subtitles (`.srt`).

use super::common::subtitles::{ARROW, KEEPS, read_blocks, written_blocks};
use super::common::textual::lines;
use super::common::writing::LabelWriting;
use super::format::{LabelContent, LabelFormat};
use crate::base::Result;
use crate::document::labels::LabelSet;

pub(super) const FORMAT: LabelFormat = LabelFormat {
    name: "srt",
    title: "SRT",
    endings: &["srt"],
    recognises,
    read_text: Some(|text, import| read_blocks(lines(text), import, |_| false, str::to_owned)),
    read_bytes: None,
    write,
    keeps: |_| KEEPS,
};

fn recognises(content: &LabelContent<'_>) -> bool {
    let LabelContent::Text(text) = content else { return false };
    let mut lines = lines(text).map(|line| line.text.trim()).skip_while(|line| line.is_empty());
    let number = lines.next().unwrap_or_default();
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number && lines.next().is_some_and(|times| times.contains(&format!(" {ARROW} ")))
}

fn write(labels: &LabelSet, writing: &LabelWriting) -> Result<String> {
    let mut out = String::with_capacity(48 * labels.len());
    written_blocks(&mut out, labels, writing, ',', str::to_owned);
    Ok(out)
}
