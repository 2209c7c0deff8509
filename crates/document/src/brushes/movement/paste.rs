//! Paste: adds a clip to the sound, or replaces the sound with it.

use super::shifted::{FARTHEST_SAMPLES, FrequencyShift, refuse_too_many_moved};
use crate::base::{JsonAt, JsonFields, Result};
use crate::brushes::length::clip::{check_rate, clip, clip_to_value, samples_for};
use crate::brushes::module::BrushModule;
use crate::brushes::operation::{CellBrush, Operation, StrokeUse};
use crate::document::edits::placing::EditPlacing;
use crate::document::edits::plan::{BrushPlan, Cuts, EditPiece, Placement, PlannedBrush};
use crate::document::scripts::script::fields::read_axis;
use crate::document::scripts::script::{selection, selection_to_value};
use crate::dsp::strokes::brush::{Paste, StretchedFrom};
use crate::dsp::transforms::rows::{RowBank, RowMove, RowTable};
use crate::dsp::{Axis, CellRect, Clip, Grid, Selection, Stroke};
use serde_json::{Map, Value, json};
use std::ops::Range;

impl BrushModule for Paste {
    const KIND: &'static str = "paste";
    const NAME: &'static str = "Paste";

    fn omitted() -> Option<Paste> {
        None
    }

    fn read(fields: &JsonFields) -> Result<Paste> {
        Ok(Paste {
            clip: clip(&fields.required("clip")?)?,
            offset: fields.or("offset", [0.0; 2], |at| at.pair(JsonAt::number))?,
            axis: read_axis(fields)?,
            replaces: fields.or("replace", false, JsonAt::flag)?,
            stretch: fields.get("stretch").as_ref().map(stretch).transpose()?,
        })
    }

    fn write(&self, object: &mut Map<String, Value>) {
        object.insert("offset".into(), json!(self.offset));
        object.insert("axis".into(), json!(self.axis.name()));
        if self.replaces {
            object.insert("replace".into(), json!(true));
        }
        if let Some(StretchedFrom { percent, clears }) = &self.stretch {
            let mut stretch = json!({"percent": percent});
            if let Some(clears) = clears {
                stretch["clears"] = selection_to_value(clears);
            }
            object.insert("stretch".into(), stretch);
        }
        object.insert("clip".into(), clip_to_value(&self.clip));
    }

    fn table_cell() -> String {
        "`clip` (`rate`, `first_sample`, `channels`: little-endian 32-bit floats as base64), added at `offset`, in seconds \
         and units of `axis` from its original position; `replace` true: in the place of what is there, along a stroke, too; \
         `stretch` (`percent`, `clears`): what the clip was stretched from, and a selection that is erased before"
            .into()
    }

    fn place(&mut self, placing: &EditPlacing) {
        let taken_secs = self.clip.first_sample as f64 / self.clip.sample_rate_hz;
        self.offset[0] = placing.secs(taken_secs + self.offset[0]) - taken_secs;
        if let Some(clears) = self.stretch.as_mut().and_then(|stretch| stretch.clears.as_mut()) {
            *clears = placing.selection(clears);
        }
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Cells(self)
    }
}

impl CellBrush for Paste {
    fn builds_up(&self) -> bool {
        false
    }

    fn makes_sound(&self) -> bool {
        true
    }

    fn is_seen_live(&self) -> bool {
        false
    }

    /// Added clips are always pasted as a whole; those that replace sound may be painted.
    fn stroke_use(&self) -> StrokeUse {
        if self.replaces { StrokeUse::Optional } else { StrokeUse::Never }
    }

    fn clears(&self) -> Option<&Selection> {
        self.stretch.as_ref()?.clears.as_ref()
    }

    fn end_secs(&self, _: Option<&Stroke>) -> Option<f64> {
        Some(self.clip.secs()[1] + self.offset[0])
    }

    fn is_on_one_grid_of_rows(&self) -> bool {
        self.offset[1] != 0.0
    }

    fn rows_read(&self, table: &RowTable, rows: Range<usize>, _: Axis, _: f64) -> Range<usize> {
        RowMove::rows_read(table, rows, self.axis, self.offset[1])
    }

    fn moves_one_event(&self, bank: &RowBank, rows: Range<usize>) -> bool {
        let [start, end] = self.clip.secs();
        self.offset[1] != 0.0 && bank.hear_at_once(rows, end - start)
    }

