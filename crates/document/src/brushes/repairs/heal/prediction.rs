//! Predicts the samples of gaps from the surrounding samples.

use super::gaps::{Gap, context_of, crowds};
use crate::base::{Result, lock};
use crate::document::edits::plan::SignalPass;
use crate::document::{Signal, Snapshot};
use crate::dsp::CellRect;
use crate::dsp::kernels::{CutOff, N_GAP_ORDERS, SilencedGap, bridge, fill_gap, fill_gaps, gap_reach};
use rayon::prelude::*;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Mutex;

/// Number of groups of gaps predicted in parallel.
const GROUPS_AT_ONCE: usize = 4;
/// Number of gaps above which only one in [`TRIAL_GAP_STEP`] has its orders weighted by trial gaps; the others use the
/// weights of the nearest.
const MAX_TRIAL_GAPS: usize = 500;
/// See [`MAX_TRIAL_GAPS`].
const TRIAL_GAP_STEP: usize = 10;

/// Predicts several groups of gaps, of all signals, in parallel.
#[derive(Debug, Default)]
pub(super) struct Predictions {
    /// Results predicted in advance, by group and signal.
    waiting: Mutex<HashMap<(usize, Signal), Filled>>,
    /// Weights of the orders from trial gaps, by the first sample of the gap and signal, for reuse by other gaps.
    learnt: Mutex<HashMap<(u64, Signal), [f64; N_GAP_ORDERS]>>,
}

/// New samples of each gap of a group.
type Filled = Vec<Vec<f32>>;

impl Predictions {
    /// The samples under the frames of `rect`, with the gaps of a group predicted from their surroundings.
    ///
    /// # Errors
    /// Read errors of the source.
    pub fn with_gaps_filled(
        &self,
        pass: &SignalPass<'_>,
        groups: &[Vec<Gap>],
        index: usize,
        rect: &CellRect,
    ) -> Result<Vec<f32>> {
        let gaps = &groups[index];
        let filled = self.filled(pass, groups, index)?;
        let first = pass.place.grid.first_sample_under(rect.frames.start);
        let mut samples = pass.samples(pass.snapshot, rect, 0)?;
        for (gap, filled) in gaps.iter().zip(&filled) {
            // `rect` contains every frame of the gap, and so all of its samples.
            let offset = gap.samples.start as i64 - first;
            for (i, filled) in filled.iter().enumerate() {
                if let Some(sample) = usize::try_from(offset + i as i64).ok().and_then(|i| samples.get_mut(i)) {
                    *sample = *filled;
                }
            }
        }
        Ok(samples)
    }

    /// The new samples of a group of gaps, for the signal of a pass. Also predicts the next groups and the later
    /// signals, in parallel.
    fn filled(&self, pass: &SignalPass<'_>, groups: &[Vec<Gap>], index: usize) -> Result<Filled> {
        let wanted = (index, pass.signal);
        if let Some(filled) = lock(&self.waiting).remove(&wanted) {
            return Ok(filled);
        }
        let signals = || std::iter::once(&pass.signal).chain(pass.later_signals);
        let all =
            (index..groups.len().min(index + GROUPS_AT_ONCE)).flat_map(|i| signals().map(move |signal| (i, *signal)));
        let missing: Vec<(usize, Signal)> = {
            let waiting = lock(&self.waiting);
            all.filter(|one| !waiting.contains_key(one)).collect()
        };
        let predicted = missing.par_iter().map(|&(i, signal)| {
            let sound = GapSound { snapshot: pass.snapshot, signal, groups, rate_hz: pass.place.grid.sample_rate_hz };
            Ok(((i, signal), self.predicted(&sound, &groups[i])?))
        });
        let mut predicted = predicted.collect::<Result<HashMap<_, _>>>()?;
        let own = predicted.remove(&wanted).unwrap_or_default();
        lock(&self.waiting).extend(predicted);
        Ok(own)
    }

