//! Gain: louder or quieter.

use super::module::{BrushModule, Locality, MagnitudeScale};
use super::parameter::{OptionControl, Parameter, ParameterLimits, ParameterValue};
use crate::base::Result;
use crate::dsp::kernels::GainKernel;
use crate::dsp::{Grid, Kernel};

/// Louder or quieter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gain {
    /// -120 to +24.
    pub gain_db: f64,
}

impl Gain {
    /// Least and most gain in decibels.
    pub const RANGE_DB: [f64; 2] = [-120.0, 24.0];
}

impl BrushModule for Gain {
    const KIND: &'static str = "gain";
    const NAME: &'static str = "Gain";
    const PARAMETERS: &'static [Parameter] =
        &[Parameter::required("gain_db", ParameterLimits::Within(Gain::RANGE_DB[0], Gain::RANGE_DB[1]))
            .controls(&[OptionControl::number("Gain", "Level change where the brush has its full effect.", "dB")])];
    const LOCALITY: Locality = Locality::Cell;

    fn usual() -> Option<Gain> {
        Some(Gain { gain_db: -12.0 })
    }

    fn values(&mut self) -> Vec<ParameterValue<'_>> {
        vec![ParameterValue::Number(&mut self.gain_db)]
    }

    fn leaves_holes(&self) -> bool {
        self.gain_db < 0.0
    }

    fn works_on_rows(&self) -> Result<()> {
        Ok(())
    }

    fn cell_kernel(&self, _: &Grid, _: MagnitudeScale) -> Result<Option<Kernel>> {
        Ok(Some(GainKernel::of_db(self.gain_db).into()))
    }
}
