//! Warp: moves sound in time and frequency.

use super::shifted::row_turns;
use crate::base::{Error, ErrorKind, JsonAt, JsonFields, Result};
use crate::brushes::module::{BrushGroup, BrushModule, BrushTool, ToolKey};
use crate::brushes::operation::{CellBrush, Operation, StrokeUse};
use crate::brushes::parameter::{OptionControl, Parameter, ParameterValue};
use crate::brushes::trial::{BrushTrial, TrialShape};
use crate::document::edits::plan::{BrushPlan, Cuts, EditPiece, Finish, Placement, PlannedBrush, refuse_longest};
use crate::document::stroke::StrokeForm;
use crate::dsp::strokes::brush::WarpMode;
use crate::dsp::transforms::rows::{RowMove, RowShift, RowTable};
use crate::dsp::warps::displacement::{Displacement, PushField, dabs};
use crate::dsp::{Axis, CellRect, GridPlan, Kernel, Mask, RowsPlan, Stroke};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// Maximum size of a warp in cells: its field is computed in one step, with some 40 bytes per cell.
const MAX_WARP_CELLS: usize = 1 << 25;

/// Maximum number of cells moved by the dabs of one push, counting a cell once per dab: some ten seconds of work.
const MAX_PUSHED_CELLS: usize = 1 << 29;

/// Moves sound in time and frequency.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Warp {
    /// How it moves sound.
    pub mode: WarpMode,
    /// Whether tones keep their frequency when time is stretched ([`peak_locking`](crate::dsp::warps::peak_locking)),
    /// rather than the phase of their source.
    pub peak_locking: bool,
}

impl BrushModule for Warp {
    const KIND: &'static str = "warp";
    const NAME: &'static str = "Warp";
    const TOOL: Option<BrushTool> = Some(BrushTool {
        kind: Warp::KIND,
        id: "tool_warp",
        name: "Warp brush",
        what: "Pushes sound with the pointer in time and pitch.",
        keys: &[ToolKey::plain('W'), ToolKey::plain('8')],
        // Lucide's tornado.
        icon: '\u{e218}',
        group: BrushGroup::Retouch,
    });
    const PARAMETERS: &'static [Parameter] = &[Parameter::flag("peak_locking").controls(&[OptionControl::tick(
        "Keep pitch",
        "Tones keep their frequency where time is stretched; off, they keep their original phase.",
    )])];

    fn omitted() -> Option<Warp> {
        Some(Warp { mode: WarpMode::Push, peak_locking: true })
    }

    fn values(&mut self) -> Vec<ParameterValue<'_>> {
        vec![ParameterValue::Flag(&mut self.peak_locking)]
    }

    fn read(fields: &JsonFields) -> Result<Warp> {
        let is_push = fields.or("mode", false, |at| at.choice(&[("grab", false), ("push", true)]))?;
        let shift = fields.get("shift");
        let mode = match (is_push, shift) {
            (false, Some(shift)) => WarpMode::Grab { shift: shift.pair(JsonAt::number)? },
            (false, None) => return fields.at.refuse("shift is missing"),
            (true, None) => WarpMode::Push,
            (true, Some(shift)) => return shift.refuse("a push follows its stroke and takes no shift"),
        };
        Ok(Warp { mode, peak_locking: fields.or("peak_locking", true, JsonAt::flag)? })
    }

    fn write(&self, object: &mut Map<String, Value>) {
        match self.mode {
            WarpMode::Grab { shift } => {
                object.insert("mode".into(), json!("grab"));
                object.insert("shift".into(), json!(shift));
            }
            WarpMode::Push => {
                object.insert("mode".into(), json!("push"));
            }
        }
        object.insert("peak_locking".into(), json!(self.peak_locking));
    }

    fn table_cell() -> String {
        "`shift` in seconds and units of the axis moves the selected sound within the selection, which must include the \
         destination (`mode` grab; use `paste` to move sound anywhere); `mode` push follows the stroke; `peak_locking` \
         true: tones keep their frequency where time is stretched"
            .into()
    }

    fn trials(_: [f64; 2]) -> Vec<BrushTrial<Warp>> {
        let push = Warp { mode: WarpMode::Push, peak_locking: false };
        let grab = |shift, peak_locking| Warp { mode: WarpMode::Grab { shift }, peak_locking };
        vec![
            BrushTrial::new("warp_push", push).drawn(TrialShape::Pushed),
            BrushTrial::new("warp_grab", grab([0.01, 200.0], false)),
            BrushTrial::new("warp_grab_locked", grab([0.01, 0.0], true)),
        ]
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Cells(self)
    }
}

