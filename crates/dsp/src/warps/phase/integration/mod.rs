//! Phases by integration of their gradients from cell to cell, the loudest first. The order of integration is
//! inherently sequential; it is determined before any phase, so that this part accesses little memory.

mod flood;

use crate::dsp::cells::planes;
use crate::dsp::signal::noise::scrambled;
use crate::dsp::warps::displacement::rounded;
use crate::dsp::{Mask, Region, StftParams, Window};
use flood::{Flood, ReachedFrom};
use rayon::prelude::*;
use std::f64::consts::TAU;

/// Cells below this level relative to the loudest have no meaningful phase; they get a random one.
const TOLERANCE: f32 = 1e-6;

/// `gamma / N^2` of the Gaussian that best fits a window: least-squares fits made for this project, near the values of
/// the PGHI paper where available.
fn gaussian_ratio(window: Window) -> f64 {
    match window {
        Window::Hann => 0.248_87,
        Window::Hamming => 0.297_25,
        Window::Blackman => 0.176_76,
        Window::BlackmanHarris => 0.128_72,
        Window::Nuttall => 0.132_20,
        Window::Kaiser => 0.177_21,
        Window::Sine => 0.424_65,
    }
}

/// Rows per task.
const ROWS_PER_TASK: usize = 32;

/// Computes the phases of the cells of `target` under the mask; see [`rebuild`](super::rebuild).
pub(super) fn integrate(params: &StftParams, n_grid_bins: usize, known: &Region, target: &mut Region, mask: &Mask) {
    if target.rect.is_empty() {
        return;
    }
    let around = KnownCells::new(known, target, mask);
    let min = around.loudest * TOLERANCE;
    let mut flood = Flood::new(&around.magnitude, known.n_bins(), [around.loudest, min], |row| {
        around.row_in(target, row).map(|row| (around.first_column, row_of(&mask.values, row, target)))
    });
    let (_, gradients) = rayon::join(|| flood.run(), || Gradients::new(params, n_grid_bins, &around, min));
    let mut turns = around.steps(&gradients, target, &flood);
    for [to, from] in flood.order() {
        turns[to] = wrapped(turns[from] + turns[to]);
    }
    planes::give(around.magnitude);
    let (first_row, first_column) = (around.first_row, around.first_column);
    let (first_frame, first_bin, n_target) = (target.rect.frames.start, target.rect.bins.start, target.n_bins());
    let rows = target.phase.par_chunks_mut(n_target).zip(target.magnitude.par_chunks(n_target));
    let rows = rows.zip(mask.values.par_chunks(n_target)).enumerate().with_min_len(8);
    rows.for_each(|(row, ((phases, magnitude), mask))| {
        let start = flood.place(first_row + row, first_column);
        let cells = phases.iter_mut().zip(magnitude).zip(mask).enumerate();
        let found = turns[start..].iter().zip(flood.origins(start));
        for ((column, ((phase, magnitude), _)), (turns, origin)) in
            cells.zip(found).filter(|((_, (_, m)), _)| **m > 0.0)
        {
            if origin != ReachedFrom::None {
                *phase = below_half(*turns as f32);
            } else if *magnitude > 0.0 {
                let bits = scrambled(((first_frame + row) as u64) << 32 | (first_bin + column) as u64);
                *phase = below_half(((bits >> 40) as f64 / (1u64 << 24) as f64 - 0.5) as f32);
            }
        }
    });
}

/// A row of the target's values.
fn row_of<'a>(values: &'a [f32], row: usize, target: &Region) -> &'a [f32] {
    &values[row * target.n_bins()..][..target.n_bins()]
}

/// The known cells, with the magnitudes of the target under the mask.
struct KnownCells<'a> {
    known: &'a Region,
    magnitude: Vec<f32>,
    loudest: f32,
    /// Position of the target in the known cells.
    first_row: usize,
    first_column: usize,
}

