//! Normalise: to a peak level.

use super::module::BrushModule;
use super::parameter::{Parameter, ParameterLimits, ParameterValue};
use super::sample_edit::{SampleEdit, SamplePass};
use crate::base::{Error, ErrorKind, Result};
use crate::document::selected_sound::SelectedSound;

/// One gain for all channels, with which the loudest sample has this level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Normalise {
    /// -60 to 0.
    pub peak_db: f64,
}

impl Normalise {
    /// The usual peak: what converts to a lossy format without clipping.
    pub const PEAK_DB: f64 = -1.0;
}

impl BrushModule for Normalise {
    const KIND: &'static str = "normalise";
    const NAME: &'static str = "Normalise";
    const PARAMETERS: &'static [Parameter] =
        &[Parameter::optional("peak_db", ParameterLimits::Within(-60.0, 0.0)).note("the level of the loudest sample")];
    const IS_OF_SAMPLES: bool = true;

    fn usual() -> Option<Normalise> {
        Some(Normalise { peak_db: Normalise::PEAK_DB })
    }

    fn values(&mut self) -> Vec<ParameterValue<'_>> {
        vec![ParameterValue::Number(&mut self.peak_db)]
    }

    fn sample_edit(&self) -> Option<&dyn SampleEdit> {
        Some(self)
    }
}

impl SampleEdit for Normalise {
    fn pass<'a>(&'a self, sound: &'a SelectedSound<'a>) -> Result<SamplePass<'a>> {
        let mut peak = 0.0f32;
        for signal in 0..sound.n_signals() {
            sound.each_piece(signal, |samples| {
                peak = samples.iter().fold(peak, |peak, sample| peak.max(sample.abs()))
            })?;
        }
        if peak == 0.0 {
            return Err(Error::new(ErrorKind::Script, "there is only silence to normalise; select a sound"));
        }
        let gain = 10f64.powf(self.peak_db / 20.0) / f64::from(peak);
        Ok(Box::new(move |signal, piece| {
            let mut samples = sound.read(signal, piece)?;
            samples.iter_mut().for_each(|sample| *sample = (f64::from(*sample) * gain) as f32);
            Ok(samples)
        }))
    }
}
