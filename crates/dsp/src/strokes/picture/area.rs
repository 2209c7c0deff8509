//! The time and the band that a picture covers.

use crate::dsp::{Axis, CellRect, Grid};

/// Fraction of a cell within which a position counts as on an edge.
const EDGE_CELLS: f64 = 1e-6;

/// Time and band of a picture, edges included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PictureArea {
    /// Seconds at its left and its right edge, ascending.
    pub secs: [f64; 2],
    /// Hertz at its bottom and its top edge, ascending; above 0 on a log axis.
    pub hz: [f64; 2],
    /// Rows of pixels are equally high in units of this axis.
    pub axis: Axis,
}

impl PictureArea {
    /// The cells whose centres are in the area.
    pub fn cells(&self, grid: &Grid) -> CellRect {
        let all = grid.all_cells();
        let frames = within(all.frames.len(), self.secs, |frame| grid.secs_from_frame(frame));
        let bins = within(all.bins.len(), self.hz, |bin| grid.hz_from_bin(bin));
        CellRect::new(frames, bins)
    }

    /// Position of a time between its left edge (0) and its right edge (1).
    pub fn across(&self, secs: f64) -> f64 {
        (secs - self.secs[0]) / (self.secs[1] - self.secs[0])
    }

    /// Position of a frequency between its top edge (0) and its bottom edge (1), along its axis.
    pub fn down(&self, hz: f64) -> f64 {
        // A log axis has no 0 Hz.
        let hz = if self.axis == Axis::Log { hz.max(f64::MIN_POSITIVE) } else { hz };
        let [low, high] = self.hz.map(|edge| self.axis.units_from_hz(edge));
        1.0 - (self.axis.units_from_hz(hz) - low) / (high - low)
    }
}

/// The indices below `n` whose positions, which ascend, are in a closed range.
fn within(n: usize, [from, to]: [f64; 2], place: impl Fn(f64) -> f64) -> std::ops::Range<usize> {
    let first_where = |is_past: &dyn Fn(f64) -> bool| {
        let (mut low, mut high) = (0, n);
        while low < high {
            let middle = low + (high - low) / 2;
            if is_past(middle as f64) { high = middle } else { low = middle + 1 }
        }
        low
    };
    let start = first_where(&|index| place(index + EDGE_CELLS) >= from);
    let end = first_where(&|index| place(index - EDGE_CELLS) > to);
    start..end.max(start)
}
