//! Selections from JSON.

use super::strokes::stroke_of;
use crate::base::{JsonAt, JsonFields, Result};
use crate::document::scripts::script::fields::read_axis;
use crate::dsp::selections::find::{AlikeMethod, ClickMethod, Find};
use crate::dsp::{Axis, Cells, Combine, Moments, Selection, Shape};
use std::sync::Arc;

/// Maximum number of bands of a comb.
const MAX_HARMONICS: usize = 512;

/// Maximum number of cells of a mask.
const MAX_CELLS: usize = 1 << 24;

/// Reads one kind of shape from its fields.
type Read = fn(&JsonAt, &JsonFields) -> Result<Shape>;

/// Every kind of shape by its name in scripts, the default first.
const KINDS: [(&str, Read); 15] = [
    ("rectangle", rectangle),
    ("polygon", polygon),
    ("stroke", stroke),
    ("harmonics", harmonics),
    ("wand", wand),
    ("clicks", clicks),
    ("hum", hum),
    ("clipping", clipping),
    ("alike", alike),
    ("speech", |_, _| Ok(Shape::Find(Find::Speech))),
    ("pauses", |_, _| Ok(Shape::Find(Find::Pauses))),
    ("speech_cells", |_, _| Ok(Shape::Find(Find::SpeechCells))),
    ("moments", at_moments),
    ("mask", mask),
    ("group", group),
];

/// One shape, or a list of them.
pub fn selection(at: &JsonAt) -> Result<Selection> {
    let shapes = match at.value {
        serde_json::Value::Array(_) => at.items()?.iter().map(shape).collect::<Result<Vec<_>>>()?,
        _ => vec![shape(at)?],
    };
    if shapes.is_empty() { at.refuse("a selection needs at least one shape") } else { Ok(Selection { shapes }) }
}

fn shape(at: &JsonAt) -> Result<(Combine, Shape)> {
    let fields = at.fields()?;
    let combine = fields.or("op", Combine::Add, |at| {
        at.choice(&[("add", Combine::Add), ("subtract", Combine::Subtract), ("intersect", Combine::Intersect)])
    })?;
    let read = fields.or("shape", KINDS[0].1, |at| at.choice(&KINDS))?;
    let shape = read(at, &fields)?;
    fields.done()?;
    Ok((combine, shape))
}

fn rectangle(_: &JsonAt, fields: &JsonFields) -> Result<Shape> {
    Ok(Shape::Rectangle {
        secs: fields.optional("time", ascending)?,
        hz: fields.optional("frequency", ascending)?,
        feather: feather(fields)?,
        axis: read_axis(fields)?,
    })
}

fn polygon(_: &JsonAt, fields: &JsonFields) -> Result<Shape> {
    let axis = read_axis(fields)?;
    let points_at = fields.required("points")?;
    let points = points_at.items()?.iter().map(|at| place(at, axis)).collect::<Result<Vec<_>>>()?;
    if points.len() < 3 {
        return points_at.refuse("a polygon needs at least three points");
    }
    Ok(Shape::Polygon { points, feather: feather(fields)?, axis })
}

fn stroke(at: &JsonAt, fields: &JsonFields) -> Result<Shape> {
    let stroke = stroke_of(fields)?;
    if stroke.build_up {
        return at.refuse("a selection cannot build up; leave build_up out");
    }
    Ok(Shape::Stroke(stroke))
}

fn harmonics(_: &JsonAt, fields: &JsonFields) -> Result<Shape> {
    Ok(Shape::Harmonics {
        f0_hz: fields.required("f0")?.positive()?,
        count: count(&fields.required("count")?)?,
        width_hz: fields.required("width")?.not_negative()?,
        secs: fields.optional("time", ascending)?,
        feather: feather(fields)?,
        axis: read_axis(fields)?,
    })
}

fn wand(_: &JsonAt, fields: &JsonFields) -> Result<Shape> {
    Ok(Shape::Wand {
        at: fields.required("point")?.pair(JsonAt::number)?,
        tolerance_db: fields.required("tolerance_db")?.not_negative()?,
    })
}

fn clicks(_: &JsonAt, fields: &JsonFields) -> Result<Shape> {
    let threshold = fields.or("threshold", 10.0, |at| at.number_in(1.0, 100.0))?;
    let methods = [ClickMethod::Prediction, ClickMethod::Repair].map(|method| (method.name(), method));
    let method = fields.or("method", ClickMethod::default(), |at| at.choice(&methods))?;
    Ok(Shape::Find(Find::Clicks { threshold, method }))
}

fn hum(_: &JsonAt, fields: &JsonFields) -> Result<Shape> {
    Ok(Shape::Find(Find::Hum {
        f0_hz: fields.or("f0", [45.0, 65.0], hum_range)?,
        count: fields.or("count", 32, count)?,
        width_hz: fields.or("width", 12.0, JsonAt::not_negative)?,
        prominence_db: fields.or("prominence_db", 9.0, |at| at.number_in(3.0, 60.0))?,
    }))
}

