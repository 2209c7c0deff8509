//! Combines the differences of pieces into the new samples of a sound.

use crate::base::{Result, trace};
use crate::document::edits::sums::SampleSums;
use crate::document::sound::snapshot::join;
use crate::document::{Signal, Snapshot, SnapshotEdit};
use crate::dsp::{DifferenceSum, SampleDifference};
use std::ops::Range;

/// All samples that a sound can have.
const ALL_SAMPLES: Range<u64> = 0..i64::MAX as u64;

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
    /// Changed ranges in any channel, unordered.
    pub ranges: Vec<Range<u64>>,
}

impl<'a> Changes<'a> {
    /// No changes yet; the sound is unchanged until [`finish`](Changes::finish).
    pub fn new(sound: &'a Snapshot) -> Changes<'a> {
        Changes { sound, edit: None, n_samples: 0, ranges: Vec::new() }
    }

    /// Receives final samples.
    ///
    /// # Errors
    /// Read errors of samples that were moved to disk.
    pub fn take(&mut self, samples: &mut NewSamples) -> Result<()> {
        for (channel, runs) in samples.changes.iter_mut().enumerate() {
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

/// Adds the differences of successive pieces to a signal of a sound, and emits samples as soon as no later piece can
/// change them.
pub struct NewSamples {
    signal: Signal,
    sum: DifferenceSum,
    /// New samples of every channel, emitted but not yet taken.
    changes: Vec<Runs>,
    /// The only samples that may change; all if `None`.
    only: Option<Vec<Range<u64>>>,
    sums: SampleSums,
}

impl NewSamples {
    /// An empty difference of a signal. With `only`, rounding residues elsewhere are dropped.
    pub fn new(signal: Signal, sum: DifferenceSum, n_channels: usize, only: Option<Vec<Range<u64>>>) -> NewSamples {
        NewSamples { signal, sum, changes: vec![Runs::default(); n_channels], only, sums: SampleSums::default() }
    }

    /// Adds the difference of a piece to the samples of `snapshot`. No later piece changes samples before `first`.
    ///
    /// # Errors
    /// Read errors of the source.
    pub fn add(&mut self, snapshot: &Snapshot, first: i64, difference: &SampleDifference) -> Result<()> {
        self.give_out(snapshot, first)?;
        self.sum.add(difference);
        Ok(())
    }

    /// Emits the remaining samples; returns statistics of all of them.
    ///
    /// # Errors
    /// Read errors of the source.
    pub fn finish(&mut self, snapshot: &Snapshot) -> Result<SampleSums> {
        self.give_out(snapshot, i64::MAX)?;
        Ok(self.sums)
    }

    /// Emits the changed samples before `until`: those of the sound with the pending differences added.
    fn give_out(&mut self, snapshot: &Snapshot, until: i64) -> Result<()> {
        let last_sample = snapshot.n_samples() as i64;
        for (first, delta) in self.sum.until(until) {
            let (from, to) = (first.max(0), (first + delta.len() as i64).min(last_sample));
            for range in self.within(from, to) {
                let delta = &delta[(range.start - first) as usize..(range.end - first) as usize];
                self.add_to(snapshot, range.start, delta)?;
            }
        }
        Ok(())
    }

    /// The samples of a range that may change.
    fn within(&self, from: i64, to: i64) -> Vec<Range<i64>> {
        let common = |only: &Range<u64>| (only.start as i64).max(from)..(only.end as i64).min(to);
        let all = self.only.as_deref().unwrap_or(std::slice::from_ref(&ALL_SAMPLES));
        all.iter().map(common).filter(|range| range.start < range.end).collect()
    }

    /// Adds a difference from sample `from` on to every channel of the signal.
    fn add_to(&mut self, snapshot: &Snapshot, from: i64, delta: &[f32]) -> Result<()> {
        for (channel, sign) in self.signal.targets() {
            let mut samples = vec![0.0; delta.len()];
            snapshot.read(channel, from, &mut samples)?;
            for (sample, delta) in samples.iter_mut().zip(delta) {
                self.sums.add(sample, sign * delta);
            }
            self.changes[channel].0.push((from as u64, samples));
        }
        Ok(())
    }
}
