//! Acts of a pen.

use super::stroke_display::{LevelTile, StrokePlace};
use crate::document::Edit;
use crate::dsp::Point;

/// An act on the stroke being drawn, on the document in front.
#[derive(Debug, Clone)]
pub enum StrokeAct {
    /// The pen goes down.
    Begin(Box<StartedStroke>),
    /// The pen moves to more points.
    Extend {
        /// In order; repeated points add nothing.
        points: Vec<Point>,
        /// The displayed tiles that they affect, at a level above the transform's grid.
        tiles: Vec<LevelTile>,
    },
    /// The pen is lifted: the edit is applied.
    End,
    /// The stroke is dropped.
    Cancel,
}

/// The start of a stroke.
#[derive(Debug, Clone)]
pub struct StartedStroke {
    /// The edit, with its first point.
    pub edit: Edit,
    /// Where it is displayed.
    pub place: StrokePlace,
    /// The displayed tiles that the first point affects, at a level above the transform's grid.
    pub tiles: Vec<LevelTile>,
}
