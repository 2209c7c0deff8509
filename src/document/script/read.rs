//! From JSON to edits, with the place of whatever is wrong.

mod shapes;

use super::fields::{At, Fields};
use super::{Script, VERSION};
use crate::base::Result;
use crate::document::brushes::{Brush, StrokeUse};
use crate::document::{Channels, Edit};
use crate::dsp::{Axis, Point, Stroke, Transform};
use serde_json::Value;

pub(super) fn script(value: &Value) -> Result<Script> {
    let fields = At { value, place: String::new() }.fields()?;
    let version = fields.required("version")?;
    match version.whole()? as u64 {
        VERSION => {}
        newer if newer > VERSION => {
            return version
                .refuse(format!("{newer} is newer than this program supports ({VERSION}); update Sonobrush"));
        }
        other => return version.refuse(format!("{other} is not a version")),
    }
    let transform = fields.or("transform", Transform::default(), transform)?;
    let edits = fields.required("edits")?.items()?.iter().map(|at| edit(at, &transform)).collect::<Result<_>>()?;
    fields.done()?;
    Ok(Script { edits })
}

/// A selection by itself.
pub(super) fn selection(value: &Value) -> Result<crate::dsp::Selection> {
    shapes::selection(&At { value, place: String::new() })
}

/// A transform by itself.
pub(super) fn transform_alone(value: &Value) -> Result<Transform> {
    transform(&At { value, place: String::new() })
}

fn transform(at: &At) -> Result<Transform> {
    let fields = at.fields()?;
    fields.or("kind", (), |at| at.choice(&[("stft", ())]))?;
    let stft = fields.stft()?;
    fields.done()?;
    Ok(stft.into())
}

fn edit(at: &At, script_transform: &Transform) -> Result<Edit> {
    let fields = at.fields()?;
    let stroke_at = fields.get("stroke");
    let edit = Edit {
        brush: Brush::read(&fields.required("brush")?)?,
        stroke: stroke_at.as_ref().map(stroke).transpose()?,
        select: fields.optional("select", shapes::selection)?,
        channels: fields.or("channels", Channels::All, channels)?,
        transform: fields.or("transform", script_transform.clone(), transform)?,
        strength: fields.or("strength", 1.0, |at| at.number_in(0.0, 1.0))?,
        consistency_steps: fields.optional("consistency_steps", consistency_steps)?,
    };
    if let (Some(strength), true) = (fields.get("strength"), edit.stroke.is_some()) {
        return strength.refuse("an edit with a stroke takes its strength from the stroke");
    }
    match (edit.brush.stroke_use(), &edit.stroke) {
        (StrokeUse::Required(what), None) => return at.refuse(format!("{what} needs a stroke")),
        (StrokeUse::Never, Some(_)) => return at.refuse(format!("{} takes no stroke", edit.brush.kind())),
        (_, Some(stroke)) if stroke.build_up && !edit.brush.builds_up() => {
            return at.refuse(format!("{} does not build up; leave build_up out", edit.brush.kind()));
        }
        _ => {}
    }
    fields.done()?;
    Ok(edit)
}

fn consistency_steps(at: &At) -> Result<u32> {
    match u32::try_from(at.whole()?) {
        Ok(steps @ 0..=Edit::MOST_STEPS) => Ok(steps),
        _ => at.refuse(format!("must be 0 to {}", Edit::MOST_STEPS)),
    }
}

fn channels(at: &At) -> Result<Channels> {
    if at.value.is_string() {
        let named = [("all", 0), ("mid", 1), ("side", 2)];
        return Ok([Channels::All, Channels::Mid, Channels::Side][at.choice(&named)?].clone());
    }
    let items = at.items()?;
    let list = items.iter().map(At::whole).collect::<Result<Vec<usize>>>()?;
    if list.is_empty() {
        return at.refuse("must name at least one channel");
    }
    match (1..list.len()).find(|&i| list[..i].contains(&list[i])) {
        Some(i) => items[i].refuse(format!("channel {} is listed twice", list[i])),
        None => Ok(Channels::List(list)),
    }
}

fn stroke(at: &At) -> Result<Stroke> {
    let fields = at.fields()?;
    let stroke = stroke_of(&fields)?;
    fields.done()?;
    Ok(stroke)
}

/// The fields of a stroke, of an edit or as a shape.
fn stroke_of(fields: &Fields) -> Result<Stroke> {
    let axis = fields.axis()?;
    let points_at = fields.required("points")?;
    let points = points_at.items()?.iter().map(|at| point(at, axis)).collect::<Result<Vec<_>>>()?;
    if points.is_empty() {
        return points_at.refuse("a stroke needs at least one point");
    }
    let unit = |at: &At| at.number_in(0.0, 1.0);
    let stroke = Stroke {
        points,
        axis,
        radius: fields.required("radius")?.pair(At::positive)?,
        hardness: fields.or("hardness", 0.5, unit)?,
        strength: fields.or("strength", 1.0, unit)?,
        build_up: fields.or("build_up", false, At::flag)?,
    };
    Ok(stroke)
}

fn point(at: &At, axis: Axis) -> Result<Point> {
    match at.items()?.as_slice() {
        [secs, hz, pressure] => {
            let point = Point { secs: secs.number()?, hz: hz.number()?, pressure: pressure.number_in(0.0, 1.0)? };
            if axis == Axis::Log && point.hz <= 0.0 {
                hz.refuse("a log axis has no 0 Hz or below; use a frequency above 0")
            } else {
                Ok(point)
            }
        }
        _ => at.refuse("a point must be a list of seconds, hertz and pressure"),
    }
}
