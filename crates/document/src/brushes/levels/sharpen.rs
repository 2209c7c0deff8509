//! Sharpen: emphasises differences from the surroundings.

use super::blur::{SIGMA_AXIS, row_blur, sigma, sigma_controls, taps};
use crate::base::Result;
use crate::brushes::module::{BrushGroup, BrushModule, BrushTool, ToolKey};
use crate::brushes::operation::{CellBrush, Locality, MagnitudeScale, Operation};
use crate::brushes::parameter::{OptionControl, Parameter, ParameterLimits, ParameterValue};
use crate::brushes::trial::BrushTrial;
use crate::dsp::kernels::SharpenKernel;
use crate::dsp::{Axis, Grid, Kernel};
use std::sync::Arc;

/// Emphasises differences from the surroundings: `S + amount (S - G)`, never below 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sharpen {
    /// Standard deviations of the Gaussian `G` along time in seconds, and along frequency in hertz or units of
    /// `sigma_axis`.
    pub sigma: [f64; 2],
    /// Frequency axis of the second standard deviation; must be linear on an STFT, and mel on mel bands.
    pub sigma_axis: Axis,
    /// Amount, 0 to 16.
    pub amount: f64,
}

impl BrushModule for Sharpen {
    const KIND: &'static str = "sharpen";
    const NAME: &'static str = "Sharpen";
    const TOOL: Option<BrushTool> = Some(BrushTool {
        kind: Sharpen::KIND,
        id: "tool_sharpen",
        name: "Sharpen brush",
        what: "Emphasises what differs from its surroundings.",
        keys: &[ToolKey::shift('E')],
        // Lucide's triangle.
        icon: '\u{e192}',
        group: BrushGroup::Filter,
    });
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
        SIGMA_AXIS,
    ];

    fn omitted() -> Option<Sharpen> {
        Some(Sharpen { sigma: [0.02, 60.0], sigma_axis: Axis::Linear, amount: 1.0 })
    }

    fn values(&mut self) -> Vec<ParameterValue<'_>> {
        vec![
            ParameterValue::Number(&mut self.amount),
            ParameterValue::Pair(&mut self.sigma),
            ParameterValue::Choice(&mut self.sigma_axis),
        ]
    }

    fn trials(reach: [f64; 2]) -> Vec<BrushTrial<Sharpen>> {
        vec![BrushTrial::new(Sharpen::KIND, Sharpen { sigma: reach, sigma_axis: Axis::Linear, amount: 1.0 })]
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Cells(self)
    }
}

impl CellBrush for Sharpen {
    fn locality(&self) -> Locality {
        Locality::Neighbourhood
    }

    fn cell_kernel(&self, grid: &Grid, _: MagnitudeScale) -> Result<Option<Kernel>> {
        if let Some(blur) = row_blur(grid, self.sigma, self.sigma_axis, Sharpen::KIND)? {
            return Ok(Some(Kernel::RowBlur(Arc::new(blur.sharpening(self.amount as f32)))));
        }
        let [frame_taps, bin_taps] = taps(grid, self.sigma, Sharpen::KIND)?;
        Ok(Some(SharpenKernel { frame_taps, bin_taps, amount: self.amount as f32 }.into()))
    }
}
