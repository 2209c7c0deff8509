//! Reads edits from JSON; errors state their place.

mod shapes;
mod strokes;

use super::anchor::EditAnchor;
use super::fields::{VERSION, read_stft};
use crate::base::{JsonAt, Result, json_reason};
use crate::document::brushes::{Brush, StrokeUse};
use crate::document::labels::{LabelIds, ReadLabels, labels_at};
use crate::document::{Channels, Edit};
use crate::dsp::Transform;
use crate::dsp::transforms::rows::RowsParams;
use serde_json::Value;
use std::collections::BTreeMap;
use strokes::stroke;

/// Labels, edits, and anchors by the index of their edit.
pub(super) type ReadScript = (ReadLabels, Vec<Edit>, BTreeMap<usize, EditAnchor>);

/// A script.
pub(super) fn script(value: &Value) -> Result<ReadScript> {
    let fields = JsonAt::of_file(value, "script").fields()?;
    let version = fields.required("version")?;
    match version.whole()? {
        VERSION => {}
        newer if newer > VERSION => {
            return version
                .refuse(format!("{newer} is newer than this program supports ({VERSION}); update Sonobrush"));
        }
        other => return version.refuse(format!("{other} is not a version")),
    }
    let transform = fields.or("transform", Transform::default(), transform)?;
    let labels = fields.optional("labels", |at| labels_at(at, LabelIds::Optional))?.unwrap_or_default();
    let (mut edits, mut anchors) = (Vec::new(), BTreeMap::new());
    for (index, at) in fields.required("edits")?.items()?.iter().enumerate() {
        let (edit, anchor) = edit(at, &transform)?;
        edits.push(edit);
        if let Some(anchor) = anchor {
            anchors.insert(index, anchor);
        }
    }
    fields.done()?;
    Ok((labels, edits, anchors))
}

/// A selection on its own.
pub(super) fn selection(value: &Value) -> Result<crate::dsp::Selection> {
    shapes::selection(&JsonAt::of_file(value, "script"))
}

/// A selection at a position in a script.
///
/// # Errors
/// [`Script`](crate::base::ErrorKind::Script) with the position.
pub(crate) fn selection_at(at: &JsonAt) -> Result<crate::dsp::Selection> {
    shapes::selection(at)
}

/// A transform on its own.
pub(super) fn transform_alone(value: &Value) -> Result<Transform> {
    transform(&JsonAt::of_file(value, "script"))
}

fn transform(at: &JsonAt) -> Result<Transform> {
    let fields = at.fields()?;
    let kinds = [("stft", false), ("rows", true), ("cqt", true), ("vqt", true)];
    if fields.or("kind", false, |at| at.choice(&kinds))? {
        let rows = serde_json::from_value::<RowsParams>(at.value.clone());
        return rows.map(Transform::Rows).or_else(|error| at.refuse(json_reason(&error)));
    }
    let stft = read_stft(&fields)?;
    fields.done()?;
    Ok(stft.into())
}

fn edit(at: &JsonAt, script_transform: &Transform) -> Result<(Edit, Option<EditAnchor>)> {
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
    let anchor_at = fields.get("anchor");
    let anchor = anchor_at.as_ref().map(EditAnchor::read).transpose()?;
    if let (Some(anchor_at), false) = (&anchor_at, edit.brush.can_be_placed()) {
        return anchor_at.refuse(format!("{} cannot be anchored; leave it out", edit.brush.kind()));
    }
    fields.done()?;
    Ok((edit, anchor))
}

fn consistency_steps(at: &JsonAt) -> Result<u32> {
    match u32::try_from(at.whole()?) {
        Ok(steps @ 0..=Edit::MAX_STEPS) => Ok(steps),
        _ => at.refuse(format!("must be 0 to {}", Edit::MAX_STEPS)),
    }
}

fn channels(at: &JsonAt) -> Result<Channels> {
    if at.value.is_string() {
        let named = [("all", 0), ("mid", 1), ("side", 2)];
        return Ok([Channels::All, Channels::Mid, Channels::Side][at.choice(&named)?].clone());
    }
    let items = at.items()?;
    let list = items.iter().map(JsonAt::index).collect::<Result<Vec<usize>>>()?;
    if list.is_empty() {
        return at.refuse("must name at least one channel");
    }
    match (1..list.len()).find(|&i| list[..i].contains(&list[i])) {
        Some(i) => items[i].refuse(format!("channel {} is listed twice", list[i])),
        None => Ok(Channels::List(list)),
    }
}
