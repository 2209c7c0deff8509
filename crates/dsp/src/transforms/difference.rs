//! The difference that edited cells make to the samples.

use crate::StftParams;
use std::ops::Range;

/// The difference that an edit makes to the samples; for an STFT before division by `sum(w^2)`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SampleDifference {
    /// For each frame of the region, whether any of its coefficients changed.
    pub touched: Vec<bool>,
    /// Runs of samples that touched frames may change, ascending and disjoint; they may extend beyond the signal.
    pub ranges: Vec<Range<i64>>,
    /// The sample of the signal to which the first of `samples` is added.
    pub first: i64,
    /// The sum over the touched frames; for an STFT `OLA(C' - C)` over all frames of the region, `(n_frames - 1) *
    /// hop + n_fft` values.
    pub samples: Vec<f32>,
}

impl SampleDifference {
    /// The difference from consecutive frames of an STFT.
    pub fn of_frames(
        params: StftParams,
        first_frame: usize,
        touched: Vec<bool>,
        samples: Vec<f32>,
    ) -> SampleDifference {
        let StftParams { n_fft, hop, .. } = params;
        let first = first_frame as i64 * hop as i64 - n_fft as i64 / 2;
        let mut ranges = Vec::new();
        for (frame, _) in touched.iter().enumerate().filter(|(_, touched)| **touched) {
            let start = first + (frame * hop) as i64;
            join(&mut ranges, start..start + n_fft as i64);
        }
        SampleDifference { touched, ranges, first, samples }
    }
}

/// Sorted ranges, with those that overlap or touch merged.
pub fn merged(ranges: impl IntoIterator<Item = Range<i64>>) -> Vec<Range<i64>> {
    let mut ranges: Vec<Range<i64>> = ranges.into_iter().collect();
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    let mut merged = Vec::new();
    ranges.into_iter().for_each(|range| join(&mut merged, range));
    merged
}

/// Adds a range that starts at or after the last one's start, merging adjacent ranges.
fn join(ranges: &mut Vec<Range<i64>>, next: Range<i64>) {
    match ranges.last_mut() {
        Some(last) if next.start <= last.end => last.end = last.end.max(next.end),
        _ => ranges.push(next),
    }
}
