//! One change to sound, as data.

use crate::dsp::{Brush, Selection, StftParams, Stroke};

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

/// A brush, where it acts, and on which grid. Stored, replayed and batch-applied.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    /// What is done.
    pub brush: Brush,
    /// Where, by hand; with a selection the two masks multiply.
    pub stroke: Option<Stroke>,
    /// Where, by shape. With neither it is the whole file.
    pub select: Option<Selection>,
    /// To which channels.
    pub channels: Channels,
    /// On which grid; warp uses hop `min(hop, n_fft / 8)`.
    pub transform: StftParams,
    /// Strength where there is no stroke, 0 to 1.
    pub strength: f64,
}
