//! How strongly an edit acts on each cell: strokes and selections evaluated on a grid, in f64, then f32.
//!
//! Both engines take the mask made here, so they agree on it to the bit.

use super::{CellRect, Grid, Selection, Stroke};

/// The mask `M` over a rectangle of cells, 0 outside it. Frame-major, as [`Region`](super::Region).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mask {
    /// Which cells of the grid.
    pub rect: CellRect,
    /// 0 to 1.
    pub values: Vec<f32>,
}

/// The least rectangle that holds every cell at which stroke and selection are both above 0. Without either it is the
/// whole grid.
pub fn bounds(grid: &Grid, stroke: Option<&Stroke>, selection: Option<&Selection>) -> CellRect {
    let _ = (grid, stroke, selection);
    unimplemented!()
}

/// The mask of an edit over `rect`: stroke times selection, or `strength` times selection without a stroke, or
/// `strength` without either.
pub fn evaluate(
    grid: &Grid,
    stroke: Option<&Stroke>,
    selection: Option<&Selection>,
    strength: f64,
    rect: &CellRect,
) -> Mask {
    let _ = (grid, stroke, selection, strength, rect);
    unimplemented!()
}
