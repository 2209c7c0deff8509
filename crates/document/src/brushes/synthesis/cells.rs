//! Cells: replaces cells of the sound with those of a picture that was written from it and then painted over.

use crate::base::{Error, ErrorKind, JsonAt, JsonFields, Result, khz_from_hz};
use crate::brushes::module::BrushModule;
use crate::brushes::operation::{CellBrush, Operation, of_stft_only};
use crate::brushes::trial::BrushTrial;
use crate::document::Signal;
use crate::document::edits::plan::{BrushPlan, EditPiece, Placement, PlannedBrush, Scope};
use crate::document::noise::learn::EditSound;
use crate::document::output::cells_file::{CellColumn, CellsChange, changed_cells};
use crate::document::scripts::script::fields::read_rate_hz;
use crate::document::scripts::script::samples::{samples_from_text, text_from_samples};
use crate::dsp::{CellRect, Mask, Region};
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::sync::Arc;

/// Cells of an edited picture.
#[derive(Debug, Clone, PartialEq)]
pub enum CellsBrush {
    /// Path of an OpenEXR file, or of one of a pair of PNG files, with a sidecar; read when the edit is applied.
    File(PathBuf),
    /// The changed cells, and notices about reading them.
    Changed(Arc<CellsChange>, Vec<String>),
}

impl BrushModule for CellsBrush {
    const KIND: &'static str = "cells";
    const NAME: &'static str = "Edited cells";
    // The position of its cells is fixed.
    const CAN_BE_PLACED: bool = false;

    fn omitted() -> Option<CellsBrush> {
        None
    }

    fn trials(_: [f64; 2]) -> Vec<BrushTrial<CellsBrush>> {
        Vec::new()
    }

    fn read(fields: &JsonFields) -> Result<CellsBrush> {
        match (fields.get("file"), fields.get("columns")) {
            (Some(_), Some(columns)) => columns.refuse("give either \"file\" or \"columns\", not both"),
            (Some(at), None) => Ok(CellsBrush::File(PathBuf::from(at.text()?))),
            (None, Some(columns)) => {
                let change = CellsChange {
                    signal: signal(&fields.required("channel")?)?,
                    rate_hz: read_rate_hz(&fields.required("rate")?)?,
                    columns: self::columns(&columns)?,
                };
                Ok(CellsBrush::Changed(Arc::new(change), Vec::new()))
            }
            (None, None) => fields.at.refuse("cells needs a \"file\", a picture of cells"),
        }
    }

    fn write(&self, object: &mut Map<String, Value>) {
        let change = match self {
            CellsBrush::File(path) => {
                object.insert("file".into(), json!(path.to_string_lossy()));
                return;
            }
            CellsBrush::Changed(change, _) => change,
        };
        let channel = match change.signal {
            Signal::Channel(channel) => json!(channel),
            Signal::Mid => json!("mid"),
            Signal::Side => json!("side"),
        };
        let column = |column: &CellColumn| {
            json!({
                "frame": column.frame, "bin": column.first_bin,
                "magnitude": text_from_samples(&column.magnitude), "phase": text_from_samples(&column.phase),
            })
        };
        object.insert("channel".into(), channel);
        object.insert("rate".into(), json!(change.rate_hz));
        object.insert("columns".into(), change.columns.iter().map(column).collect());
    }

    fn table_cell() -> String {
        "`file`, an OpenEXR picture that `sonobrush image` wrote, or one of its pair of PNG pictures, painted over: what \
         differs from the sound becomes its cells; stored edits contain these as `columns`, with `channel` and `rate`; \
         see [pictures.md](pictures.md)"
            .into()
    }

    fn resolved(&self, sound: &EditSound<'_>) -> Result<Option<CellsBrush>> {
        let CellsBrush::File(path) = self else { return Ok(None) };
        let (change, notices) = changed_cells(path, sound)?;
        Ok(Some(CellsBrush::Changed(Arc::new(change), notices)))
    }

    fn notices(&self) -> &[String] {
        match self {
            CellsBrush::File(_) => &[],
            CellsBrush::Changed(_, notices) => notices,
        }
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Cells(self)
    }
}

impl CellBrush for CellsBrush {
    fn works_on_rows(&self) -> Result<()> {
        Err(of_stft_only(CellsBrush::KIND))
    }

    fn builds_up(&self) -> bool {
        false
    }

    fn is_seen_live(&self) -> bool {
        false
    }

