//! Lengthen: silence at the end.

use super::module::BrushModule;
use super::operation::{LengthBrush, Operation};
use super::parameter::{Parameter, ParameterLimits, ParameterValue};
use crate::base::Result;
use crate::document::Snapshot;

/// Silence added at the end of the sound: not painted by hand, and the one edit that changes the length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lengthen {
    /// How much, above 0.
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
        Operation::Length(self)
    }
}

impl LengthBrush for Lengthen {
    fn resized(&self, sound: &Snapshot) -> Result<Snapshot> {
        let n_more = (self.secs * sound.sample_rate_hz()).round().max(0.0) as u64;
        sound.lengthened(n_more)
    }
}
