//! The outline of a selection in hand: where it is taken.

use super::pointer::CLICK_POINTS;
use crate::dsp::{Axis, Grid, Selection};
use crate::view::Viewport;
use egui::Pos2;

/// The lower edge of a band stays above this on an axis of intervals.
const LEAST_HZ: f64 = 1.0;

/// The outline of a selection, which follows the pointer.
#[derive(Debug, Clone)]
pub struct OutlineDrag {
    /// Of the pane where it began.
    viewport: Viewport,
    /// Press.
    start: Pos2,
    /// The pointer.
    pub now: Pos2,
    /// What was selected then.
    from: Selection,
}

impl OutlineDrag {
    /// It is taken hold of at a place.
    pub fn new(viewport: Viewport, at: Pos2, from: Selection) -> OutlineDrag {
        OutlineDrag { viewport, start: at, now: at, from }
    }

    /// The selection where the pointer has taken it, by whole samples and within the sound. None of a mere click.
    pub fn moved(&self, grid: &Grid) -> Option<Selection> {
        if self.start.distance(self.now) < CLICK_POINTS {
            return None;
        }
        let axis = if self.viewport.axis == Axis::Linear { Axis::Linear } else { Axis::Log };
        let units = |hz: f64| if axis == Axis::Log { axis.units_from_hz(hz.max(LEAST_HZ)) } else { hz };
        let [start, now] = [self.start, self.now]
            .map(|at| [self.viewport.secs_from_x(f64::from(at.x)), units(self.viewport.hz_from_y(f64::from(at.y)))]);
        let [secs, hz] = self.from.extent();
        let duration_secs = grid.n_samples as f64 / grid.sample_rate_hz;
        let by_secs = secs.map_or(0.0, |[first, last]| within(now[0] - start[0], [-first, duration_secs - last]));
        let by_secs = (by_secs * grid.sample_rate_hz).round() / grid.sample_rate_hz;
        // Pixels are not as fine as hertz: what is moved level stays what it is.
        let is_level = self.start.y == self.now.y;
        let by_units = hz.filter(|_| !is_level).map_or(0.0, |[low, high]| {
            let lowest = if axis == Axis::Log && low <= 0.0 { high } else { low };
            let least = if axis == Axis::Log { units(LEAST_HZ) } else { 0.0 };
            within(now[1] - start[1], [least - units(lowest), units(grid.nyquist_hz()) - units(high)])
        });
        Some(self.from.moved(by_secs, axis, by_units))
    }
}

/// What lies outside already may stay there.
fn within(by: f64, [least, most]: [f64; 2]) -> f64 {
    by.max(least.min(0.0)).min(most.max(0.0))
}
