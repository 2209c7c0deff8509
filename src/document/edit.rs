//! One change to sound, as data.

use crate::document::brushes::Brush;
use crate::dsp::{Selection, Stroke, Transform};

/// Which channels an edit changes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Channels {
    /// Every channel, each by itself.
    #[default]
    All,
    /// These channels, 0 the first.
    List(Vec<usize>),
    /// `(L + R) / 2` of a stereo file.
    Mid,
    /// `(L - R) / 2` of a stereo file.
    Side,
}

impl Edit {
    /// Most steps towards consistency.
    pub const MOST_STEPS: u32 = 16;
    /// Steps towards consistency for small holes.
    pub const DEFAULT_STEPS: u32 = 8;
}

/// A brush, where it acts, and its transform, as data that is stored, replayed and applied in batches.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    /// What is done.
    pub brush: Brush,
    /// The stroke; with a selection the two masks are multiplied.
    pub stroke: Option<Stroke>,
    /// The selection. Without stroke and selection the edit covers the whole file.
    pub select: Option<Selection>,
    /// To which channels.
    pub channels: Channels,
    /// On which grid; brushes that move sound through time use the [finer one](Transform::for_moves).
    pub transform: Transform,
    /// Strength where there is no stroke, 0 to 1.
    pub strength: f64,
    /// Consistency steps at commit, 0 to 16; `None` chooses automatically: [`DEFAULT_STEPS`](Edit::DEFAULT_STEPS) for
    /// erase and negative gain in holes smaller than `n_fft` samples or 4 bins, which their surroundings would refill,
    /// else 0.
    pub consistency_steps: Option<u32>,
}
