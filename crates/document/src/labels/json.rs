//! Labels as JSON: `{"id": 7, "time": [1.0, 1.5], "frequency": [2000, 4500], "text": "a"}`, all but `id` and `time`
//! optional.

use super::label::{Columns, Label, MAX_LABELS, N_COLOURS};
use crate::base::{Error, ErrorKind, JsonAt, JsonFields, Result, json_reason};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Whether labels must state their ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelIds {
    /// Required, as in an edit of labels.
    Needed,
    /// Optional: labels of a script get ids when they are added.
    Optional,
}

/// Labels that were read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReadLabels {
    /// Labels in their original order.
    pub labels: Vec<Label>,
    /// Number of labels with swapped start and end, which were corrected.
    pub n_swapped: usize,
}

/// Reads a list of labels.
///
/// # Errors
/// [`Script`](ErrorKind::Script) with the position: `[3].time: must be a list of two numbers`;
/// [`Limit`](ErrorKind::Limit).
pub fn labels_from_json(text: &str, ids: LabelIds) -> Result<ReadLabels> {
    let value: Value = serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|error| Error::new(ErrorKind::Script, format!("is not JSON: {}", json_reason(&error))))?;
    labels_at(&JsonAt::of_file(&value, "script"), ids)
}

/// The fields of a label in a note. Read by serde, since errors in a note need no position.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Note {
    id: Option<u64>,
    time: [f64; 2],
    frequency: Option<[Option<f64>; 2]>,
    text: Option<String>,
    confidence: Option<f64>,
    channel: Option<u16>,
    colour: Option<u8>,
    columns: Option<Vec<(String, String)>>,
}

/// Reads a single label, with id 0 if missing; `None` unless it has the form written by [`labels_to_json`].
pub(crate) fn label_from_note(text: &str) -> Option<Label> {
    let note: Note = serde_json::from_str(text).ok()?;
    let [low_hz, high_hz] = note.frequency.unwrap_or_default();
    let columns = note.columns.into_iter().flatten().map(|(name, text)| (name.into(), text.into()));
    let label = Label {
        id: note.id.unwrap_or(0),
        secs: note.time,
        low_hz,
        high_hz,
        text: note.text.unwrap_or_default().into(),
        confidence: note.confidence,
        channel: note.channel,
        colour: note.colour,
        columns: columns.collect(),
    };
    label.checked().ok().map(|checked| checked.label)
}

/// A list of labels, in the format that [`labels_from_json`] reads.
pub fn labels_to_json<'a>(labels: impl IntoIterator<Item = &'a Label>) -> String {
    Value::Array(labels.into_iter().map(label_to_value).collect()).to_string()
}

/// Reads a list of labels at a position.
///
/// # Errors
/// As [`labels_from_json`].
pub(crate) fn labels_at(at: &JsonAt, ids: LabelIds) -> Result<ReadLabels> {
    let items = at.items()?;
    if items.len() > MAX_LABELS {
        let what = format!("has {} labels; a sound may have {MAX_LABELS}", items.len());
        return Err(Error::new(ErrorKind::Limit, what));
    }
    let mut read = ReadLabels::default();
    for item in &items {
        let checked = label(item, ids)?.checked().or_else(|why| item.refuse(why))?;
        read.n_swapped += usize::from(checked.is_swapped);
        read.labels.push(checked.label);
    }
    Ok(read)
}

fn label(at: &JsonAt, ids: LabelIds) -> Result<Label> {
    let fields = at.fields()?;
    let id = match ids {
        LabelIds::Needed => Some(id(&fields.required("id")?)?),
        LabelIds::Optional => fields.optional("id", id)?,
    };
    let [low_hz, high_hz] = fields.or("frequency", [None, None], frequency)?;
    let label = Label {
        id: id.unwrap_or(0),
        secs: fields.required("time")?.pair(JsonAt::number)?,
        low_hz,
        high_hz,
        text: fields.or("text", "", JsonAt::text)?.into(),
        confidence: fields.optional("confidence", |at| at.number_in(0.0, 1.0))?,
        channel: fields.optional("channel", |at| small(at, u16::MAX))?,
        colour: fields.optional("colour", |at| small(at, u16::from(N_COLOURS) - 1))?.map(|colour| colour as u8),
        columns: columns(&fields)?,
    };
    fields.done()?;
    Ok(label)
}

fn id(at: &JsonAt) -> Result<u64> {
    match at.whole()? {
        0 => at.refuse("must be a whole number above 0"),
        id => Ok(id),
    }
}

fn small(at: &JsonAt, max: u16) -> Result<u16> {
    match u16::try_from(at.whole()?) {
        Ok(number) if number <= max => Ok(number),
        _ => at.refuse(format!("must be 0 to {max}")),
    }
}

/// Two frequencies; one of them may be null.
fn frequency(at: &JsonAt) -> Result<[Option<f64>; 2]> {
    let edge = |at: &JsonAt| if at.value.is_null() { Ok(None) } else { at.not_negative().map(Some) };
    match at.items()?.as_slice() {
        [low, high] => Ok([edge(low)?, edge(high)?]),
        _ => at.refuse("must be a list of two numbers"),
    }
}

fn columns(fields: &JsonFields<'_>) -> Result<Columns> {
    let Some(at) = fields.get("columns") else { return Ok(Columns::default()) };
    let pair = |at: &JsonAt<'_>| match at.items()?.as_slice() {
        [name, text] => Ok((Arc::from(name.text()?), Arc::from(text.text()?))),
        _ => at.refuse("must be a name and a text"),
    };
    at.items()?.iter().map(pair).collect()
}

/// A label, in the format that [`labels_at`] reads.
pub(crate) fn label_to_value(label: &Label) -> Value {
    let mut object = Map::new();
    if label.id != 0 {
        object.insert("id".into(), label.id.into());
    }
    object.insert("time".into(), json!(label.secs));
    if label.low_hz.is_some() || label.high_hz.is_some() {
        object.insert("frequency".into(), json!([label.low_hz, label.high_hz]));
    }
    if !label.text.is_empty() {
        object.insert("text".into(), (*label.text).into());
    }
    let numbers = [
        ("confidence", label.confidence.map(Value::from)),
        ("channel", label.channel.map(Value::from)),
        ("colour", label.colour.map(Value::from)),
    ];
    for (name, value) in numbers {
        value.map(|value| object.insert(name.into(), value));
    }
    if !label.columns.is_empty() {
        object.insert("columns".into(), columns_value(&label.columns));
    }
    Value::Object(object)
}

fn columns_value(columns: &Columns) -> Value {
    columns.iter().map(|(name, text)| json!([**name, **text])).collect()
}

impl Columns {
    /// Columns as JSON: `[["name", "text"], ..]`.
    pub fn to_json(&self) -> String {
        columns_value(self).to_string()
    }

    /// Reads what [`to_json`](Columns::to_json) writes.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script).
    pub fn from_json(text: &str) -> Result<Columns> {
        let value: Value = serde_json::from_str(text)
            .map_err(|error| Error::new(ErrorKind::Script, format!("is not JSON: {}", json_reason(&error))))?;
        let object = json!({ "columns": value });
        columns(&JsonAt::of_file(&object, "script").fields()?)
    }
}
