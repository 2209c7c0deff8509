//! The gaps of an edit in samples, and how they are grouped for prediction.

use crate::base::{Error, ErrorKind, Result};
use crate::document::edits::plan::Placement;
use crate::document::edits::selected_runs::{ALL_TIME_SECS, selected_times};
use crate::dsp::repair::heal::{GapOrders, Heal};
use crate::dsp::{Selection, Shape};
use std::ops::Range;

/// Span of the prediction's coefficients: 46 ms resolve tones 22 Hz apart.
const PREDICTION_SECS: f64 = 0.0465;
/// Maximum order of the prediction, which is reached at 44.1 kHz.
const MAX_PREDICTION: usize = 2048;
/// Order for short gaps, where a lower order is much faster: a minimum, plus a number of coefficients per sample of the
/// gap (Janssen and others use three per sample plus two).
const MIN_PREDICTION: usize = 64;
const PREDICTION_PER_SAMPLE: usize = 4;
/// Maximum number of context samples per coefficient on each side of a gap.
const CONTEXT_PER_COEFFICIENT: u64 = 8;

/// Mean number of samples between gaps below which separate predictions would have too few samples; such gaps share
/// coefficients.
const CROWDED_SAMPLES: usize = 16;
/// Minimum number of gaps that share coefficients; fewer are predicted separately.
const MIN_GROUPED_GAPS: usize = 16;
/// Maximum span in samples of the gaps that share coefficients.
const MAX_CROWDED_SAMPLES: u64 = 4096;

/// Length below which gaps, such as clicks, are predicted with a single order: for them, several orders are no better
/// on voices, and take a hundred times as long.
const MIN_WEIGHTED_SECS: f64 = 0.002;
/// Minimum distance of gaps predicted with several orders, since no trial gap fits between closer ones.
const MIN_SEPARATION_SECS: f64 = 0.02;

/// A gap in samples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// All frames that contain a part of it.
    pub frames: Range<usize>,
    /// The samples to be predicted.
    pub samples: Range<u64>,
    /// Samples of the gap, and those from which the prediction is estimated.
    pub segment: Range<u64>,
    /// Order of the prediction, if there is only one.
    pub order: usize,
    /// Maximum number of samples before and after for estimating several weighted orders; `None` for one order.
    pub weighed: Option<[u64; 2]>,
}

/// The gaps of an edit in samples: one per connected range of selected time.
///
/// # Errors
/// [`Script`](ErrorKind::Script) if a gap is too long.
pub(super) fn gaps(place: &Placement<'_>, context_secs: [f64; 2], orders: GapOrders) -> Result<Vec<Gap>> {
    let grid = &place.grid;
    let painted = place.stroke.map(|stroke| {
        let secs = stroke.points.iter().map(|point| point.secs);
        let [first, last] = secs.fold([f64::MAX, f64::MIN], |[a, b], secs| [a.min(secs), b.max(secs)]);
        [first - stroke.radius[0], last + stroke.radius[0]]
    });
    let all_secs = grid.n_samples as f64 / grid.sample_rate_hz;
    let selected = place.select.map_or_else(|| vec![ALL_TIME_SECS], selected_times);
    let within = |[start, end]: [f64; 2]| {
        let [from, to] = painted.unwrap_or(ALL_TIME_SECS);
        [start.max(from).max(0.0), end.min(to).min(all_secs)]
    };
    let mut runs: Vec<[f64; 2]> = selected.iter().map(|run| within(*run)).filter(|[start, end]| start <= end).collect();
    if runs.is_empty() {
        // No fully selected time is left, only soft edges: uses the extent of the selection, in which a gap has at
        // least one sample.
        let run = place.select.and_then(|select| select.extent()[0]).unwrap_or(ALL_TIME_SECS);
        runs.push(within(run));
    }
    let longest_secs = runs.iter().fold(0.0, |max, [start, end]| f64::max(max, end - start));
    if longest_secs > Heal::MAX_GAP_SECS + 1e-9 {
        return Err(Error::new(
            ErrorKind::Script,
            format!(
                "{} {:.0} ms long, and full-band gap heals at most {:.0} ms; select less, or choose another mode",
                if runs.len() > 1 { "one of these gaps is" } else { "this gap is" },
                longest_secs * 1000.0,
                Heal::MAX_GAP_SECS * 1000.0
            ),
        ));
    }
    let sample = |secs: f64| (secs * grid.sample_rate_hz).round().clamp(0.0, grid.n_samples as f64) as u64;
    let context = context_secs.map(|secs| (secs * grid.sample_rate_hz).round() as u64);
    let order = ((PREDICTION_SECS * grid.sample_rate_hz).round() as usize).clamp(8, MAX_PREDICTION);
    let gap = |[start, end]: [f64; 2]| {
        let samples = sample(start)..sample(end).max(sample(start) + 1).min(grid.n_samples);
        let n = (samples.end - samples.start) as usize;
        let order = order.min(MIN_PREDICTION + PREDICTION_PER_SAMPLE * n);
        let weighed = orders == GapOrders::Weighed && n as f64 >= MIN_WEIGHTED_SECS * grid.sample_rate_hz;
        let weighed = weighed.then_some(context);
        let context = context.map(|n| n.min(CONTEXT_PER_COEFFICIENT * order as u64));
        let segment = samples.start.saturating_sub(context[0])..(samples.end + context[1]).min(grid.n_samples);
        Gap { frames: grid.frames_over(&samples), samples, segment, order, weighed }
    };
    let mut gaps: Vec<Gap> = runs.into_iter().map(gap).collect();
    let apart = (MIN_SEPARATION_SECS * grid.sample_rate_hz).round() as u64;
    let is_close = |pair: &[Gap]| pair[0].samples.end + apart > pair[1].samples.start;
    let close: Vec<usize> = gaps.windows(2).enumerate().filter(|(_, pair)| is_close(pair)).map(|(i, _)| i).collect();
    for i in close {
        (gaps[i].weighed, gaps[i + 1].weighed) = (None, None);
    }
    Ok(gaps)
}

