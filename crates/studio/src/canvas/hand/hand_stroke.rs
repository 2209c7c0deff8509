//! The stroke being drawn, as tracked by the pointer.

use super::brush;
use crate::document::{Edit, PitchLine};
use crate::dsp::{Point, Stroke};
use crate::view::Viewport;
use crate::workbench::StrokePlace;
use std::sync::Arc;

/// A stroke while the pen is down.
#[derive(Debug, Clone)]
pub struct HandStroke {
    /// The pane where it began.
    pub viewport: Viewport,
    /// The edit, with only the first and last point.
    edit: Edit,
    /// The tiles and level at which it is displayed.
    pub place: StrokePlace,
    /// The pitch line that it follows, as it was when the stroke began on it.
    line: Option<Arc<PitchLine>>,
}

impl HandStroke {
    /// Begins a stroke, which follows a pitch line that it begins on.
    pub fn new(viewport: Viewport, edit: Edit, place: StrokePlace, line: Option<Arc<PitchLine>>) -> HandStroke {
        let first = edit.stroke.as_ref().and_then(|stroke| stroke.points.first());
        let line = line.filter(|line| first.is_some_and(|first| brush::is_on_line(line, first)));
        HandStroke { viewport, edit, place, line }
    }

    /// The pitch line that it follows.
    pub fn line(&self) -> Option<&Arc<PitchLine>> {
        self.line.as_ref()
    }

    /// The edit, with the first point and the last.
    pub fn edit(&self) -> &Edit {
        &self.edit
    }

    /// The stroke, with the first point and the last.
    pub fn stroke(&self) -> Option<&Stroke> {
        self.edit.stroke.as_ref()
    }

    /// Extends it to a point. Returns the previous point, those of the pitch line between both, and the point;
    /// `None` if it has not moved.
    pub fn extend(&mut self, point: Point) -> Option<Vec<Point>> {
        let points = &mut self.edit.stroke.as_mut()?.points;
        let before = *points.last()?;
        if before == point {
            return None;
        }
        points.truncate(1);
        points.push(point);
        let between = self.line.as_deref().map_or_else(Vec::new, |line| brush::points_between(line, &before, &point));
        Some(std::iter::once(before).chain(between).chain([point]).collect())
    }
}