fn clipping(_: &JsonAt, fields: &JsonFields) -> Result<Shape> {
    Ok(Shape::Find(Find::Clipping { level: fields.or("level", 0.995, |at| at.number_in(0.1, 1.0))? }))
}

fn alike(_: &JsonAt, fields: &JsonFields) -> Result<Shape> {
    let methods = [AlikeMethod::Bands, AlikeMethod::Likeness].map(|method| (method.name(), method));
    let method = fields.or("method", AlikeMethod::default(), |at| at.choice(&methods))?;
    Ok(Shape::Find(Find::Alike {
        secs: fields.required("time")?.extent()?,
        hz: fields.optional("frequency", JsonAt::extent)?,
        similarity: fields.or("similarity", method.similarity(), |at| at.number_in(-1.0, 1.0))?,
        method,
    }))
}

fn at_moments(_: &JsonAt, fields: &JsonFields) -> Result<Shape> {
    Ok(Shape::Moments(Moments {
        runs: moments(&fields.required("times")?)?,
        reach_secs: fields.or("reach", 0.0, JsonAt::not_negative)?,
        feather_secs: fields.or("feather", 0.0, JsonAt::not_negative)?,
    }))
}

fn mask(_: &JsonAt, fields: &JsonFields) -> Result<Shape> {
    let (axis, frequency) = (read_axis(fields)?, fields.required("frequency")?);
    let hz = frequency.extent()?;
    if axis == Axis::Log && hz[0] <= 0.0 {
        return frequency.refuse("a log axis has no 0 Hz or below; use a frequency above 0");
    }
    Ok(Shape::Cells(Cells {
        secs: fields.required("time")?.extent()?,
        hz,
        axis,
        ..values(&fields.required("values")?)?
    }))
}

fn group(_: &JsonAt, fields: &JsonFields) -> Result<Shape> {
    Ok(Shape::Group(selection(&fields.required("shapes")?)?))
}

fn feather(fields: &JsonFields) -> Result<[f64; 2]> {
    fields.or("feather", [0.0; 2], |at| at.pair(JsonAt::not_negative))
}

fn place(at: &JsonAt, axis: Axis) -> Result<[f64; 2]> {
    match at.items()?.as_slice() {
        [secs, hz] => {
            let place = [secs.number()?, hz.number()?];
            if axis == Axis::Log && place[1] <= 0.0 {
                return hz.refuse("a log axis has no 0 Hz or below; use a frequency above 0");
            }
            Ok(place)
        }
        _ => at.refuse("a corner must be a list of seconds and hertz"),
    }
}

fn count(at: &JsonAt) -> Result<usize> {
    match at.index()? {
        count @ 1..=MAX_HARMONICS => Ok(count),
        count => at.refuse(format!("{count} is outside 1 to {MAX_HARMONICS}")),
    }
}

/// Range of a hum's fundamental; limited below to bound the search time.
fn hum_range(at: &JsonAt) -> Result<[f64; 2]> {
    let range = ascending(at)?;
    if range[0] < 10.0 || range[1] > 1000.0 {
        return at.refuse("must lie within 10 to 1000 Hz");
    }
    Ok(range)
}

/// Rows of values, one per frame; their extent is read later.
fn values(at: &JsonAt) -> Result<Cells> {
    let rows = at.items()?;
    let n_bins = rows.first().map_or(Ok(0), |row| row.items().map(|items| items.len()))?;
    if n_bins == 0 {
        return at.refuse("must have at least one frame of at least one value");
    }
    if rows.len().saturating_mul(n_bins) > MAX_CELLS {
        return at.refuse("has over 16 million values");
    }
    let mut values = Vec::with_capacity(rows.len() * n_bins);
    for row in &rows {
        let items = row.items()?;
        if items.len() != n_bins {
            return row.refuse(format!("has {} values, the first frame has {n_bins}", items.len()));
        }
        for item in &items {
            values.push(item.number_in(0.0, 1.0)? as f32);
        }
    }
    Ok(Cells {
        secs: [0.0; 2],
        hz: [0.0; 2],
        axis: Axis::Linear,
        size: [rows.len(), n_bins],
        values: Arc::from(values),
    })
}

/// Reads ascending, disjoint ranges.
fn moments(at: &JsonAt) -> Result<Arc<[[f64; 2]]>> {
    let runs = at.items()?.iter().map(ascending).collect::<Result<Vec<_>>>()?;
    if runs.is_empty() {
        return at.refuse("needs at least one range of seconds");
    }
    if runs.windows(2).any(|pair| pair[0][1] >= pair[1][0]) {
        return at.refuse("must be in ascending order and must not touch");
    }
    Ok(runs.into())
}

fn ascending(at: &JsonAt) -> Result<[f64; 2]> {
    let range = at.pair(JsonAt::number)?;
    if range[0] <= range[1] { Ok(range) } else { at.refuse("must be in ascending order") }
}
