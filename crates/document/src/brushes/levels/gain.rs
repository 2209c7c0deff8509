//! Gain: louder or quieter.

use crate::base::Result;
use crate::brushes::module::{BrushGroup, BrushModule, BrushTool, ToolKey};
use crate::brushes::operation::{CellBrush, Locality, MagnitudeScale, Operation};
use crate::brushes::parameter::{OptionControl, Parameter, ParameterLimits, ParameterValue};
use crate::dsp::kernels::GainKernel;
use crate::dsp::{Grid, Kernel};

/// Changes the level of cells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gain {
    /// Gain, -120 to +24 dB.
    pub gain_db: f64,
}

impl Gain {
    /// Minimum and maximum gain in decibels.
    pub const RANGE_DB: [f64; 2] = [-120.0, 24.0];
}

impl BrushModule for Gain {
    const KIND: &'static str = "gain";
    const NAME: &'static str = "Gain";
    const TOOL: Option<BrushTool> = Some(BrushTool {
        kind: Gain::KIND,
        id: "tool_gain",
        name: "Gain brush",
        what: "Raises or lowers the level.",
        keys: &[ToolKey::plain('G'), ToolKey::plain('3')],
        // Lucide's volume-2.
        icon: '\u{e1ab}',
        group: BrushGroup::Level,
    });
    const PARAMETERS: &'static [Parameter] =
        &[Parameter::required("gain_db", ParameterLimits::Within(Gain::RANGE_DB[0], Gain::RANGE_DB[1]))
            .controls(&[OptionControl::number("Gain", "Level change where the brush has its full effect.", "dB")])];

    fn omitted() -> Option<Gain> {
        Some(Gain { gain_db: -12.0 })
    }

    fn values(&mut self) -> Vec<ParameterValue<'_>> {
        vec![ParameterValue::Number(&mut self.gain_db)]
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Cells(self)
    }
}

impl CellBrush for Gain {
    fn locality(&self) -> Locality {
        Locality::Cell
    }

    fn leaves_holes(&self) -> bool {
        self.gain_db < 0.0
    }

    fn cell_kernel(&self, _: &Grid, _: MagnitudeScale) -> Result<Option<Kernel>> {
        Ok(Some(GainKernel::of_db(self.gain_db).into()))
    }
}
