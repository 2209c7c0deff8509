//! The sum of sample differences from consecutive pieces.

use super::difference::merged;
use crate::{SampleDifference, Stft};
use std::ops::Range;
use std::sync::Arc;

/// Sums the differences of consecutive pieces, and emits samples as soon as no later piece can change them.
#[derive(Debug)]
pub struct DifferenceSum {
    /// The STFT by whose `sum(w^2)` to divide, and its number of frames; `None` for rows, which need no division.
    weight: Option<(Arc<Stft>, usize)>,
    /// Pending samples, the first of which is sample `first`.
    pending: Vec<f32>,
    first: i64,
    /// Samples under touched frames, ascending and disjoint.
    touched: Vec<Range<i64>>,
}

impl DifferenceSum {
    /// An empty sum. Differences of an STFT of `n_frames` are divided by `sum(w^2)`.
    pub fn new(weight: Option<(Arc<Stft>, usize)>) -> DifferenceSum {
        DifferenceSum { weight, pending: Vec::new(), first: 0, touched: Vec::new() }
    }

    /// Adds a difference, which must not include samples that have already been [emitted](DifferenceSum::until).
    pub fn add(&mut self, difference: &SampleDifference) {
        if difference.samples.is_empty() {
            return;
        }
        if self.pending.is_empty() {
            self.first = difference.first;
        }
        if difference.first < self.first {
            // The first pending piece may start later than this one.
            let n_before = (self.first - difference.first) as usize;
            self.pending.splice(0..0, std::iter::repeat_n(0.0, n_before));
            self.first = difference.first;
        }
        let offset = (difference.first - self.first) as usize;
        self.pending.resize((offset + difference.samples.len()).max(self.pending.len()), 0.0);
        for (sum, sample) in self.pending[offset..].iter_mut().zip(&difference.samples) {
            *sum += sample;
        }
        self.touched = merged(std::mem::take(&mut self.touched).into_iter().chain(difference.ranges.iter().cloned()));
    }

    /// The differences before sample `until`, which no later piece may change: ascending, disjoint runs, each with its
    /// first sample.
    pub fn until(&mut self, until: i64) -> Vec<(i64, Vec<f32>)> {
        let n_ready = until.saturating_sub(self.first).clamp(0, self.pending.len() as i64) as usize;
        let mut ready: Vec<f32> = self.pending.drain(..n_ready).collect();
        let (first, end) = (self.first, self.first + n_ready as i64);
        if let Some((stft, n_frames)) = &self.weight {
            stft.divide_by_weight(&mut ready, first, *n_frames);
        }
        let run = |range: &Range<i64>| {
            let (from, to) = (range.start.max(first), range.end.min(end));
            (from < to).then(|| (from, ready[(from - first) as usize..(to - first) as usize].to_vec()))
        };
        let runs = self.touched.iter().filter_map(run).collect();
        self.touched.retain(|range| range.end > end);
        self.first = end;
        runs
    }
}
