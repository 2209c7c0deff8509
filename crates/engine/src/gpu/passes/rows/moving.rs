//! Sound moved through rows, on the device.

use super::tables::turns_of_rows;
use crate::base::Result;
use crate::dsp::transforms::rows::{RowDrag, RowMove, RowSource};
use crate::dsp::{CellRect, Mask};
use crate::gpu::batch::groups_of_256;
use crate::gpu::batch::{BATCH_WORK, Batch, uniform, words};
use crate::gpu::layout::{Cells, DraggedRows, MovedCell, MovedRows};
use crate::gpu::passes::kernels::{KernelRun, cells_in};
use crate::gpu::passes::stft::{batches, check};
use crate::gpu::shaders::Program;
use crate::gpu::{Gpu, GpuRegion};

/// Number of values that a moved cell reads and computes.
const WORK_PER_CELL: usize = 256;

impl Gpu {
    /// Twin of [`RowMove::run`].
    ///
    /// # Errors
    /// As [`run`](Gpu::run).
    pub fn move_rows(
        &self,
        batch: &mut Batch<'_>,
        way: &RowMove<'_>,
        source: &GpuRegion,
        mask: &Mask,
        turns: &[f64],
    ) -> Result<GpuRegion> {
        let rect = &mask.rect;
        check(source.rect.contains(rect), "a move writes cells outside the region it reads")?;
        check([mask.values.len(), turns.len()] == [rect.n_cells(); 2], "turns or mask do not fit the moved cells")?;
        let after = self.region(rect.clone())?;
        if rect.is_empty() {
            return Ok(after);
        }
        let own = CellRect::new(source.rect.frames.clone(), way.group.rows()).intersect(&source.rect).bins;
        let turns_of_rows = turns_of_rows(way.group, own.clone(), source.rect.frames.start);
        let (row_turns, n_turn_words) = (self.uploaded(&turns_of_rows)?, size_of_val(&turns_of_rows[..]) / 4);
        let first_bin = source.rect.bins.start;
        let parameters = MovedRows { first_row: (own.start - first_bin) as u32, end_row: (own.end - first_bin) as u32 };
        for cells in batches(rect.n_cells(), BATCH_WORK / WORK_PER_CELL) {
            batch.add_work(cells.len() * WORK_PER_CELL);
            let moved = self.uploaded_by_pieces(cells.clone(), |cells| {
                let numbered = cells.clone().zip(way.sources(mask, cells));
                numbered.map(|(cell, from)| moved_cell(from, cell, mask, &source.rect, turns[cell])).collect()
            })?;
            let in_source =
                Cells { first_cell: cells.start as u32, end_cell: cells.end as u32, ..cells_in(rect, &source.rect) };
            batch.dispatch(
                Program::file("row_resample", "row_resample"),
                &[
                    (0, uniform(&in_source)),
                    (1, words(&source.magnitude, source.rect.n_cells())),
                    (2, words(&source.phase, source.rect.n_cells())),
                    (3, words(&moved, size_of::<MovedCell>() / 4 * cells.len())),
                    (4, words(&after.magnitude, rect.n_cells())),
                    (5, words(&after.phase, rect.n_cells())),
                    (6, words(&row_turns, n_turn_words)),
                    (7, uniform(&parameters)),
                ],
                groups_of_256(cells.len()),
            )?;
        }
        Ok(after)
    }

    /// Twin of [`RowDrag::paint`], for a drag that moves [in time](RowDrag::moves_in_pitch) alone.
    ///
    /// # Errors
    /// As [`run`](Gpu::run).
    pub fn drag_rows(&self, batch: &mut Batch<'_>, drag: &RowDrag<'_>, canvas: &GpuRegion, mask: &Mask) -> Result<()> {
        check(!drag.moves_in_pitch(), "a drag through rows was sent to the GPU")?;
        check(canvas.rect.contains(&mask.rect), "a drag writes cells outside its canvas")?;
        check(mask.values.len() == mask.rect.n_cells(), "a mask does not fit its rectangle")?;
        if mask.rect.is_empty() {
            return Ok(());
        }
        let after = self.region(mask.rect.clone())?;
        let run = KernelRun { before: canvas, mask: self.uploaded(&mask.values)?, after };
        let (scale, beyond) = (drag.bank.scale_rows(), canvas.rect.frames.len() as i64);
        let parameters = DraggedRows {
            columns: drag.step[0].clamp(-beyond, beyond) as i32,
            first_row: scale.start as u32,
            end_row: scale.end as u32,
        };
        let bind = || [(6, uniform(&parameters))];
        self.each_cell(batch, Program::file("row_drag", "row_drag"), &run, 1, bind)?;
        self.paste(batch, canvas, &run.after)
    }
}

/// A cell of a mask as the shader takes it, with its place in the region of its source.
fn moved_cell(from: Option<RowSource>, cell: usize, mask: &Mask, source: &CellRect, turns: f64) -> MovedCell {
    let Some(RowSource { row, columns }) = from else { return MovedCell::default() };
    let Some(row) = row else { return MovedCell { kind: 1, ..MovedCell::default() } };
    let column = mask.rect.frames.start + cell / mask.rect.bins.len().max(1);
    let whole = columns.floor();
    // Beyond the region all is silent, however far.
    let beyond = source.frames.len() as i64 + 4;
    let column = (column as i64 - source.frames.start as i64 + whole as i64).clamp(-beyond, beyond);
    MovedCell {
        column: column as i32,
        column_part: ((columns - whole) * 4_294_967_296.0) as u32,
        row: row.floor() as i32 - source.bins.start as i32,
        row_part: (row - row.floor()) as f32,
        turns: turns as f32,
        kind: 2,
    }
}
