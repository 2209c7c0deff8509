//! Sharpen: brings out what differs from its surroundings.

use super::blur::{sigma, sigma_controls, taps};
use super::module::{BrushModule, Locality, MagnitudeScale};
use super::parameter::{OptionControl, Parameter, ParameterLimits, ParameterValue};
use super::trial::BrushTrial;
use crate::base::Result;
use crate::dsp::kernels::SharpenKernel;
use crate::dsp::{Grid, Kernel};

/// Brings out what differs from its surroundings: `S + amount (S - G)`, never below 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sharpen {
    /// Standard deviations of the Gaussian `G` in seconds and hertz.
    pub sigma: [f64; 2],
    /// 0 to 16.
    pub amount: f64,
}

impl BrushModule for Sharpen {
    const KIND: &'static str = "sharpen";
    const NAME: &'static str = "Sharpen";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::optional("amount", ParameterLimits::Within(0.0, 16.0)).controls(&[OptionControl::number(
            "Amount",
            "How much of the difference from the surroundings is added.",
            "",
        )
        .steps(2, 0.02)
        .wide(60.0)
        .brief()]),
        sigma(&sigma_controls("Surroundings in time", "Surroundings in frequency")),
    ];
    const LOCALITY: Locality = Locality::Neighbourhood;

    fn usual() -> Option<Sharpen> {
        Some(Sharpen { sigma: [0.02, 60.0], amount: 1.0 })
    }

    fn values(&mut self) -> Vec<ParameterValue<'_>> {
        vec![ParameterValue::Number(&mut self.amount), ParameterValue::Pair(&mut self.sigma)]
    }

    fn cell_kernel(&self, grid: &Grid, _: MagnitudeScale) -> Result<Option<Kernel>> {
        let [frame_taps, bin_taps] = taps(grid, self.sigma, Sharpen::KIND)?;
        Ok(Some(SharpenKernel { frame_taps, bin_taps, amount: self.amount as f32 }.into()))
    }

    fn trials(reach: [f64; 2]) -> Vec<BrushTrial<Sharpen>> {
        vec![BrushTrial::new(Sharpen::KIND, Sharpen { sigma: reach, amount: 1.0 })]
    }
}
