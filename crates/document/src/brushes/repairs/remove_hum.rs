//! Remove hum: subtracts a drifting mains tone and its harmonics from the samples.

use crate::base::{Error, Result};
use crate::brushes::module::BrushModule;
use crate::brushes::operation::Operation;
use crate::brushes::parameter::{OptionControl, Parameter, ParameterLimits, ParameterValue};
use crate::brushes::sample_edit::{SampleEdit, SamplePass};
use crate::document::analysis::hum::{HumRange, HumSearch, hum_of};
use crate::document::edits::selected_sound::SelectedSound;

/// Subtracts a [`Hum`](crate::dsp::repair::hum::Hum), which it detects itself. Independent of the edit's transform.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RemoveHum {
    /// Range of its fundamental.
    pub f0: HumRange,
    /// Number of harmonics, including the fundamental.
    pub harmonics: u32,
    /// Whether its frequency may drift.
    pub tracking: bool,
}

impl BrushModule for RemoveHum {
    const KIND: &'static str = "remove_hum";
    const NAME: &'static str = "Remove hum";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::optional("f0", ParameterLimits::Within(HumSearch::F0_HZ[0], HumSearch::F0_HZ[1]))
            .note("a range of its fundamental in hertz, or `\"mains\"`: 49.5 to 50.5 or 59.4 to 60.6 Hz")
            .controls(&[
                OptionControl::number("From", "Hum of a lower frequency is not looked for.", "Hz"),
                OptionControl::number("To", "Hum of a higher frequency is not looked for.", "Hz"),
            ]),
        Parameter::optional("harmonics", ParameterLimits::Within(1.0, 64.0)).note("the fundamental included").controls(
            &[OptionControl::number("Harmonics", "How many are removed, fundamental included.", "")
                .steps(0, 0.1)
                .wide(48.0)],
        ),
        Parameter::flag("tracking")
            .note("follows a frequency that drifts")
            .controls(&[OptionControl::tick("Follow drift", "Follows a frequency that drifts.")]),
    ];

    fn omitted() -> Option<RemoveHum> {
        Some(RemoveHum::DEFAULT)
    }

    fn values(&mut self) -> Vec<ParameterValue<'_>> {
        vec![
            ParameterValue::Fundamental(&mut self.f0),
            ParameterValue::Whole(&mut self.harmonics),
            ParameterValue::Flag(&mut self.tracking),
        ]
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Samples(self)
    }
}

impl RemoveHum {
    /// Default settings: mains hum that may drift.
    pub const DEFAULT: RemoveHum =
        RemoveHum { f0: HumRange::Mains, harmonics: HumSearch::DEFAULT_N_HARMONICS as u32, tracking: true };

    /// The search for the hum.
    fn search(&self) -> HumSearch {
        let f0 = match self.f0 {
            HumRange::Mains => HumRange::Mains,
            HumRange::Within([low, high]) => HumRange::Within([low.min(high), high.max(low)]),
        };
        HumSearch { f0, count: self.harmonics as usize, is_tracked: self.tracking, min_gain: HumSearch::MIN_GAIN }
    }
}

fn not_found(f0: HumRange) -> Error {
    let what = match f0 {
        HumRange::Mains => {
            let [[a, b], [c, d]] = HumSearch::MAINS_HZ;
            let [low, high] = [(a + b) / 2.0, (c + d) / 2.0];
            format!("no hum found near {low:.0} or {high:.0} Hz; give a range to look elsewhere")
        }
        HumRange::Within([low, high]) => format!("no hum found between {low} and {high} Hz"),
    };
    Error::outcome(what)
}

impl SampleEdit for RemoveHum {
    fn pass<'a>(&'a self, sound: &'a SelectedSound<'a>) -> Result<SamplePass<'a>> {
        let Some(hum) = hum_of(sound, &self.search())? else {
            return Err(not_found(self.search().f0));
        };
        sound.report_found(hum.known_figures().described());
        let range = sound.range();
        Ok(Box::new(move |signal, piece| {
            let mut samples = sound.read(signal, piece.clone())?;
            let mut humming = vec![0.0; samples.len()];
            hum.write(signal, piece.start - range.start, &mut humming);
            for ((sample, hum), at) in samples.iter_mut().zip(&humming).zip(piece) {
                *sample = (f64::from(*sample) - hum * sound.fade_at(at)) as f32;
            }
            Ok(samples)
        }))
    }
}
