//! A stroke as data: a polyline in seconds and hertz with pressure, and the shape of the brush that follows it.

use crate::Axis;

/// One pointer sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Time in seconds.
    pub secs: f64,
    /// Frequency in hertz.
    pub hz: f64,
    /// Pressure, 0 to 1.
    pub pressure: f64,
}

/// A brush stroke. The line between points is straight in (seconds, axis units).
#[derive(Debug, Clone, PartialEq)]
pub struct Stroke {
    /// Points in the order of drawing, at least one.
    pub points: Vec<Point>,
    /// Axis of the radius's units, and on which lines are straight.
    pub axis: Axis,
    /// Radius in seconds and in axis units.
    pub radius: [f64; 2],
    /// The part of the radius that has full effect, 0 to 1.
    pub hardness: f64,
    /// Strength at full pressure, 0 to 1.
    pub strength: f64,
    /// Whether the brush acts once per dab, each on the result of the previous one, instead of once over the whole
    /// line.
    pub build_up: bool,
}

/// The brush's profile over distance in radii: 1 up to `hardness`, 0 from 1 on, a raised cosine between.
pub fn profile(distance: f64, hardness: f64) -> f64 {
    if distance <= hardness {
        1.0
    } else if distance >= 1.0 {
        0.0
    } else {
        0.5 * (1.0 + (std::f64::consts::PI * (distance - hardness) / (1.0 - hardness)).cos())
    }
}

impl Stroke {
    /// Extent of the stroke's effect: seconds, and non-negative hertz.
    pub fn reach(&self) -> [[f64; 2]; 2] {
        let none = [f64::INFINITY, f64::NEG_INFINITY];
        let around = |of: &dyn Fn(&Point) -> f64, radius: f64| {
            self.points.iter().map(of).fold(none, |[low, high], at| [low.min(at - radius), high.max(at + radius)])
        };
        let units = around(&|point| self.axis.units_from_hz(point.hz), self.radius[1]);
        [around(&|point| point.secs, self.radius[0]), units.map(|units| self.axis.hz_from_units(units).max(0.0))]
    }

    /// A point in seconds and axis units, each divided by the radius.
    pub fn scaled(&self, secs: f64, hz: f64) -> [f64; 2] {
        [secs / self.radius[0], self.axis.units_from_hz(hz) / self.radius[1]]
    }
}
