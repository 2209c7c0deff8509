//! Frequency axes: mapping of hertz to the screen, and distances for brushes.

use serde::{Deserialize, Serialize};

/// A frequency axis. Its units measure brush radii and warps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Axis {
    /// Units are hertz.
    #[default]
    Linear,
    /// Units are octaves, `log2(hz)`; 0 Hz lies at minus infinity.
    Log,
    /// Slaney's mel: linear below 1 kHz, logarithmic above (librosa's default).
    Mel,
    /// The Bark scale, `6 asinh(hz / 600)`.
    Bark,
}

/// `ln(6.4) / 27`, the step of one mel above 1 kHz.
const MEL_LOG_STEP: f64 = 0.068_751_777_420_949_12;

impl Axis {
    /// All axes, in menu order.
    pub const ALL: [Axis; 4] = [Axis::Linear, Axis::Log, Axis::Mel, Axis::Bark];

    /// The name in scripts and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Axis::Linear => "linear",
            Axis::Log => "log",
            Axis::Mel => "mel",
            Axis::Bark => "bark",
        }
    }

    /// The axis with this [`name`](Axis::name).
    pub fn from_name(name: &str) -> Option<Axis> {
        Axis::ALL.into_iter().find(|axis| axis.name() == name)
    }

    /// Converts a frequency to axis units.
    pub fn units_from_hz(self, hz: f64) -> f64 {
        match self {
            Axis::Linear => hz,
            Axis::Log => hz.log2(),
            Axis::Mel if hz < 1000.0 => hz * 3.0 / 200.0,
            Axis::Mel => 15.0 + (hz / 1000.0).ln() / MEL_LOG_STEP,
            Axis::Bark => 6.0 * (hz / 600.0).asinh(),
        }
    }

    /// Converts axis units to a frequency.
    pub fn hz_from_units(self, units: f64) -> f64 {
        match self {
            Axis::Linear => units,
            Axis::Log => units.exp2(),
            Axis::Mel if units < 15.0 => units * 200.0 / 3.0,
            Axis::Mel => 1000.0 * ((units - 15.0) * MEL_LOG_STEP).exp(),
            Axis::Bark => 600.0 * (units / 6.0).sinh(),
        }
    }
}
