//! Fade in and fade out.

use crate::base::Result;
use crate::brushes::module::BrushModule;
use crate::brushes::operation::Operation;
use crate::brushes::parameter::{Parameter, ParameterLimits, ParameterValue};
use crate::brushes::sample_edit::{SampleEdit, SamplePass};
use crate::document::edits::selected_sound::SelectedSound;
use std::f64::consts::PI;

/// A half-cosine fade between silence and full level over the range: a fade in and a fade out over the same range add
/// up to the original sound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fade {
    /// Whether it fades out.
    pub out: bool,
}

impl BrushModule for Fade {
    const KIND: &'static str = "fade";
    const NAME: &'static str = "Fade";
    const PARAMETERS: &'static [Parameter] =
        &[Parameter::required("out", ParameterLimits::Any).note("false fades in, true fades out")];

    fn omitted() -> Option<Fade> {
        Some(Fade { out: false })
    }

    fn values(&mut self) -> Vec<ParameterValue<'_>> {
        vec![ParameterValue::Flag(&mut self.out)]
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Samples(self)
    }
}

impl SampleEdit for Fade {
    fn pass<'a>(&'a self, sound: &'a SelectedSound<'a>) -> Result<SamplePass<'a>> {
        let range = sound.range();
        let n_samples = (range.end - range.start) as f64;
        Ok(Box::new(move |signal, piece| {
            let mut samples = sound.read(signal, piece.clone())?;
            for (sample, at) in samples.iter_mut().zip(piece) {
                let turn = ((at - range.start) as f64 + 0.5) / n_samples * PI;
                let rising = 0.5 - 0.5 * turn.cos();
                *sample = (f64::from(*sample) * if self.out { 1.0 - rising } else { rising }) as f32;
            }
            Ok(samples)
        }))
    }
}
