//! Settings of the heal brush, separate for each mode.

use crate::bench::limits::{HEAL_HZ, HEAL_REACH_SECS, HEAL_SECS, PARTS, held};
use crate::dsp::repair::heal::{GapOrders, Heal, Surroundings};

/// Algorithm that fills a hole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HealMode {
    /// Lowers levels to those of the surroundings.
    Attenuate,
    /// Continues each bin by linear prediction.
    Interpolate,
    /// Replaces the samples of the gap, and so all frequencies, by prediction.
    Gap,
    /// Copies similar sound from nearby.
    Pattern,
}

impl HealMode {
    /// All modes, in the order of the menu.
    pub const ALL: [HealMode; 4] = [HealMode::Attenuate, HealMode::Interpolate, HealMode::Gap, HealMode::Pattern];

    /// The mode of a heal.
    pub fn of(heal: &Heal) -> HealMode {
        match heal {
            Heal::Attenuate(_) => HealMode::Attenuate,
            Heal::Interpolate { .. } => HealMode::Interpolate,
            Heal::Gap { .. } => HealMode::Gap,
            Heal::Pattern { .. } => HealMode::Pattern,
        }
    }

    /// Name for display.
    pub fn label(self) -> &'static str {
        match self {
            HealMode::Attenuate => "Attenuate",
            HealMode::Interpolate => "Interpolate in time",
            HealMode::Gap => "Full-band gap",
            HealMode::Pattern => "Pattern",
        }
    }

    /// Description in one sentence.
    pub fn what(self) -> &'static str {
        match self {
            HealMode::Attenuate => "Lowers what is louder than its surroundings.",
            HealMode::Interpolate => "Continues tones through the hole, bin by bin.",
            HealMode::Gap => "Predicts up to 100 ms from the surrounding samples.",
            HealMode::Pattern => "Fills the hole with the best-matching sound nearby.",
        }
    }
}

/// Settings of the heal brush.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct HealTool {
    /// The current mode.
    pub mode: HealMode,
    /// Surroundings of attenuate.
    pub surroundings: Surroundings,
    /// Context of interpolate before and after, in seconds.
    pub interpolate_secs: [f64; 2],
    /// Order of interpolate, 1 to 32.
    pub order: u32,
    /// Context of a gap before and after, in seconds.
    pub gap_secs: [f64; 2],
    /// Prediction orders of a gap.
    pub gap_orders: GapOrders,
    /// Context of pattern: seconds and hertz around the hole that must match.
    pub pattern_context: [f64; 2],
    /// Maximum distance of a pattern from the hole, in seconds.
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
            gap_orders: GapOrders::default(),
            pattern_context: [0.0; 2],
            reach_secs: 0.0,
        };
        for heal in [Heal::INTERPOLATE, Heal::WEIGHED_GAP, Heal::PATTERN] {
            match heal {
                Heal::Attenuate(surroundings) => tool.surroundings = surroundings,
                Heal::Interpolate { context_secs, order } => {
                    (tool.interpolate_secs, tool.order) = (context_secs, order);
                }
                Heal::Gap { context_secs, orders } => (tool.gap_secs, tool.gap_orders) = (context_secs, orders),
                Heal::Pattern { context, reach_secs } => {
                    (tool.pattern_context, tool.reach_secs) = (context, reach_secs)
                }
            }
        }
        tool
    }
}

impl HealTool {
    /// The settings with each number clamped to the range of its control; a non-finite one is taken from `otherwise`.
    #[must_use]
    pub fn within_limits(mut self, otherwise: &HealTool) -> HealTool {
        let hold = |pair: &mut [f64; 2], limits: [f64; 2], otherwise: [f64; 2]| {
            *pair = [0, 1].map(|side| held(pair[side], limits, otherwise[side]));
        };
        hold(&mut self.interpolate_secs, HEAL_SECS, otherwise.interpolate_secs);
        hold(&mut self.gap_secs, HEAL_SECS, otherwise.gap_secs);
        self.pattern_context[0] = held(self.pattern_context[0], HEAL_SECS, otherwise.pattern_context[0]);
        self.pattern_context[1] = held(self.pattern_context[1], [0.0, HEAL_HZ[1]], otherwise.pattern_context[1]);
        self.reach_secs = held(self.reach_secs, HEAL_REACH_SECS, otherwise.reach_secs);
        self.order = self.order.clamp(1, Heal::MAX_ORDER);
        let (around, before) = (&mut self.surroundings, &otherwise.surroundings);
        hold(&mut around.context_secs, HEAL_SECS, before.context_secs);
        hold(&mut around.context_hz, HEAL_HZ, before.context_hz);
        for (weights, before) in
            [(&mut around.time_weights, before.time_weights), (&mut around.frequency_weights, before.frequency_weights)]
        {
            hold(weights, PARTS, before);
            // At least one side must have a weight.
            if *weights == [0.0; 2] {
                *weights = before;
            }
        }
        self
    }

    /// Parameters of the current mode.
    pub fn heal(&self) -> Heal {
        match self.mode {
            HealMode::Attenuate => self.attenuation(),
            HealMode::Interpolate => Heal::Interpolate { context_secs: self.interpolate_secs, order: self.order },
            HealMode::Gap => Heal::Gap { context_secs: self.gap_secs, orders: self.gap_orders },
            HealMode::Pattern => Heal::Pattern { context: self.pattern_context, reach_secs: self.reach_secs },
        }
    }

    /// Parameters of attenuation, regardless of the current mode.
    pub fn attenuation(&self) -> Heal {
        Heal::Attenuate(self.surroundings)
    }
}
