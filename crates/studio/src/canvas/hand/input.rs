//! State of the pointer on the canvas.

use super::brush::Pen;
use super::drag::{Drag, Lasso};
use super::pointer::Pointer;
use crate::canvas::snap::Snapper;
use crate::dsp::Point;
use crate::view::{Limits, Viewport};
use egui::Pos2;

/// The pointer, and its gesture in progress.
#[derive(Default)]
pub struct PointerInput {
    /// Turns events into actions.
    pub pointer: Pointer,
    /// The action of the held button.
    pub drag: Option<Drag>,
    /// The lasso in progress.
    pub lasso: Option<Lasso>,
    /// The last known pressure of a pen, 0 to 1; `None` for devices that report none.
    pub force: Option<f32>,
    /// The position at which the open menu was opened; the readout stays there.
    pub pinned: Option<Pos2>,
    /// Whether Shift is held.
    pub is_shift: bool,
    /// The source point of the clone brush, as clicked.
    pub clone_source: Option<Point>,
    /// Onsets, beats and peaks that the pointer snaps to.
    pub snapper: Snapper,
}

impl PointerInput {
    /// Drops gestures in progress, for another document.
    pub fn clear(&mut self) {
        self.drag = None;
        self.lasso = None;
        self.pinned = None;
        self.clone_source = None;
    }

    /// Cancels a selection in progress; false if there is none.
    pub fn cancel(&mut self) -> bool {
        let was_selecting = matches!(
            self.drag.take(),
            Some(Drag::Select { .. } | Drag::Mark { .. } | Drag::Outline(_) | Drag::Label(_) | Drag::NewLabel(_))
        );
        was_selecting | self.lasso.take().is_some()
    }

    /// The pen at a position, with its pressure and the current snap targets.
    pub fn pen(&self, at: Pos2) -> Pen {
        Pen {
            at: [f64::from(at.x), f64::from(at.y)],
            pressure: self.force.map_or(1.0, f64::from),
            catch: self.snapper.catch(),
            line: self.snapper.line().cloned(),
        }
    }

    /// The time at a position, in seconds, snapped to an onset or to a line of the beat grid.
    pub fn secs_at(&self, viewport: &Viewport, at: Pos2, limits: &Limits) -> f64 {
        let secs = viewport.secs_from_x(f64::from(at.x));
        self.snapper.secs(viewport, secs).unwrap_or(secs).clamp(0.0, limits.duration_secs)
    }
}
