//! Contrast: spreads or narrows levels around a pivot.

use crate::base::Result;
use crate::brushes::module::{BrushGroup, BrushModule, BrushTool, ToolKey};
use crate::brushes::operation::{CellBrush, Locality, MagnitudeScale, Operation};
use crate::brushes::parameter::{Offer, OptionControl, Parameter, ParameterLimits, ParameterValue};
use crate::dsp::kernels::ContrastKernel;
use crate::dsp::{Grid, Kernel};

/// Expands or compresses levels: a cell `d` dB from the pivot moves to `amount` times `d`, by at most 120 dB down and
/// 24 dB up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contrast {
    /// Amount, 0.25 to 4; 1 changes nothing.
    pub amount: f64,
    /// Level that does not change, -120 to 0 dB.
    pub pivot_db: f64,
}

impl BrushModule for Contrast {
    const KIND: &'static str = "contrast";
    const NAME: &'static str = "Contrast";
    const TOOL: Option<BrushTool> = Some(BrushTool {
        kind: Contrast::KIND,
        id: "tool_contrast",
        name: "Contrast brush",
        what: "Spreads or narrows levels around a pivot.",
        keys: &[ToolKey::shift('I')],
        // Lucide's sliders-horizontal.
        icon: '\u{e29a}',
        group: BrushGroup::Level,
    });
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::required("amount", ParameterLimits::Within(0.25, 4.0))
            .note("the factor of each level's distance from the pivot")
            .controls(&[OptionControl::number(
                "Contrast",
                "Factor of each level's distance from the pivot; 1 changes nothing.",
                "",
            )
            .steps(2, 0.01)
            .wide(60.0)]),
        Parameter::optional("pivot_db", ParameterLimits::Within(-120.0, 0.0)).note("the level that stays").controls(&[
            OptionControl::number("Pivot", "The level that stays as it is.", "dB").offering(Offer::SelectionMean),
        ]),
    ];

    fn omitted() -> Option<Contrast> {
        Some(Contrast { amount: 1.5, pivot_db: -40.0 })
    }

    fn values(&mut self) -> Vec<ParameterValue<'_>> {
        vec![ParameterValue::Number(&mut self.amount), ParameterValue::Number(&mut self.pivot_db)]
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Cells(self)
    }
}

impl CellBrush for Contrast {
    fn locality(&self) -> Locality {
        Locality::Cell
    }

    fn cell_kernel(&self, grid: &Grid, scale: MagnitudeScale) -> Result<Option<Kernel>> {
        let pivot = scale.magnitude_from_db(grid, self.pivot_db);
        Ok(Some(ContrastKernel::new(self.amount, pivot).into()))
    }
}
