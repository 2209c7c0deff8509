//! Blur and sharpening on rows: a Gaussian along time, then one across the rows in units of an axis. Twin:
//! `shaders/row_blur.wgsl`.

use super::params::gradient;
use super::table::RowTable;
use crate::dsp::kernels::{blur_mix, gaussian_taps, sharpen_mix};
use crate::dsp::{Axis, CellRect, Mask, Region};
use rayon::prelude::*;
use std::ops::Range;

/// Cutoff of the Gaussian across rows, in sigma.
const CUT_SIGMA: f64 = 3.0;

/// `|E| = lerp(|O|, G, M)`, where `G` is a Gaussian blur of the cells' amplitudes, or the result of sharpening if there
/// is an amount.
///
/// Along time it is SciPy's `gaussian_filter1d(truncate=3, mode="nearest")` in columns. Across rows a neighbour at a
/// distance of `y` axis units weighs `exp(-y^2 / (2 sigma^2))` times the spacing of rows around it, since rows are
/// equally spaced on only one axis; weights sum to 1. DC and Nyquist are blurred in time alone.
#[derive(Debug, Clone, PartialEq)]
pub struct RowBlur {
    frame_taps: Vec<f32>,
    /// The first row that may be written.
    first_row: usize,
    /// Per writable row: the first row it reads, and its weights from there on.
    row_taps: Vec<(usize, Vec<f32>)>,
    /// Amount of unsharp masking: the factor of the difference from the blur that is added back; `None` blurs.
    sharpening: Option<f32>,
}

impl RowBlur {
    /// The blur of `rows`, by a standard deviation in columns and one in units of `axis`; 0 skips an axis.
    pub fn new(table: &RowTable, rows: Range<usize>, columns: f64, units: f64, axis: Axis) -> RowBlur {
        let scale = table.scale_rows();
        let places: Vec<f64> = table.rows()[scale.clone()].iter().map(|row| axis.units_from_hz(row.hz)).collect();
        let steps = gradient(&places);
        let taps = |row: usize| {
            if units <= 0.0 || !scale.contains(&row) {
                return (row, vec![1.0]);
            }
            let centre = places[row - scale.start];
            let first = places.partition_point(|place| *place < centre - CUT_SIGMA * units);
            let end = places.partition_point(|place| *place <= centre + CUT_SIGMA * units).max(first + 1);
            let weight = |i: usize| (-0.5 * ((places[i] - centre) / units).powi(2)).exp() * steps[i];
            let sum: f64 = (first..end).map(weight).sum();
            (first + scale.start, (first..end).map(|i| (weight(i) / sum) as f32).collect())
        };
        let (frame_taps, first_row) = (gaussian_taps(columns), rows.start);
        RowBlur { frame_taps, first_row, row_taps: rows.map(taps).collect(), sharpening: None }
    }

    /// Sharpens by `amount` instead: `max(0, |O| + amount (|O| - G))`.
    #[must_use]
    pub fn sharpening(self, amount: f32) -> RowBlur {
        RowBlur { sharpening: Some(amount), ..self }
    }

    /// The rows that may be written.
    pub fn rows(&self) -> Range<usize> {
        self.first_row..self.first_row + self.row_taps.len()
    }

    /// Per row of [`rows`](RowBlur::rows): the first row it reads, and its weights from there on.
    pub fn row_taps(&self) -> &[(usize, Vec<f32>)] {
        &self.row_taps
    }

    /// The weights along time.
    pub fn frame_taps(&self) -> &[f32] {
        &self.frame_taps
    }

    /// The amount of [sharpening](RowBlur::sharpening); `None` if it blurs.
    pub fn amount(&self) -> Option<f32> {
        self.sharpening
    }

    /// Number of columns read on each side of a cell.
    pub fn columns_read(&self) -> usize {
        self.frame_taps.len() / 2
    }

    /// The rows read to write `rows`.
    pub fn rows_read(&self, rows: &Range<usize>) -> Range<usize> {
        let taps = &self.row_taps[rows.start - self.first_row..rows.end - self.first_row];
        let ends = taps.iter().map(|(first, taps)| (*first, first + taps.len()));
        let (start, end) = ends.fold((usize::MAX, 0), |a, b| (a.0.min(b.0), a.1.max(b.1)));
        start.min(end)..end
    }

    /// Number of columns and rows read on each side of the written ones.
    pub fn halo(&self) -> [usize; 2] {
        let far = |(i, (first, taps)): (usize, &(usize, Vec<f32>))| {
            let row = self.first_row + i;
            row.abs_diff(*first).max((first + taps.len() - 1).abs_diff(row))
        };
        [self.columns_read(), self.row_taps.iter().enumerate().map(far).max().unwrap_or(0)]
    }

    /// The blurred cells of `mask.rect`. `before` contains them, with the columns and rows read around them, as far as
    /// the sound has them: at its ends the outermost column is repeated.
    pub fn run(&self, before: &Region, mask: &Mask) -> Region {
        let mut after = before.crop(&mask.rect);
        if mask.rect.is_empty() {
            return after;
        }
        let (n_rows, rows) = (mask.rect.bins.len(), self.rows_read(&mask.rect.bins));
        let out = after.magnitude.par_chunks_mut(n_rows).zip(mask.values.par_chunks(n_rows)).enumerate();
        out.for_each_init(
            || vec![0.0; rows.len()],
            |along_time, (i, (magnitude, mask_values))| {
                if mask_values.iter().all(|m| *m == 0.0) {
                    return;
                }
                self.blur_time(before, mask.rect.frames.start + i, &rows, along_time);
                for ((row, magnitude), m) in mask.rect.bins.clone().zip(magnitude).zip(mask_values) {
                    if *m != 0.0 {
                        let (first, taps) = &self.row_taps[row - self.first_row];
                        let levels = &along_time[first - rows.start..];
                        let blurred = taps.iter().zip(levels).fold(0.0, |sum, (tap, level)| sum + tap * level);
                        *magnitude = match self.sharpening {
                            None => blur_mix(*magnitude, blurred, *m),
                            Some(amount) => sharpen_mix(*magnitude, blurred, amount, *m),
                        };
                    }
                }
            },
        );
        after
    }

    /// The magnitudes of some rows around a column, weighted along time.
    fn blur_time(&self, before: &Region, column: usize, rows: &Range<usize>, out: &mut [f32]) {
        let CellRect { frames, .. } = &before.rect;
        out.fill(0.0);
        for (tap, weight) in self.frame_taps.iter().enumerate() {
            let from = (column + tap).saturating_sub(self.columns_read()).clamp(frames.start, frames.end - 1);
            let start = before.index(from, rows.start);
            for (sum, magnitude) in out.iter_mut().zip(&before.magnitude[start..start + rows.len()]) {
                *sum += weight * magnitude;
            }
        }
    }
}
