//! Predicts the samples of gaps from those around them.

use super::gaps::{Gap, crowds, heard_by};
use crate::base::Result;
use crate::document::plan::SignalPass;
use crate::dsp::CellRect;
use crate::dsp::kernels::{CutOff, bridge, fill_gap, fill_gaps};
use std::ops::Range;

/// The samples under the frames of `rect`, with the gaps predicted from their surroundings.
///
/// # Errors
/// The source's.
pub(super) fn with_gaps_filled(pass: &SignalPass<'_>, gaps: &[Gap], rect: &CellRect) -> Result<Vec<f32>> {
    let start = gaps.iter().map(|gap| gap.segment.start).min().unwrap_or(0);
    let end = gaps.iter().map(|gap| gap.segment.end).max().unwrap_or(start);
    let mut known = vec![0.0; (end - start) as usize];
    pass.signal.read(pass.snapshot, start as i64, &mut known)?;
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
    let first = pass.place.grid.first_sample_under(rect.frames.start);
    let mut samples = pass.samples(pass.snapshot, rect, 0)?;
    for gap in gaps {
        // Every frame that hears the gap is there, so all of it is.
        let offset = gap.samples.start as i64 - first;
        for (i, filled) in filled[at(&gap.samples)].iter().enumerate() {
            if let Some(sample) = usize::try_from(offset + i as i64).ok().and_then(|i| samples.get_mut(i)) {
                *sample = *filled as f32;
            }
        }
    }
    Ok(samples)
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