impl CellBrush for Warp {
    fn builds_up(&self) -> bool {
        false
    }

    fn is_on_fine_grid(&self) -> bool {
        true
    }

    fn stroke_use(&self) -> StrokeUse {
        match self.mode {
            WarpMode::Grab { .. } => StrokeUse::Optional,
            WarpMode::Push => StrokeUse::Required("warp with mode push"),
        }
    }

    fn stroke_form(&self) -> StrokeForm {
        match self.mode {
            WarpMode::Grab { .. } => StrokeForm::Mask,
            WarpMode::Push => StrokeForm::PushField,
        }
    }

    fn rows_read(&self, table: &RowTable, rows: Range<usize>, axis: Axis, radius: f64) -> Range<usize> {
        match self.mode {
            WarpMode::Grab { shift } => RowMove::rows_read(table, rows, axis, shift[1]),
            WarpMode::Push => RowMove::rows_brought(table, rows, axis, radius),
        }
    }

    fn plan<'a>(&'a self, place: &Placement<'a>) -> Result<Option<BrushPlan<'a>>> {
        if place.bounds.n_cells() > MAX_WARP_CELLS {
            return Err(Error::new(
                ErrorKind::Script,
                "this warp covers too large an area (over 33 million cells); select less time or fewer frequencies",
            ));
        }
        if let GridPlan::Rows(rows) = &place.plan {
            return self.moved_rows(place, rows);
        }
        let field = match (self.mode, place.stroke) {
            (WarpMode::Grab { shift }, _) => {
                Displacement::grab(&place.grid, &place.mask(&place.bounds), place.axis(), shift)
            }
            (WarpMode::Push, Some(stroke)) => pushed(place, stroke)?,
            (WarpMode::Push, None) => return Err(push_without_stroke()),
        };
        if !field.acts.contains(&1) {
            return Ok(None);
        }
        let (bounds, field) = (field.rect.clone(), Arc::new(field));
        let is_locked = self.peak_locking && field.stretches_time();
        let finish = is_locked.then(|| Finish::Lock(field.clone()));
        Ok(Some(BrushPlan::new(PlannedWarp { field, is_locked }, bounds).finished_by(finish)))
    }
}

impl Warp {
    /// The warp on rows; `None` if it moves no cell.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) if source and destination are too far apart to be read at once, and as
    /// [`push_field`].
    fn moved_rows<'a>(&self, place: &Placement<'a>, rows: &RowsPlan) -> Result<Option<BrushPlan<'a>>> {
        // DC and Nyquist do not move.
        let within = place.grid.all_bins(place.bounds.frames.clone());
        let (mask, field) = match (self.mode, place.stroke) {
            (WarpMode::Grab { .. }, _) => (place.mask(&place.bounds.intersect(&within)), None),
            (WarpMode::Push, Some(stroke)) => {
                let field = push_field(place, stroke)?;
                let rect = field.rect().intersect(&place.grid.own_cells()).intersect(&within);
                let moved = field.moved(&rect);
                let values = moved.iter().map(|by| f32::from(u8::from(*by != [0.0; 2]))).collect();
                (Mask { rect, values }, Some(field))
            }
            (WarpMode::Push, None) => return Err(push_without_stroke()),
        };
        let bounds = mask.tight_bounds();
        if bounds.is_empty() {
            return Ok(None);
        }
        let brush = PlannedRowMove {
            rows: rows.clone(),
            axis: place.axis(),
            mode: self.mode,
            pushed: field.map_or_else(Vec::new, |field| field.moved(&bounds)),
            keeps_pitch: self.peak_locking,
            mask: mask.crop(&bounds),
        };
        // The rows read beyond those of the grid are few, and are not counted.
        let n_columns = brush.way().cells_read(&brush.mask, place.grid.n_samples).frames.len();
        if n_columns.saturating_mul(rows.group().rows().len()) > MAX_WARP_CELLS {
            let why = "this warp moves sound too far on rows (over 33 million cells between); shift less, or use paste";
            return Err(Error::new(ErrorKind::Script, why));
        }
        Ok(Some(BrushPlan::new(brush, bounds)))
    }
}

