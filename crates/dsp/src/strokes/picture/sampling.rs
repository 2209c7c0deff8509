//! Samples a picture at cells: the mean of the pixels inside a cell where the picture is finer, else interpolated from
//! the four around its centre.

use super::{PictureArea, PictureView};
use crate::dsp::{CellRect, Grid};
use rayon::prelude::*;
use std::ops::Range;

/// Number of pixels per cell, along one side, above which they are averaged rather than interpolated.
const MAX_PIXELS_PER_CELL: f64 = 1.5;

/// A picture on a rectangle of cells, frame-major.
#[derive(Debug, Clone, PartialEq)]
pub struct SampledCells {
    /// Brightness, 0 to 1; exactly 0 where all contributing pixels are black.
    pub brightness: Vec<f32>,
    /// Alpha, 0 to 1; empty for a picture without alpha.
    pub alpha: Vec<f32>,
}

/// Pixels along one side of a picture that contribute to a cell.
#[derive(Debug, Clone, PartialEq)]
enum Taps {
    /// The mean of these pixels.
    Mean(Range<usize>),
    /// Interpolated between this pixel and the next, at this fraction of the way to the next.
    Between(usize, f64),
}

impl Taps {
    /// The pixels for a cell from `extent[0]` to `extent[1]` with its centre at `centre`, all as fractions of a side of
    /// `n` pixels.
    fn new(n: usize, centre: f64, extent: [f64; 2]) -> Taps {
        let [start, end] = extent.map(|edge| (edge * n as f64 - 0.5).ceil().clamp(0.0, n as f64) as usize);
        if (extent[1] - extent[0]) * n as f64 > MAX_PIXELS_PER_CELL && start < end {
            return Taps::Mean(start..end);
        }
        let place = (centre * n as f64 - 0.5).clamp(0.0, n as f64 - 1.0);
        Taps::Between(place as usize, place.fract())
    }

    /// The pixels that contribute to the cell.
    fn range(&self) -> Range<usize> {
        match self {
            Taps::Mean(range) => range.clone(),
            Taps::Between(first, part) => *first..*first + if *part > 0.0 { 2 } else { 1 },
        }
    }

    /// The weighted mean of the values of these pixels.
    #[inline(always)]
    fn sum<const N: usize>(&self, at: impl Fn(usize) -> [f64; N]) -> [f64; N] {
        match self {
            Taps::Mean(range) => {
                let mut sum = [0.0; N];
                for index in range.clone() {
                    sum.iter_mut().zip(at(index)).for_each(|(sum, value)| *sum += value);
                }
                sum.map(|sum| sum / range.len() as f64)
            }
            Taps::Between(first, part) if *part > 0.0 => {
                let (low, high) = (at(*first), at(*first + 1));
                std::array::from_fn(|i| low[i] + (high[i] - low[i]) * part)
            }
            Taps::Between(first, _) => at(*first),
        }
    }
}

/// A picture sampled on a rectangle of cells. Beyond its edges the outermost pixels are repeated. Brightness is
/// weighted by alpha.
pub fn sample_cells(view: PictureView<'_>, area: &PictureArea, grid: &Grid, rect: &CellRect) -> SampledCells {
    let [width, height] = view.size();
    let rows: Vec<Taps> = rect.bins.clone().map(|bin| row_taps(area, grid, bin, height)).collect();
    let reach = rows.iter().map(Taps::range).reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)).unwrap_or(0..0);
    let (n_bins, has_alpha) = (rect.bins.len().max(1), view.has_alpha());
    let mut cells = vec![[0.0f32; 2]; rect.n_cells()];
    cells.par_chunks_mut(n_bins).enumerate().for_each_init(
        || vec![[0.0f64; 2]; reach.len()],
        |column, (row, cells)| {
            let taps = column_taps(area, grid, rect.frames.start + row, width);
            for (value, y) in column.iter_mut().zip(reach.clone()) {
                *value = match has_alpha {
                    true => taps.sum(|x| {
                        let alpha = view.alpha(x, y);
                        [view.brightness(x, y) * alpha, alpha]
                    }),
                    false => [taps.sum(|x| [view.brightness(x, y)])[0], 1.0],
                };
            }
            for (cell, taps) in cells.iter_mut().zip(&rows) {
                let [brightness, alpha] = taps.sum(|y| column[y - reach.start]);
                let brightness = if has_alpha && alpha > 0.0 { brightness / alpha } else { brightness };
                *cell = [brightness.min(1.0) as f32, alpha.min(1.0) as f32];
            }
        },
    );
    SampledCells {
        brightness: cells.iter().map(|cell| cell[0]).collect(),
        alpha: if has_alpha { cells.iter().map(|cell| cell[1]).collect() } else { Vec::new() },
    }
}

fn column_taps(area: &PictureArea, grid: &Grid, frame: usize, width: usize) -> Taps {
    let at = |frame: f64| area.across(grid.secs_from_frame(frame));
    let frame = frame as f64;
    Taps::new(width, at(frame), [at(frame - 0.5), at(frame + 0.5)])
}

fn row_taps(area: &PictureArea, grid: &Grid, bin: usize, height: usize) -> Taps {
    let at = |bin: f64| area.down(grid.hz_from_bin(bin));
    let bin = bin as f64;
    Taps::new(height, at(bin), [at(bin + 0.5), at(bin - 0.5)])
}
