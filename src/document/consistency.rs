//! Consistency: iterations that bring a sound closer to the painted cells, and the measure of the remaining distance.
//!
//! In general no sound has exactly the cells that a brush produced, since neighbouring cells overlap: a hole of one
//! cell is partly refilled by those around it. One step: `t = STFT(y)` on the touched frames, target `|E| exp(i arg t)`
//! where `M > 0` and `t` elsewhere, `y += OLA(target - t) / sum(w^2)` (Griffin and Lim, IEEE TASSP 32(2), 1984, with
//! the cells outside the brush free).

use super::apply::{Changes, Counter, Painted, Pass};
use super::plan::Plan;
use super::{Edit, Snapshot};
use crate::base::Result;
use crate::dsp::Mask;

/// A hole narrower than this in bins is refilled by its neighbours.
const NARROW_BINS: usize = 4;

/// The number of [`EditReport`](super::EditReport) is never below this.
const LEAST_DB: f64 = -200.0;

/// Runs the consistency steps that an edit requests, or that its hole needs, on one signal of `sound`.
///
/// # Errors
/// The engine's and the source's, and [`Cancelled`](crate::base::ErrorKind::Cancelled).
pub(super) fn approach(
    pass: &Pass<'_>,
    edit: &Edit,
    painted: &Painted,
    sound: &mut Snapshot,
    counter: &mut Counter<'_>,
) -> Result<()> {
    let n_steps = edit.consistency_steps.unwrap_or_else(|| default_steps(edit, pass.plan, &painted.spread));
    for _ in 0..n_steps {
        let mut sum = pass.sum();
        let mut changes = Changes::new(sound);
        for piece in &painted.pieces {
            counter.count()?;
            let (frames, difference) = pass.with_piece(piece, |work, [_, after]| {
                let now = pass.analyse(sound, &work.rect, 0)?;
                // Only touched frames may change, whatever else the brush covers.
                let target = pass.engine.retarget(&now, after, &touched_mask(&work.mask, &piece.touched))?;
                Ok((work.rect.frames.clone(), pass.engine.difference(&pass.plan.stft, &now, &target)?))
            })?;
            sum.add(&pass.plan.stft, sound, &frames, &difference)?;
            changes.take(&mut sum)?;
        }
        sum.finish(&pass.plan.stft, sound)?;
        changes.take(&mut sum)?;
        *sound = changes.finish();
    }
    Ok(())
}

/// `||STFT(y) - C'||^2` and `||C' - C||^2` of one signal over the cells under the brush.
///
/// # Errors
/// As [`approach`].
pub(super) fn squares(
    pass: &Pass<'_>,
    painted: &Painted,
    sound: &Snapshot,
    counter: &mut Counter<'_>,
) -> Result<[f64; 2]> {
    let mut squares = [0.0; 2];
    for piece in &painted.pieces {
        counter.count()?;
        let more = pass.with_piece(piece, |work, [before, after]| {
            let now = pass.analyse(sound, &work.rect, 0)?;
            pass.engine.distance_squares(before, after, &now, &work.mask)
        })?;
        squares = [squares[0] + more[0], squares[1] + more[1]];
    }
    Ok(squares)
}

/// The number in decibels; none where nothing was changed.
pub(super) fn decibels([off, painted]: [f64; 2]) -> Option<f64> {
    (painted > 0.0 && (off / painted).is_finite()).then(|| (10.0 * (off / painted).log10()).max(LEAST_DB))
}

fn touched_mask(mask: &Mask, touched: &[bool]) -> Mask {
    let mut mask = mask.clone();
    let rows = mask.values.chunks_mut(mask.rect.bins.len().max(1)).zip(touched);
    rows.filter(|(_, touched)| !**touched).for_each(|(row, _)| row.fill(0.0));
    mask
}

/// How far a brush reaches along each bin and across each frame.
#[derive(Debug, Default)]
pub(super) struct Spread {
    /// Cells under the brush, per bin.
    frames_of_bins: Vec<usize>,
    /// Most cells under the brush in one frame.
    most_bins: usize,
}

impl Spread {
    /// The next piece in time.
    pub fn add(&mut self, mask: &Mask) {
        let n_bins = mask.rect.bins.end.max(self.frames_of_bins.len());
        self.frames_of_bins.resize(n_bins, 0);
        for row in mask.values.chunks_exact(mask.rect.bins.len().max(1)) {
            let mut n_bins = 0;
            for (bin, _) in mask.rect.bins.clone().zip(row).filter(|(_, m)| **m > 0.0) {
                self.frames_of_bins[bin] += 1;
                n_bins += 1;
            }
            self.most_bins = self.most_bins.max(n_bins);
        }
    }
}

/// Default steps for erase and negative gain in holes so small that their surroundings would refill them: no bin is
/// under the brush for a window's length, or no frame has as many as four bins under it.
fn default_steps(edit: &Edit, plan: &Plan<'_>, spread: &Spread) -> u32 {
    let most_frames = spread.frames_of_bins.iter().copied().max().unwrap_or(0);
    let is_small = most_frames < plan.grid.frames_per_window() || spread.most_bins < NARROW_BINS;
    if edit.brush.leaves_holes() && is_small { Edit::DEFAULT_STEPS } else { 0 }
}
