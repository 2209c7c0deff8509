//! Chapters as comments `CHAPTER001` and `CHAPTER001NAME`: in FLAC and Ogg files, as frames in MP3 files, and as a text
//! file for tools that write such comments. Write-only.

use super::common::clock::clock;
use super::common::losses::{FormatFidelity, TextFidelity, TimePrecision};
use super::common::textual::on_one_line;
use super::common::writing::LabelWriting;
use super::format::LabelFormat;
use crate::base::Result;
use crate::document::labels::LabelSet;

pub(super) const FORMAT: LabelFormat = LabelFormat {
    name: "chapters",
    title: "a list of chapters",
    endings: &["chapters.txt"],
    recognises: |_| false,
    read_text: None,
    read_bytes: None,
    write,
    keeps: |_| FormatFidelity {
        times: TimePrecision::Units { per_sec: 1_000, has_negative: false },
        ends: false,
        band: false,
        text: TextFidelity::OneLine,
        channel: false,
        confidence: false,
        colour: false,
        column: |_| false,
        empty_text: true,
    },
};

/// Names and values of the comments.
pub fn chapter_comments(labels: &LabelSet, writing: &LabelWriting) -> Vec<(String, String)> {
    let comments = labels.iter().enumerate().flat_map(|(index, label)| {
        let name = format!("CHAPTER{:03}", index + 1);
        let text = on_one_line(writing.text(&label.text)).into_owned();
        [(name.clone(), clock(label.secs[0], '.')), (format!("{name}NAME"), text)]
    });
    comments.collect()
}

fn write(labels: &LabelSet, writing: &LabelWriting) -> Result<String> {
    Ok(chapter_comments(labels, writing).into_iter().map(|(name, text)| format!("{name}={text}\n")).collect())
}
