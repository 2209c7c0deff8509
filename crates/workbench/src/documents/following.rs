//! Adapts the selection to cuts and insertions of time.

use crate::document::TimeChange;
use crate::dsp::{Axis, Combine, Selection, Shape};

/// A selection after a change of time: shapes after it move along, shapes inside a cut vanish, and ranges across it
/// become shorter or longer. `None` if nothing is left.
pub(super) fn selection_after(selection: &Selection, change: &TimeChange, rate_hz: f64) -> Option<Selection> {
    let shapes: Vec<(Combine, Shape)> = selection
        .shapes
        .iter()
        .filter_map(|(combine, shape)| Some((*combine, shape_after(shape, change, rate_hz)?)))
        .collect();
    (!shapes.is_empty()).then_some(Selection { shapes })
}

fn shape_after(shape: &Shape, change: &TimeChange, rate_hz: f64) -> Option<Shape> {
    let alone = Selection { shapes: vec![(Combine::Add, shape.clone())] };
    // A shape without a time range covers all times.
    let Some(secs) = alone.extent()[0] else { return Some(shape.clone()) };
    let [start, end] = secs.map(|at| at * rate_hz);
    let (at, behind) = (change.at as f64, (change.at + change.removed) as f64);
    if end <= at && start < at {
        return Some(shape.clone());
    }
    if start >= behind {
        let by_secs = (change.added as f64 - change.removed as f64) / rate_hz;
        return alone.moved(by_secs, Axis::Log, 0.0).shapes.pop().map(|(_, shape)| shape);
    }
    let after = |secs: [f64; 2]| change.range_after(secs.map(|at| at * rate_hz)).map(|at| at / rate_hz);
    match shape {
        _ if change.added == 0 && start >= at && end <= behind => None,
        Shape::Rectangle { secs: Some(secs), hz, feather, axis } => {
            Some(Shape::Rectangle { secs: Some(after(*secs)), hz: *hz, feather: *feather, axis: *axis })
        }
        Shape::Group(group) => selection_after(group, change, rate_hz).map(Shape::Group),
        // Other shapes cannot be cut or extended.
        _ => Some(shape.clone()),
    }
}
