//! Widens, narrows and softens masks cell by cell.

use super::Mask;
use crate::transforms::rows::RowTable;
use crate::{Axis, CellRect, Cells, Grid};
use std::ops::Range;
use std::sync::Arc;

/// Resolution of an array made from unevenly spaced rows: steps per minimum distance between rows, and maximum number
/// of steps.
const STEPS_PER_ROW: f64 = 4.0;
const MAX_STEPS: f64 = 8192.0;

/// The mask grown by `frames` and `bins`: each cell takes the maximum around it. Clipped to `all`.
#[must_use]
pub fn dilated(mask: &Mask, frames: usize, bins: usize, all: &CellRect) -> Mask {
    around(mask, frames, bins, all, |_| 1.0)
}

/// The mask with soft edges `frames` and `bins` wide around it: each cell takes the maximum around it times a raised
/// cosine of the distance, 0 at the edge's width. Clipped to `all`.
#[must_use]
pub fn feathered(mask: &Mask, frames: f64, bins: f64, all: &CellRect) -> Mask {
    let weight = |[dx, dy]: [f64; 2]| {
        let part = |d: f64, width: f64| if d == 0.0 { 0.0 } else { d / width };
        let distance = part(dx, frames).hypot(part(dy, bins));
        if distance >= 1.0 { 0.0 } else { 0.5 * (1.0 + (std::f64::consts::PI * distance).cos()) as f32 }
    };
    around(mask, frames.ceil() as usize, bins.ceil() as usize, all, weight)
}

/// The mask shrunk by `frames` and `bins`: each cell takes the minimum around it. Cells beyond `all` count as selected,
/// so that a selection of everything is unchanged.
#[must_use]
pub fn eroded(mask: &Mask, frames: usize, bins: usize, all: &CellRect) -> Mask {
    let grown = mask.rect.grown(frames, bins, all);
    let mut inverse = on(mask, &grown);
    inverse.values.iter_mut().for_each(|m| *m = 1.0 - *m);
    // Cells outside the mask but inside the spectrogram are unselected, so the inverse has a border of ones.
    let mut shrunk = dilated(&inverse, frames, bins, all).crop(&mask.rect);
    shrunk.values.iter_mut().for_each(|m| *m = 1.0 - *m);
    shrunk
}

/// The mask on a larger rectangle, 0 outside its own.
fn on(mask: &Mask, rect: &CellRect) -> Mask {
    let mut larger = Mask::zeros(rect.clone());
    let (n_old, n_new) = (mask.rect.bins.len(), rect.bins.len());
    if n_old == 0 {
        return larger;
    }
    let first = mask.rect.bins.start - rect.bins.start;
    for (row, frame) in mask.values.chunks_exact(n_old).zip(mask.rect.frames.clone()) {
        let at = (frame - rect.frames.start) * n_new + first;
        larger.values[at..at + n_old].copy_from_slice(row);
    }
    larger
}

fn around(mask: &Mask, frames: usize, bins: usize, all: &CellRect, weight: impl Fn([f64; 2]) -> f32) -> Mask {
    let rect = mask.rect.grown(frames, bins, all);
    let from = on(mask, &rect);
    let mut to = Mask::zeros(rect.clone());
    let (n_frames, n_bins) = (rect.frames.len(), rect.bins.len());
    for dx in 0..=frames {
        for dy in 0..=bins {
            let weight = weight([dx as f64, dy as f64]);
            if weight <= 0.0 {
                continue;
            }
            for row in 0..n_frames {
                for source in [row.checked_sub(dx), Some(row + dx).filter(|&row| row < n_frames)].into_iter().flatten()
                {
                    let source = &from.values[source * n_bins..][..n_bins];
                    let target = &mut to.values[row * n_bins..][..n_bins];
                    if dy < n_bins {
                        let raise = |(m, value): (&mut f32, &f32)| *m = m.max(weight * value);
                        target[dy..].iter_mut().zip(source).for_each(raise);
                        target.iter_mut().zip(&source[dy..]).for_each(raise);
                    }
                }
            }
        }
    }
    to
}

impl Cells {
    /// A mask as a shape, in which each cell extends halfway to its neighbours; `None` if nothing is above 0. The rows
    /// of DC and Nyquist are omitted, since equal steps of the scale's axis do not include them.
    pub fn from_mask(grid: &Grid, mask: &Mask) -> Option<Cells> {
        let mut tight = mask.tight_bounds();
        if let Some(table) = grid.row_table() {
            tight = tight.intersect(&CellRect::new(tight.frames.clone(), table.scale_rows()));
        }
        if tight.is_empty() {
            return None;
        }
        let mask = mask.crop(&tight);
        let edges = |range: &Range<usize>| [range.start as f64 - 0.5, range.end as f64 - 0.5];
        let secs = edges(&tight.frames).map(|frame| grid.secs_from_frame(frame));
        let (hz, axis, values) = match grid.row_table() {
            None => (edges(&tight.bins).map(|bin| grid.hz_from_bin(bin)), Axis::Linear, mask.values),
            Some(table) => {
                let (hz, values) = at_equal_steps(table, &mask);
                (hz, table.axis(), values)
            }
        };
        let n_frames = tight.frames.len();
        Some(Cells { secs, hz, axis, size: [n_frames, values.len() / n_frames], values: Arc::from(values) })
    }
}

/// The edges in hertz and the values of a mask on rows, resampled at equal steps of the rows' axis from halfway below
/// the lowest row to halfway above the highest. Unevenly spaced rows are sampled finely enough to separate the closest
/// ones.
fn at_equal_steps(table: &RowTable, mask: &Mask) -> ([f64; 2], Vec<f32>) {
    let (axis, rows) = (table.axis(), &mask.rect.bins);
    let units = |row: usize| axis.units_from_hz(table.rows()[row].hz);
    let (first, last, step) = (units(rows.start), units(rows.end - 1), 1.0 / table.rows_per_unit());
    let is_even = |row: usize| ((units(row) - first) / step - (row - rows.start) as f64).abs() < 1e-3;
    if rows.clone().all(is_even) {
        return ([first - step / 2.0, last + step / 2.0].map(|at| axis.hz_from_units(at)), mask.values.clone());
    }
    let scale = table.scale_rows();
    let gap = |low: usize| units(low + 1) - units(low);
    let gaps = rows.start.max(scale.start + 1) - 1..rows.end.min(scale.end - 1);
    let min = gaps.clone().map(gap).fold(f64::MAX, f64::min);
    let ends = [first - gap(gaps.start) / 2.0, last + gap(gaps.end - 1) / 2.0];
    let n_steps = ((ends[1] - ends[0]) / min * STEPS_PER_ROW).ceil().clamp(1.0, MAX_STEPS) as usize;
    let row_at = |i: usize| {
        let at = ends[0] + (ends[1] - ends[0]) * (i as f64 + 0.5) / n_steps as f64;
        let row = table.row_from_hz(axis.hz_from_units(at)).round() as usize;
        row.clamp(rows.start, rows.end - 1) - rows.start
    };
    let taken: Vec<usize> = (0..n_steps).map(row_at).collect();
    let columns = mask.values.chunks_exact(rows.len());
    (ends.map(|at| axis.hz_from_units(at)), columns.flat_map(|column| taken.iter().map(|&row| column[row])).collect())
}
