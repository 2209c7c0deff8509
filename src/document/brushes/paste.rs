//! Paste: a clip put down somewhere, added to what is there.

use super::module::{BrushModule, StrokeUse};
use crate::base::Result;
use crate::document::script::fields::{At, Fields};
use crate::document::script::samples::{samples_from_text, text_from_samples};
use crate::dsp::Clip;
use crate::dsp::brush::Paste;
use serde_json::{Map, Value, json};

/// Most channels that a sound has.
const MAX_CHANNELS: usize = 32;

impl BrushModule for Paste {
    const KIND: &'static str = "paste";
    const NAME: &'static str = "Paste";
    const BUILDS_UP: bool = false;
    const MAKES_SOUND: bool = true;

    fn usual() -> Option<Paste> {
        None
    }

    fn read(fields: &Fields) -> Result<Paste> {
        Ok(Paste {
            clip: clip(&fields.required("clip")?)?,
            offset: fields.or("offset", [0.0; 2], |at| at.pair(At::number))?,
            axis: fields.axis()?,
        })
    }

    fn write(&self, object: &mut Map<String, Value>) {
        let channels: Vec<String> = self.clip.channels.iter().map(|samples| text_from_samples(samples)).collect();
        object.insert("offset".into(), json!(self.offset));
        object.insert("axis".into(), json!(self.axis.name()));
        let (rate, first_sample) = (self.clip.sample_rate_hz, self.clip.first_sample);
        object.insert("clip".into(), json!({"rate": rate, "first_sample": first_sample, "channels": channels}));
    }

    fn table_cell() -> String {
        "`clip` (`rate`, `first_sample`, `channels`: little-endian 32-bit floats as base64), added at `offset`, in seconds \
         and units of `axis` from its original position"
            .into()
    }

    fn stroke_use(&self) -> StrokeUse {
        StrokeUse::Never
    }
}

fn clip(at: &At) -> Result<Clip> {
    let fields = at.fields()?;
    let sample_rate_hz = fields.required("rate")?.positive()?;
    let first_at = fields.or("first_sample", 0, |at| match at.value.as_i64() {
        Some(first) => Ok(first),
        None => at.refuse("must be a whole number"),
    })?;
    let channels_at = fields.required("channels")?;
    let items = channels_at.items()?;
    if items.is_empty() || items.len() > MAX_CHANNELS {
        return channels_at.refuse(format!("must have 1 to {MAX_CHANNELS} channels"));
    }
    let mut channels: Vec<Vec<f32>> = Vec::with_capacity(items.len());
    for item in &items {
        let samples = match samples_from_text(item.text()?) {
            Some(samples) if samples.iter().all(|sample| sample.is_finite()) => samples,
            Some(_) => return item.refuse("has samples that are not finite"),
            None => return item.refuse("must be little-endian 32-bit floats as base64"),
        };
        if channels.first().is_some_and(|first| first.len() != samples.len()) || samples.is_empty() {
            return item.refuse("every channel must have the same number of samples, at least one");
        }
        channels.push(samples);
    }
    fields.done()?;
    Ok(Clip { sample_rate_hz, first_sample: first_at, channels: channels.into() })
}
