//! Places anchored edits in a sound: maps their times, and optionally their frequencies.

use crate::dsp::selections::find::Find;
use crate::dsp::{Cells, Moments, Point, Selection, Shape, Stroke};

/// Maps times and frequencies to a place in a sound. Lengths (radii, soft edges, fades) are unchanged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EditPlacing {
    /// Time in the sound of the edit's time 0.
    pub from_secs: f64,
    /// Seconds of the sound per second of the edit: 1, or the length of a range that 0 to 1 spans.
    pub per_sec: f64,
    /// The band that 0 to 1 spans; `None` leaves frequencies unchanged.
    pub band_hz: Option<[f64; 2]>,
}

impl EditPlacing {
    /// Maps a time.
    pub fn secs(&self, secs: f64) -> f64 {
        finite(self.from_secs + self.per_sec * secs)
    }

    /// Maps a frequency.
    pub fn hz(&self, hz: f64) -> f64 {
        self.band_hz.map_or(hz, |[low, high]| finite(low + (high - low) * hz))
    }

    /// Maps the points of a stroke.
    pub fn stroke(&self, stroke: &mut Stroke) {
        for point in &mut stroke.points {
            *point = Point { secs: self.secs(point.secs), hz: self.hz(point.hz), ..*point };
        }
    }

    /// Maps a selection. Shapes that are searched for in the whole sound stay unchanged.
    #[must_use]
    pub fn selection(&self, selection: &Selection) -> Selection {
        let shapes = selection.shapes.iter().map(|(combine, shape)| (*combine, self.shape(shape)));
        Selection { shapes: shapes.collect() }
    }

    fn shape(&self, shape: &Shape) -> Shape {
        let range = |secs: &Option<[f64; 2]>| secs.map(|secs| secs.map(|secs| self.secs(secs)));
        let band = |hz: &Option<[f64; 2]>| hz.map(|hz| hz.map(|hz| self.hz(hz)));
        let mut placed = shape.clone();
        match &mut placed {
            Shape::Rectangle { secs, hz, .. } => (*secs, *hz) = (range(secs), band(hz)),
            Shape::Polygon { points, .. } => {
                points.iter_mut().for_each(|point| *point = [self.secs(point[0]), self.hz(point[1])]);
            }
            Shape::Stroke(stroke) => self.stroke(stroke),
            Shape::Harmonics { f0_hz, secs, .. } => (*f0_hz, *secs) = (self.hz(*f0_hz), range(secs)),
            Shape::Wand { at, .. } => *at = [self.secs(at[0]), self.hz(at[1])],
            Shape::Find(Find::Alike { secs, hz, .. }) => {
                (*secs, *hz) = (secs.map(|secs| self.secs(secs)), band(hz));
            }
            Shape::Find(_) => {}
            Shape::Moments(Moments { runs, .. }) => {
                *runs = runs.iter().map(|run| run.map(|secs| self.secs(secs))).collect();
            }
            Shape::Cells(Cells { secs, hz, .. }) => {
                (*secs, *hz) = (secs.map(|secs| self.secs(secs)), hz.map(|hz| self.hz(hz)));
            }
            Shape::Group(group) => *group = self.selection(group),
        }
        placed
    }
}

/// Limits a product of script numbers that may overflow.
fn finite(number: f64) -> f64 {
    number.clamp(f64::MIN, f64::MAX)
}
