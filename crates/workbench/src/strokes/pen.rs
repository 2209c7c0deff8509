//! Acts on the stroke being drawn.

use super::stroke_display::{LevelTile, StrokePlace};
use crate::document::Edit;
use crate::dsp::Point;

/// An act on the stroke being drawn on the document in front.
#[derive(Debug, Clone)]
pub enum StrokeAct {
    /// The pen goes down.
    Begin(Box<StartedStroke>),
    /// The pen moves to more points.
    Extend {
        /// New points in order; repeated points are ignored.
        points: Vec<Point>,
        /// Displayed tiles that the points affect, if a level above the transform's grid is displayed.
        tiles: Vec<LevelTile>,
    },
    /// The pen is lifted, and the edit is applied.
    End,
    /// The stroke is dropped without an edit.
    Cancel,
}

/// The start of a stroke.
#[derive(Debug, Clone)]
pub struct StartedStroke {
    /// The edit; its stroke has the first point.
    pub edit: Edit,
    /// Where it is displayed.
    pub place: StrokePlace,
    /// Displayed tiles that the first point affects, if a level above the transform's grid is displayed.
    pub tiles: Vec<LevelTile>,
}
