//! Clone: sound from elsewhere in the plane.

use super::module::BrushModule;
use super::parameter::{Parameter, ParameterLimits, ParameterValue};

/// Sound from elsewhere in the plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CloneSource {
    /// From a cell to its source: seconds, and units of the edit's axis.
    pub offset: [f64; 2],
}

impl BrushModule for CloneSource {
    const KIND: &'static str = "clone";
    const NAME: &'static str = "Clone";
    const PARAMETERS: &'static [Parameter] = &[Parameter::required("offset", ParameterLimits::Any)
        .note("from a cell to its source, in seconds and units of the axis")];
    const MAKES_SOUND: bool = true;

    /// Where from is known when the stroke begins.
    fn usual() -> Option<CloneSource> {
        Some(CloneSource { offset: [0.0; 2] })
    }

    fn values(&mut self) -> Vec<ParameterValue<'_>> {
        vec![ParameterValue::Pair(&mut self.offset)]
    }
}