    fn plan<'a>(&'a self, place: &Placement<'a>) -> Result<Option<BrushPlan<'a>>> {
        let Some((first, reach)) = reach(&place.grid, self)? else { return Ok(None) };
        refuse_too_many_moved(place, self.offset[1], Paste::KIND)?;
        let bounds = place.bounds.intersect(&reach);
        let shift = FrequencyShift::new(place, self.axis, -self.offset[1], bounds.frames.start);
        let rows = place.plan.rows();
        let is_event = rows.is_some_and(|rows| self.moves_one_event(&rows.bank, rows.group().rows()));
        let shift = shift.about(is_event.then(|| first as f64 + middle(&self.clip)));
        let kept = if self.replaces { 0.0 } else { 1.0 };
        Ok(Some(BrushPlan::new(PlannedPaste { clip: &self.clip, first, shift, kept }, bounds)))
    }
}

/// A clip pasted with its first sample at `first`, moved in frequency.
#[derive(Debug)]
struct PlannedPaste<'a> {
    clip: &'a Clip,
    first: i64,
    shift: FrequencyShift,
    /// Fraction of the existing sound that is kept.
    kept: f32,
}

impl PlannedBrush for PlannedPaste<'_> {
    fn cuts(&self) -> Cuts {
        self.shift.cuts()
    }

    fn piece(&self, place: &Placement<'_>, _: usize, rect: CellRect) -> Result<EditPiece<'_>> {
        let mask = place.mask(&rect);
        let kernel = self.shift.kernel(&place.grid, &mask);
        Ok(EditPiece::new(self.read(place, &rect), mask, move |pass, piece, before| {
            let read = pass.place.plan.samples_read(&self.shift.source(pass.place, &piece.mask));
            let (from, n_samples) = (read.start.saturating_sub(self.first), (read.end - read.start) as usize);
            let samples = samples_for(self.clip, pass.signal, pass.snapshot.n_channels(), from, n_samples);
            let moved = self.shift.moved(pass, piece, &samples, kernel.as_ref())?;
            pass.engine.combine(before, &moved, &piece.mask, self.kept)
        }))
    }
}

/// The centre of gravity of a clip's power, in samples from its first; 0 for silence.
fn middle(clip: &Clip) -> f64 {
    let (mut along, mut all) = (0.0, 0.0);
    for (i, sample) in clip.channels.iter().flat_map(|channel| channel.iter().enumerate()) {
        let power = f64::from(*sample).powi(2);
        (along, all) = (along + power * i as f64, all + power);
    }
    if all > 0.0 { along / all } else { 0.0 }
}

/// Position of a clip's first sample, and the cells that it can affect; `None` if it is outside the sound.
fn reach(grid: &Grid, paste: &Paste) -> Result<Option<(i64, CellRect)>> {
    let (clip, rate_hz) = (&paste.clip, grid.sample_rate_hz);
    check_rate(clip, rate_hz)?;
    let by = (paste.offset[0] * rate_hz).round().clamp(-(FARTHEST_SAMPLES as f64), FARTHEST_SAMPLES as f64) as i64;
    let first = clip.first_sample.saturating_add(by);
    let end = first.saturating_add(clip.n_samples() as i64);
    let last_sample = grid.n_samples as i64;
    if end <= 0 || first >= last_sample || first >= end {
        return Ok(None);
    }
    let frames = grid.frames_over(&(first.max(0) as u64..end.min(last_sample) as u64));
    let rect = CellRect::new(frames, bins_with_a_source(grid, paste.axis, paste.offset[1]));
    Ok(Some((first, rect)))
}

/// The bins whose source is within the spectrum; the others would take its mirror image.
fn bins_with_a_source(grid: &Grid, axis: Axis, units: f64) -> Range<usize> {
    if units == 0.0 {
        return 0..grid.n_bins();
    }
    let has_source = |bin: &usize| {
        let hz = grid.hz_from_bin(*bin as f64);
        let source_hz = axis.hz_from_units(axis.units_from_hz(hz) - units);
        // The tolerance of a millionth of a hertz includes sources exactly at the limits, despite rounding.
        (axis != Axis::Log || hz > 0.0) && source_hz > -1e-6 && source_hz < grid.nyquist_hz() + 1e-6
    };
    let first = (0..grid.n_bins()).find(has_source).unwrap_or(0);
    let end = (0..grid.n_bins()).rfind(has_source).map_or(first, |last| last + 1);
    first..end
}

fn stretch(at: &JsonAt) -> Result<StretchedFrom> {
    let fields = at.fields()?;
    let stretched = StretchedFrom {
        percent: fields.required("percent")?.positive()?,
        clears: fields.get("clears").as_ref().map(selection).transpose()?,
    };
    fields.done()?;
    Ok(stretched)
}
