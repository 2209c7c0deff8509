//! A selection moved along with its sound to another time and pitch.

use super::{Cells, Combine, Selection, Shape};
use crate::dsp::{Axis, Point};

impl Selection {
    /// Moves every shape later by `secs` and up by `units` of `axis`. A move on a log axis scales widths in hertz,
    /// including those of soft edges, by the same interval.
    #[must_use]
    pub fn moved(&self, secs: f64, axis: Axis, units: f64) -> Selection {
        let by = Offset { secs, axis, units };
        Selection { shapes: self.shapes.iter().map(|(combine, shape)| (*combine, by.shape(shape))).collect() }
    }
}

#[derive(Clone, Copy)]
struct Offset {
    secs: f64,
    axis: Axis,
    units: f64,
}

impl Offset {
    fn hz(self, hz: f64) -> f64 {
        if self.units == 0.0 || self.axis == Axis::Log && hz <= 0.0 {
            return hz;
        }
        self.axis.hz_from_units(self.axis.units_from_hz(hz) + self.units).max(0.0)
    }

    fn range(self, secs: Option<[f64; 2]>) -> Option<[f64; 2]> {
        secs.map(|secs| secs.map(|secs| secs + self.secs))
    }

    /// Factor by which the move scales widths in hertz.
    fn stretch(self) -> f64 {
        if self.axis == Axis::Log { self.units.exp2() } else { 1.0 }
    }

    fn feather(self, [secs, units]: [f64; 2], axis: Axis) -> [f64; 2] {
        [secs, if axis == Axis::Linear { units * self.stretch() } else { units }]
    }

    fn shape(self, shape: &Shape) -> Shape {
        match shape {
            Shape::Rectangle { secs, hz, feather, axis } => Shape::Rectangle {
                secs: self.range(*secs),
                hz: hz.map(|hz| hz.map(|hz| self.hz(hz))),
                feather: self.feather(*feather, *axis),
                axis: *axis,
            },
            Shape::Polygon { points, feather, axis } => Shape::Polygon {
                points: points.iter().map(|[secs, hz]| [secs + self.secs, self.hz(*hz).max(1e-3)]).collect(),
                feather: self.feather(*feather, *axis),
                axis: *axis,
            },
            Shape::Stroke(stroke) => {
                let mut moved = stroke.clone();
                let place = |point: &Point| Point { secs: point.secs + self.secs, hz: self.hz(point.hz), ..*point };
                moved.points = stroke.points.iter().map(place).collect();
                moved.radius = self.feather(stroke.radius, stroke.axis);
                Shape::Stroke(moved)
            }
            // Moved by an interval, harmonics stay harmonics; moved by hertz, they become separate bands.
            Shape::Harmonics { f0_hz, count, width_hz, secs, feather, axis } if self.axis == Axis::Log => {
                Shape::Harmonics {
                    f0_hz: self.hz(*f0_hz),
                    count: *count,
                    width_hz: width_hz * self.stretch(),
                    secs: self.range(*secs),
                    feather: self.feather(*feather, *axis),
                    axis: *axis,
                }
            }
            Shape::Harmonics { f0_hz, count, width_hz, secs, feather, axis } => {
                let band = |k: usize| {
                    let hz = [-0.5, 0.5].map(|side| self.hz((f0_hz * k as f64 + side * width_hz).max(0.0)));
                    let secs = self.range(*secs);
                    (Combine::Add, Shape::Rectangle { secs, hz: Some(hz), feather: *feather, axis: *axis })
                };
                Shape::Group(Selection { shapes: (1..=*count).map(band).collect() })
            }
            Shape::Wand { at, tolerance_db } => {
                Shape::Wand { at: [at[0] + self.secs, self.hz(at[1])], tolerance_db: *tolerance_db }
            }
            // A search has no position of its own.
            Shape::Find(find) => Shape::Find(find.clone()),
            Shape::Moments(moments) => Shape::Moments(moments.moved(self.secs)),
            Shape::Cells(cells) => Shape::Cells(Cells {
                secs: cells.secs.map(|secs| secs + self.secs),
                hz: match self.axis {
                    // The array may extend below 0 Hz, so that it keeps its size.
                    Axis::Linear if cells.axis == Axis::Linear => cells.hz.map(|hz| hz + self.units),
                    Axis::Linear => cells.hz.map(|hz| (hz + self.units).max(f64::MIN_POSITIVE)),
                    _ => cells.hz.map(|hz| self.hz(hz)),
                },
                ..cells.clone()
            }),
            Shape::Group(group) => Shape::Group(group.moved(self.secs, self.axis, self.units)),
        }
    }
}
