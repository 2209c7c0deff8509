//! Parameters of healing: how a hole is filled from its surroundings.

/// The axis along which the surroundings of a hole are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Chosen for each cell according to its distance from the surroundings, in window lengths and in main-lobe widths:
    /// a short hole is filled from before and after, a narrow one from below and above.
    #[default]
    Shape,
    /// From before and after.
    Time,
    /// From below and above.
    Frequency,
    /// From all four sides, in equal parts.
    Both,
}

/// How a hole is filled from its surroundings: their extent, direction and weights, and whether phases are rebuilt.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Surroundings {
    /// The axis along which the surroundings are used.
    pub direction: Direction,
    /// Seconds before and after the hole.
    pub context_secs: [f64; 2],
    /// Hertz below and above the hole.
    pub context_hz: [f64; 2],
    /// Weights of the sound before and after the hole, 0 to 1.
    pub time_weights: [f64; 2],
    /// Weights of the sound below and above the hole, 0 to 1.
    pub frequency_weights: [f64; 2],
    /// Whether phases are rebuilt from the magnitudes (see [`phase`](crate::warps::phase)) rather than kept.
    pub rebuild_phase: bool,
}

impl Default for Surroundings {
    fn default() -> Surroundings {
        Surroundings {
            direction: Direction::Shape,
            context_secs: [0.06; 2],
            context_hz: [60.0; 2],
            time_weights: [1.0; 2],
            frequency_weights: [1.0; 2],
            rebuild_phase: false,
        }
    }
}

/// Prediction orders for a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GapOrders {
    /// Several orders, each weighted by how well it fills trial gaps near the gap.
    #[default]
    Weighed,
    /// One order, determined by the length of the gap.
    One,
}

/// Methods of filling a hole. The hole is where the brush acts at all (`M > 0`).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Heal {
    /// Lowers cells that are louder than the surroundings to their level; keeps the phase, unless it is rebuilt.
    Attenuate(Surroundings),
    /// Continues each bin from before and after as an autoregressive process.
    Interpolate {
        /// Seconds before and after from which the process is learnt.
        context_secs: [f64; 2],
        /// Order of the process, 1 to 32.
        order: u32,
    },
    /// Predicts the samples of a short gap from those before and after, at all frequencies together, and takes the
    /// cells under the brush from them.
    Gap {
        /// Maximum context in seconds before and after to which the prediction is fitted.
        context_secs: [f64; 2],
        /// Prediction orders.
        orders: GapOrders,
    },
    /// Replaces the hole by the nearby sound that best fits around it.
    Pattern {
        /// Seconds and hertz around the hole that must match.
        context: [f64; 2],
        /// Maximum distance, in seconds.
        reach_secs: f64,
    },
}

impl Heal {
    /// Maximum length of a gap that is predicted, in seconds.
    pub const MAX_GAP_SECS: f64 = 0.1;
    /// Longest context, in seconds.
    pub const MAX_CONTEXT_SECS: f64 = 10.0;
    /// Maximum of `reach_secs` in [`Heal::Pattern`].
    pub const MAX_REACH_SECS: f64 = 60.0;
    /// Highest order of [`Heal::Interpolate`].
    pub const MAX_ORDER: u32 = 32;

    /// The default [`Heal::Interpolate`].
    pub const INTERPOLATE: Heal = Heal::Interpolate { context_secs: [0.8; 2], order: 8 };
    /// [`Heal::Gap`] in scripts without `orders`.
    pub const GAP: Heal = Heal::Gap { context_secs: [0.37; 2], orders: GapOrders::One };
    /// The default [`Heal::Gap`]: its context is as long as the highest order needs.
    pub const WEIGHED_GAP: Heal = Heal::Gap { context_secs: [0.75; 2], orders: GapOrders::Weighed };
    /// The default [`Heal::Pattern`].
    pub const PATTERN: Heal = Heal::Pattern { context: [0.1, 200.0], reach_secs: 2.0 };

    /// The method's name in scripts.
    pub fn mode(&self) -> &'static str {
        match self {
            Heal::Attenuate(_) => "attenuate",
            Heal::Interpolate { .. } => "interpolate",
            Heal::Gap { .. } => "gap",
            Heal::Pattern { .. } => "pattern",
        }
    }
}

impl Default for Heal {
    fn default() -> Heal {
        Heal::Attenuate(Surroundings::default())
    }
}
