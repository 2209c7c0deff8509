//! The heal brush's settings, of every mode at once.

use crate::dsp::heal::{Heal, Surroundings};

/// How a hole is filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HealMode {
    /// Pulled down to the surroundings.
    Attenuate,
    /// Each bin goes on.
    Interpolate,
    /// Samples are predicted.
    Gap,
    /// Sound from nearby.
    Pattern,
}

impl HealMode {
    /// In the order in which they are offered.
    pub const ALL: [HealMode; 4] = [HealMode::Attenuate, HealMode::Interpolate, HealMode::Gap, HealMode::Pattern];

    /// For people.
    pub fn label(self) -> &'static str {
        match self {
            HealMode::Attenuate => "Attenuate",
            HealMode::Interpolate => "Interpolate in time",
            HealMode::Gap => "Full-band gap",
            HealMode::Pattern => "Pattern",
        }
    }

    /// One sentence.
    pub fn what(self) -> &'static str {
        match self {
            HealMode::Attenuate => "Lowers what is louder than its surroundings.",
            HealMode::Interpolate => "Continues tones through the hole, bin by bin.",
            HealMode::Gap => "Predicts up to 100 ms from the surrounding samples.",
            HealMode::Pattern => "Fills the hole with the best-matching sound nearby.",
        }
    }
}

/// Settings.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct HealTool {
    /// The mode in hand.
    pub mode: HealMode,
    /// Of attenuate.
    pub surroundings: Surroundings,
    /// Of interpolate: seconds before and after that are learned from.
    pub interpolate_secs: [f64; 2],
    /// Of interpolate, 1 to 32.
    pub order: u32,
    /// Of a gap: seconds before and after that are learned from.
    pub gap_secs: [f64; 2],
    /// Of a pattern: seconds and hertz around the hole that must fit.
    pub pattern_context: [f64; 2],
    /// How far a pattern may be away, in seconds.
    pub reach_secs: f64,
}

impl Default for HealTool {
    fn default() -> HealTool {
        let mut tool = HealTool {
            mode: HealMode::Attenuate,
            surroundings: Surroundings::default(),
            interpolate_secs: [0.0; 2],
            order: 0,
            gap_secs: [0.0; 2],
            pattern_context: [0.0; 2],
            reach_secs: 0.0,
        };
        for heal in [Heal::INTERPOLATE, Heal::GAP, Heal::PATTERN] {
            match heal {
                Heal::Attenuate(surroundings) => tool.surroundings = surroundings,
                Heal::Interpolate { context_secs, order } => {
                    (tool.interpolate_secs, tool.order) = (context_secs, order);
                }
                Heal::Gap { context_secs } => tool.gap_secs = context_secs,
                Heal::Pattern { context, reach_secs } => {
                    (tool.pattern_context, tool.reach_secs) = (context, reach_secs)
                }
            }
        }
        tool
    }
}

impl HealTool {
    /// Whether every number may be used: what a file says may be anything.
    pub fn is_usable(&self) -> bool {
        let secs = [self.interpolate_secs, self.gap_secs].concat();
        let is_right = |value: &f64| value.is_finite() && (0.0..=20_000.0).contains(value);
        let Surroundings { context_secs, context_hz, time_weights, frequency_weights, .. } = self.surroundings;
        let around = [context_secs, context_hz, time_weights, frequency_weights].concat();
        let numbers = secs.iter().chain(&around).chain(&self.pattern_context).chain([&self.reach_secs]);
        numbers.into_iter().all(is_right) && (1..=32).contains(&self.order)
    }

    /// As the mode in hand has it.
    pub fn heal(&self) -> Heal {
        match self.mode {
            HealMode::Attenuate => self.attenuation(),
            HealMode::Interpolate => Heal::Interpolate { context_secs: self.interpolate_secs, order: self.order },
            HealMode::Gap => Heal::Gap { context_secs: self.gap_secs },
            HealMode::Pattern => Heal::Pattern { context: self.pattern_context, reach_secs: self.reach_secs },
        }
    }

    /// Attenuate, whatever the mode in hand.
    pub fn attenuation(&self) -> Heal {
        Heal::Attenuate(self.surroundings)
    }
}
