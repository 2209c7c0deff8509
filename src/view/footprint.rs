//! The cells that each pixel of a picture shows, computed once in f64 and shared by the shader and the CPU picture.
//!
//! A pixel shows the loudest of the cells whose centres lie in it, so that every visible cell belongs to exactly one
//! pixel and a click of one frame is visible at any zoom. A pixel without a centre shows the cell nearest to its
//! middle.
//!
//! Views of many frames are drawn from a pyramid: an entry of level k is the maximum of `4^k` frames, and from level 1
//! on a row is the maximum of neighbouring bins, so that there are at most 1,025 rows.

use super::Viewport;
use crate::dsp::{Axis, Grid};

/// The coarsest level: at 1,000 pixels it shows 12 days at a hop of 1,024.
pub const MAX_LEVEL: u32 = 10;

/// A view with more bytes of visible cells than this is drawn from level 1 (FFT sizes of 16,384 and up).
const MAX_FULL_BYTES: f64 = 256e6;

/// Rows of level 1 and up: those of FFT size 2,048.
const MAX_PEAK_ROWS: usize = 1025;

/// A level of the pyramid of a grid. Level 0 is the grid itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    /// 0 to [`MAX_LEVEL`].
    pub index: u32,
    /// The grid of level 0.
    pub grid: Grid,
}

impl Level {
    /// The level for a picture of this width in pixels: the coarsest with at least one entry per pixel.
    pub fn for_view(grid: Grid, secs: [f64; 2], width_px: f64) -> Level {
        let n_frames = grid.frames_in_secs(secs[1] - secs[0]);
        let per_pixel = n_frames / width_px.max(1.0);
        let mut index = 0;
        while index < MAX_LEVEL && 4f64.powi(index as i32 + 1) <= per_pixel {
            index += 1;
        }
        let full_bytes = n_frames * grid.n_bins() as f64 * 8.0;
        if index == 0 && full_bytes > MAX_FULL_BYTES {
            index = 1;
        }
        Level { index, grid }
    }

    /// Frames per entry.
    pub fn frames_per_entry(&self) -> usize {
        1 << (2 * self.index)
    }

    /// Bins per row.
    pub fn bins_per_row(&self) -> usize {
        if self.index == 0 { 1 } else { ((self.grid.n_bins() - 1) / (MAX_PEAK_ROWS - 1)).max(1) }
    }

    /// The grid whose cells are the entries and rows.
    pub fn pooled_grid(&self) -> Grid {
        self.grid.pooled(self.frames_per_entry(), self.bins_per_row())
    }

    /// Number of entries of the whole sound.
    pub fn n_entries(&self) -> usize {
        self.grid.n_frames().div_ceil(self.frames_per_entry())
    }

    /// Number of rows of the whole spectrum.
    pub fn n_rows(&self) -> usize {
        self.grid.n_bins().div_ceil(self.bins_per_row())
    }

    /// The fractional entry at a time; whole numbers are centres.
    fn entry_from_secs(&self, secs: f64) -> f64 {
        let frames = self.frames_per_entry() as f64;
        (self.grid.frame_from_secs(secs) - (frames - 1.0) / 2.0) / frames
    }

    /// The fractional row at a frequency; whole numbers are centres.
    fn row_from_hz(&self, hz: f64) -> f64 {
        let bins = self.bins_per_row() as f64;
        (self.grid.bin_from_hz(hz) - (bins - 1.0) / 2.0) / bins
    }

    /// For each of `n_px` columns from the left: the first entry that it shows, and one past the last.
    pub fn columns(&self, secs: [f64; 2], n_px: usize) -> Vec<[u32; 2]> {
        let edge = |x: usize| self.entry_from_secs(secs[0] + (secs[1] - secs[0]) * x as f64 / n_px as f64);
        ranges(n_px, edge, 0, self.n_entries())
    }

    /// For each of `n_px` rows of pixels from the top: the first row that it shows, and one past the last.
    pub fn rows(&self, hz: [f64; 2], axis: Axis, n_px: usize) -> Vec<[u32; 2]> {
        let viewport = Viewport { secs: [0.0, 1.0], hz, axis, origin: [0.0, 0.0], size: [1.0, n_px as f64] };
        let edge = |y: usize| self.row_from_hz(viewport.hz_from_y((n_px - y) as f64));
        // DC is not on a log axis.
        let first = usize::from(axis == Axis::Log && self.bins_per_row() == 1);
        let mut upwards = ranges(n_px, edge, first, self.n_rows());
        upwards.reverse();
        upwards
    }
}

/// Ranges of whole numbers in `first..end` between ascending edges; the last one is closed above.
fn ranges(n_px: usize, edge: impl Fn(usize) -> f64, first: usize, end: usize) -> Vec<[u32; 2]> {
    let clamp = |at: f64| at.clamp(first as f64, end as f64 - 1.0);
    let range = |px: usize| {
        let (from, to) = (edge(px), edge(px + 1));
        let last = if px + 1 == n_px { to.floor() } else { to.ceil() - 1.0 };
        if from.ceil() <= last && last >= first as f64 && from.ceil() < end as f64 {
            [clamp(from.ceil()) as u32, clamp(last) as u32 + 1]
        } else {
            let nearest = clamp(((from + to) / 2.0).round()) as u32;
            [nearest, nearest + 1]
        }
    };
    (0..n_px).map(range).collect()
}
