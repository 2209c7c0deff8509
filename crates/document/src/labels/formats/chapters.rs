//! Chapters as comments of FLAC and Ogg files hold them, for tools that write such comments; only written.

use super::clock::clock;
use super::format::LabelFormat;
use super::losses::{Keeps, KeptText, KeptTimes};
use super::textual::on_one_line;
use super::writing::LabelWriting;
use crate::base::Result;
use crate::document::labels::LabelSet;
use std::fmt::Write;

pub(super) const FORMAT: LabelFormat = LabelFormat {
    name: "chapters",
    title: "chapters",
    endings: &["chapters.txt"],
    recognises: |_| false,
    read_text: None,
    read_bytes: None,
    write: write,
    keeps: |_| Keeps {
        times: KeptTimes::Units { per_sec: 1_000, has_negative: false },
        ends: false,
        band: false,
        text: KeptText::OneLine,
        channel: false,
        confidence: false,
        colour: false,
        column: |_| false,
        empty_text: true,
    },
};

fn write(labels: &LabelSet, writing: &LabelWriting) -> Result<String> {
    let mut out = String::with_capacity(48 * labels.len());
    for (index, label) in labels.iter().enumerate() {
        let n = index + 1;
        let text = on_one_line(writing.text(&label.text));
        // Writing to a text cannot fail.
        _ = writeln!(out, "CHAPTER{n:03}={}\nCHAPTER{n:03}NAME={text}", clock(label.secs[0], '.'));
    }
    Ok(out)
}
