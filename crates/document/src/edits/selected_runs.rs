//! The times in a selection, as ranges.

use crate::Snapshot;
use crate::dsp::selections::selection::joined;
use crate::dsp::{Combine, Selection, Shape};
use std::ops::Range;

/// All of time.
pub const ALL_TIME_SECS: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

/// The samples of a sound in the selected times, without soft edges: ascending, disjoint and not empty.
pub fn sample_runs(snapshot: &Snapshot, select: &Selection) -> Vec<Range<u64>> {
    let sample = |secs: f64| (secs * snapshot.sample_rate_hz()).round().clamp(0.0, snapshot.n_samples() as f64) as u64;
    let runs = selected_times(select).into_iter().map(|[start, end]| sample(start)..sample(end));
    runs.filter(|run| !run.is_empty()).collect()
}

/// The selected times without soft edges, ascending and disjoint. Of the subtracted shapes, only rectangles with a range
/// of time and without a frequency range count.
pub fn selected_times(selection: &Selection) -> Vec<[f64; 2]> {
    if selection.shapes.is_empty() {
        return vec![ALL_TIME_SECS];
    }
    // As in a mask, nothing is selected before the first shape.
    let mut all = Vec::new();
    for (combine, shape) in &selection.shapes {
        all = match combine {
            Combine::Add => joined(all.into_iter().chain(runs_of_shape(shape)).collect()),
            Combine::Intersect => common(&all, &runs_of_shape(shape)),
            Combine::Subtract => match shape {
                Shape::Rectangle { secs: Some([start, end]), hz: None, .. } => {
                    common(&all, &[[f64::NEG_INFINITY, *start], [*end, f64::INFINITY]])
                }
                _ => all,
            },
        };
    }
    all
}

fn runs_of_shape(shape: &Shape) -> Vec<[f64; 2]> {
    match shape {
        Shape::Group(group) => selected_times(group),
        Shape::Moments(moments) => moments.runs.to_vec(),
        Shape::Cells(cells) => {
            let [n_frames, n_bins] = cells.size;
            let secs = |frame: usize| cells.secs[0] + (cells.secs[1] - cells.secs[0]) * frame as f64 / n_frames as f64;
            let rows = cells.values.chunks_exact(n_bins.max(1)).enumerate();
            let chosen = rows.filter(|(_, row)| row.iter().any(|value| *value > 0.0));
            joined(chosen.map(|(frame, _)| [secs(frame), secs(frame + 1)]).collect())
        }
        shape => vec![shape.extent()[0].unwrap_or(ALL_TIME_SECS)],
    }
}

/// The ranges common to two lists.
fn common(a: &[[f64; 2]], b: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let pairs = a.iter().flat_map(|a| b.iter().map(move |b| [a[0].max(b[0]), a[1].min(b[1])]));
    joined(pairs.filter(|[start, end]| start < end).collect())
}
