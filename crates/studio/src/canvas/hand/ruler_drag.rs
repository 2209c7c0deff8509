//! Drags on the rulers. Along a ruler they pan the view, across it they zoom about the point pressed; with Shift or the
//! right button the view zooms to the dragged range. A click on the time ruler moves the cursor.

use super::pointer::CLICK_POINTS;
use crate::view::{Limits, Viewport};
use crate::workbench::View;
use egui::{PointerButton, Pos2};

/// Points of a drag across a ruler that zoom by a factor of two.
const POINTS_PER_OCTAVE: f64 = 60.0;

/// A ruler beside the pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ruler {
    /// The time ruler, above the pictures.
    Time,
    /// The frequency ruler, at their left.
    Hz,
}

/// The kind of a drag.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Way {
    /// Not yet moved further than a click allows.
    Undecided,
    Move,
    Zoom,
    /// Selects the range from the press to the pointer.
    Range,
}

/// A button held on a ruler.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RulerDrag {
    /// The ruler.
    pub ruler: Ruler,
    /// The button that began it.
    pub button: PointerButton,
    /// Viewport of the pane beside it, at the press.
    viewport: Viewport,
    start: Pos2,
    last: Pos2,
    way: Way,
}

impl RulerDrag {
    /// Begins a drag with a press; with `range`, the view will zoom to the dragged range.
    pub fn new(ruler: Ruler, at: Pos2, button: PointerButton, viewport: Viewport, range: bool) -> RulerDrag {
        let way = if range { Way::Range } else { Way::Undecided };
        RulerDrag { ruler, button, viewport, start: at, last: at, way }
    }

    /// Follows the pointer.
    pub fn follow(&mut self, at: Pos2, view: &mut View, limits: &Limits) {
        let total = at - self.start;
        if self.way == Way::Undecided && total.length() >= CLICK_POINTS {
            let is_along = (total.x.abs() >= total.y.abs()) == (self.ruler == Ruler::Time);
            self.way = if is_along { Way::Move } else { Way::Zoom };
        }
        if self.way == Way::Undecided {
            return;
        }
        let moved = at - self.last;
        self.last = at;
        match (self.way, self.ruler) {
            (Way::Move, Ruler::Time) => {
                let by = f64::from(moved.x) * (view.secs[1] - view.secs[0]) / self.viewport.size[0];
                view.secs = limits.clamp_secs(view.secs.map(|secs| secs - by));
            }
            (Way::Move, Ruler::Hz) => {
                // The height of a pane does not change while its ruler is dragged.
                let [low, high] = view.hz.map(|hz| view.axis.units_from_hz(hz));
                let by = f64::from(moved.y) * (high - low) / self.viewport.size[1];
                view.hz = limits.pan_hz(view.hz, view.axis, by);
            }
            // Dragging towards the picture zooms in.
            (Way::Zoom, Ruler::Time) => {
                let factor = (f64::from(moved.y) / POINTS_PER_OCTAVE).exp2();
                view.secs = limits.zoom_secs(view.secs, self.viewport.secs_from_x(f64::from(self.start.x)), factor);
            }
            (Way::Zoom, Ruler::Hz) => {
                let factor = (f64::from(moved.x) / POINTS_PER_OCTAVE).exp2();
                let about = self.viewport.hz_from_y(f64::from(self.start.y));
                view.hz = limits.zoom_hz(view.hz, view.axis, about, factor);
            }
            (Way::Range | Way::Undecided, _) => {}
        }
    }

    /// The dragged range, in points along the ruler.
    pub fn range(&self) -> Option<[f32; 2]> {
        let [a, b] = [self.start, self.last].map(|at| if self.ruler == Ruler::Time { at.x } else { at.y });
        (self.way == Way::Range && (a - b).abs() >= CLICK_POINTS).then_some([a.min(b), a.max(b)])
    }

    /// Releases the button: a range fills the view. True for a click.
    pub fn release(&self, view: &mut View, limits: &Limits) -> bool {
        if let Some([a, b]) = self.range().map(|range| range.map(f64::from)) {
            match self.ruler {
                Ruler::Time => view.secs = limits.clamp_secs([a, b].map(|x| self.viewport.secs_from_x(x))),
                Ruler::Hz => view.hz = limits.clamp_hz([b, a].map(|y| self.viewport.hz_from_y(y)), view.axis),
            }
        }
        self.way == Way::Undecided
    }
}
