//! Dragging the outline of a selection, or its edges.

use super::edges::ShapeGrip;
use super::pointer::CLICK_POINTS;
use crate::dsp::{Axis, Grid, Selection, Shape, ShapeExtent};
use crate::view::Viewport;
use egui::Pos2;

/// Minimum lower edge of a band on a log axis, in hertz.
const MIN_HZ: f64 = 1.0;
/// Minimum distance between opposite edges, in points.
const MIN_POINTS: f64 = 1.0;

/// A drag of a selection's outline.
#[derive(Debug, Clone)]
pub struct OutlineDrag {
    /// The pane where it began.
    viewport: Viewport,
    /// Position of the press.
    start: Pos2,
    /// Position of the pointer.
    pub now: Pos2,
    /// The dragged edge or corner; `None` moves the whole outline.
    grip: Option<ShapeGrip>,
    /// The selection before the drag.
    from: Selection,
}

impl OutlineDrag {
    /// Begins a drag at a position.
    pub fn new(viewport: Viewport, at: Pos2, grip: Option<ShapeGrip>, from: Selection) -> OutlineDrag {
        OutlineDrag { viewport, start: at, now: at, grip, from }
    }

    /// The dragged edge or corner; `None` if the whole outline moves.
    pub fn grip(&self) -> Option<ShapeGrip> {
        self.grip
    }

    /// The selection as dragged; `snap` snaps a position in points. `None` for a click.
    pub fn selection(&self, grid: &Grid, snap: impl Fn(&Viewport, [f64; 2]) -> [f64; 2]) -> Option<Selection> {
        if self.start.distance(self.now) < CLICK_POINTS {
            return None;
        }
        match self.grip {
            Some(grip) => self.resized(grip, grid, snap),
            None => Some(self.moved(grid)),
        }
    }

    /// The selection with the dragged edges at the pointer, limited to the pane. Other edges are unchanged.
    fn resized(
        &self,
        held: ShapeGrip,
        grid: &Grid,
        snap: impl Fn(&Viewport, [f64; 2]) -> [f64; 2],
    ) -> Option<Selection> {
        let ShapeGrip { shape, grip } = held;
        let [secs, hz] = box_of(&self.from, shape)?;
        let viewport = &self.viewport;
        let by = self.now - self.start;
        let held = |edges: [f64; 2], side: i8| edges[usize::from(side > 0)];
        let other = |edges: [f64; 2], side: i8| edges[usize::from(side < 0)];
        let within = |at: f64, k: usize| at.clamp(viewport.origin[k], viewport.origin[k] + viewport.size[k]);
        let x = secs.map_or(0.0, |secs| within(viewport.x_from_secs(held(secs, grip[0])), 0) + f64::from(by.x));
        let y = hz.map_or(0.0, |hz| within(viewport.y_from_hz(held(hz, grip[1])), 1) + f64::from(by.y));
        let place = snap(viewport, [within(x, 0), within(y, 1)]);
        // Pixels are coarser than the numbers, so a drag along one axis must not round the edges along the other.
        let is_moved = |side: i8, by: f32| side != 0 && by != 0.0;
        let apart = |at: f64, other: f64, way: f64| {
            if (at - other).abs() < MIN_POINTS { other + way * MIN_POINTS } else { at }
        };
        let duration_secs = grid.n_samples as f64 / grid.sample_rate_hz;
        let secs = secs.map(|secs| {
            let fixed = other(secs, grip[0]);
            let x = apart(place[0], viewport.x_from_secs(fixed), f64::from(grip[0]));
            let to = viewport.secs_from_x(x).clamp(0.0, duration_secs);
            if is_moved(grip[0], by.x) { [fixed.min(to), fixed.max(to)] } else { secs }
        });
        let hz = hz.map(|hz| {
            let fixed = other(hz, grip[1]);
            let y = apart(place[1], viewport.y_from_hz(fixed), -f64::from(grip[1]));
            let to = viewport.hz_from_y(y).clamp(0.0, grid.nyquist_hz());
            if is_moved(grip[1], by.y) { [fixed.min(to), fixed.max(to)] } else { hz }
        });
        let mut resized = self.from.clone();
        if let Some((_, Shape::Rectangle { secs: own_secs, hz: own_hz, .. })) = resized.shapes.get_mut(shape) {
            (*own_secs, *own_hz) = (secs, hz);
        }
        Some(resized)
    }

    /// The whole selection, moved by whole samples and within the sound.
    fn moved(&self, grid: &Grid) -> Selection {
        let axis = if self.viewport.axis == Axis::Linear { Axis::Linear } else { Axis::Log };
        let units = |hz: f64| if axis == Axis::Log { axis.units_from_hz(hz.max(MIN_HZ)) } else { hz };
        let [start, now] = [self.start, self.now]
            .map(|at| [self.viewport.secs_from_x(f64::from(at.x)), units(self.viewport.hz_from_y(f64::from(at.y)))]);
        let [secs, hz] = self.from.extent();
        let duration_secs = grid.n_samples as f64 / grid.sample_rate_hz;
        let by_secs = secs.map_or(0.0, |[first, last]| within(now[0] - start[0], [-first, duration_secs - last]));
        let by_secs = (by_secs * grid.sample_rate_hz).round() / grid.sample_rate_hz;
        // Pixels are coarser than hertz, so a horizontal drag keeps the exact frequencies.
        let is_level = self.start.y == self.now.y;
        let by_units = hz.filter(|_| !is_level).map_or(0.0, |[low, high]| {
            let lowest = if axis == Axis::Log && low <= 0.0 { high } else { low };
            let min = if axis == Axis::Log { units(MIN_HZ) } else { 0.0 };
            within(now[1] - start[1], [min - units(lowest), units(grid.nyquist_hz()) - units(high)])
        });
        self.from.moved(by_secs, axis, by_units)
    }
}

/// The edges in seconds and in hertz of a box or range of a selection; `None` for any other shape.
pub fn box_of(selection: &Selection, shape: usize) -> Option<ShapeExtent> {
    match selection.shapes.get(shape)? {
        (_, Shape::Rectangle { secs, hz, .. }) => Some([*secs, *hz]),
        _ => None,
    }
}

/// A shift clamped to a range, extended to include 0, so that a shape that is already outside may stay there.
fn within(by: f64, [min, max]: [f64; 2]) -> f64 {
    by.max(min.min(0.0)).min(max.max(0.0))
}
