//! The stroke in hand, as far as the pointer needs it.

use crate::document::Edit;
use crate::dsp::{Point, Stroke};
use crate::view::Viewport;
use crate::workbench::StrokePlace;

/// The stroke whose pen is down.
#[derive(Debug, Clone)]
pub struct HandStroke {
    /// The pane where it began.
    pub viewport: Viewport,
    /// Of its points, the first and the last.
    edit: Edit,
    /// Where it is seen.
    pub place: StrokePlace,
}

impl HandStroke {
    /// A stroke that begins.
    pub fn new(viewport: Viewport, edit: Edit, place: StrokePlace) -> HandStroke {
        HandStroke { viewport, edit, place }
    }

    /// What is done, with the first point and the last.
    pub fn edit(&self) -> &Edit {
        &self.edit
    }

    /// The stroke, with the first point and the last.
    pub fn stroke(&self) -> Option<&Stroke> {
        self.edit.stroke.as_ref()
    }

    /// Goes on to a point. Returns the point before it; none if it has not moved.
    pub fn extend(&mut self, point: Point) -> Option<Point> {
        let points = &mut self.edit.stroke.as_mut()?.points;
        let before = *points.last()?;
        if before == point {
            return None;
        }
        points.truncate(1);
        points.push(point);
        Some(before)
    }
}
