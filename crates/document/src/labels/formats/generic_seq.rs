//! The format generic-seq of crowsetta, for Python. Only writing is specific to it; files are read as CSV.

use super::common::delimited::put_field;
use super::common::import::NO_FILE;
use super::common::losses::{FormatFidelity, TextFidelity, TimePrecision};
use super::common::writing::LabelWriting;
use super::csv;
use super::format::LabelFormat;
use crate::base::Result;
use crate::document::labels::LabelSet;
use std::fmt::Write;

pub(super) const FORMAT: LabelFormat = LabelFormat {
    name: "generic-seq",
    title: "crowsetta's generic-seq",
    endings: &[],
    recognises: |_| false,
    read_text: csv::FORMAT.read_text,
    read_bytes: None,
    write,
    keeps: |_| FormatFidelity {
        times: TimePrecision::Exact,
        ends: true,
        band: false,
        text: TextFidelity::Exact,
        channel: false,
        confidence: false,
        colour: false,
        column: |_| false,
        empty_text: true,
    },
};

fn write(labels: &LabelSet, writing: &LabelWriting) -> Result<String> {
    let mut out =
        String::from("label,onset_s,offset_s,onset_sample,offset_sample,notated_path,annot_path,sequence,annotation\n");
    for label in labels.iter() {
        put_field(&mut out, writing.text(&label.text), ',');
        let [start, end] = label.secs;
        let [first, last] = [start, end].map(|secs| (secs * writing.rate_hz()).round() as i64);
        // Writing to a `String` cannot fail.
        _ = write!(out, ",{start:?},{end:?},{first},{last},");
        put_field(&mut out, writing.sound_name.as_deref().unwrap_or(NO_FILE), ',');
        out.push(',');
        put_field(&mut out, writing.own_name.as_deref().unwrap_or(NO_FILE), ',');
        out.push_str(",0,0\n");
    }
    Ok(out)
}
