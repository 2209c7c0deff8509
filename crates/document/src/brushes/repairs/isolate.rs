//! Isolate speech: a network removes everything except voices; sound above a learnt noise may be kept.

use super::noise_source::{place_noise, read_noise, write_noise};
use crate::base::{Error, ErrorKind, JsonFields, Result};
use crate::brushes::module::{BrushModule, read_parameters, write_parameters};
use crate::brushes::operation::Operation;
use crate::brushes::parameter::{OptionControl, Parameter, ParameterLimits, ParameterValue, choice};
use crate::brushes::sample_edit::{SampleEdit, SamplePass, SelectionUse, all_signals};
use crate::document::analysis::isolation::{Isolation, SPEECH_MODEL};
use crate::document::edits::placing::EditPlacing;
use crate::document::edits::selected_sound::SelectedSound;
use crate::document::noise::learn::{EditSound, learnt_noise};
use crate::dsp::NoiseSource;
use crate::dsp::repair::isolation::{IsolatedSide, IsolationNoise, IsolationSettings};
use serde_json::{Map, Value, json};

choice! { IsolatedSide:
    Speech = "speech", "Speech";
    Rest = "rest", "The rest";
}

/// Isolates speech: one network processes all channels of an edit, including the sound around a selection. Independent
/// of the edit's transform.
#[derive(Debug, Clone, PartialEq)]
pub struct Isolate {
    /// Maximum attenuation of the rest, in dB.
    pub limit_db: f64,
    /// Whether sound above the learnt noise is kept even if it is not speech.
    pub keep: bool,
    /// The part that remains: speech or the rest.
    pub side: IsolatedSide,
    /// The learnt noise, if any.
    pub noise: Option<NoiseSource>,
    /// BLAKE3 of the speech model used; `None` before the edit was applied.
    pub model: Option<String>,
}

impl Isolate {
    /// Default settings: only speech remains.
    pub const DEFAULT: Isolate =
        Isolate { limit_db: 100.0, keep: true, side: IsolatedSide::Speech, noise: None, model: None };
}

impl BrushModule for Isolate {
    const KIND: &'static str = "isolate";
    const NAME: &'static str = "Isolate speech";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::optional("limit_db", ParameterLimits::Within(6.0, 100.0))
            .note("the largest reduction")
            .controls(&[OptionControl::number("At most", "The largest reduction.", "dB")]),
        Parameter::flag("keep")
            .note("keeps what stands out of the learnt noise, such as music")
            .controls(&[OptionControl::tick("Keep music", "Keeps what stands out of the learnt noise.")]),
        Parameter::optional("side", ParameterLimits::Any)
            .note("or `\"rest\"`: all but the speech")
            .controls(&[OptionControl::number("Leave", "What is left of the sound.", "").wide(92.0)]),
    ];

    fn omitted() -> Option<Isolate> {
        Some(Isolate::DEFAULT)
    }

    fn values(&mut self) -> Vec<ParameterValue<'_>> {
        vec![
            ParameterValue::Number(&mut self.limit_db),
            ParameterValue::Flag(&mut self.keep),
            ParameterValue::Choice(&mut self.side),
        ]
    }

    fn read(fields: &JsonFields) -> Result<Isolate> {
        let model = fields.optional("model", |at| at.text().map(str::to_owned))?;
        let mut isolate = Isolate { noise: read_noise(fields)?, model, ..Isolate::DEFAULT };
        read_parameters(&mut isolate, fields)?;
        Ok(isolate)
    }

    fn write(&self, object: &mut Map<String, Value>) {
        write_parameters(self, object);
        if let Some(noise) = &self.noise {
            write_noise(noise, object);
        }
        if let Some(model) = &self.model {
            object.insert("model".into(), json!(model));
        }
    }

    fn table_cell() -> String {
        let mut omitted = Isolate::DEFAULT;
        let described = Self::PARAMETERS.iter().zip(omitted.values());
        let mut cells: Vec<String> = described.map(|(parameter, value)| parameter.described(&value)).collect();
        cells.push("`learn` or `profile`, as `denoise` has them, or neither".into());
        cells.push("`model`, which stored edits contain: the BLAKE3 of the speech model".into());
        cells.join("; ")
    }

    fn resolved(&self, sound: &EditSound<'_>) -> Result<Option<Isolate>> {
        if self.model.as_ref().is_some_and(|model| model != SPEECH_MODEL) {
            let what = "this edit was made with another model; remove its \"model\" to isolate with this one";
            return Err(Error::new(ErrorKind::Script, what));
        }
        let learnt = match &self.noise {
            Some(noise) => learnt_noise(noise, sound)?,
            None => None,
        };
        if learnt.is_none() && self.model.is_some() {
            return Ok(None);
        }
        let noise = learnt.or_else(|| self.noise.clone());
        Ok(Some(Isolate { noise, model: Some(SPEECH_MODEL.to_owned()), ..self.clone() }))
    }

    fn place(&mut self, placing: &EditPlacing) {
        if let Some(noise) = &mut self.noise {
            place_noise(noise, placing);
        }
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Samples(self)
    }
}

impl SampleEdit for Isolate {
    fn pass<'a>(&'a self, sound: &'a SelectedSound<'a>) -> Result<SamplePass<'a>> {
        let noise = match &self.noise {
            Some(NoiseSource::Profile(profile)) => Some(profile.clone()),
            Some(_) => return Err(Error::new(ErrorKind::Internal, "learn the noise before isolating speech")),
            None => None,
        };
        let signal = match sound.signals() {
            [signal] => Some(signal.noise_of()),
            _ => None,
        };
        let noise = noise.filter(|_| self.keep).map(|profile| IsolationNoise::new(&profile, signal));
        if noise.is_none() && self.side == IsolatedSide::Speech {
            sound.report_notice("music is removed, too; learn the noise first to keep it".to_owned());
        }
        let settings = IsolationSettings { limit_db: self.limit_db, side: self.side, noise };
        let mut isolation = Isolation::new(sound, settings)?;
        Ok(all_signals(move |piece| isolation.samples(piece)))
    }

    fn takes_selection(&self) -> SelectionUse {
        SelectionUse::Mask
    }
}
