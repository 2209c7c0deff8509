//! Where a warp takes each cell from, and the phase that it gains on the way.

/// The displacement field of a warp over a rectangle of cells, made in f64 on the CPU for both engines.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Displacement {
    /// Which cells of the grid.
    pub rect: super::CellRect,
    /// Source frame of each cell less the cell's own frame (so small numbers keep their precision).
    pub frames: Vec<f32>,
    /// Source bin less the cell's own bin.
    pub bins: Vec<f32>,
    /// The phase to add, in turns, [-0.5, 0.5).
    pub turns: Vec<f32>,
    /// 1 where the warp acts (`M > 0`, or a push that moved the cell), 0 where the cell is kept.
    pub acts: Vec<f32>,
}
