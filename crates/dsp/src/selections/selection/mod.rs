//! The selection of an edit as data, and operations on it that need no cells.

mod moments;
mod moved;

pub use moments::Moments;
pub use moments::joined;

use super::find::Find;
use crate::{Axis, Stroke};
use std::sync::Arc;

/// How a shape combines with the previous ones; the first combines with 0 everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Combine {
    /// `max(a, b)`.
    #[default]
    Add,
    /// `a (1 - b)`.
    Subtract,
    /// `a b`.
    Intersect,
}

/// One shape of a selection. Soft edges are `feather` wide: seconds, and units of `axis`, both outside the shape.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A closed range of seconds and a closed range of hertz; `None` means all.
    Rectangle {
        /// Start and end in seconds.
        secs: Option<[f64; 2]>,
        /// Low and high in hertz.
        hz: Option<[f64; 2]>,
        /// Widths of the soft edges: seconds, axis units.
        feather: [f64; 2],
        /// Axis of the second feather's units.
        axis: Axis,
    },
    /// The inside of a closed line, including the line, even if it crosses itself (nonzero winding number). Soft edges
    /// depend on the distance to the line in coordinates divided by the feather.
    Polygon {
        /// Corners in seconds and hertz, at least three; the last is connected to the first.
        points: Vec<[f64; 2]>,
        /// Widths of the soft edges: seconds, axis units.
        feather: [f64; 2],
        /// Axis on which lines are straight.
        axis: Axis,
    },
    /// The mask of a brush stroke.
    Stroke(Stroke),
    /// The union of the bands `k f0 - width / 2 ..= k f0 + width / 2`, `k` from 1 to `count`, each with the edges of a
    /// rectangle.
    Harmonics {
        /// The first band's middle, above 0.
        f0_hz: f64,
        /// Number of harmonics.
        count: usize,
        /// Width of each band.
        width_hz: f64,
        /// Start and end in seconds; `None` means all.
        secs: Option<[f64; 2]>,
        /// Widths of the soft edges: seconds, axis units.
        feather: [f64; 2],
        /// Axis of the second feather's units.
        axis: Axis,
    },
    /// The cells connected to the cell at a position whose level differs from that cell's by at most a tolerance.
    /// Depends on the sound: a mask ignores it until the document has resolved it to `Cells`.
    Wand {
        /// Position in seconds and hertz.
        at: [f64; 2],
        /// Maximum difference in level, in dB, at least 0.
        tolerance_db: f64,
    },
    /// The results of a search in the sound; as with `Wand`, a mask ignores it.
    Find(Find),
    /// Damaged samples.
    Moments(Moments),
    /// Arbitrary values.
    Cells(Cells),
    /// Shapes combined first, as in parentheses.
    Group(Selection),
}

/// An array of values spread evenly over an extent of time and of a frequency axis, 0 outside it. A position has the
/// value of its cell; a cell includes its earlier and its lower edge.
#[derive(Debug, Clone)]
pub struct Cells {
    /// Start of the first frame and end of the last, in seconds.
    pub secs: [f64; 2],
    /// Lower edge of the first bin and upper edge of the last, in hertz.
    pub hz: [f64; 2],
    /// Axis on which the bins have equal height.
    pub axis: Axis,
    /// Number of frames and bins, both above 0.
    pub size: [usize; 2],
    /// Values, 0 to 1, frame-major.
    pub values: Arc<[f32]>,
}

impl PartialEq for Cells {
    fn eq(&self, other: &Cells) -> bool {
        // The window compares selections in every frame; they usually share one array.
        (self.secs, self.hz, self.axis, self.size) == (other.secs, other.hz, other.axis, other.size)
            && (Arc::ptr_eq(&self.values, &other.values) || self.values == other.values)
    }
}

/// Shapes combined in order, starting from 0 everywhere.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Selection {
    /// At least one shape, each with its combination.
    pub shapes: Vec<(Combine, Shape)>,
}

/// A range of seconds and one of hertz; `None` means all.
pub type ShapeExtent = [Option<[f64; 2]>; 2];