    /// The new samples of some gaps of a signal.
    ///
    /// # Errors
    /// Read errors of the source.
    fn predicted(&self, sound: &GapSound<'_>, gaps: &[Gap]) -> Result<Filled> {
        let start = gaps.iter().map(|gap| gap.segment.start).min().unwrap_or(0);
        let end = gaps.iter().map(|gap| gap.segment.end).max().unwrap_or(start);
        let mut filled = sound.read(start..end)?;
        let at = |range: &Range<u64>| (range.start - start) as usize..(range.end - start) as usize;
        let cut_offs: Vec<Option<CutOff>> = gaps.iter().map(|gap| sound.cut_off(gap)).collect::<Result<_>>()?;
        let weighed = |(gap, cut_off): (&Gap, &Option<CutOff>)| match (gap.weighed, cut_off) {
            (Some(context), None) => self.weighed(sound, gap, context).map(Some),
            _ => Ok(None),
        };
        let weighed: Vec<Option<Vec<f64>>> = gaps.par_iter().zip(&cut_offs).map(weighed).collect::<Result<_>>()?;
        let mut rest = (Vec::new(), Vec::new());
        for ((gap, cut_off), samples) in gaps.iter().zip(cut_offs).zip(&weighed) {
            match samples {
                Some(samples) => filled[at(&gap.samples)].copy_from_slice(samples),
                None => {
                    rest.0.push(gap.clone());
                    rest.1.push(cut_off);
                }
            }
        }
        fill_by_one_order(&mut filled, start, &rest.0, &rest.1);
        Ok(gaps.iter().map(|gap| filled[at(&gap.samples)].iter().map(|&sample| sample as f32).collect()).collect())
    }

    /// The samples of a gap, combined from all orders.
    fn weighed(&self, sound: &GapSound<'_>, gap: &Gap, context: [u64; 2]) -> Result<Vec<f64>> {
        let learner = sound.learner_of(gap).filter(|learner| learner.samples != gap.samples);
        let weights = match learner {
            None => None,
            Some(learner) => {
                let of = (learner.samples.start, sound.signal);
                let known = lock(&self.learnt).get(&of).copied();
                Some(match known {
                    Some(weights) => weights,
                    None => sound.filled(learner, context, None)?.1,
                })
            }
        };
        let (samples, weights) = sound.filled(gap, context, weights)?;
        if learner.is_none() {
            lock(&self.learnt).insert((gap.samples.start, sound.signal), weights);
        }
        Ok(samples)
    }
}

/// A signal whose gaps are filled.
struct GapSound<'a> {
    snapshot: &'a Snapshot,
    signal: Signal,
    /// All gaps of the edit.
    groups: &'a [Vec<Gap>],
    rate_hz: f64,
}

impl GapSound<'_> {
    fn read(&self, samples: Range<u64>) -> Result<Vec<f64>> {
        let mut read = vec![0.0; (samples.end - samples.start) as usize];
        self.signal.read(self.snapshot, samples.start as i64, &mut read)?;
        Ok(read.into_iter().map(f64::from).collect())
    }

    /// The gap whose trial gaps determine the weights of the orders for `gap`, possibly `gap` itself; `None` if at most
    /// [`MAX_TRIAL_GAPS`] gaps are weighted, in which case each uses its own.
    fn learner_of(&self, gap: &Gap) -> Option<&Gap> {
        let weighed = || self.groups.iter().flatten().filter(|gap| gap.weighed.is_some());
        weighed().nth(MAX_TRIAL_GAPS)?;
        weighed().step_by(TRIAL_GAP_STEP).min_by_key(|learner| learner.samples.start.abs_diff(gap.samples.start))
    }

    /// The other gaps that overlap a range, each with its overlap, relative to the range's start.
    fn others<'b>(&'b self, gap: &'b Gap, range: Range<u64>) -> impl Iterator<Item = (&'b Gap, Range<usize>)> {
        let Range { start, end } = range;
        let first = self.groups.partition_point(|group| group.last().is_none_or(|gap| gap.samples.end <= start));
        let near = self.groups[first..].iter().flatten().take_while(move |gap| gap.samples.start < end);
        let others = near.filter(move |other| other.samples.end > start && other.samples != gap.samples);
        others.map(move |other| {
            let within = [other.samples.start.max(start), other.samples.end.min(end)].map(|at| (at - start) as usize);
            (other, within[0]..within[1])
        })
    }

    /// Level at which a gap is clipped; `None` if its samples do not have one level, or if the sound around it,
    /// excluding other gaps, exceeds that level. The second condition is not tested for gaps with one order, so that
    /// old scripts keep their results.
    fn cut_off(&self, gap: &Gap) -> Result<Option<CutOff>> {
        let Some(level) = CutOff::of(&self.read(gap.samples.clone())?) else { return Ok(None) };
        if gap.weighed.is_none() {
            return Ok(Some(level));
        }
        let mut around = self.read(gap.segment.clone())?;
        self.others(gap, gap.segment.clone()).for_each(|(_, range)| around[range].fill(0.0));
        Ok(level.is_peak_of(&around).then_some(level))
    }

    /// The samples of a filled gap, and the weights of its orders, which are estimated if not given. Other gaps around
    /// it count as silent, unless they are clipped.
    fn filled(
        &self,
        gap: &Gap,
        context: [u64; 2],
        weights: Option<[f64; N_GAP_ORDERS]>,
    ) -> Result<(Vec<f64>, [f64; N_GAP_ORDERS])> {
        let n = (gap.samples.end - gap.samples.start) as usize;
        let context = context.map(|n| n as usize);
        let [before, after] = gap_reach(n, context, self.rate_hz).map(|n| n as u64);
        let start = gap.samples.start.saturating_sub(before);
        let end = (gap.samples.end + after).min(self.snapshot.n_samples());
        let mut samples = self.read(start..end)?;
        let mut others = Vec::new();
        for (other, range) in self.others(gap, start..end) {
            if self.cut_off(other)?.is_none() {
                samples[range.clone()].fill(0.0);
            }
            others.push(range);
        }
        let within = (gap.samples.start - start) as usize..(gap.samples.end - start) as usize;
        samples[within.clone()].fill(0.0);
        let silenced = SilencedGap { samples: &samples, gap: within, others: &others, context, rate_hz: self.rate_hz };
        Ok(silenced.filled(weights))
    }
}