/// The frames of each connected range of selected time within the edit's bounds, soft edges included, ascending and
/// disjoint.
pub(super) fn holes(place: &Placement<'_>) -> Vec<Range<usize>> {
    let (grid, bounds) = (&place.grid, &place.bounds);
    let Some(select) = place.select else { return vec![bounds.frames.clone()] };
    let soft_secs = soft_secs(select);
    let frames = |[start, end]: [f64; 2]| {
        let [start, end] =
            [start - soft_secs, end + soft_secs].map(|secs| grid.frame_from_secs(secs).clamp(-1.0, 1e15));
        let first = (start.floor().max(0.0) as usize).max(bounds.frames.start);
        first..((end.ceil() + 1.0) as usize).min(bounds.frames.end)
    };
    let mut holes: Vec<Range<usize>> = Vec::new();
    for hole in selected_times(select).into_iter().map(frames).filter(|hole| !hole.is_empty()) {
        match holes.last_mut() {
            Some(last) if hole.start <= last.end => last.end = last.end.max(hole.end),
            _ => holes.push(hole),
        }
    }
    holes
}

/// Extent of the soft edges of a selection beyond the fully selected times, in seconds.
fn soft_secs(selection: &Selection) -> f64 {
    let of_shape = |shape: &Shape| match shape {
        Shape::Group(group) => soft_secs(group),
        Shape::Moments(moments) => moments.reach_secs + moments.feather_secs,
        Shape::Cells(cells) => (cells.secs[1] - cells.secs[0]) / cells.size[0].max(1) as f64,
        Shape::Rectangle { feather, .. } | Shape::Polygon { feather, .. } => feather[0],
        _ => 0.0,
    };
    selection.shapes.iter().map(|(_, shape)| of_shape(shape)).fold(0.0, f64::max)
}

/// Groups gaps whose segments overlap or that share frames. The gaps must be in order of time.
pub(super) fn grouped(gaps: Vec<Gap>) -> Vec<Vec<Gap>> {
    let mut groups: Vec<Vec<Gap>> = Vec::new();
    for gap in gaps {
        let hears = |last: &Gap| last.segment.end > gap.segment.start || last.frames.end > gap.frames.start;
        match groups.last_mut() {
            Some(group) if group.last().is_some_and(hears) => group.push(gap),
            _ => groups.push(vec![gap]),
        }
    }
    groups
}

/// The indices of the gaps within the context of a gap, including itself. The gaps must be in order of time.
pub(super) fn context_of(gaps: &[Gap], gap: &Gap) -> Range<usize> {
    let start = gaps.partition_point(|other| other.samples.end <= gap.segment.start);
    start..gaps.partition_point(|other| other.samples.start < gap.segment.end).max(start)
}

/// Index ranges of gaps that are dense enough to share coefficients; all others are predicted separately.
pub(super) fn crowds(gaps: &[Gap]) -> Vec<Range<usize>> {
    let mut crowds: Vec<Range<usize>> = Vec::new();
    for (index, gap) in gaps.iter().enumerate() {
        let (n, n_samples) = (context_of(gaps, gap).len(), gap.segment.end - gap.segment.start);
        if n < MIN_GROUPED_GAPS || ((n * CROWDED_SAMPLES) as u64) < n_samples {
            continue;
        }
        match crowds.last_mut() {
            Some(crowd)
                if crowd.end == index && gap.samples.end - gaps[crowd.start].samples.start <= MAX_CROWDED_SAMPLES =>
            {
                crowd.end += 1;
            }
            _ => crowds.push(index..index + 1),
        }
    }
    crowds
}

/// The frames from the first to the last that contains a part of the gaps, which must be in order of time.
pub(super) fn frames_of_gaps(gaps: &[Gap]) -> Range<usize> {
    gaps.iter().map(|gap| gap.frames.clone()).reduce(|all, frames| all.start..frames.end.max(all.end)).unwrap_or(0..0)
}
