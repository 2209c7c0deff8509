//! Lengthen: silence at the end.

use super::module::{BrushModule, StrokeUse};
use super::parameter::{Parameter, ParameterLimits, ParameterValue};

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
    const BUILDS_UP: bool = false;

    fn usual() -> Option<Lengthen> {
        Some(Lengthen { secs: 1.0 })
    }

    fn values(&mut self) -> Vec<ParameterValue<'_>> {
        vec![ParameterValue::Number(&mut self.secs)]
    }

    fn stroke_use(&self) -> StrokeUse {
        StrokeUse::Never
    }
}
