//! Long TextGrids.

use super::super::writing::LabelWriting;
use super::words::{INTERVALS, POINTS, TIER};
use crate::base::Result;
use crate::document::labels::{Label, LabelSet};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Names of tiers of labels that have none.
const NO_TIER: [&str; 2] = ["labels", "markers"];

/// A tier of intervals, none of which overlap, or of points.
struct Tier<'a> {
    /// That its labels have.
    of: &'a str,
    name: String,
    is_points: bool,
    labels: Vec<&'a Label>,
    end_secs: f64,
}

pub(super) fn write(labels: &LabelSet, writing: &LabelWriting) -> Result<String> {
    let tiers = tiers(labels, writing);
    let starts = labels.iter().map(|label| label.secs[0]);
    let ends = labels.iter().map(|label| label.secs[1]);
    let start = starts.fold(0.0, f64::min);
    let end = ends.fold(writing.sound_secs.unwrap_or(0.0), f64::max);
    // Praat refuses a grid of no length.
    let end = if end > start { end } else { start + 1.0 };
    let mut out = String::with_capacity(100 * (labels.len() + 1));
    // Writing to a text cannot fail.
    _ = write!(
        out,
        "File type = \"ooTextFile\"\nObject class = \"TextGrid\"\n\nxmin = {start:?} \nxmax = {end:?} \ntiers? <exists> \n\
         size = {} \nitem []: \n",
        tiers.len()
    );
    for (index, tier) in tiers.iter().enumerate() {
        let class = if tier.is_points { POINTS } else { INTERVALS };
        _ = write!(
            out,
            "    item [{}]:\n        class = \"{class}\" \n        name = \"{}\" \n        xmin = {start:?} \n        \
             xmax = {end:?} \n",
            index + 1,
            quoted(&tier.name),
        );
        match tier.is_points {
            true => put_points(&mut out, tier, writing),
            false => put_intervals(&mut out, tier, [start, end], writing),
        }
    }
    Ok(out)
}

/// Tiers by the names that labels have, each as many times as its labels lie on one another.
fn tiers<'a>(labels: &'a LabelSet, writing: &LabelWriting) -> Vec<Tier<'a>> {
    let mut tiers: Vec<Tier<'a>> = Vec::new();
    let own_names: BTreeSet<&str> = labels.iter().filter_map(|label| label.columns.get(TIER)).collect();
    for label in labels.iter().filter(|label| !writing.text(&label.text).is_empty()) {
        let is_points = label.is_marker();
        let of = label.columns.get(TIER).unwrap_or(NO_TIER[usize::from(is_points)]);
        let fits = |tier: &&mut Tier<'_>| tier.of == of && tier.is_points == is_points && tier_takes(tier, label);
        if let Some(tier) = tiers.iter_mut().find(fits) {
            tier.labels.push(label);
            tier.end_secs = label.secs[1];
            continue;
        }
        // Another tier of the name of a user's own would become one with it.
        let is_taken = |name: &str, tiers: &[Tier<'_>]| {
            tiers.iter().any(|tier| tier.name == name && tier.is_points == is_points)
                || name != of && own_names.contains(name)
        };
        let mut name = of.to_owned();
        let mut n = 2;
        while is_taken(&name, &tiers) {
            name = format!("{of} ({n})");
            n += 1;
        }
        tiers.push(Tier { of, name, is_points, labels: vec![label], end_secs: label.secs[1] });
    }
    tiers
}

/// Whether a label, which begins at or behind all of the tier's, lies on none of them.
fn tier_takes(tier: &Tier<'_>, label: &Label) -> bool {
    // Two points at one place are one to Praat.
    if tier.is_points { label.secs[0] > tier.end_secs } else { label.secs[0] >= tier.end_secs }
}

fn put_points(out: &mut String, tier: &Tier<'_>, writing: &LabelWriting) {
    _ = writeln!(out, "        points: size = {} ", tier.labels.len());
    for (index, label) in tier.labels.iter().enumerate() {
        let (n, at, text) = (index + 1, label.secs[0], text_of(label, writing));
        _ = write!(out, "        points [{n}]:\n            number = {at:?} \n            mark = \"{text}\" \n");
    }
}

fn put_intervals(out: &mut String, tier: &Tier<'_>, [start, end]: [f64; 2], writing: &LabelWriting) {
    let mut intervals: Vec<(f64, f64, String)> = Vec::with_capacity(2 * tier.labels.len() + 1);
    let mut at = start;
    for label in &tier.labels {
        if label.secs[0] > at {
            intervals.push((at, label.secs[0], String::new()));
        }
        intervals.push((label.secs[0], label.secs[1], text_of(label, writing)));
        at = label.secs[1];
    }
    if at < end {
        intervals.push((at, end, String::new()));
    }
    _ = writeln!(out, "        intervals: size = {} ", intervals.len());
    for (index, (from, to, text)) in intervals.iter().enumerate() {
        _ = write!(
            out,
            "        intervals [{}]:\n            xmin = {from:?} \n            xmax = {to:?} \n            text = \
             \"{text}\" \n",
            index + 1
        );
    }
}

/// A label's text, with what else it says where that is asked for.
fn text_of(label: &Label, writing: &LabelWriting) -> String {
    let text = quoted(&writing.text(&label.text).replace('\n', " "));
    if !writing.keeps_in_text {
        return text;
    }
    let band = match (label.low_hz, label.high_hz) {
        (Some(low), Some(high)) => Some(format!("{low:?}-{high:?} Hz")),
        (Some(low), None) => Some(format!("above {low:?} Hz")),
        (None, Some(high)) => Some(format!("below {high:?} Hz")),
        (None, None) => None,
    };
    let confidence = label.confidence.map(|confidence| format!("confidence {confidence:?}"));
    let channel = label.channel.map(|channel| format!("channel {channel}"));
    let more: Vec<String> = [band, confidence, channel].into_iter().flatten().collect();
    if more.is_empty() { text } else { format!("{text} [{}]", more.join(", ")) }
}

fn quoted(text: &str) -> String {
    text.replace('"', "\"\"")
}
