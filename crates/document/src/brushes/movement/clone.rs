//! Clone: copies sound from elsewhere in time and frequency.

use super::shifted::{FARTHEST_SAMPLES, FrequencyShift, refuse_too_many_moved};
use crate::base::Result;
use crate::brushes::module::{BrushGroup, BrushModule, BrushTool, ToolKey};
use crate::brushes::operation::{CellBrush, Operation};
use crate::brushes::parameter::{Parameter, ParameterLimits, ParameterValue};
use crate::brushes::trial::BrushTrial;
use crate::document::edits::plan::{BrushPlan, Cuts, Dabs, EditPiece, Placement, PlannedBrush, Scope};
use crate::dsp::transforms::rows::{RowMove, RowTable};
use crate::dsp::{Axis, CellRect};
use std::ops::Range;

/// Copies sound from elsewhere in time and frequency.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CloneSource {
    /// Offset from a cell to its source: seconds, and units of the edit's axis.
    pub offset: [f64; 2],
}

impl BrushModule for CloneSource {
    const KIND: &'static str = "clone";
    const NAME: &'static str = "Clone";
    const TOOL: Option<BrushTool> = Some(BrushTool {
        kind: CloneSource::KIND,
        id: "tool_clone",
        name: "Clone brush",
        what: "Paints with sound from elsewhere; Ctrl+click sets the source.",
        keys: &[ToolKey::shift('C')],
        // Lucide's stamp.
        icon: '\u{e3bb}',
        group: BrushGroup::Retouch,
    });
    const PARAMETERS: &'static [Parameter] = &[Parameter::required("offset", ParameterLimits::Any)
        .note("from a cell to its source, in seconds and units of the axis")];

    /// An offset of 0, since the source is known only when the stroke begins.
    fn omitted() -> Option<CloneSource> {
        Some(CloneSource { offset: [0.0; 2] })
    }

    fn values(&mut self) -> Vec<ParameterValue<'_>> {
        vec![ParameterValue::Pair(&mut self.offset)]
    }

    fn trials(_: [f64; 2]) -> Vec<BrushTrial<CloneSource>> {
        vec![BrushTrial::new(CloneSource::KIND, CloneSource { offset: [0.25, 200.0] })]
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Cells(self)
    }
}

impl CellBrush for CloneSource {
    fn makes_sound(&self) -> bool {
        true
    }

    fn is_on_one_grid_of_rows(&self) -> bool {
        self.offset[1] != 0.0
    }

    fn rows_read(&self, table: &RowTable, rows: Range<usize>, axis: Axis, _: f64) -> Range<usize> {
        RowMove::rows_read(table, rows, axis, -self.offset[1])
    }

    fn plan<'a>(&'a self, place: &Placement<'a>) -> Result<Option<BrushPlan<'a>>> {
        let [secs, units] = self.offset;
        refuse_too_many_moved(place, units, CloneSource::KIND)?;
        let samples = (secs * place.grid.sample_rate_hz).round() as i64;
        let brush = PlannedClone {
            samples: samples.clamp(-FARTHEST_SAMPLES, FARTHEST_SAMPLES),
            shift: FrequencyShift::new(place, place.axis(), units, place.bounds.frames.start),
            dabs: place.built_up_dabs(CloneSource::KIND)?,
        };
        Ok(Some(BrushPlan::new(brush, place.bounds.clone())))
    }
}

/// Copies sound from `samples` samples later, moved in frequency; applied once, or once per dab.
#[derive(Debug)]
struct PlannedClone<'a> {
    samples: i64,
    shift: FrequencyShift,
    dabs: Dabs<'a>,
}

impl PlannedBrush for PlannedClone<'_> {
    fn scope(&self) -> Scope {
        if self.shift.is_by_partials() { Scope::Whole } else { Scope::Local }
    }

    fn cuts(&self) -> Cuts {
        self.shift.cuts()
    }

    fn is_phased_from_its_start(&self) -> bool {
        self.shift.moves()
    }

    fn piece(&self, place: &Placement<'_>, _: usize, rect: CellRect) -> Result<EditPiece<'_>> {
        // Each dab leaves a fraction `1 - m` of the previous sound.
        let mask = place.mask_of_dabs(&self.dabs, &rect, |sum, m| sum + m * (1.0 - sum));
        let kernel = self.shift.kernel(&place.grid, &mask);
        Ok(EditPiece::new(self.read(place, &rect), mask, move |pass, piece, before| {
            // A shift by whole samples is exact: frames are computed from samples at the shifted position.
            let read = self.shift.source(pass.place, &piece.mask);
            let samples = pass.samples(pass.snapshot, &read, self.samples)?;
            let moved = self.shift.moved(pass, piece, &samples, kernel.as_ref())?;
            pass.engine.combine(before, &moved, &piece.mask, 0.0)
        }))
    }
}
