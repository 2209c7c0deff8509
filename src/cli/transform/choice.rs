//! Builds the transform that the options select.

use crate::base::{Error, ErrorKind, Result, json_reason, read_small_file};
use crate::cli::args::{TransformChoice, TransformKind, TransformOptions, TransformPreset, TypedGamma};
use crate::dsp::transforms::rows::RowsParams;
use crate::dsp::{StftParams, Transform};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::path::Path;

/// Name of the option that takes a transform as JSON.
const OPTION: &str = "--transform";

/// Maximum size of a JSON file with a transform, in bytes.
const MAX_TRANSFORM_BYTES: u64 = 4 << 20;

/// The typed transform.
///
/// # Errors
/// If a value is invalid, or does not apply to this kind.
pub(crate) fn typed_transform(choice: &TransformChoice) -> Result<Transform> {
    if let Some(text) = &choice.transform {
        return match (transform_from_text(text)?, choice.hop) {
            (Transform::Stft(params), Some(hop)) => StftParams { hop, ..params }.validated().map(Transform::Stft),
            (transform, _) => Ok(transform),
        };
    }
    if choice.kind == Some(TransformKind::Stft) {
        let rows = fields(choice);
        if let Some(name) = rows.keys().next() {
            return refuse(format!("{name} is for rows, not for kind stft"));
        }
        let TransformChoice { n_fft, hop, window, .. } = *choice;
        return TransformOptions { n_fft, hop, window }.over(StftParams::default()).map(Transform::Stft);
    }
    if choice.n_fft.is_some() || choice.window.is_some() {
        let name = if choice.n_fft.is_some() { "n_fft" } else { "window" };
        return refuse(format!("{name} is for kind stft, not for rows"));
    }
    let mut object = match choice.preset {
        Some(preset) => preset_fields(preset),
        None => kind_fields(choice),
    };
    object.extend(fields(choice));
    transform_from_json(Value::Object(object))
}

/// Parses a JSON object, or reads a file that contains one. If the file is a description written by this command, its
/// field `transform` is parsed.
fn transform_from_text(text: &str) -> Result<Transform> {
    if text.trim_start().starts_with('{') {
        let parsed = serde_json::from_str(text).map_err(|error| script(json_reason(&error)));
        return parsed.and_then(transform_from_json).map_err(|error| script(format!("{OPTION}: {}", error.message())));
    }
    let path = Path::new(text);
    let bytes = read_small_file(path, MAX_TRANSFORM_BYTES)?;
    let parsed: Result<Value> = serde_json::from_slice(&bytes).map_err(|error| script(json_reason(&error)));
    let transform = parsed.and_then(|value| match value {
        Value::Object(mut object) if !object.contains_key("kind") && object.contains_key("transform") => {
            transform_from_json(object.remove("transform").unwrap_or_default())
        }
        other => transform_from_json(other),
    });
    transform.map_err(|error| script(error.message().to_owned()).at(path))
}

fn transform_from_json(value: Value) -> Result<Transform> {
    if value.get("kind") == Some(&json!(TransformKind::Stft.name())) {
        let params = StftParams::deserialize(value).map_err(|error| script(json_reason(&error)))?;
        return params.validated().map(Transform::Stft);
    }
    RowsParams::deserialize(value).map(Transform::Rows).map_err(|error| script(json_reason(&error)))
}

/// The typed options of a transform to rows, as JSON fields.
fn fields(choice: &TransformChoice) -> Map<String, Value> {
    let gamma = choice.gamma.map(|gamma| match gamma {
        TypedGamma::Erb => json!("erb"),
        TypedGamma::Hz(hz) => json!(hz),
    });
    let all = [
        ("bins", choice.bins.map(Value::from)),
        ("bands", choice.bands.map(Value::from)),
        ("frequencies", choice.frequencies.clone().map(Value::from)),
        ("fmin", choice.fmin.map(Value::from)),
        ("fmax", choice.fmax.map(Value::from)),
        ("gamma", gamma),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// The fields `kind` and `scale`.
fn kind_fields(choice: &TransformChoice) -> Map<String, Value> {
    let default = if choice.frequencies.is_some() { TransformKind::Rows } else { TransformKind::Vqt };
    let [kind, scale] = match choice.kind.unwrap_or(default) {
        kind @ (TransformKind::Cqt | TransformKind::Vqt) => [kind.name(), "log"],
        scale @ (TransformKind::Mel | TransformKind::Bark) => [TransformKind::Rows.name(), scale.name()],
        kind => [kind.name(), if choice.frequencies.is_some() { "list" } else { "log" }],
    };
    [("kind", kind), ("scale", scale)].map(|(name, value)| (name.to_owned(), json!(value))).into_iter().collect()
}

fn preset_fields(preset: TransformPreset) -> Map<String, Value> {
    let params = match preset {
        TransformPreset::Music => RowsParams::music(),
        TransformPreset::FinePitch => RowsParams::fine_pitch(),
        TransformPreset::Bass => RowsParams::bass(),
        TransformPreset::Speech => RowsParams::speech(),
    };
    match serde_json::to_value(params) {
        Ok(Value::Object(object)) => object,
        _ => Map::new(),
    }
}

fn script(why: String) -> Error {
    Error::new(ErrorKind::Script, why)
}

fn refuse<T>(why: String) -> Result<T> {
    Err(script(why))
}