impl Shape {
    /// All times and frequencies.
    pub const ALL: Shape = Shape::Rectangle { secs: None, hz: None, feather: [0.0; 2], axis: Axis::Linear };

    /// Axis of the shape's feather or radius; linear for shapes without either.
    pub fn axis(&self) -> Axis {
        match self {
            Shape::Rectangle { axis, .. } | Shape::Polygon { axis, .. } | Shape::Harmonics { axis, .. } => *axis,
            Shape::Stroke(stroke) => stroke.axis,
            Shape::Wand { .. } | Shape::Find(_) | Shape::Moments(_) | Shape::Cells(_) => Axis::Linear,
            Shape::Group(group) => group.axis(),
        }
    }

    /// The smallest rectangle around the shape, without soft edges. Of a wand only the point where it starts, and of a
    /// search everything, as their shapes depend on the sound.
    pub fn extent(&self) -> ShapeExtent {
        match self {
            Shape::Rectangle { secs, hz, .. } => [*secs, *hz],
            Shape::Polygon { points, .. } => [0, 1].map(|k| span(points.iter().map(|point| point[k]))),
            Shape::Stroke(stroke) => {
                let edge = |hz: f64, side: f64| {
                    let units = stroke.axis.units_from_hz(hz) + side * stroke.radius[1];
                    stroke.axis.hz_from_units(units).max(0.0)
                };
                let secs = stroke.points.iter().flat_map(|p| [p.secs - stroke.radius[0], p.secs + stroke.radius[0]]);
                let hz = stroke.points.iter().flat_map(|p| [edge(p.hz, -1.0), edge(p.hz, 1.0)]);
                [span(secs), span(hz)]
            }
            Shape::Harmonics { f0_hz, count, width_hz, secs, .. } => {
                let half = width_hz / 2.0;
                [*secs, Some([(f0_hz - half).max(0.0), f0_hz * *count as f64 + half])]
            }
            Shape::Wand { at, .. } => at.map(|place| Some([place; 2])),
            Shape::Find(_) => [None, None],
            Shape::Moments(moments) => [moments.extent(), None],
            Shape::Cells(cells) => [Some(cells.secs), Some(cells.hz)],
            Shape::Group(group) => group.extent(),
        }
    }

    /// Whether the shape, or a shape in its group, depends on the sound.
    pub fn needs_sound(&self) -> bool {
        match self {
            Shape::Wand { .. } | Shape::Find(_) => true,
            Shape::Group(group) => group.needs_sound(),
            _ => false,
        }
    }
}

fn span(places: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    places.map(|at| [at; 2]).reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])])
}

impl Selection {
    /// A single rectangle.
    pub fn rectangle(secs: Option<[f64; 2]>, hz: Option<[f64; 2]>, feather: [f64; 2], axis: Axis) -> Selection {
        Selection::of(Shape::Rectangle { secs, hz, feather, axis })
    }

    /// A single shape.
    pub fn of(shape: Shape) -> Selection {
        Selection { shapes: vec![(Combine::Add, shape)] }
    }

    /// The axis of its first shape.
    pub fn axis(&self) -> Axis {
        self.shapes.first().map_or(Axis::Linear, |(_, shape)| shape.axis())
    }

    /// A rectangle around the selection, without soft edges; ignores subtraction.
    pub fn extent(&self) -> ShapeExtent {
        let mut all: Option<ShapeExtent> = None;
        for (combine, shape) in &self.shapes {
            let shape = shape.extent();
            all = match (all, combine) {
                (all, Combine::Subtract) => all,
                (None, _) => Some(shape),
                (Some(all), Combine::Add) => Some([0, 1].map(|k| match (all[k], shape[k]) {
                    (Some(a), Some(b)) => Some([a[0].min(b[0]), a[1].max(b[1])]),
                    _ => None,
                })),
                (Some(all), Combine::Intersect) => Some([0, 1].map(|k| match (all[k], shape[k]) {
                    (Some(a), Some(b)) => {
                        let start = a[0].max(b[0]);
                        Some([start, a[1].min(b[1]).max(start)])
                    }
                    (a, b) => a.or(b),
                })),
            };
        }
        all.unwrap_or([None, None])
    }

