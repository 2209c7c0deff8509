//! Lengthen: appends silence.

use crate::base::Result;
use crate::brushes::module::BrushModule;
use crate::brushes::operation::{Operation, TimeBrush};
use crate::brushes::parameter::{Parameter, ParameterLimits, ParameterValue};
use crate::document::edits::time::{Retimed, TimeChange, TimePlace};

/// Silence appended to the sound. No existing sample changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lengthen {
    /// Length of the silence, above 0.
    pub secs: f64,
}

impl BrushModule for Lengthen {
    const KIND: &'static str = "lengthen";
    const NAME: &'static str = "Add silence";
    const PARAMETERS: &'static [Parameter] =
        &[Parameter::required("secs", ParameterLimits::Positive).note("how much silence is added at the end")];

    fn omitted() -> Option<Lengthen> {
        Some(Lengthen { secs: 1.0 })
    }

    fn values(&mut self) -> Vec<ParameterValue<'_>> {
        vec![ParameterValue::Number(&mut self.secs)]
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Time(self)
    }
}

impl TimeBrush for Lengthen {
    fn changes(&self, place: &TimePlace<'_>) -> Result<Vec<TimeChange>> {
        Ok(vec![TimeChange { at: place.sound.n_samples(), removed: 0, added: place.n_samples_of(self.secs) }])
    }

    fn retimed(&self, place: &TimePlace<'_>, _: &[TimeChange]) -> Result<Retimed> {
        Ok(Retimed::of(place.sound.lengthened(place.n_samples_of(self.secs))?))
    }
}
