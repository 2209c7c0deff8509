//! Smudge: drags sound along, dab by dab, like wet paint.

use super::shifted::MOVED_ROWS_WHY;
use crate::base::Result;
use crate::brushes::module::{BrushGroup, BrushModule, BrushTool, ToolKey};
use crate::brushes::operation::{CellBrush, Operation, StrokeUse};
use crate::brushes::trial::{BrushTrial, TrialShape};
use crate::document::Signal;
use crate::document::edits::plan::{
    BrushPlan, Cuts, DabWork, DabWorks, Dabs, EditPiece, Placement, PlannedBrush, Scope,
};
use crate::document::stroke::StrokeForm;
use crate::dsp::kernels::DragKernel;
use crate::dsp::transforms::rows::{RowDrag, RowMove, RowTable};
use crate::dsp::warps::displacement::gained_turns;
use crate::dsp::{Axis, CellRect, GridPlan, Kernel, RowsPlan};
use std::ops::Range;

/// Drags sound along, dab by dab, like wet paint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Smudge;

impl BrushModule for Smudge {
    const KIND: &'static str = "smudge";
    const NAME: &'static str = "Smudge";
    const TOOL: Option<BrushTool> = Some(BrushTool {
        kind: Smudge::KIND,
        id: "tool_smudge",
        name: "Smudge brush",
        what: "Smears sound along the stroke like wet paint.",
        keys: &[ToolKey::plain('R')],
        // Lucide's pointer.
        icon: '\u{e1e8}',
        group: BrushGroup::Retouch,
    });

    fn omitted() -> Option<Smudge> {
        Some(Smudge)
    }

    fn trials(_: [f64; 2]) -> Vec<BrushTrial<Smudge>> {
        vec![BrushTrial::new(Smudge::KIND, Smudge).drawn(TrialShape::Pushed)]
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Cells(self)
    }
}

impl CellBrush for Smudge {
    fn builds_up(&self) -> bool {
        false
    }

    fn is_on_fine_grid(&self) -> bool {
        true
    }

    fn stroke_use(&self) -> StrokeUse {
        StrokeUse::Required(Smudge::KIND)
    }

    fn stroke_form(&self) -> StrokeForm {
        StrokeForm::Dabs
    }

    fn rows_read(&self, table: &RowTable, rows: Range<usize>, axis: Axis, radius: f64) -> Range<usize> {
        RowMove::rows_brought(table, rows, axis, radius)
    }

    fn plan<'a>(&'a self, place: &Placement<'a>) -> Result<Option<BrushPlan<'a>>> {
        let dabs = place.dabs(Smudge::KIND)?;
        let n_halo_frames = place.step_halo(&dabs);
        if let GridPlan::Rows(rows) = &place.plan {
            let brush = PlannedRowSmudge { dabs, rows: rows.clone(), n_halo_frames };
            return Ok(Some(BrushPlan::new(brush, place.bounds.clone())));
        }
        Ok(Some(BrushPlan::new(PlannedSmudge { dabs, n_halo_frames }, place.bounds.clone())))
    }
}

/// A drag from dab to dab.
#[derive(Debug)]
struct PlannedSmudge<'a> {
    dabs: Dabs<'a>,
    n_halo_frames: usize,
}

impl PlannedBrush for PlannedSmudge<'_> {
    fn halo(&self) -> [usize; 2] {
        [self.n_halo_frames, 0]
    }

    /// All bins, since sound moved in frequency may come from any of them.
    fn read(&self, place: &Placement<'_>, rect: &CellRect) -> CellRect {
        place.grid.all_bins(rect.grown(self.n_halo_frames, 0, &place.grid.all_cells()).frames)
    }

    fn cuts(&self) -> Cuts {
        Cuts::NowhereByDabs
    }

    fn scope(&self) -> Scope {
        Scope::Dabs
    }

    fn piece(&self, place: &Placement<'_>, _: usize, rect: CellRect) -> Result<EditPiece<'_>> {
        Ok(EditPiece::of_dabs(self.read(place, &rect), place.mask(&rect), self))
    }

    fn dabs_from<'b>(&'b self, place: &'b Placement<'_>, first: usize, rect: &'b CellRect, _: Signal) -> DabWorks<'b> {
        let works = (first..self.dabs.len()).filter_map(move |index| self.dab(place, index, rect));
        Box::new(works.map(Ok))
    }
}

impl PlannedSmudge<'_> {
    /// The drag from the previous dab to this one, in whole cells; `None` for the first dab, if the two are in the same
    /// cell, and if the dab has no cell in `rect`.
    fn dab(&self, place: &Placement<'_>, index: usize, rect: &CellRect) -> Option<DabWork> {
        let before = index.checked_sub(1)?;
        let step = place.cells_between(&self.dabs[before], &self.dabs[index]);
        if step == [0, 0] {
            return None;
        }
        let mask = place.dab_mask(&self.dabs[index], rect)?;
        let hz_moved = place.grid.hz_from_bin(step[1] as f64);
        let first_frame = place.first_frame() as f64;
        let turns = |frame: usize| gained_turns(&place.grid, hz_moved, frame as f64 - first_frame);
        let kernel = Kernel::Drag(DragKernel {
            step,
            turns: mask.rect.frames.clone().map(turns).collect(),
            overlap: place.grid.frames_per_turn() as u32,
            nyquist_bin: place.grid.nyquist_bin() as u32,
        });
        Some(DabWork { is_mixed: true, ..DabWork::new(kernel, mask) })
    }
}

/// A drag from dab to dab on rows.
#[derive(Debug)]
struct PlannedRowSmudge<'a> {
    dabs: Dabs<'a>,
    rows: RowsPlan,
    n_halo_frames: usize,
}

impl PlannedBrush for PlannedRowSmudge<'_> {
    /// All rows of the grid, including those from which sound comes.
    fn read(&self, place: &Placement<'_>, rect: &CellRect) -> CellRect {
        let own = place.grid.own_cells();
        CellRect::new(rect.grown(self.n_halo_frames, 0, &own).frames, own.bins)
    }

    fn cuts(&self) -> Cuts {
        Cuts::NowhereByDabs
    }

    fn piece(&self, place: &Placement<'_>, _: usize, rect: CellRect) -> Result<EditPiece<'_>> {
        let mask = place.mask(&rect);
        Ok(EditPiece::new(self.read(place, &rect), mask, |pass, piece, before| {
            // Peaks are found on the CPU, so that both engines find the same.
            let mut canvas = pass.engine.download(pass.engine.crop(before, &piece.read)?)?;
            for pair in self.dabs.windows(2) {
                let step = pass.place.cells_between(&pair[0], &pair[1]);
                if step != [0, 0]
                    && let Some(mask) = pass.place.dab_mask(&pair[1], &piece.rect)
                {
                    let (bank, group) = (&*self.rows.bank, self.rows.group());
                    let drag = RowDrag { bank, group, step, first_column: pass.place.first_frame() };
                    pass.engine.here("row_drag", MOVED_ROWS_WHY, || drag.paint(&mut canvas, &mask));
                }
            }
            pass.engine.upload(canvas.crop(&piece.rect))
        }))
    }
}
