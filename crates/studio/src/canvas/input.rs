//! What the pointer has in hand on the canvas.

use super::brush::Pen;
use super::drag::{Drag, Lasso};
use super::pointer::Pointer;
use super::snap::Snapper;
use crate::dsp::Point;
use crate::view::{Limits, Viewport};
use egui::Pos2;

/// The pointer, and what it draws or moves.
#[derive(Default)]
pub struct PointerInput {
    /// Turns events into actions.
    pub pointer: Pointer,
    /// What the button that is down does.
    pub drag: Option<Drag>,
    /// A line around something, in the making.
    pub lasso: Option<Lasso>,
    /// The last known pressure of a pen, 0 to 1; `None` for devices that report none.
    pub force: Option<f32>,
    /// Where a menu is open: what is read is there, not at the pointer.
    pub pinned: Option<Pos2>,
    /// Whether Shift is held.
    pub is_shift: bool,
    /// Where the clone brush takes sound from, as it was clicked.
    pub clone_source: Option<Point>,
    /// Onsets, beats and peaks that catch the pointer.
    pub snapper: Snapper,
}

impl PointerInput {
    /// Drops what is in the making: another document.
    pub fn clear(&mut self) {
        self.drag = None;
        self.lasso = None;
        self.pinned = None;
        self.clone_source = None;
    }

    /// Drops what is in the making; false if that is no selection.
    pub fn cancel(&mut self) -> bool {
        let was_selecting = matches!(
            self.drag.take(),
            Some(Drag::Select { .. } | Drag::Mark { .. } | Drag::Outline(_) | Drag::Label(_) | Drag::NewLabel(_))
        );
        was_selecting | self.lasso.take().is_some()
    }

    /// The pen at a place.
    pub fn pen(&self, at: Pos2) -> Pen {
        Pen {
            at: [f64::from(at.x), f64::from(at.y)],
            pressure: self.force.map_or(1.0, f64::from),
            catch: self.snapper.catch(),
        }
    }

    /// The time at a place, in seconds, caught on an onset or on a line of the beat grid.
    pub fn secs_at(&self, viewport: &Viewport, at: Pos2, limits: &Limits) -> f64 {
        let secs = viewport.secs_from_x(f64::from(at.x));
        self.snapper.secs(viewport, secs).unwrap_or(secs).clamp(0.0, limits.duration_secs)
    }
}
