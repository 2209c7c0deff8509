//! The stroke being drawn, as known to the pointer.

use crate::document::Edit;
use crate::dsp::{Point, Stroke};
use crate::view::Viewport;
use crate::workbench::StrokePlace;

/// The stroke whose pen is down.
#[derive(Debug, Clone)]
pub struct HandStroke {
    /// The pane where it began.
    pub viewport: Viewport,
    /// The edit, with only the first and last point.
    edit: Edit,
    /// Where it is displayed.
    pub place: StrokePlace,
}

impl HandStroke {
    /// Begins a stroke.
    pub fn new(viewport: Viewport, edit: Edit, place: StrokePlace) -> HandStroke {
        HandStroke { viewport, edit, place }
    }

    /// The edit, with the first point and the last.
    pub fn edit(&self) -> &Edit {
        &self.edit
    }

    /// The stroke, with the first point and the last.
    pub fn stroke(&self) -> Option<&Stroke> {
        self.edit.stroke.as_ref()
    }

    /// Extends it to a point. Returns the previous point; `None` if it has not moved.
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
