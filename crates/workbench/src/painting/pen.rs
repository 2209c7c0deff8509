//! What a pen does.

use super::shown::{LevelTile, StrokePlace};
use crate::document::Edit;
use crate::dsp::Point;

/// About the stroke in hand, on the document in front.
#[derive(Debug, Clone)]
pub enum StrokeAct {
    /// The pen goes down.
    Begin(Box<StrokeBegun>),
    /// The pen comes to more points.
    Extend {
        /// In order; those that have not moved add nothing.
        points: Vec<Point>,
        /// What is shown of what they reach, on a level above the transform's grid.
        tiles: Vec<LevelTile>,
    },
    /// The pen is lifted: the edit is applied.
    End,
    /// The stroke is dropped.
    Cancel,
}

/// A stroke that begins.
#[derive(Debug, Clone)]
pub struct StrokeBegun {
    /// What is done, with the first point.
    pub edit: Edit,
    /// Where it is seen.
    pub place: StrokePlace,
    /// What is shown of what the first point reaches, on a level above the transform's grid.
    pub tiles: Vec<LevelTile>,
}
