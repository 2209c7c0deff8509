//! Remove plosives: attenuates bursts of breath to the usual level of their band.

use super::frame_pass::RangeFrames;
use crate::base::{Error, Result};
use crate::brushes::module::BrushModule;
use crate::brushes::operation::Operation;
use crate::brushes::parameter::{OptionControl, Parameter, ParameterLimits, ParameterValue};
use crate::brushes::sample_edit::{SampleEdit, SamplePass};
use crate::document::edits::selected_sound::SelectedSound;
use crate::dsp::repair::frame_gains::{BandLevels, PlosiveSearch};

/// Minimum duration for a reliable estimate of the usual level.
const MIN_SECS: f64 = 0.5;

/// Attenuates plosives; its analysis does not depend on the edit's transform.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plosives {
    /// Upper limit of the attenuated frequencies, in hertz.
    pub below_hz: f64,
    /// Threshold above the usual level, in dB.
    pub over_db: f64,
}

impl Plosives {
    /// Settings that leave clean voices nearly unchanged.
    pub const DEFAULT: Plosives = Plosives { below_hz: 150.0, over_db: 12.0 };
}

impl BrushModule for Plosives {
    const KIND: &'static str = "plosives";
    const NAME: &'static str = "Remove plosives";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::optional("below_hz", ParameterLimits::Within(50.0, 400.0))
            .note("the upper end of what they fill")
            .controls(&[OptionControl::number("Below", "Lowers plosives up to this frequency.", "Hz").steps(0, 0.5)]),
        Parameter::optional("over_db", ParameterLimits::Within(3.0, 40.0))
            .note("how far above the usual level below that frequency they begin")
            .controls(&[OptionControl::number(
                "Louder by",
                "How much louder than usual the lowest frequencies are in a plosive.",
                "dB",
            )]),
    ];

    fn omitted() -> Option<Plosives> {
        Some(Plosives::DEFAULT)
    }

    fn values(&mut self) -> Vec<ParameterValue<'_>> {
        vec![ParameterValue::Number(&mut self.below_hz), ParameterValue::Number(&mut self.over_db)]
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Samples(self)
    }
}

impl SampleEdit for Plosives {
    fn pass<'a>(&'a self, sound: &'a SelectedSound<'a>) -> Result<SamplePass<'a>> {
        sound.check_length(MIN_SECS)?;
        let search = PlosiveSearch { below_hz: self.below_hz, over_db: self.over_db };
        let frames = RangeFrames::new(sound, PlosiveSearch::FRAME_SECS);
        let meter = BandLevels::new(frames.layout(), &search.bands_hz());
        let mut levels = Vec::new();
        frames.look([0, 2], |run| levels.extend(run.iter().map(|frame| meter.of(frame))))?;
        let reduction = search.reduction(frames.layout(), &levels).filter(|reduction| reduction.n_runs() > 0);
        let Some(reduction) = reduction else {
            return Err(Error::outcome("no plosives found; lower how much louder they must be"));
        };
        let n = reduction.n_runs();
        let plosives = if n == 1 { "1 plosive".to_owned() } else { format!("{n} plosives") };
        sound.report_found(format!("{plosives}, up to -{:.0} dB", reduction.max_db()));
        Ok(frames.pass(reduction, 0))
    }
}
