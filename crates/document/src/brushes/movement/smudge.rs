//! Smudge: drags sound along, dab by dab, like wet paint.

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
use crate::dsp::warps::displacement::{Dab, gained_turns};
use crate::dsp::{Axis, CellRect, GridPlan, Kernel, RowsPlan};
use crate::engine::{Engine, EngineRegion};
use std::ops::Range;

/// Reason that drags through rows are computed on the CPU.
const DRAGGED_PARTIALS_WHY: &str = "partials of each dab are found in what the dabs before it left";

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
            let engine = pass.engine;
            let canvas = engine.crop(before, &piece.read)?;
            if !self.moves_in_pitch(pass.place) {
                return engine.in_one_submission(|engine| self.dragged(engine, pass.place, canvas, &piece.rect));
            }
            let on_cpu = engine.on_cpu_for(DRAGGED_PARTIALS_WHY);
            let canvas = on_cpu.upload(engine.download(canvas)?)?;
            engine.upload(on_cpu.download(self.dragged(&on_cpu, pass.place, canvas, &piece.rect)?)?)
        }))
    }
}

impl PlannedRowSmudge<'_> {
    /// The drags between neighbouring dabs that move anything, each with the dab at its end.
    fn drags<'b>(&'b self, place: &'b Placement<'_>) -> impl Iterator<Item = (RowDrag<'b>, &'b Dab)> + 'b {
        let (bank, group, first_column) = (&*self.rows.bank, self.rows.group(), place.first_frame());
        let drag = move |pair: &'b [Dab]| {
            let step = place.cells_between(&pair[0], &pair[1]);
            (step != [0, 0]).then_some((RowDrag { bank, group, step, first_column }, &pair[1]))
        };
        self.dabs.windows(2).filter_map(drag)
    }

    /// Whether any drag moves sound to other rows.
    fn moves_in_pitch(&self, place: &Placement<'_>) -> bool {
        self.drags(place).any(|(drag, _)| drag.moves_in_pitch())
    }

    /// The cells of `rect` of a canvas after all drags.
    fn dragged(
        &self,
        engine: &Engine,
        place: &Placement<'_>,
        mut canvas: EngineRegion,
        rect: &CellRect,
    ) -> Result<EngineRegion> {
        for (drag, dab) in self.drags(place) {
            if let Some(mask) = place.dab_mask(dab, rect) {
                engine.drag_rows(&drag, &mut canvas, &mask)?;
            }
        }
        engine.crop(&canvas, rect)
    }
}