/// Fills gaps of a signal, in samples from `start` on, each with one order.
fn fill_by_one_order(filled: &mut [f64], start: u64, gaps: &[Gap], cut_offs: &[Option<CutOff>]) {
    let at = |range: &Range<u64>| (range.start - start) as usize..(range.end - start) as usize;
    // Gaps are silenced, so that the estimates for other gaps do not use their samples; clipped gaps keep theirs.
    for (gap, _) in gaps.iter().zip(cut_offs).filter(|(_, cut_off)| gaps.len() > 1 && cut_off.is_none()) {
        filled[at(&gap.samples)].fill(0.0);
    }
    let crowds = crowds(gaps);
    let unknown = crowds.iter().flat_map(Range::clone).filter(|&index| cut_offs[index].is_none());
    bridge(filled, unknown.map(|index| at(&gaps[index].samples)));
    // Gaps within each other's context are predicted again after all are filled.
    for is_again in [false, true] {
        let mut crowds = crowds.iter().peekable();
        let mut index = 0;
        while let Some(gap) = gaps.get(index) {
            if let Some(crowd) = crowds.next_if(|crowd| crowd.start == index) {
                fill_crowd(filled, start, &gaps[crowd.clone()], &cut_offs[crowd.clone()]);
                index = crowd.end;
                continue;
            }
            if !is_again || context_of(gaps, gap).len() > 1 {
                let offset = (gap.samples.start - gap.segment.start) as usize;
                let n = (gap.samples.end - gap.samples.start) as usize;
                fill_gap(&mut filled[at(&gap.segment)], offset..offset + n, gap.order, cut_offs[index]);
            }
            index += 1;
        }
    }
}

/// Fills gaps that share coefficients, in samples that begin at sample `start` of the sound.
fn fill_crowd(samples: &mut [f64], start: u64, gaps: &[Gap], cut_offs: &[Option<CutOff>]) {
    let first = gaps.iter().map(|gap| gap.segment.start).min().unwrap_or(start);
    let end = gaps.iter().map(|gap| gap.segment.end).max().unwrap_or(first);
    let order = gaps.iter().map(|gap| gap.order).max().unwrap_or(0);
    let within = |gap: &Gap| (gap.samples.start - first) as usize..(gap.samples.end - first) as usize;
    let within: Vec<_> = gaps.iter().map(within).zip(cut_offs.iter().copied()).collect();
    fill_gaps(&mut samples[(first - start) as usize..(end - start) as usize], &within, order);
}