    fn plan<'a>(&'a self, place: &Placement<'a>) -> Result<Option<BrushPlan<'a>>> {
        let CellsBrush::Changed(change, _) = self else {
            return Err(Error::new(ErrorKind::Internal, "read the picture of cells before laying it out"));
        };
        if change.rate_hz != place.grid.sample_rate_hz {
            let what = format!(
                "these cells are of a sound at {}, and this one is at {}",
                khz_from_hz(change.rate_hz),
                khz_from_hz(place.grid.sample_rate_hz)
            );
            return Err(Error::new(ErrorKind::Script, what));
        }
        let rects = change.columns.iter().map(|column| {
            let end = column.first_bin.saturating_add(column.magnitude.len());
            CellRect::new(column.frame..column.frame.saturating_add(1), column.first_bin..end)
        });
        let bounds = rects.fold(CellRect::default(), |bounds, rect| bounds.union(&rect));
        Ok(Some(BrushPlan::new(PlannedCells(change), bounds.intersect(&place.bounds))))
    }
}

/// Cells that replace the sound's own.
#[derive(Debug)]
struct PlannedCells<'a>(&'a CellsChange);

impl PlannedCells<'_> {
    /// The cells of `rect`, and a mask that is 1 at changed cells and 0 at all others.
    fn cells(&self, rect: &CellRect) -> (Region, Mask) {
        let (mut cells, mut mask) = (Region::zeros(rect.clone()), Mask::zeros(rect.clone()));
        let columns = &self.0.columns;
        let first = columns.partition_point(|column| column.frame < rect.frames.start);
        for column in columns[first..].iter().take_while(|column| column.frame < rect.frames.end) {
            let values = column.magnitude.iter().zip(&column.phase);
            for (offset, (magnitude, phase)) in values.enumerate() {
                let bin = column.first_bin.saturating_add(offset);
                if *magnitude != CellColumn::UNCHANGED_MARK && rect.bins.contains(&bin) {
                    let at = cells.index(column.frame, bin);
                    (cells.magnitude[at], cells.phase[at], mask.values[at]) = (*magnitude, *phase, 1.0);
                }
            }
        }
        (cells, mask)
    }
}

impl PlannedBrush for PlannedCells<'_> {
    fn scope(&self) -> Scope {
        Scope::Local
    }

    fn reads_cells_only(&self) -> bool {
        true
    }

    fn piece(&self, place: &Placement<'_>, _: usize, rect: CellRect) -> Result<EditPiece<'_>> {
        let (cells, mut mask) = self.cells(&rect);
        mask.values.iter_mut().zip(place.mask(&rect).values).for_each(|(m, strength)| *m *= strength);
        Ok(EditPiece::new(self.read(place, &rect), mask, move |pass, piece, before| {
            if pass.signal != self.0.signal {
                return pass.engine.crop(before, &piece.rect);
            }
            pass.engine.combine(before, &pass.engine.upload(cells.clone())?, &piece.mask, 0.0)
        }))
    }
}

fn signal(at: &JsonAt) -> Result<Signal> {
    if at.value.is_string() {
        return at.choice(&[("mid", Signal::Mid), ("side", Signal::Side)]);
    }
    at.index().map(Signal::Channel)
}

fn columns(at: &JsonAt) -> Result<Vec<CellColumn>> {
    let mut columns: Vec<CellColumn> = Vec::new();
    for item in at.items()? {
        let fields = item.fields()?;
        let frame_at = fields.required("frame")?;
        let frame = frame_at.index()?;
        if columns.last().is_some_and(|before| before.frame >= frame) {
            return frame_at.refuse("columns must be in ascending order");
        }
        let is_magnitude = |m: f32| (m.is_finite() && m >= 0.0) || m == CellColumn::UNCHANGED_MARK;
        let magnitude = values(&fields.required("magnitude")?, is_magnitude)?;
        let phase_at = fields.required("phase")?;
        let phase = values(&phase_at, |turns| (-0.5..0.5).contains(&turns))?;
        if phase.len() != magnitude.len() {
            return phase_at.refuse("must have as many values as \"magnitude\"");
        }
        columns.push(CellColumn { frame, first_bin: fields.required("bin")?.index()?, magnitude, phase });
        fields.done()?;
    }
    Ok(columns)
}

fn values(at: &JsonAt, is_right: impl Fn(f32) -> bool) -> Result<Vec<f32>> {
    match samples_from_text(at.text()?) {
        Some(values) if values.iter().all(|value| is_right(*value)) => Ok(values),
        Some(_) => at.refuse("has a value that no cell has"),
        None => at.refuse("must be little-endian 32-bit floats as base64"),
    }
}