impl KnownCells<'_> {
    fn new<'a>(known: &'a Region, target: &Region, mask: &Mask) -> KnownCells<'a> {
        let mut around = KnownCells {
            known,
            magnitude: planes::take(known.magnitude.len()),
            loudest: 0.0,
            first_row: target.rect.frames.start - known.rect.frames.start,
            first_column: target.rect.bins.start - known.rect.bins.start,
        };
        let n_bins = known.n_bins();
        let mut magnitude = std::mem::take(&mut around.magnitude);
        let rows = magnitude.par_chunks_mut(n_bins).zip(known.magnitude.par_chunks(n_bins)).enumerate();
        let loudest = rows.with_min_len(8).map(|(row, (magnitude, known))| {
            magnitude.copy_from_slice(known);
            if let Some(row) = around.row_in(target, row) {
                let cells = magnitude[around.first_column..].iter_mut().zip(row_of(&target.magnitude, row, target));
                for ((own, new), m) in cells.zip(row_of(&mask.values, row, target)) {
                    *own = if *m > 0.0 { *new } else { *own };
                }
            }
            magnitude.iter().copied().fold(0.0, f32::max)
        });
        around.loudest = loudest.reduce(|| 0.0, f32::max);
        around.magnitude = magnitude;
        around
    }

    /// The row of the target that corresponds to a known row.
    fn row_in(&self, target: &Region, row: usize) -> Option<usize> {
        row.checked_sub(self.first_row).filter(|row| *row < target.n_frames())
    }

    /// For each [place](Flood::place), in turns: the phase step from the origin of a reached cell, or the phase of any
    /// other cell, which is that of the target where a part starts.
    fn steps(&self, gradients: &Gradients, target: &Region, flood: &Flood) -> Vec<f64> {
        let (n_frames, n_bins, stride) = (self.known.n_frames(), self.known.n_bins(), flood.stride());
        let mut turns = vec![0.0; flood.n_places()];
        let rows = turns[stride..(n_frames + 1) * stride].par_chunks_mut(stride).enumerate();
        rows.with_min_len(8).for_each(|(row, turns)| {
            let first = row * n_bins;
            let (per_frame, per_bin) = (&gradients.per_frame, &gradients.per_bin);
            let cells = turns[1..].iter_mut().zip(first..first + n_bins);
            for ((turns, i), origin) in cells.zip(flood.origins(flood.place(row, 0))) {
                *turns = match origin {
                    ReachedFrom::After => -0.5 * (per_frame[i + n_bins] + per_frame[i]),
                    ReachedFrom::Before => 0.5 * (per_frame[i - n_bins] + per_frame[i]),
                    ReachedFrom::Above => -0.5 * (per_bin[i + 1] + per_bin[i]),
                    ReachedFrom::Below => 0.5 * (per_bin[i - 1] + per_bin[i]),
                    ReachedFrom::Itself => f64::from(self.phase_in(target, row, i - first)),
                    ReachedFrom::None => f64::from(self.known.phase[i]),
                };
            }
        });
        turns
    }

    fn phase_in(&self, target: &Region, row: usize, column: usize) -> f32 {
        target.phase[(row - self.first_row) * target.n_bins() + column - self.first_column]
    }
}

/// Phase differences between cells, from the gradients of log magnitude: in turns, between frames and between bins.
struct Gradients {
    per_frame: Vec<f64>,
    per_bin: Vec<f64>,
}

impl Gradients {
    fn new(params: &StftParams, n_grid_bins: usize, around: &KnownCells<'_>, min: f32) -> Gradients {
        let (n_frames, n_bins, bins) = (around.known.n_frames(), around.known.n_bins(), &around.known.rect.bins);
        let (n_fft, hop) = (params.n_fft as f64, params.hop as f64);
        let gamma = gaussian_ratio(params.window) * n_fft * n_fft;
        let own: Vec<f64> = bins.clone().map(|bin| wrapped(bin as f64 * hop / n_fft)).collect();
        let min = f64::from(min.max(f32::MIN_POSITIVE));
        let log = |row: usize, out: &mut Vec<f64>| {
            out.clear();
            out.extend(around.magnitude[row * n_bins..][..n_bins].iter().map(|&m| f64::from(m).max(min).ln()));
        };
        let along_bins = |log: &[f64], column: usize| {
            // Between the existing neighbours.
            let (low, high) = (column.saturating_sub(1), (column + 1).min(n_bins - 1));
            // At DC and Nyquist the spectrum is mirrored, and its slope 0.
            let is_end = bins.start + column == 0 || bins.start + column + 1 == n_grid_bins;
            if is_end { 0.0 } else { (log[high] - log[low]) / (high - low).max(1) as f64 }
        };
        let n = n_frames * n_bins;
        let mut gradients = Gradients { per_frame: vec![0.0; n], per_bin: vec![0.0; n] };
        let tasks = gradients.per_frame.par_chunks_mut(n_bins * ROWS_PER_TASK);
        let tasks = tasks.zip(gradients.per_bin.par_chunks_mut(n_bins * ROWS_PER_TASK)).enumerate();
        tasks.for_each(|(task, (per_frame, per_bin))| {
            let first = task * ROWS_PER_TASK;
            let [mut before, mut here, mut after] = [(); 3].map(|()| Vec::with_capacity(n_bins));
            log(first.saturating_sub(1), &mut before);
            log(first, &mut here);
            let rows = per_frame.chunks_exact_mut(n_bins).zip(per_bin.chunks_exact_mut(n_bins));
            for (row, (per_frame, per_bin)) in (first..).zip(rows) {
                let next = (row + 1).min(n_frames - 1);
                log(next, &mut after);
                let apart = (next - row.saturating_sub(1)).max(1) as f64;
                for (per_bin, (before, after)) in per_bin.iter_mut().zip(before.iter().zip(&after)) {
                    *per_bin = -gamma / (hop * n_fft) * ((after - before) / apart) / TAU;
                }
                let per_frame_of = |own: f64, along_bins: f64| own + hop * n_fft / gamma * along_bins / TAU;
                let inner = per_frame.iter_mut().zip(&own).skip(1).zip(here.windows(3));
                for ((per_frame, own), around) in inner {
                    *per_frame = per_frame_of(*own, (around[2] - around[0]) / 2.0);
                }
                for column in [0, n_bins - 1] {
                    per_frame[column] = per_frame_of(own[column], along_bins(&here, column));
                }
                std::mem::swap(&mut before, &mut here);
                std::mem::swap(&mut here, &mut after);
            }
        });
        gradients
    }
}

fn wrapped(turns: f64) -> f64 {
    turns - rounded(turns)
}

fn below_half(turns: f32) -> f32 {
    if turns >= 0.5 { -0.5 } else { turns }
}
