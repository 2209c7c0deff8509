//! Dragging a floating paste.

use crate::dsp::Axis;
use crate::dsp::selections::mask;
use crate::view::Viewport;
use crate::workbench::Floating;
use egui::Pos2;

/// Maximum distance of a press from the floating paste.
const REACH_POINTS: f64 = 12.0;

/// Whether a press hits the floating paste: inside its outline, or slightly outside.
pub fn is_on(floating: &Floating, viewport: &Viewport, at: Pos2) -> bool {
    let near = [-REACH_POINTS, 0.0, REACH_POINTS];
    let secs = near.map(|by| viewport.secs_from_x(f64::from(at.x) + by));
    let hz = near.map(|by| viewport.hz_from_y(f64::from(at.y) - by));
    mask::sample(&floating.selection(), &secs, &hz).iter().any(|&m| m > 0.0)
}

/// The offset after a drag between two positions, given the offset `from` before it: seconds and axis units.
pub fn dragged(floating: &Floating, viewport: &Viewport, places: [Pos2; 2], from: [f64; 2]) -> [f64; 2] {
    let [start, now] = places.map(|at| [viewport.secs_from_x(f64::from(at.x)), viewport.hz_from_y(f64::from(at.y))]);
    let min_hz = if floating.axis == Axis::Log { 1.0 } else { 0.0 };
    let units = |hz: f64| floating.axis.units_from_hz(hz.max(min_hz));
    let is_level = places[0].y == places[1].y;
    let moved = if is_level { 0.0 } else { units(now[1]) - units(start[1]) };
    // Notes move by whole semitones.
    let moved = if floating.notes().is_some() { (12.0 * moved).round() / 12.0 } else { moved };
    [from[0] + now[0] - start[0], from[1] + moved]
}
