//! What a format does not preserve, counted and reported on one line.

use super::writing::LabelWriting;
use crate::document::labels::{Label, LabelSet};
use std::collections::BTreeSet;

/// Precision of a format's times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimePrecision {
    /// Exact to the bit.
    Exact,
    /// Multiples of a unit; not negative unless `has_negative`.
    Units {
        /// Number of units per second.
        per_sec: u32,
        /// Whether times before the sound can be written.
        has_negative: bool,
    },
}

/// How texts are preserved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextFidelity {
    /// Unchanged.
    Exact,
    /// Line breaks become spaces.
    NoBreaks,
    /// Line breaks and tabs become spaces.
    OneLine,
    /// Blank lines are removed.
    NoBlankLines,
}

/// What a format preserves.
#[derive(Debug, Clone, Copy)]
pub struct FormatFidelity {
    /// Precision of times.
    pub times: TimePrecision,
    /// Whether ends of ranges are kept.
    pub ends: bool,
    /// Whether frequency bands are kept.
    pub band: bool,
    /// How texts are kept.
    pub text: TextFidelity,
    /// Whether channels are kept.
    pub channel: bool,
    /// Whether confidences are kept.
    pub confidence: bool,
    /// Whether colours are kept.
    pub colour: bool,
    /// Whether a column of this name is kept.
    pub column: fn(&str) -> bool,
    /// Whether labels without a text are kept.
    pub empty_text: bool,
}

impl FormatFidelity {
    /// Preserves everything.
    pub const ALL: FormatFidelity = FormatFidelity {
        times: TimePrecision::Exact,
        ends: true,
        band: true,
        text: TextFidelity::Exact,
        channel: true,
        confidence: true,
        colour: true,
        column: |_| true,
        empty_text: true,
    };
}

/// What was lost, by kind.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LabelLosses {
    /// Lost fields: their number, with the noun in singular and plural.
    gone: Vec<(usize, &'static str, &'static str)>,
    /// The changed fields.
    changed: Vec<(usize, &'static str, &'static str)>,
}

impl LabelLosses {
    /// The losses of labels in a format.
    pub(in crate::labels::formats) fn of(
        labels: &LabelSet,
        keeps: &FormatFidelity,
        writing: &LabelWriting,
    ) -> LabelLosses {
        let is_dropped = |label: &&Label| !keeps.empty_text && keeps.text.is_empty(writing.text(&label.text));
        let count = |is_lost: &dyn Fn(&Label) -> bool| {
            labels.iter().filter(|label| !is_dropped(label) && is_lost(label)).count()
        };
        let has_band = |label: &Label| label.low_hz.is_some() || label.high_hz.is_some();
        let columns: BTreeSet<&str> = labels
            .iter()
            .flat_map(|label| label.columns.iter().map(|(name, _)| &**name))
            .filter(|name| !(keeps.column)(name))
            .collect();
        let gone = [
            (count(&|label| !keeps.ends && !label.is_marker()), "end", "ends"),
            (count(&|label| !keeps.band && has_band(label)), "band", "bands"),
            (count(&|label| !keeps.channel && label.channel.is_some()), "channel", "channels"),
            (count(&|label| !keeps.confidence && label.confidence.is_some()), "confidence", "confidences"),
            (count(&|label| !keeps.colour && label.colour.is_some()), "colour", "colours"),
            (columns.len(), "column", "columns"),
            (labels.iter().filter(is_dropped).count(), "label without a text", "labels without a text"),
        ];
        let half_sample = 0.5 / writing.rate_hz();
        let moves = |label: &Label| label.secs.iter().any(|secs| (keeps.times.kept(*secs) - secs).abs() > half_sample);
        let has_break = |label: &Label| label.text.contains('\n');
        let is_broken = |label: &Label| match keeps.text {
            TextFidelity::Exact | TextFidelity::NoBlankLines => false,
            TextFidelity::NoBreaks | TextFidelity::OneLine => has_break(label),
        };
        let has_tab = |label: &Label| keeps.text == TextFidelity::OneLine && label.text.contains('\t');
        let has_blank = |label: &Label| {
            keeps.text == TextFidelity::NoBlankLines && label.text.split('\n').any(|line| line.trim().is_empty())
        };
        let changed = [
            (count(&is_broken), "text had line breaks, now spaces", "texts had line breaks, now spaces"),
            (count(&has_tab), "text had tabs, now spaces", "texts had tabs, now spaces"),
            (count(&has_blank), "text had blank lines, now none", "texts had blank lines, now none"),
            (count(&moves), "label moved by more than half a sample", "labels moved by more than half a sample"),
        ];
        let there = |all: &[(usize, &'static str, &'static str)]| {
            all.iter().copied().filter(|(n, ..)| *n > 0).collect::<Vec<_>>()
        };
        LabelLosses { gone: there(&gone), changed: there(&changed) }
    }

    /// Adds other losses.
    pub fn add(&mut self, other: &LabelLosses) {
        let put = |all: &mut Vec<(usize, &'static str, &'static str)>, more: &[(usize, &'static str, &'static str)]| {
            for &(n, one, many) in more {
                match all.iter_mut().find(|(_, known, _)| *known == one) {
                    Some((sum, ..)) => *sum += n,
                    None => all.push((n, one, many)),
                }
            }
        };
        put(&mut self.gone, &other.gone);
        put(&mut self.changed, &other.changed);
    }

    /// Whether everything was preserved.
    pub fn is_empty(&self) -> bool {
        self.gone.is_empty() && self.changed.is_empty()
    }

    /// The report: `Not kept: 12 channels, 3 confidences; 2 texts had line breaks, now spaces.`; `None` without losses.
    pub fn sentence(&self) -> Option<String> {
        let listed = |all: &[(usize, &str, &str)]| {
            let one = |(n, one, many): &(usize, &str, &str)| format!("{n} {}", if *n == 1 { one } else { many });
            all.iter().map(one).collect::<Vec<_>>().join(", ")
        };
        let gone = (!self.gone.is_empty()).then(|| format!("Not kept: {}", listed(&self.gone)));
        let changed = (!self.changed.is_empty()).then(|| listed(&self.changed));
        let parts: Vec<String> = gone.into_iter().chain(changed).collect();
        (!parts.is_empty()).then(|| format!("{}.", parts.join("; ")))
    }
}

impl TextFidelity {
    /// Whether a text becomes empty.
    pub(in crate::labels::formats) fn is_empty(self, text: &str) -> bool {
        text.is_empty() || self == TextFidelity::NoBlankLines && text.trim().is_empty()
    }
}

impl TimePrecision {
    /// A time in seconds as the format stores it.
    pub(in crate::labels::formats) fn kept(self, secs: f64) -> f64 {
        match self {
            TimePrecision::Exact => secs,
            TimePrecision::Units { per_sec, has_negative } => {
                let secs = if has_negative { secs } else { secs.max(0.0) };
                (secs * f64::from(per_sec)).round() / f64::from(per_sec)
            }
        }
    }
}
