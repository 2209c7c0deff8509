//! The cells that each pixel of a picture shows, computed once in f64 and shared by the shader and the CPU picture.
//!
//! A pixel shows the loudest of the cells whose centres lie in it, so that every visible cell belongs to exactly one
//! pixel and a click of one frame is visible at any zoom. A pixel without a centre shows the cell nearest to its
//! middle.
//!
//! Where cells are large, [`CellStyle::Smooth`] interpolates levels between their centres, separately along each axis.
//! Let a pixel cover `d` cells along an axis, and a cell `s` points. Midway between two neighbouring centres lies a
//! ramp `(1 - d) min(1, (s - 2) / 2)` cells long, along which the level in dB changes linearly from one cell's to the
//! other's; outside the ramp a pixel shows the bare cell. So a pixel that holds a centre always shows that cell, a
//! pixel midway between two centres shows the mean of their levels, cells of at most 2 points are bare, and the ramp
//! grows continuously as the view is zoomed in.
//!
//! Views of many frames are drawn from a pyramid: an entry of level k is the maximum of `4^k` frames, and from level 1
//! on a row is the maximum of neighbouring bins, so that there are at most 1,025 rows.

use crate::Viewport;
use crate::dsp::{Axis, Grid};
use crate::gpu::PixelCells;
use std::ops::Range;

/// The coarsest level, at which an entry spans 6.2 hours at 48 kHz and a hop of 1,024.
pub const MAX_LEVEL: u32 = 10;

/// Maximum number of bytes of visible cells; a view with more is drawn from level 1 (FFT sizes of 16,384 and up).
const MAX_FULL_BYTES: f64 = 256e6;

/// Maximum number of rows of level 1 and up: those of FFT size 2,048.
const MAX_PEAK_ROWS: usize = 1025;

/// Maximum size of cells that are not interpolated at all, in points.
const MAX_BARE_POINTS: f64 = 2.0;

/// Minimum size of cells that are interpolated along the full ramp, in points.
const MIN_SMOOTH_POINTS: f64 = 4.0;

/// Maximum distance from an end of a ramp, as a fraction of its length, that counts as the end: absorbs rounding at a
/// pixel's edge.
const NEAREST_MIX: f32 = 1e-6;

/// How to draw cells that are several points large.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum CellStyle {
    /// Each cell in one colour.
    #[default]
    Bare,
    /// Levels interpolated between the centres of cells.
    Smooth {
        /// Pixels of the picture per point of the screen.
        pixels_per_point: f64,
    },
}

impl CellStyle {
    /// `Smooth` with `pixels_per_point` if `is_smooth`, otherwise `Bare`.
    pub fn new(is_smooth: bool, pixels_per_point: f64) -> CellStyle {
        if is_smooth { CellStyle::Smooth { pixels_per_point } } else { CellStyle::Bare }
    }

    /// The two cells between which a pixel lies on a ramp, given the fractional cell at its middle and the number of
    /// cells it covers; `None` if it shows a single cell.
    fn between(self, middle: f64, cells_per_px: f64) -> Option<PixelCells> {
        let CellStyle::Smooth { pixels_per_point } = self else { return None };
        let points = 1.0 / (cells_per_px * pixels_per_point);
        let part = (points - MAX_BARE_POINTS) / (MIN_SMOOTH_POINTS - MAX_BARE_POINTS);
        let ramp = (1.0 - cells_per_px) * part.clamp(0.0, 1.0);
        let first = middle.floor();
        let mix = ((middle - first - 0.5) / ramp + 0.5) as f32;
        // False on a ramp of length 0, where `mix` is infinite or NaN.
        (mix > NEAREST_MIX && mix < 1.0 - NEAREST_MIX).then(|| PixelCells {
            first: first as u32,
            end: first as u32 + 2,
            mix,
        })
    }
}

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

    /// The fractional entry index at a time in seconds; whole numbers are entry centres.
    fn entry_from_secs(&self, secs: f64) -> f64 {
        let frames = self.frames_per_entry() as f64;
        (self.grid.frame_from_secs(secs) - (frames - 1.0) / 2.0) / frames
    }

    /// The fractional row index at a frequency in hertz; whole numbers are row centres.
    fn row_from_hz(&self, hz: f64) -> f64 {
        let bins = self.bins_per_row() as f64;
        (self.grid.bin_from_hz(hz) - (bins - 1.0) / 2.0) / bins
    }

    /// The entries shown by each of `n_px` columns, from the left.
    pub fn columns(&self, secs: [f64; 2], n_px: usize, style: CellStyle) -> Vec<PixelCells> {
        let edge = |x: usize| self.entry_from_secs(secs[0] + (secs[1] - secs[0]) * x as f64 / n_px as f64);
        pixel_cells(n_px, edge, 0..self.n_entries(), style)
    }

    /// The rows shown by each of `n_px` rows of pixels, from the top.
    pub fn rows(&self, hz: [f64; 2], axis: Axis, n_px: usize, style: CellStyle) -> Vec<PixelCells> {
        let viewport = Viewport { secs: [0.0, 1.0], hz, axis, origin: [0.0, 0.0], size: [1.0, n_px as f64] };
        let edge = |y: usize| self.row_from_hz(viewport.hz_from_y((n_px - y) as f64));
        // DC is not on a log axis.
        let first = usize::from(axis == Axis::Log && self.bins_per_row() == 1);
        let mut upwards = pixel_cells(n_px, edge, first..self.n_rows(), style);
        upwards.reverse();
        upwards
    }
}

/// The part of `cells` that each pixel shows, between ascending edges in fractional cells (whole numbers are centres);
/// the last pixel includes its upper edge.
fn pixel_cells(n_px: usize, edge: impl Fn(usize) -> f64, cells: Range<usize>, style: CellStyle) -> Vec<PixelCells> {
    let [min, max] = [cells.start as f64, cells.end as f64 - 1.0];
    let clamp = |at: f64| at.clamp(min, max);
    let of_pixel = |px: usize| {
        let (from, to) = (edge(px), edge(px + 1));
        let middle = clamp((from + to) / 2.0);
        if let Some(between) = style.between(middle, to - from) {
            return between;
        }
        let last = if px + 1 == n_px { to.floor() } else { to.ceil() - 1.0 };
        let is_inside = from.ceil() <= last && last >= min && from.ceil() <= max;
        let shown = if is_inside { [clamp(from.ceil()), clamp(last)] } else { [middle.round(); 2] };
        PixelCells { first: shown[0] as u32, end: shown[1] as u32 + 1, mix: 0.0 }
    };
    (0..n_px).map(of_pixel).collect()
}
