//! Predicts the samples of gaps from those around them.

use super::gaps::{Gap, crowds, heard_by};
use crate::base::{Result, lock};
use crate::document::plan::SignalPass;
use crate::document::{Signal, Snapshot};
use crate::dsp::CellRect;
use crate::dsp::kernels::{CutOff, bridge, fill_gap, fill_gaps};
use rayon::prelude::*;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Mutex;

/// Groups of gaps that are predicted at once.
const GROUPS_AT_ONCE: usize = 4;

/// Predicts groups of gaps, several at once and of all signals, each as fast as one processor is.
#[derive(Debug, Default)]
pub(super) struct Predictions {
    /// What was predicted along with others, by group and signal.
    waiting: Mutex<HashMap<(usize, Signal), Filled>>,
}

/// New samples of each gap of a group.
type Filled = Vec<Vec<f32>>;

impl Predictions {
    /// The samples under the frames of `rect`, with the gaps of a group predicted from their surroundings.
    ///
    /// # Errors
    /// The source's.
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
            // Every frame that hears the gap is there, so all of it is.
            let offset = gap.samples.start as i64 - first;
            for (i, filled) in filled.iter().enumerate() {
                if let Some(sample) = usize::try_from(offset + i as i64).ok().and_then(|i| samples.get_mut(i)) {
                    *sample = *filled;
                }
            }
        }
        Ok(samples)
    }

    /// A group of gaps of the signal of a pass. The next groups and the signals that come later are predicted beside it.
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
        let predicted =
            missing.par_iter().map(|&(i, signal)| Ok(((i, signal), predicted(pass.snapshot, signal, &groups[i])?)));
        let mut predicted = predicted.collect::<Result<HashMap<_, _>>>()?;
        let own = predicted.remove(&wanted).unwrap_or_default();
        lock(&self.waiting).extend(predicted);
        Ok(own)
    }
}

/// The new samples of some gaps of a signal.
///
/// # Errors
/// The source's.
fn predicted(snapshot: &Snapshot, signal: Signal, gaps: &[Gap]) -> Result<Filled> {
    let start = gaps.iter().map(|gap| gap.segment.start).min().unwrap_or(0);
    let end = gaps.iter().map(|gap| gap.segment.end).max().unwrap_or(start);
    let mut known = vec![0.0; (end - start) as usize];
    signal.read(snapshot, start as i64, &mut known)?;
    let mut filled: Vec<f64> = known.iter().map(|&sample| f64::from(sample)).collect();
    let at = |range: &Range<u64>| (range.start - start) as usize..(range.end - start) as usize;
    let cut_offs: Vec<Option<CutOff>> = gaps.iter().map(|gap| CutOff::of(&filled[at(&gap.samples)])).collect();
    // Other gaps are excluded from learning; of clipped gaps only the clipped samples are.
    for (gap, _) in gaps.iter().zip(&cut_offs).filter(|(_, cut_off)| gaps.len() > 1 && cut_off.is_none()) {
        filled[at(&gap.samples)].fill(0.0);
    }
    let crowds = crowds(gaps);
    let unknown = crowds.iter().flat_map(Range::clone).filter(|&index| cut_offs[index].is_none());
    bridge(&mut filled, unknown.map(|index| at(&gaps[index].samples)));
    // Gaps within each other's surroundings are predicted again after all are filled.
    for is_again in [false, true] {
        let mut crowds = crowds.iter().peekable();
        let mut index = 0;
        while let Some(gap) = gaps.get(index) {
            if let Some(crowd) = crowds.next_if(|crowd| crowd.start == index) {
                fill_crowd(&mut filled, start, &gaps[crowd.clone()], &cut_offs[crowd.clone()]);
                index = crowd.end;
                continue;
            }
            if !is_again || heard_by(gaps, gap).len() > 1 {
                let offset = (gap.samples.start - gap.segment.start) as usize;
                let n = (gap.samples.end - gap.samples.start) as usize;
                fill_gap(&mut filled[at(&gap.segment)], offset..offset + n, gap.order, cut_offs[index]);
            }
            index += 1;
        }
    }
    Ok(gaps.iter().map(|gap| filled[at(&gap.samples)].iter().map(|&sample| sample as f32).collect()).collect())
}

/// Fills gaps that share their coefficients, in samples that begin at `start` of the sound.
fn fill_crowd(samples: &mut [f64], start: u64, gaps: &[Gap], cut_offs: &[Option<CutOff>]) {
    let first = gaps.iter().map(|gap| gap.segment.start).min().unwrap_or(start);
    let end = gaps.iter().map(|gap| gap.segment.end).max().unwrap_or(first);
    let order = gaps.iter().map(|gap| gap.order).max().unwrap_or(0);
    let within = |gap: &Gap| (gap.samples.start - first) as usize..(gap.samples.end - first) as usize;
    let within: Vec<_> = gaps.iter().map(within).zip(cut_offs.iter().copied()).collect();
    fill_gaps(&mut samples[(first - start) as usize..(end - start) as usize], &within, order);
}