    /// Whether any of its shapes depends on the sound.
    pub fn needs_sound(&self) -> bool {
        self.shapes.iter().any(|(_, shape)| shape.needs_sound())
    }

    /// The selection `before` with one more shape; `None` if the shape is to be subtracted and `before` is `None`.
    pub fn joined(before: Option<&Selection>, combine: Combine, shape: Shape) -> Option<Selection> {
        match (before, combine) {
            (Some(before), combine) => {
                let mut joined = before.clone();
                joined.shapes.push((combine, shape));
                Some(joined)
            }
            (None, Combine::Add) => Some(Selection::of(shape)),
            // Without a selection, brushes act everywhere.
            (None, Combine::Intersect) => Some(Selection::of(shape)),
            (None, Combine::Subtract) => None,
        }
    }

    /// The inverse, `1 - a`. Inverting twice gives the original selection.
    #[must_use]
    pub fn inverted(&self) -> Selection {
        match self.shapes.as_slice() {
            [(Combine::Add, all), (Combine::Subtract, shape)] if *all == Shape::ALL => match shape {
                Shape::Group(group) => group.clone(),
                shape => Selection::of(shape.clone()),
            },
            shapes => {
                let shape = match shapes {
                    [(Combine::Add, shape)] => shape.clone(),
                    _ => Shape::Group(self.clone()),
                };
                Selection { shapes: vec![(Combine::Add, Shape::ALL), (Combine::Subtract, shape)] }
            }
        }
    }

    /// Whether any of its shapes is or contains [`Moments`], other than to subtract them.
    pub fn has_moments(&self) -> bool {
        let is_of = |shape: &Shape| match shape {
            Shape::Moments(_) => true,
            Shape::Group(group) => group.has_moments(),
            _ => false,
        };
        self.shapes.iter().any(|(combine, shape)| *combine != Combine::Subtract && is_of(shape))
    }

    /// Moves every edge outwards by `by` seconds and hertz (inwards if negative), limited to `all`; vanishing shapes
    /// are left out. `None` unless the selection is a union of rectangles and moments; all others must be grown cell by
    /// cell.
    pub fn grown_rectangles(&self, by: [f64; 2], all: [[f64; 2]; 2]) -> Option<Selection> {
        let grown = |range: Option<[f64; 2]>, k: usize| match range {
            None => Some(None),
            Some([start, end]) => {
                let (start, end) = ((start - by[k]).max(all[k][0]), (end + by[k]).min(all[k][1]));
                (start <= end).then_some(Some([start, end]))
            }
        };
        let mut shapes = Vec::new();
        for (combine, shape) in &self.shapes {
            if let (Combine::Add, Shape::Moments(moments)) = (combine, shape) {
                shapes.extend(moments.grown(by[0], all[0]).map(|grown| (Combine::Add, Shape::Moments(grown))));
                continue;
            }
            let (Combine::Add, Shape::Rectangle { secs, hz, feather, axis }) = (combine, shape) else { return None };
            if let (Some(secs), Some(hz)) = (grown(*secs, 0), grown(*hz, 1)) {
                shapes.push((Combine::Add, Shape::Rectangle { secs, hz, feather: *feather, axis: *axis }));
            }
        }
        Some(Selection { shapes })
    }

    /// Widens soft edges by `by` seconds and hertz. `None` unless the selection is a union of rectangles, polygons,
    /// moments and harmonics on a linear axis; all others must be feathered cell by cell.
    pub fn feathered_shapes(&self, by: [f64; 2]) -> Option<Selection> {
        let mut softer = self.clone();
        for (combine, shape) in &mut softer.shapes {
            if *combine != Combine::Add || shape.axis() != Axis::Linear {
                return None;
            }
            match shape {
                Shape::Rectangle { feather, .. }
                | Shape::Polygon { feather, .. }
                | Shape::Harmonics { feather, .. } => *feather = [feather[0] + by[0], feather[1] + by[1]],
                Shape::Moments(moments) => moments.feather_secs += by[0],
                _ => return None,
            }
        }
        Some(softer)
    }
}
