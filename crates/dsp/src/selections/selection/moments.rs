//! Damage located to the sample, as a shape of a selection.

use std::sync::Arc;

/// Moments too short for cells, such as clicks, at all frequencies.
///
/// Brushes act on moments extended by `reach_secs` on both sides, the reach of analysis windows, with soft edges
/// beyond; healing a gap replaces only the moments themselves.
#[derive(Debug, Clone, PartialEq)]
pub struct Moments {
    /// Start and end of each, in seconds: at least one, ascending and disjoint.
    pub runs: Arc<[[f64; 2]]>,
    /// Extension of each on both sides, in seconds.
    pub reach_secs: f64,
    /// Width of the soft edges beyond, in seconds.
    pub feather_secs: f64,
}

impl Moments {
    /// The moments extended by `reach_secs` on both sides, with overlapping ones merged.
    pub fn heard(&self) -> Vec<[f64; 2]> {
        let wide = self.runs.iter().map(|[start, end]| [start - self.reach_secs, end + self.reach_secs]);
        joined(wide.collect())
    }

    /// From the start of the first to the end of the last, extended by `reach_secs` on both sides.
    pub fn extent(&self) -> Option<[f64; 2]> {
        let (first, last) = (self.runs.first()?, self.runs.last()?);
        Some([first[0] - self.reach_secs, last[1] + self.reach_secs])
    }

    /// All moments, shifted by `secs`.
    #[must_use]
    pub fn moved(&self, secs: f64) -> Moments {
        Moments { runs: self.runs.iter().map(|run| run.map(|at| at + secs)).collect(), ..self.clone() }
    }

    /// Extends each by `by_secs` on both sides, within `all`; shortens it where negative. `None` if nothing is left.
    pub fn grown(&self, by_secs: f64, all: [f64; 2]) -> Option<Moments> {
        let grown = self.runs.iter().map(|[start, end]| [(start - by_secs).max(all[0]), (end + by_secs).min(all[1])]);
        let runs = joined(grown.filter(|[start, end]| start <= end).collect());
        (!runs.is_empty()).then(|| Moments { runs: runs.into(), ..self.clone() })
    }
}

/// Ranges in order, with touching ones merged.
pub fn joined(mut ranges: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    ranges.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let mut all: Vec<[f64; 2]> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match all.last_mut() {
            Some(last) if range[0] <= last[1] => last[1] = last[1].max(range[1]),
            _ => all.push(range),
        }
    }
    all
}
