//! Smudge on rows: cells dragged by whole columns and rows, each [partial](super::partials) rotated in phase by its
//! shift in hertz. Twin of drags in time alone: `shaders/row_drag.wgsl`.

use super::bank::RowBank;
use super::group::RowGroup;
use super::partials::{PartialTurns, RowShifts, RowSource};
use crate::dsp::kernels::combine;
use crate::dsp::{CellRect, Mask, Region};
use rayon::prelude::*;

/// Rows searched for partials on each side of the dragged ones: as far as a row's window extends.
const CONTEXT_ROWS: usize = 6;

/// One dab of a *smudge* on rows: every cell with `M > 0` takes its value from the cell `step` columns and rows before.
///
/// Steps are whole columns and rows, so that repeated dabs do not blur: in time the cells are exactly those of the
/// moved sound, and in frequency a row takes the amplitudes of another row unchanged. Cells are amplitudes, as
/// [`RowsPlan`](crate::dsp::RowsPlan) gives them, and all rows of a partial move by the same number of rows.
#[derive(Debug, Clone, Copy)]
pub struct RowDrag<'a> {
    /// The rows' bank.
    pub bank: &'a RowBank,
    /// The rows that are read and written.
    pub group: &'a RowGroup,
    /// Columns and rows from a cell's source to the cell.
    pub step: [i64; 2],
    /// First column of the whole smudge: rotations are counted from there, so that overlapping dabs agree.
    pub first_column: usize,
}

impl RowDrag<'_> {
    /// Whether it moves cells to other rows, so that partials are rotated.
    pub fn moves_in_pitch(&self) -> bool {
        self.step[1] != 0
    }

    /// Paints the dab on a canvas, which contains the mask's cells. Cells from outside the canvas are 0.
    pub fn paint(&self, canvas: &mut Region, mask: &Mask) {
        if mask.rect.is_empty() {
            return;
        }
        let source = canvas.crop(&self.read(canvas, mask));
        let turns = if !self.moves_in_pitch() || source.rect.is_empty() {
            vec![0.0; mask.values.len()]
        } else {
            PartialTurns { bank: self.bank, group: self.group, keeps_pitch: false }.run(&source, mask, &InRows(self))
        };
        let dragged = self.dragged(&source, mask, &turns);
        let painted = combine(canvas, &dragged, mask, 0.0);
        canvas.paste(&painted);
    }

    /// The source cells of a dab on the canvas, with the surrounding ones that locate its partials.
    fn read(&self, canvas: &Region, mask: &Mask) -> CellRect {
        let moved = |range: &std::ops::Range<usize>, step: i64| {
            let back = |place: usize| (place as i64 - step).max(0) as usize;
            back(range.start)..back(range.end)
        };
        let from = CellRect::new(moved(&mask.rect.frames, self.step[0]), moved(&mask.rect.bins, self.step[1]));
        from.grown(1, CONTEXT_ROWS, &canvas.rect)
    }

    /// The cells of the mask, moved and rotated; 0 where they read from outside the source.
    fn dragged(&self, source: &Region, mask: &Mask, turns: &[f64]) -> Region {
        let mut dragged = Region::zeros(mask.rect.clone());
        let n_rows = mask.rect.bins.len();
        let scale = self.bank.scale_rows();
        let columns = dragged.magnitude.par_chunks_mut(n_rows).zip(dragged.phase.par_chunks_mut(n_rows));
        columns.enumerate().with_min_len(8).for_each(|(i, (magnitude, phase))| {
            let column = usize::try_from((mask.rect.frames.start + i) as i64 - self.step[0]).ok();
            let Some(column) = column.filter(|column| source.rect.frames.contains(column)) else { return };
            for (k, row) in mask.rect.bins.clone().enumerate() {
                let row = usize::try_from(row as i64 - self.step[1]).ok();
                let Some(row) = row.filter(|row| scale.contains(row) && source.rect.bins.contains(row)) else {
                    continue;
                };
                let at = source.index(column, row);
                magnitude[k] = source.magnitude[at];
                phase[k] = wrapped(source.phase[at] + turns[i * n_rows + k] as f32);
            }
        });
        dragged
    }
}

/// Wraps turns to `[-0.5, 0.5)`.
fn wrapped(turns: f32) -> f32 {
    let turns = turns - turns.round();
    if turns >= 0.5 { -0.5 } else { turns }
}

/// The displacement of a drag: the same for every cell.
struct InRows<'a>(&'a RowDrag<'a>);

impl RowShifts for InRows<'_> {
    fn source(&self, _: usize, row: usize) -> RowSource {
        let InRows(drag) = self;
        let row = usize::try_from(row as i64 - drag.step[1]).ok().filter(|row| drag.bank.scale_rows().contains(row));
        RowSource { row: row.map(|row| row as f64), columns: -drag.step[0] as f64 }
    }

    fn moved_hz(&self, _: usize, hz: f64) -> f64 {
        let bank = self.0.bank;
        bank.hz_from_row(bank.row_from_hz(hz) + self.0.step[1] as f64)
    }

    fn first_turns(&self, column: usize, hz: f64) -> f64 {
        hz * self.0.group.secs_per_column() * (column as f64 - self.0.first_column as f64)
    }
}
