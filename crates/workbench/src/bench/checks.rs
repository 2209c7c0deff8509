//! Validates the edits and selections in acts by the rules of scripts. Rejects non-finite numbers, ranges that end
//! before they start, and brush settings out of range.

use super::limits::{HARMONICS, are_finite};
use crate::base::{Error, ErrorKind, Result};
use crate::document::brushes::{DrawnVoice, VoicesBrush};
use crate::document::{Brush, Edit};
use crate::dsp::selections::find::Find;
use crate::dsp::{Axis, Point, Selection, Shape, Stroke};
use std::sync::Arc;

/// Search range of the fundamental of hum, in hertz.
const HUM_HZ: std::ops::RangeInclusive<f64> = 10.0..=1000.0;

/// Checks an edit. Skips its selection if it equals `known`, the document's current selection, which was checked before
/// and may have a value per cell.
///
/// # Errors
/// [`Script`](ErrorKind::Script) with what is wrong.
pub fn check_edit(edit: &Edit, known: Option<&Selection>) -> Result<()> {
    edit.transform.clone().validated()?;
    check_brush(&edit.brush)?;
    edit.stroke.as_ref().map_or(Ok(()), check_stroke)?;
    edit.select.as_ref().filter(|select| Some(*select) != known).map_or(Ok(()), check_selection)?;
    refuse_unless(is_part(edit.strength), "the strength of the edit is not from 0 to 1")?;
    let n_steps = edit.consistency_steps.unwrap_or(0);
    refuse_unless(n_steps <= Edit::MAX_STEPS, "the edit has too many consistency steps")
}

/// Checks a selection.
///
/// # Errors
/// [`Script`](ErrorKind::Script) with what is wrong.
pub fn check_selection(selection: &Selection) -> Result<()> {
    refuse_unless(!selection.shapes.is_empty(), "the selection has no shape")?;
    selection.shapes.iter().try_for_each(|(_, shape)| check_shape(shape))
}

/// Checks a brush by writing it as a script and parsing that. For brushes that contain sound, whose scripts may be
/// long, checks only the numbers.
fn check_brush(brush: &Brush) -> Result<()> {
    match brush {
        Brush::Paste(paste) => refuse_unless(are_finite(&paste.offset), "the offset of the paste is not finite"),
        Brush::Denoise(denoise) => {
            let numbers = [denoise.reduction_db, denoise.margin_db, denoise.smoothing[0], denoise.smoothing[1]];
            refuse_unless(are_finite(&numbers), "a setting of denoise is not finite")
        }
        Brush::Voices(VoicesBrush::Phrase(phrase)) => {
            refuse_unless(phrase.at_secs.is_finite(), "the place of the notes is not finite")
        }
        // Skips a measured timbre, which is long and was checked when it was measured.
        Brush::Voices(VoicesBrush::Drawn(voice)) => {
            let timbre = if voice.timbre.measured.is_some() { Arc::default() } else { voice.timbre.clone() };
            let brush = Brush::from(VoicesBrush::Drawn(DrawnVoice { timbre, ..voice.clone() }));
            Brush::from_json(&brush.to_json()).map(drop)
        }
        other => Brush::from_json(&other.to_json()).map(drop),
    }
}

/// Checks the points of a stroke on an axis.
///
/// # Errors
/// [`Script`](ErrorKind::Script).
pub fn check_points(axis: Axis, points: &[Point]) -> Result<()> {
    let is_point = |point: &Point| {
        are_finite(&[point.secs, point.hz]) && is_part(point.pressure) && (axis != Axis::Log || point.hz > 0.0)
    };
    let are_points = points.iter().all(is_point);
    refuse_unless(are_points, "a point of the stroke is outside of what a stroke can hold")
}

fn check_stroke(stroke: &Stroke) -> Result<()> {
    refuse_unless(!stroke.points.is_empty(), "the stroke has no points")?;
    check_points(stroke.axis, &stroke.points)?;
    let is_radius = are_finite(&stroke.radius) && stroke.radius.iter().all(|&radius| radius > 0.0);
    refuse_unless(is_radius, "the radius of the stroke must be above 0")?;
    let are_parts = is_part(stroke.hardness) && is_part(stroke.strength);
    refuse_unless(are_parts, "strength or hardness of the stroke is not from 0 to 1")
}

fn check_shape(shape: &Shape) -> Result<()> {
    let is_shape = match shape {
        Shape::Rectangle { secs, hz, feather, .. } => is_range(*secs) && is_range(*hz) && is_feather(*feather),
        Shape::Polygon { points, feather, .. } => {
            points.len() >= 3 && points.iter().all(|point| are_finite(point)) && is_feather(*feather)
        }
        Shape::Harmonics { f0_hz, count, width_hz, secs, feather, .. } => {
            let is_comb = f0_hz.is_finite() && *f0_hz > 0.0 && is_count(*count) && is_not_negative(*width_hz);
            is_comb && is_range(*secs) && is_feather(*feather)
        }
        Shape::Wand { at, tolerance_db } => are_finite(at) && is_not_negative(*tolerance_db),
        Shape::Find(find) => is_find(find),
        Shape::Moments(moments) => {
            let are_runs = moments.runs.iter().all(|run| is_range(Some(*run)));
            are_runs && is_not_negative(moments.reach_secs) && is_not_negative(moments.feather_secs)
        }
        Shape::Cells(cells) => {
            let is_size = cells.size.iter().all(|&n| n > 0)
                && cells.size[0].checked_mul(cells.size[1]) == Some(cells.values.len());
            let has_place = cells.axis != Axis::Log || cells.hz[0] > 0.0;
            let is_extent = is_range(Some(cells.secs)) && is_range(Some(cells.hz)) && has_place;
            is_size && is_extent && cells.values.iter().all(|value| (0.0..=1.0).contains(value))
        }
        Shape::Stroke(stroke) => return check_stroke(stroke),
        Shape::Group(group) => return check_selection(group),
    };
    refuse_unless(is_shape, "a shape of the selection has a value that is not allowed")
}

fn is_find(find: &Find) -> bool {
    match find {
        Find::Clicks { threshold, .. } => (1.0..=100.0).contains(threshold),
        Find::Hum { f0_hz, count, width_hz, prominence_db } => {
            let is_tone = is_range(Some(*f0_hz)) && f0_hz.iter().all(|hz| HUM_HZ.contains(hz)) && is_count(*count);
            is_tone && is_not_negative(*width_hz) && (3.0..=60.0).contains(prominence_db)
        }
        Find::Speech | Find::Pauses | Find::SpeechCells => true,
        Find::Clipping { level } => (0.1..=1.0).contains(level),
        Find::Alike { secs, hz, similarity, .. } => {
            is_range(Some(*secs)) && is_range(*hz) && (-1.0..=1.0).contains(similarity)
        }
    }
}

/// Whether a number of harmonics is allowed, for a selection or for hum.
fn is_count(count: usize) -> bool {
    (1..=HARMONICS[1]).contains(&count)
}

fn is_part(value: f64) -> bool {
    (0.0..=1.0).contains(&value)
}

fn is_not_negative(value: f64) -> bool {
    value.is_finite() && value >= 0.0
}

fn is_feather(widths: [f64; 2]) -> bool {
    widths.into_iter().all(is_not_negative)
}

fn is_range(range: Option<[f64; 2]>) -> bool {
    range.is_none_or(|range| are_finite(&range) && range[0] <= range[1])
}

fn refuse_unless(is_right: bool, what: &str) -> Result<()> {
    if is_right { Ok(()) } else { Err(Error::new(ErrorKind::Script, what)) }
}
