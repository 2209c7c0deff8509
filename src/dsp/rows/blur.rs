//! Blur on rows: a Gaussian along time, then one across the rows in units of an axis.

use super::bank::RowBank;
use super::group::RowGroup;
use super::params::gradient;
use crate::dsp::kernels::{blur_mix, gaussian_taps};
use crate::dsp::{Axis, CellRect, Mask, Region};
use rayon::prelude::*;
use std::ops::Range;

/// Across rows the Gaussian is cut at so many sigma.
const CUT_SIGMA: f64 = 3.0;

/// A blur of a group's rows: `|E| = lerp(|O|, G, M)`, where `G` is the Gaussian of levels, `|O| / p_k`, times `p_k`.
///
/// Along time it is SciPy's `gaussian_filter1d(truncate=3, mode="nearest")` in columns. Across rows a neighbour at a
/// distance of `y` axis units weighs `exp(-y^2 / (2 sigma^2))` times the distance of its own neighbours, as rows lie at
/// equal steps of one axis only; weights sum to 1. DC and Nyquist are blurred in time alone.
#[derive(Debug, Clone)]
pub struct RowBlur {
    frame_taps: Vec<f32>,
    /// The first row that is written.
    first_row: usize,
    /// Per row that is written: the first row that it reads, and the weights of magnitudes from there on.
    row_taps: Vec<(usize, Vec<f32>)>,
}

impl RowBlur {
    /// The blur of `rows` of a group of the bank, by `sigma` in seconds and units of `axis`; 0 skips an axis.
    pub fn new(bank: &RowBank, group: &RowGroup, rows: Range<usize>, sigma: [f64; 2], axis: Axis) -> RowBlur {
        let frame_taps = gaussian_taps(group.columns_in_secs(sigma[0]));
        let scale = bank.scale_rows();
        let specs = bank.rows();
        let units: Vec<f64> = specs[scale.clone()].iter().map(|row| axis.units_from_hz(row.hz)).collect();
        let steps = gradient(&units);
        let taps = |row: usize| {
            if sigma[1] <= 0.0 || !scale.contains(&row) {
                return (row, vec![1.0]);
            }
            let centre = units[row - scale.start];
            let first = units.partition_point(|u| *u < centre - CUT_SIGMA * sigma[1]);
            let end = units.partition_point(|u| *u <= centre + CUT_SIGMA * sigma[1]).max(first + 1);
            let weight = |i: usize| (-0.5 * ((units[i] - centre) / sigma[1]).powi(2)).exp() * steps[i];
            let sum: f64 = (first..end).map(weight).sum();
            let ratio = |i: usize| specs[row].peak / specs[i + scale.start].peak;
            let taps = (first..end).map(|i| (weight(i) / sum * ratio(i)) as f32).collect();
            (first + scale.start, taps)
        };
        RowBlur { frame_taps, first_row: rows.start, row_taps: rows.map(taps).collect() }
    }

    /// The columns on each side of a cell that it reads.
    pub fn columns_read(&self) -> usize {
        self.frame_taps.len() / 2
    }

    /// The rows that it reads.
    pub fn rows_read(&self) -> Range<usize> {
        let ends = self.row_taps.iter().map(|(first, taps)| (*first, first + taps.len()));
        let (start, end) = ends.fold((usize::MAX, 0), |a, b| (a.0.min(b.0), a.1.max(b.1)));
        start.min(end)..end
    }

    /// The blurred cells of `mask.rect`. `before` holds them, with the columns and rows around them that are read, as far
    /// as the sound has them: at its ends the outermost column is repeated.
    pub fn run(&self, before: &Region, mask: &Mask) -> Region {
        let mut after = before.crop(&mask.rect);
        let (n_rows, rows) = (mask.rect.bins.len(), self.rows_read());
        if mask.rect.is_empty() {
            return after;
        }
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
                        *magnitude = blur_mix(*magnitude, blurred, *m);
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
