//! From the differences of pieces to new samples.

use crate::base::{Result, trace};
use crate::document::snapshot::join;
use crate::document::{Signal, Snapshot, SnapshotEdit};
use crate::dsp::{Grid, SampleDifference, Stft};
use std::ops::Range;

/// Runs of new samples of one channel, ascending and disjoint within a signal.
#[derive(Debug, Clone, Default)]
struct Runs(Vec<(u64, Vec<f32>)>);

impl Runs {
    fn n_samples(&self) -> u64 {
        self.ranges().map(|range| range.end - range.start).sum()
    }

    fn ranges(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        self.0.iter().map(|(first, samples)| *first..*first + samples.len() as u64)
    }
}

/// Collects the new samples of an edit. Finished samples become blocks at once, which move to disk beyond the budget,
/// so that memory does not grow with the change.
pub struct Changes<'a> {
    sound: &'a Snapshot,
    edit: Option<SnapshotEdit>,
    /// Samples written, over all channels.
    pub n_samples: u64,
    /// Where, in any channel, in no order.
    pub ranges: Vec<Range<u64>>,
}

impl<'a> Changes<'a> {
    /// No changes yet; the sound is unchanged until [`finish`](Changes::finish).
    pub fn new(sound: &'a Snapshot) -> Changes<'a> {
        Changes { sound, edit: None, n_samples: 0, ranges: Vec::new() }
    }

    /// Takes what can change no more.
    ///
    /// # Errors
    /// Those of reading what was spilled to disk.
    pub fn take(&mut self, sum: &mut OverlapSum) -> Result<()> {
        for (channel, runs) in sum.changes.iter_mut().enumerate() {
            let runs = std::mem::take(runs);
            if runs.0.is_empty() {
                continue;
            }
            let _span = trace::span("write blocks");
            self.n_samples += runs.n_samples();
            self.ranges.extend(runs.ranges());
            let edit = self.edit.get_or_insert_with(|| self.sound.edit());
            for (first, samples) in runs.0 {
                edit.write(channel, first, &samples)?;
            }
        }
        if let Some(edit) = &mut self.edit {
            edit.settle();
        }
        Ok(())
    }

    /// The sound with the changes; the same snapshot if there were none.
    pub fn finish(self) -> Snapshot {
        self.edit.map_or_else(|| self.sound.clone(), SnapshotEdit::finish)
    }
}

pub(super) fn joined(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.sort_by_key(|range| range.start);
    let mut joined_ranges = Vec::new();
    for range in ranges {
        join(&mut joined_ranges, range);
    }
    joined_ranges
}

/// Overlap-adds the differences of successive pieces, and emits samples as soon as no later piece can change them.
pub struct OverlapSum {
    signal: Signal,
    grid: Grid,
    /// Not yet divided by `sum(w^2)`; the first of them is sample `first`.
    pending: Vec<f32>,
    first: i64,
    /// Samples under touched frames, ascending and disjoint.
    touched: Vec<Range<i64>>,
    /// New samples of every channel that were given out and not taken.
    changes: Vec<Runs>,
    /// Number of samples left unchanged because the result overflows 32-bit float.
    n_too_large: u64,
}

impl OverlapSum {
    /// No difference of a signal yet, on the grid of an edit.
    pub fn new(signal: Signal, grid: &Grid, n_channels: usize) -> OverlapSum {
        OverlapSum {
            signal,
            grid: grid.clone(),
            pending: Vec::new(),
            first: 0,
            touched: Vec::new(),
            changes: vec![Runs::default(); n_channels],
            n_too_large: 0,
        }
    }

    /// The difference of a piece, to be added to what `snapshot` holds.
    ///
    /// # Errors
    /// The source's.
    pub fn add(
        &mut self,
        stft: &Stft,
        snapshot: &Snapshot,
        frames: &Range<usize>,
        difference: &SampleDifference,
    ) -> Result<()> {
        let first = self.grid.first_sample_under(frames.start);
        self.give_out(stft, snapshot, first)?;
        if self.pending.is_empty() {
            self.first = first;
        }
        let offset = (first - self.first) as usize;
        self.pending.resize((offset + difference.samples.len()).max(self.pending.len()), 0.0);
        for (sum, sample) in self.pending[offset..].iter_mut().zip(&difference.samples) {
            *sum += sample;
        }
        for (frame, _) in frames.clone().zip(&difference.touched).filter(|(_, touched)| **touched) {
            join(&mut self.touched, self.grid.samples_under(&(frame..frame + 1)));
        }
        Ok(())
    }

    /// Emits the remaining samples; returns how many were too large to edit.
    ///
    /// # Errors
    /// The source's.
    pub fn finish(&mut self, stft: &Stft, snapshot: &Snapshot) -> Result<u64> {
        self.give_out(stft, snapshot, i64::MAX)?;
        Ok(self.n_too_large)
    }

    /// Adds what is pending before sample `until` to the sound, where touched frames reach.
    fn give_out(&mut self, stft: &Stft, snapshot: &Snapshot, until: i64) -> Result<()> {
        let n_ready = (until.saturating_sub(self.first)).clamp(0, self.pending.len() as i64) as usize;
        let mut ready: Vec<f32> = self.pending.drain(..n_ready).collect();
        let (first, end) = (self.first, self.first + n_ready as i64);
        stft.divide_by_weight(&mut ready, first, self.grid.n_frames());
        let last_sample = snapshot.n_samples() as i64;
        for range in &self.touched {
            let (from, to) = (range.start.max(first).max(0), range.end.min(end).min(last_sample));
            if from >= to {
                continue;
            }
            let delta = &ready[(from - first) as usize..(to - first) as usize];
            for (channel, sign) in self.signal.targets() {
                let mut samples = vec![0.0; delta.len()];
                snapshot.read(channel, from, &mut samples)?;
                for (sample, delta) in samples.iter_mut().zip(delta) {
                    let sum = *sample + sign * delta;
                    // Only magnitudes near the end of f32 could overflow; a file must never hold an infinity.
                    if sum.is_finite() {
                        *sample = sum;
                    } else {
                        self.n_too_large += 1;
                    }
                }
                self.changes[channel].0.push((from as u64, samples));
            }
        }
        self.touched.retain(|range| range.end > end);
        self.first = end;
        Ok(())
    }
}
