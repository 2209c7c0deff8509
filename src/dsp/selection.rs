//! What an edit is confined to, as data.

use super::Axis;

/// How a shape joins those before it; the first joins nothing.
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

/// One shape of a selection, with soft edges `feather` wide: seconds, and units of `axis`, both outside the shape.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Shape {
    /// A closed range of seconds and a closed range of hertz; none means all.
    Rectangle {
        /// Start and end in seconds.
        secs: Option<[f64; 2]>,
        /// Low and high in hertz.
        hz: Option<[f64; 2]>,
        /// Widths of the soft edges: seconds, axis units.
        feather: [f64; 2],
        /// In whose units the second feather is.
        axis: Axis,
    },
}

/// Shapes combined in order, from 0 on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Selection {
    /// At least one, each with how it joins.
    pub shapes: Vec<(Combine, Shape)>,
}

impl Selection {
    /// A single rectangle.
    pub fn rectangle(secs: Option<[f64; 2]>, hz: Option<[f64; 2]>, feather: [f64; 2], axis: Axis) -> Selection {
        Selection { shapes: vec![(Combine::Add, Shape::Rectangle { secs, hz, feather, axis })] }
    }
}
