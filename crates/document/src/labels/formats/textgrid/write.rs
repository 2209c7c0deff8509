//! Long TextGrids.

use super::super::common::writing::LabelWriting;
use super::words::{INTERVALS, POINTS, TIER};
use crate::base::Result;
use crate::document::labels::{Label, LabelSet};
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeSet, BinaryHeap, HashMap, HashSet};
use std::fmt::Write;

/// Names of the tiers for labels without one: for ranges, and for markers.
const NO_TIER: [&str; 2] = ["labels", "markers"];

/// A tier of non-overlapping intervals, or of points.
struct Tier<'a> {
    name: String,
    is_points: bool,
    labels: Vec<&'a Label>,
}

pub(super) fn write(labels: &LabelSet, writing: &LabelWriting) -> Result<String> {
    let tiers = tiers(labels, writing);
    let starts = labels.iter().map(|label| label.secs[0]);
    let ends = labels.iter().map(|label| label.secs[1]);
    let start = starts.fold(0.0, f64::min);
    let end = ends.fold(writing.sound_secs.unwrap_or(0.0), f64::max);
    // Praat refuses a grid of length 0.
    let end = if end > start { end } else { start + 1.0 };
    let mut out = String::with_capacity(100 * (labels.len() + 1));
    // Writing to a `String` cannot fail.
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

/// The tiers of one name and kind. A label goes into the first of them that is free at the label's start.
#[derive(Default)]
struct TierChoice {
    /// Free tiers, by index.
    free: BTreeSet<usize>,
    /// Occupied tiers with the end of their last label, the earliest end first.
    busy: BinaryHeap<Reverse<(OrderedSecs, usize)>>,
    /// Number in the next tier's name; 0 before the first tier, which has the plain name.
    n: usize,
}

impl TierChoice {
    /// Takes the first tier that is free at a label's start; `None` if all are occupied. From call to call, starts must
    /// not decrease.
    fn take_free(&mut self, start_secs: f64, is_points: bool) -> Option<usize> {
        // Praat merges two points at the same time.
        let is_free = |end: f64| if is_points { start_secs > end } else { start_secs >= end };
        while let Some(Reverse((end, _))) = self.busy.peek()
            && is_free(end.0)
            && let Some(Reverse((_, at))) = self.busy.pop()
        {
            self.free.insert(at);
        }
        self.free.pop_first()
    }
}

/// Seconds with a total order.
#[derive(Clone, Copy)]
struct OrderedSecs(f64);

impl Ord for OrderedSecs {
    fn cmp(&self, other: &OrderedSecs) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for OrderedSecs {
    fn partial_cmp(&self, other: &OrderedSecs) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for OrderedSecs {
    fn eq(&self, other: &OrderedSecs) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for OrderedSecs {}

/// The tiers named by the labels, with further tiers for labels that overlap.
fn tiers<'a>(labels: &'a LabelSet, writing: &LabelWriting) -> Vec<Tier<'a>> {
    let mut tiers: Vec<Tier<'a>> = Vec::new();
    let mut choices: HashMap<(&str, bool), TierChoice> = HashMap::new();
    let mut taken: HashSet<(String, bool)> = HashSet::new();
    let own_names: BTreeSet<&str> = labels.iter().filter_map(|label| label.columns.get(TIER)).collect();
    for label in labels.iter().filter(|label| !writing.text(&label.text).is_empty()) {
        let is_points = label.is_marker();
        let of = label.columns.get(TIER).unwrap_or(NO_TIER[usize::from(is_points)]);
        let choice = choices.entry((of, is_points)).or_default();
        let at = choice.take_free(label.secs[0], is_points).unwrap_or_else(|| {
            let name = unique_name(of, &mut choice.n, |name| {
                // A numbered name must not be one of the user's tiers, since the two would merge.
                (name == of || !own_names.contains(name)) && taken.insert((name.to_owned(), is_points))
            });
            tiers.push(Tier { name, is_points, labels: Vec::new() });
            tiers.len() - 1
        });
        tiers[at].labels.push(label);
        choice.busy.push(Reverse((OrderedSecs(label.secs[1]), at)));
    }
    tiers
}

/// The first name that `take` accepts: `of` itself, or `of (n)`, with `n` from 2 or from the last number plus 1.
fn unique_name(of: &str, n: &mut usize, mut take: impl FnMut(&str) -> bool) -> String {
    loop {
        let name = if *n == 0 { of.to_owned() } else { format!("{of} ({n})") };
        *n = (*n + 1).max(2);
        if take(&name) {
            return name;
        }
    }
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

/// A label's text, followed by its band, confidence and channel in brackets if `keeps_in_text` is set.
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
