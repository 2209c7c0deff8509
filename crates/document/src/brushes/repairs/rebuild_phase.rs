//! Rebuild phase: computes phases from the unchanged magnitudes.

use crate::base::{Error, ErrorKind, JsonFields, Result};
use crate::brushes::module::{BrushGroup, BrushModule, BrushTool, ToolKey};
use crate::brushes::operation::{CellBrush, Operation};
use crate::brushes::trial::BrushTrial;
use crate::document::edits::plan::{BrushPlan, EditPiece, Finish, Placement, PlannedBrush, Scope};
use crate::dsp::CellRect;
use crate::dsp::warps::phase;
use serde_json::{Map, Value, json};

/// Rebuilds phases from the magnitude, which does not change. A phase is either kept or rebuilt, so the brush acts at
/// full strength wherever it acts at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RebuildPhase {
    /// Steps of Griffin-Lim after the integration, 0 to [`MAX_STEPS`](phase::MAX_STEPS).
    pub steps: u32,
}

impl BrushModule for RebuildPhase {
    const KIND: &'static str = "rebuild_phase";
    const NAME: &'static str = "Rebuild phase";
    const TOOL: Option<BrushTool> = Some(BrushTool {
        kind: RebuildPhase::KIND,
        id: "tool_rebuild_phase",
        name: "Phase brush",
        what: "Rebuilds damaged phase from the magnitudes.",
        keys: &[ToolKey::shift('R')],
        // Lucide's refresh-cw.
        icon: '\u{e3e7}',
        group: BrushGroup::Retouch,
    });

    fn omitted() -> Option<RebuildPhase> {
        Some(RebuildPhase { steps: phase::DEFAULT_STEPS })
    }

    fn read(fields: &JsonFields) -> Result<RebuildPhase> {
        let steps = fields.or("steps", phase::DEFAULT_STEPS, |at| match u32::try_from(at.whole()?) {
            Ok(steps @ 0..=phase::MAX_STEPS) => Ok(steps),
            _ => at.refuse(format!("must be 0 to {}", phase::MAX_STEPS)),
        })?;
        Ok(RebuildPhase { steps })
    }

    fn write(&self, object: &mut Map<String, Value>) {
        object.insert("steps".into(), json!(self.steps));
    }

    fn table_cell() -> String {
        let default = phase::DEFAULT_STEPS;
        format!("`steps` {default}: phases from magnitudes by PGHI, then this many fast Griffin-Lim steps")
    }

    fn trials(_: [f64; 2]) -> Vec<BrushTrial<RebuildPhase>> {
        vec![BrushTrial::new(RebuildPhase::KIND, RebuildPhase { steps: 10 })]
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Cells(self)
    }
}

impl CellBrush for RebuildPhase {
    fn builds_up(&self) -> bool {
        false
    }

    fn is_seen_live(&self) -> bool {
        false
    }

    fn phase_steps(&self) -> Option<u32> {
        Some(self.steps)
    }

    fn works_on_rows(&self) -> Result<()> {
        Err(Error::new(ErrorKind::Script, "phases can be rebuilt on an STFT only; choose an FFT size"))
    }

    fn plan<'a>(&'a self, place: &Placement<'a>) -> Result<Option<BrushPlan<'a>>> {
        let plan = BrushPlan::new(PlannedMagnitudes, place.bounds.clone());
        Ok(Some(plan.finished_by(Some(Finish::Rebuild(self.steps)))))
    }
}

/// Keeps all cells; the finishing step then rebuilds their phases.
#[derive(Debug)]
struct PlannedMagnitudes;

impl PlannedBrush for PlannedMagnitudes {
    fn scope(&self) -> Scope {
        Scope::Finished
    }

    fn piece(&self, place: &Placement<'_>, _: usize, rect: CellRect) -> Result<EditPiece<'_>> {
        let (read, mask) = (self.read(place, &rect), place.mask(&rect));
        Ok(EditPiece::new(read, mask, |pass, piece, before| pass.engine.crop(before, &piece.rect)))
    }
}
