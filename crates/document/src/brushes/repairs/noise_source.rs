//! Sources of noise profiles in scripts, for brushes that reduce noise, or keep sound above it.

use crate::base::{JsonAt, JsonFields, Result};
use crate::document::edits::placing::EditPlacing;
use crate::document::scripts::script::noise::{ListForm, noise_profile, profile};
use crate::dsp::NoiseSource;
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::sync::Arc;

/// Reads `learn` or `profile`; `None` if a script has neither.
///
/// # Errors
/// [`Script`](crate::base::ErrorKind::Script), with the position of the invalid value.
pub fn read_noise(fields: &JsonFields) -> Result<Option<NoiseSource>> {
    Ok(Some(match (fields.get("learn"), fields.get("profile")) {
        (Some(_), Some(profile)) => return profile.refuse("give either \"learn\" or \"profile\", not both"),
        (Some(learn), None) => range(&learn)?,
        (None, Some(at)) if at.value.is_string() => NoiseSource::Kept(PathBuf::from(at.text()?)),
        (None, Some(at)) => NoiseSource::Profile(Arc::new(profile(&at)?)),
        (None, None) => return Ok(None),
    }))
}

/// Writes a noise source in the format that [`read_noise`] reads.
pub fn write_noise(noise: &NoiseSource, object: &mut Map<String, Value>) {
    match noise {
        NoiseSource::Range { secs, hz: None } => object.insert("learn".into(), json!(secs)),
        NoiseSource::Range { secs, hz } => object.insert("learn".into(), json!({"time": secs, "frequency": hz})),
        NoiseSource::Kept(file) => object.insert("profile".into(), json!(file.to_string_lossy())),
        NoiseSource::Profile(profile) => object.insert("profile".into(), noise_profile(profile, ListForm::Numbers)),
    };
}

/// Maps the range from which noise is learnt to a position in a sound.
pub fn place_noise(noise: &mut NoiseSource, placing: &EditPlacing) {
    if let NoiseSource::Range { secs, hz } = noise {
        *secs = secs.map(|secs| placing.secs(secs));
        *hz = hz.map(|hz| hz.map(|hz| placing.hz(hz)));
    }
}

/// Reads a range: only seconds, or an object with time and frequency.
fn range(at: &JsonAt) -> Result<NoiseSource> {
    if let Value::Array(_) = at.value {
        return Ok(NoiseSource::Range { secs: at.extent()?, hz: None });
    }
    let fields = at.fields()?;
    let range = NoiseSource::Range {
        secs: fields.required("time")?.extent()?,
        hz: fields.optional("frequency", JsonAt::extent)?,
    };
    fields.done()?;
    Ok(range)
}
