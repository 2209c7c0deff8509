//! The sound that an edit of samples works on.

use super::{Signal, Snapshot};
use crate::base::{Progress, Result};
use crate::dsp::{Selection, Shape};
use std::ops::Range;

/// Samples of one signal that are in memory at a time.
const PIECE_SAMPLES: u64 = 1 << 17;

/// All of a range of time, or what a selection holds of one.
pub struct SelectedSound<'a> {
    /// The sound before the edit.
    pub(super) snapshot: &'a Snapshot,
    /// The sound without what is selected; none where that is all of the range.
    pub(super) rest: Option<Snapshot>,
    pub(super) signals: Vec<Signal>,
    pub(super) range: Range<u64>,
    pub(super) progress: &'a Progress,
}

impl SelectedSound<'_> {
    /// Its samples, counted from the start of the sound.
    pub fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    /// How many signals the edit works on.
    pub fn n_signals(&self) -> usize {
        self.signals.len()
    }

    /// The samples of a signal, counted from the start of the sound.
    ///
    /// # Errors
    /// The source's.
    pub fn read(&self, signal: usize, samples: Range<u64>) -> Result<Vec<f32>> {
        let (first, n) = (samples.start as i64, (samples.end - samples.start) as usize);
        let mut selected = vec![0.0; n];
        self.signals[signal].read(self.snapshot, first, &mut selected)?;
        if let Some(rest) = &self.rest {
            let mut other = vec![0.0; n];
            self.signals[signal].read(rest, first, &mut other)?;
            selected.iter_mut().zip(&other).for_each(|(sample, other)| *sample -= other);
        }
        Ok(selected)
    }

    /// All of a signal, piece after piece.
    ///
    /// # Errors
    /// The source's, and [`Cancelled`](crate::base::ErrorKind::Cancelled).
    pub fn each_piece(&self, signal: usize, mut look: impl FnMut(&[f32])) -> Result<()> {
        for piece in self.pieces() {
            self.progress.check()?;
            look(&self.read(signal, piece)?);
        }
        Ok(())
    }

    /// The range in pieces that fit in memory.
    pub fn pieces(&self) -> impl Iterator<Item = Range<u64>> + use<> {
        let Range { start, end } = self.range();
        let starts = (start..end).step_by(PIECE_SAMPLES as usize);
        starts.map(move |first| first..end.min(first + PIECE_SAMPLES))
    }
}

/// The range of a selection that holds all frequencies of one range of time, whose edges are hard; `None` for any other.
pub(super) fn whole_range(snapshot: &Snapshot, select: Option<&Selection>) -> Option<Range<u64>> {
    let (rate_hz, n_samples) = (snapshot.sample_rate_hz(), snapshot.n_samples());
    let Some(select) = select else { return Some(0..n_samples) };
    let [(_, Shape::Rectangle { secs, hz, .. })] = select.shapes.as_slice() else { return None };
    let holds_all = hz.is_none_or(|[low, high]| low <= 0.0 && high >= rate_hz / 2.0);
    let sample = |secs: f64| (secs * rate_hz).round().clamp(0.0, n_samples as f64) as u64;
    holds_all.then(|| secs.map_or(0..n_samples, |[start, end]| sample(start)..sample(end).max(sample(start))))
}
