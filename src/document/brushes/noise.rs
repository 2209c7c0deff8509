//! Noise: white noise, added.

use super::module::BrushModule;
use super::parameter::{OptionControl, Parameter, ParameterLimits, ParameterValue};

/// White noise, added where the brush acts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Noise {
    /// Its power mean as a spectrogram shows it; 0 dB is a full-scale sine.
    pub level_db: f64,
    /// The seed of its random numbers.
    pub seed: u64,
}

impl BrushModule for Noise {
    const KIND: &'static str = "noise";
    const NAME: &'static str = "Noise";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::required("level_db", ParameterLimits::Within(-200.0, 24.0))
            .note("the mean power of its cells, where 0 dB is a full-scale sine")
            .controls(&[
                OptionControl::number("Level", "Mean power of the noise, as shown in the spectrogram.", "dB").brief()
            ]),
        Parameter::optional("seed", ParameterLimits::Any),
    ];
    const MAKES_SOUND: bool = true;

    fn usual() -> Option<Noise> {
        Some(Noise { level_db: -60.0, seed: 0 })
    }

    fn values(&mut self) -> Vec<ParameterValue<'_>> {
        vec![ParameterValue::Number(&mut self.level_db), ParameterValue::Seed(&mut self.seed)]
    }
}
