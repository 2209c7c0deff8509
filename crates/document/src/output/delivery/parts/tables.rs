//! The tables of the files into which a sound was split.

use super::plan::PartsPlan;
use crate::base::Result;
use crate::document::labels::LabelSet;
use crate::document::labels::formats::{LabelWriting, label_table, put_field};
use std::fmt::Write as _;

/// Sonobrush's table, with each label's file; `hashes` are those of the files.
pub(super) fn table(plan: &PartsPlan, hashes: &[String], sound_name: &str) -> Result<String> {
    let (parts, names) = (plan.parts(), plan.names());
    let labels = LabelSet::of(parts.iter().map(|part| part.label.clone()).collect())?;
    let more = |out: &mut String, index: usize| {
        out.push(',');
        put_field(out, &names[index], ',');
        let (first, n) = (parts[index].samples.start, parts[index].samples.end - parts[index].samples.start);
        // Writing to a string cannot fail.
        _ = write!(out, ",{first},{n},{}", hashes[index]);
    };
    let writing = LabelWriting { sound_name: Some(sound_name.to_owned()), ..LabelWriting::default() };
    label_table(&labels, &writing, &more, ",path,first_sample,n_samples,blake3")
}

/// The table for Hugging Face's `audiofolder`.
pub(super) fn metadata(plan: &PartsPlan) -> String {
    let mut out = String::from("file_name,label,start_s,end_s,low_hz,high_hz,confidence,first_sample,n_samples\n");
    for (part, name) in plan.parts().iter().zip(plan.names()) {
        let label = &part.label;
        put_field(&mut out, name, ',');
        out.push(',');
        put_field(&mut out, &label.text, ',');
        // Writing to a string cannot fail.
        _ = write!(out, ",{:?},{:?}", label.secs[0], label.secs[1]);
        for number in [label.low_hz, label.high_hz, label.confidence] {
            out.push(',');
            _ = number.map(|number| write!(out, "{number:?}"));
        }
        _ = writeln!(out, ",{},{}", part.samples.start, part.samples.end - part.samples.start);
    }
    out
}
