//! Consistency: iterations that bring a sound closer to the painted cells, and the measure of the remaining distance.
//!
//! In general no sound has exactly the cells that a brush produced, since neighbouring cells overlap: a hole of one
//! cell is partly refilled by those around it. One step: `t = STFT(y)` on the touched frames, target `|E| exp(i arg t)`
//! where `M > 0` and `t` elsewhere, `y += OLA(target - t) / sum(w^2)` (Griffin and Lim, IEEE TASSP 32(2), 1984, with
//! the cells outside the brush free).

use super::changes::Changes;
use super::pass::{Counter, EditPass, Painted};
use super::spread::Spread;
use crate::base::Result;
use crate::document::brushes::CellBrush;
use crate::document::{Edit, Snapshot};
use crate::dsp::Mask;

/// Minimum of the consistency in an [`EditReport`](crate::document::EditReport).
const MIN_DB: f64 = -200.0;

/// Runs the consistency steps that an edit requests, or that its hole needs, on one signal of `sound`.
///
/// # Errors
/// The engine's and the source's, and [`Cancelled`](crate::base::ErrorKind::Cancelled).
pub fn approach(
    pass: &EditPass<'_>,
    edit: &Edit,
    painted: &Painted<'_>,
    sound: &mut Snapshot,
    counter: &mut Counter<'_>,
) -> Result<()> {
    let n_steps = edit.consistency_steps.unwrap_or_else(|| default_steps(edit, pass, painted));
    for _ in 0..n_steps {
        let mut samples = pass.new_samples();
        let mut changes = Changes::new(sound);
        for piece in &painted.pieces {
            counter.count()?;
            let signal = pass.on(piece.plan);
            let (first, difference) = pass.with_piece(piece, |painted, [_, after]| {
                let now = signal.analyse(sound, &painted.rect, 0)?;
                // Only touched frames may change, even where the brush covers more.
                let target = pass.engine.retarget(&now, after, &touched_mask(&painted.mask, &piece.touched))?;
                let difference = pass.engine.difference(&signal.place.plan, &now, &target)?;
                Ok((signal.place.grid.first_sample_under(painted.rect.frames.start), difference))
            })?;
            samples.add(sound, first, &difference)?;
            changes.take(&mut samples)?;
        }
        samples.finish(sound)?;
        changes.take(&mut samples)?;
        *sound = changes.finish();
    }
    Ok(())
}

/// `||STFT(y) - C'||^2` and `||C' - C||^2` of one signal over the cells under the brush.
///
/// # Errors
/// As [`approach`].
pub fn squares(
    pass: &EditPass<'_>,
    painted: &Painted<'_>,
    sound: &Snapshot,
    counter: &mut Counter<'_>,
) -> Result<[f64; 2]> {
    let mut squares = [0.0; 2];
    for piece in &painted.pieces {
        counter.count()?;
        let more = pass.with_piece(piece, |painted, [before, after]| {
            let now = pass.on(piece.plan).analyse(sound, &painted.rect, 0)?;
            pass.engine.distance_squares(before, after, &now, &painted.mask)
        })?;
        squares = [squares[0] + more[0], squares[1] + more[1]];
    }
    Ok(squares)
}

/// The consistency in decibels; `None` if nothing was changed.
pub fn decibels([off, painted]: [f64; 2]) -> Option<f64> {
    (painted > 0.0 && (off / painted).is_finite()).then(|| (10.0 * (off / painted).log10()).max(MIN_DB))
}

fn touched_mask(mask: &Mask, touched: &[bool]) -> Mask {
    let mut mask = mask.clone();
    let rows = mask.values.chunks_mut(mask.rect.bins.len().max(1)).zip(touched);
    rows.filter(|(_, touched)| !**touched).for_each(|(row, _)| row.fill(0.0));
    mask
}

/// Default steps for erase and negative gain in holes so small that their surroundings would refill them.
fn default_steps(edit: &Edit, pass: &EditPass<'_>, painted: &Painted<'_>) -> u32 {
    let grids = pass.layout.plans().iter().map(|plan| &plan.place.grid);
    let is_small = Spread::is_small(painted.spreads.iter().zip(grids));
    let leaves_holes = edit.brush.operation().cells().is_some_and(CellBrush::leaves_holes);
    if leaves_holes && is_small { Edit::DEFAULT_STEPS } else { 0 }
}
