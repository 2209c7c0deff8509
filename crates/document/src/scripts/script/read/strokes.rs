//! Strokes from JSON.

use crate::base::{JsonAt, JsonFields, Result};
use crate::document::scripts::script::fields::read_axis;
use crate::dsp::{Axis, Point, Stroke};

/// The stroke of an edit.
pub fn stroke(at: &JsonAt) -> Result<Stroke> {
    let fields = at.fields()?;
    let stroke = stroke_of(&fields)?;
    fields.done()?;
    Ok(stroke)
}

/// The fields of a stroke, in an edit or as a shape.
pub fn stroke_of(fields: &JsonFields) -> Result<Stroke> {
    let axis = read_axis(fields)?;
    let points_at = fields.required("points")?;
    let points = points_at.items()?.iter().map(|at| point(at, axis)).collect::<Result<Vec<_>>>()?;
    if points.is_empty() {
        return points_at.refuse("a stroke needs at least one point");
    }
    let unit = |at: &JsonAt| at.number_in(0.0, 1.0);
    let stroke = Stroke {
        points,
        axis,
        radius: fields.required("radius")?.pair(JsonAt::positive)?,
        hardness: fields.or("hardness", 0.5, unit)?,
        strength: fields.or("strength", 1.0, unit)?,
        build_up: fields.or("build_up", false, JsonAt::flag)?,
    };
    Ok(stroke)
}

fn point(at: &JsonAt, axis: Axis) -> Result<Point> {
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
