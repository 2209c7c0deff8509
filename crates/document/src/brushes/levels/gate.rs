//! Gate: attenuates cells below a threshold.

use crate::base::Result;
use crate::brushes::module::{BrushGroup, BrushModule, BrushTool, ToolKey};
use crate::brushes::operation::{CellBrush, Locality, MagnitudeScale, Operation};
use crate::brushes::parameter::{OptionControl, Parameter, ParameterLimits, ParameterValue, choice};
use crate::dsp::kernels::GateKernel;
use crate::dsp::{Grid, Kernel};

/// Attenuates cells below a threshold: a cell `d` dB below it moves to `ratio` times that distance. Results below -200
/// dB are silent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gate {
    /// Threshold, -120 to 0 dB.
    pub threshold_db: f64,
    /// Ratio, 1 to 20; 1 changes nothing.
    pub ratio: f64,
    /// Hard or soft knee.
    pub mode: GateMode,
}

/// Knee of a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GateMode {
    /// No knee.
    Hard,
    /// A knee of 12 dB.
    Soft,
}

choice! { GateMode:
    Hard = "hard", "Hard";
    Soft = "soft", "Soft";
}

/// Half the width of the soft gate's knee, in dB.
const KNEE_DB: f64 = 6.0;

/// Level below which results are silent.
const FLOOR_DB: f64 = -200.0;

impl BrushModule for Gate {
    const KIND: &'static str = "gate";
    const NAME: &'static str = "Gate";
    const TOOL: Option<BrushTool> = Some(BrushTool {
        kind: Gate::KIND,
        id: "tool_gate",
        name: "Gate brush",
        what: "Lowers what is quieter than a threshold.",
        keys: &[ToolKey::shift('G')],
        // Lucide's gauge.
        icon: '\u{e1bf}',
        group: BrushGroup::Level,
    });
    const PARAMETERS: &'static [Parameter] =
        &[
            Parameter::optional("threshold_db", ParameterLimits::Within(-120.0, 0.0))
                .controls(&[OptionControl::number("Threshold", "What is quieter is lowered.", "dB")]),
            Parameter::optional("ratio", ParameterLimits::Within(1.0, 20.0))
                .note("the factor of each level's distance below the threshold")
                .controls(&[OptionControl::number("Ratio", "How many times as far below the threshold it ends.", "")
                    .steps(1, 0.02)
                    .wide(52.0)]),
            Parameter::optional("mode", ParameterLimits::Any)
                .note("hard or soft, which sets in over 12 dB")
                .controls(&[OptionControl::number("Mode", "Soft sets in over 12 dB.", "").wide(68.0)]),
        ];

    fn omitted() -> Option<Gate> {
        Some(Gate { threshold_db: -60.0, ratio: 4.0, mode: GateMode::Soft })
    }

    fn values(&mut self) -> Vec<ParameterValue<'_>> {
        vec![
            ParameterValue::Number(&mut self.threshold_db),
            ParameterValue::Number(&mut self.ratio),
            ParameterValue::Choice(&mut self.mode),
        ]
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Cells(self)
    }
}

impl CellBrush for Gate {
    fn locality(&self) -> Locality {
        Locality::Cell
    }

    fn cell_kernel(&self, grid: &Grid, scale: MagnitudeScale) -> Result<Option<Kernel>> {
        let magnitude = |level_db| scale.magnitude_from_db(grid, level_db);
        let knee_db = if self.mode == GateMode::Soft { KNEE_DB } else { 0.0 };
        Ok(Some(GateKernel::new(self.ratio, magnitude(self.threshold_db), knee_db, magnitude(FLOOR_DB)).into()))
    }
}