fn push_without_stroke() -> Error {
    Error::new(ErrorKind::Script, "warp with mode push needs a stroke")
}

/// Sound moved through rows, in one step.
#[derive(Debug)]
struct PlannedRowMove {
    rows: RowsPlan,
    axis: Axis,
    mode: WarpMode,
    /// Distance by which a push moves each cell of the mask.
    pushed: Vec<[f64; 2]>,
    keeps_pitch: bool,
    mask: Mask,
}

impl PlannedRowMove {
    fn way(&self) -> RowMove<'_> {
        let shift = match self.mode {
            WarpMode::Grab { shift } => RowShift::Grab(shift),
            WarpMode::Push => RowShift::Push(&self.pushed),
        };
        let (bank, group) = (&*self.rows.bank, self.rows.group());
        RowMove { bank, group, axis: self.axis, shift, keeps_pitch: self.keeps_pitch }
    }
}

impl PlannedBrush for PlannedRowMove {
    fn cuts(&self) -> Cuts {
        Cuts::Nowhere
    }

    fn piece(&self, place: &Placement<'_>, _: usize, _: CellRect) -> Result<EditPiece<'_>> {
        let way = self.way();
        let read = way.cells_read(&self.mask, place.grid.n_samples);
        Ok(EditPiece::new(read, self.mask.clone(), move |pass, piece, before| {
            let source = pass.engine.crop(before, &piece.read)?;
            let turns = row_turns(pass.engine, &way, &source, &piece.mask)?;
            pass.engine.move_rows(&way, &source, &piece.mask, &turns)
        }))
    }
}

/// The displacement of a push along a stroke on an STFT.
///
/// # Errors
/// As [`push_field`].
fn pushed(place: &Placement<'_>, stroke: &Stroke) -> Result<Displacement> {
    if let Some(field) = place.field() {
        let rect = place.bounds.grown(1, 1, &place.grid.all_cells()).intersect(field.rect());
        return Ok(field.displacement(&rect));
    }
    let field = push_field(place, stroke)?;
    Ok(field.displacement(&field.rect().clone()))
}

/// The field of a push along a whole stroke.
///
/// # Errors
/// [`Script`](ErrorKind::Script) for a stroke that is too long for its radius.
fn push_field(place: &Placement<'_>, stroke: &Stroke) -> Result<PushField> {
    refuse_longest(stroke)?;
    let mut field = PushField::new(&place.grid, stroke, place.select, &place.bounds);
    let dabs = dabs(stroke);
    if dabs.len().saturating_mul(field.cells_under_brush()) > MAX_PUSHED_CELLS {
        return Err(Error::new(
            ErrorKind::Script,
            "this push is too long for its radius; use a smaller radius or several strokes",
        ));
    }
    for pair in dabs.windows(2) {
        field.push(pair[0], pair[1]);
    }
    Ok(field)
}

/// A displacement field, of which each piece uses a part.
#[derive(Debug)]
struct PlannedWarp {
    field: Arc<Displacement>,
    /// Whether tones keep their frequency, which requires all cells together.
    is_locked: bool,
}

impl PlannedBrush for PlannedWarp {
    fn piece(&self, place: &Placement<'_>, _: usize, rect: CellRect) -> Result<EditPiece<'_>> {
        let displacement = self.field.crop(&rect);
        let sources = displacement.frames_read(place.grid.n_frames());
        let frames = rect.union(&CellRect::new(sources, rect.bins.clone())).frames;
        // Sound may come from any bin; if one piece contains the whole warp, only its source bins are read.
        let n_bins = place.grid.n_bins();
        let bins = if self.is_locked { displacement.bins_read(n_bins) } else { 0..n_bins };
        let mask = Mask { rect, values: displacement.acts.iter().map(|&acts| acts as f32).collect() };
        let kernel = Kernel::resampling(&place.grid, displacement);
        Ok(EditPiece::of_kernel(CellRect::new(frames, bins), mask, Cow::Owned(kernel)))
    }
}
