//! Lengthen: silence at the end.

use super::module::{BrushModule, StrokeUse};
use super::parameter::{Parameter, ParameterLimits, ParameterValue};
use super::trial::BrushTrial;
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
    const BUILDS_UP: bool = false;
    const IS_SEEN_LIVE: bool = false;

    fn usual() -> Option<Lengthen> {
        Some(Lengthen { secs: 1.0 })
    }

    fn values(&mut self) -> Vec<ParameterValue<'_>> {
        vec![ParameterValue::Number(&mut self.secs)]
    }

    /// It paints no cell.
    fn trials(_: [f64; 2]) -> Vec<BrushTrial<Lengthen>> {
        Vec::new()
    }

    fn resized(&self, sound: &Snapshot) -> Result<Option<Snapshot>> {
        let n_more = (self.secs * sound.sample_rate_hz()).round().max(0.0) as u64;
        sound.lengthened(n_more).map(Some)
    }

    fn stroke_use(&self) -> StrokeUse {
        StrokeUse::Never
    }
}
