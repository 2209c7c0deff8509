//! Settings of the filter brushes, with separate cutoffs per pass and direction.

use crate::bench::limits::{BAND_HZ, MODULATION, ORDER, held, held_range};
use crate::document::brushes::ModulationFilter;
use crate::dsp::strokes::brush::{Along, Butterworth, Pass};
use serde::{Deserialize, Serialize};

/// Settings of the band filter brush.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BandFilterTool {
    /// Low pass, high pass, band pass or notch.
    pub pass: Pass,
    /// Cutoff of low and high pass in hertz.
    pub bend_hz: f64,
    /// Cutoffs of band pass and notch in hertz, ascending.
    pub cutoff_hz: [f64; 2],
    /// Order of the filter, 1 to 8.
    pub order: u32,
}

impl Default for BandFilterTool {
    /// Cutoffs in a range where most sounds have energy, so that the effect is audible.
    fn default() -> BandFilterTool {
        BandFilterTool { pass: Pass::Low, bend_hz: 1000.0, cutoff_hz: [500.0, 2000.0], order: 4 }
    }
}

impl BandFilterTool {
    /// The brush of the current pass.
    pub fn brush(&self) -> Butterworth {
        let cutoff_hz = if has_two_cutoffs(self.pass) { self.cutoff_hz } else { [self.bend_hz; 2] };
        filter(self.pass, cutoff_hz, self.order)
    }

    /// The settings with each number clamped to the range of its control. Non-finite numbers and invalid ranges are
    /// replaced by those of `otherwise`.
    #[must_use]
    pub fn within_limits(self, otherwise: &BandFilterTool) -> BandFilterTool {
        BandFilterTool {
            pass: self.pass,
            bend_hz: held(self.bend_hz, BAND_HZ, otherwise.bend_hz),
            cutoff_hz: held_range(self.cutoff_hz, BAND_HZ, otherwise.cutoff_hz),
            order: self.order.clamp(ORDER[0], ORDER[1]),
        }
    }
}

/// Settings of the modulation filter brush.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModulationFilterTool {
    /// Low pass, high pass, band pass or notch.
    pub pass: Pass,
    /// Along time, frequency, or both.
    pub along: Along,
    /// Cutoffs along time in hertz, ascending; low and high pass use the first.
    pub time_cutoff: [f64; 2],
    /// Cutoffs along frequency in cycles per kilohertz, ascending; low and high pass use the first.
    pub frequency_cutoff: [f64; 2],
    /// Order of the filter, 1 to 8.
    pub order: u32,
    /// Whether phases are rebuilt from the new magnitudes.
    pub rebuild_phase: bool,
}

impl Default for ModulationFilterTool {
    fn default() -> ModulationFilterTool {
        ModulationFilterTool {
            pass: Pass::Low,
            along: Along::Time,
            time_cutoff: [8.0, 16.0],
            frequency_cutoff: [2.0, 4.0],
            order: 4,
            rebuild_phase: false,
        }
    }
}

impl ModulationFilterTool {
    /// The brush of the current pass and direction.
    pub fn brush(&self) -> ModulationFilter {
        let time = filter(self.pass, self.time_cutoff, self.order);
        let frequency = filter(self.pass, self.frequency_cutoff, self.order);
        let filters = match self.along {
            Along::Time => vec![time],
            Along::Frequency => vec![frequency],
            Along::Both => vec![time, frequency],
        };
        ModulationFilter { along: self.along, filters, rebuild_phase: self.rebuild_phase }
    }

    /// The settings with each number clamped to the range of its control. Non-finite numbers and invalid ranges are
    /// replaced by those of `otherwise`.
    #[must_use]
    pub fn within_limits(self, otherwise: &ModulationFilterTool) -> ModulationFilterTool {
        ModulationFilterTool {
            time_cutoff: held_range(self.time_cutoff, MODULATION, otherwise.time_cutoff),
            frequency_cutoff: held_range(self.frequency_cutoff, MODULATION, otherwise.frequency_cutoff),
            order: self.order.clamp(ORDER[0], ORDER[1]),
            ..self
        }
    }
}

/// Whether a pass has two cutoffs.
fn has_two_cutoffs(pass: Pass) -> bool {
    matches!(pass, Pass::Band | Pass::Notch)
}

fn filter(pass: Pass, cutoff: [f64; 2], order: u32) -> Butterworth {
    let n_cutoffs = if has_two_cutoffs(pass) { 2 } else { 1 };
    Butterworth { pass, cutoff: cutoff[..n_cutoffs].to_vec(), order }
}
