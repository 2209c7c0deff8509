//! Heal brush, mode pattern: finds the nearby passage that best matches the surroundings of a hole. On the CPU for both
//! engines.
//!
//! The levels of the cells around the hole are compared at whole-frame shifts; then the best match is aligned to the
//! sample by phase (cross-correlation from the cells' cross spectrum; Knapp and Carter, IEEE TASSP 24(4), 1976).

use crate::dsp::cells::planes;
use crate::dsp::cells::polar::cos_sin_turns;
use crate::dsp::numeric::log2::log2;
use crate::dsp::numeric::vectors::vectorized;
use crate::dsp::{CellRect, Grid, Mask, Region};
use rayon::prelude::*;
use rustfft::num_complex::Complex64;
use std::ops::Range;

/// Maximum number of cells compared at each position; larger surroundings are thinned out.
const MAX_COMPARED: usize = 6_000;
/// Range below the loudest cell of the surroundings to which levels are clamped, in log2.
const RANGE_LOG2: f32 = 13.3;
/// Bins processed at a time.
const LINES: usize = 16;
/// Frames processed at a time.
const FRAMES: usize = 16;
/// Cost of a uniform level difference, which can be corrected, relative to that of the same difference in single cells.
const LEVEL_COST: f64 = 0.25;
/// Maximum level correction of a pattern, in log2 of magnitude: 12 dB.
const MAX_GAIN_LOG2: f64 = 2.0;

/// A passage from which a hole is filled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PatternMatch {
    /// Offset from a sample to its source.
    pub samples: i64,
    /// Gain applied to its magnitudes, in log2.
    pub log2_gain: f32,
}

/// The passage of `cells` that best matches the surroundings of the hole `mask`: the cells within `context` frames and
/// bins around it. The shift is at most `reach` frames more than the hole's longest extent in any bin. No source
/// overlaps the frames of `others`, which are other holes. `None` if the hole and its `context` frames do not fit
/// anywhere else.
pub fn best_pattern(
    grid: &Grid,
    cells: &Region,
    mask: &Mask,
    context: [usize; 2],
    reach: usize,
    others: &[Range<usize>],
) -> Option<PatternMatch> {
    let target = mask.rect.grown(context[0], context[1], &cells.rect);
    let ring = ring(mask, &target);
    let loudest = ring.iter().map(|&(frame, bin)| cells.magnitude[cells.index(frame, bin)]).fold(0.0, f32::max);
    let floor = log2(loudest) - RANGE_LOG2;
    let levels = Levels::new(cells, mask, &target, floor);
    // No source cell may lie in the hole, so the shift is at least the longest extent of the hole in any bin.
    let min = longest_span(mask) as i64;
    let reach = reach as i64 + min;
    let first = (cells.rect.frames.start as i64 - target.frames.start as i64).max(-reach);
    let end = (cells.rect.frames.end as i64 - target.frames.end as i64).min(reach) + 1;
    let runs = [first..end.min(1 - min), first.max(min.max(1))..end];
    let blocks: Vec<i64> = runs.iter().flat_map(|run| run.clone().step_by(SHIFTS)).collect();
    let is_damaged = |shift: i64| {
        let [start, end] = [mask.rect.frames.start, mask.rect.frames.end].map(|frame| frame as i64 + shift);
        others.iter().any(|other| start < other.end as i64 && end > other.start as i64)
    };
    let is_damaged = &is_damaged;
    let end_of = |shift: i64| runs.iter().find(|run| run.contains(&shift)).map_or(shift, |run| run.end);
    let found = blocks
        .into_par_iter()
        .flat_map_iter(|shift| {
            let n = (end_of(shift) - shift).min(SHIFTS as i64) as usize;
            let sums = compared(&levels, &ring, shift);
            (0..n).filter(move |i| !is_damaged(shift + *i as i64)).filter_map(move |i| {
                let [sum, squares, n] = sums.map(|sums| sums[i]);
                let mean = sum / n;
                (n > 0.0).then(|| (squares / n - (1.0 - LEVEL_COST) * mean * mean, shift + i as i64, mean))
            })
        })
        // Of equal scores the nearest shift wins.
        .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.abs().cmp(&b.1.abs())).then(a.1.cmp(&b.1)))?;
    let (_, shift, mean) = found;
    planes::give(levels.values);
    let lag = best_lag(grid, cells, &ring, mask, shift);
    let log2_gain = mean.clamp(-MAX_GAIN_LOG2, MAX_GAIN_LOG2) as f32;
    Some(PatternMatch { samples: grid.samples_in_frames(shift) + lag, log2_gain })
}

/// Number of shifts compared side by side.
const SHIFTS: usize = 32;

/// Levels of some bins, bin-major; NaN for cells in the hole and for [`SHIFTS`] positions beyond the last frame.
struct Levels {
    first_frame: usize,
    first_bin: usize,
    stride: usize,
    values: Vec<f32>,
}

impl Levels {
    fn new(cells: &Region, mask: &Mask, target: &CellRect, floor: f32) -> Levels {
        let (n_frames, n_bins) = (cells.n_frames(), target.bins.len());
        let stride = n_frames + SHIFTS;
        let mut values = planes::take(stride * n_bins);
        // In blocks of bins, since this is a transposition.
        values.par_chunks_mut(LINES * stride).enumerate().for_each(|(block, lines)| {
            let bins = target.bins.start + block * LINES;
            let n = lines.len() / stride;
            // Several frames at a time, so that consecutive levels of each line are written together.
            let mut levels = [[0.0f32; LINES]; FRAMES];
            for first in (0..n_frames).step_by(FRAMES) {
                let rows = first..(first + FRAMES).min(n_frames);
                for (row, levels) in rows.clone().zip(&mut levels) {
                    let from = cells.index(cells.rect.frames.start + row, bins);
                    levels_above(floor, &cells.magnitude[from..from + n], levels);
                }
                for (i, line) in lines.chunks_exact_mut(stride).enumerate() {
                    line[rows.clone()].iter_mut().zip(&levels).for_each(|(out, levels)| *out = levels[i]);
                }
            }
            lines.chunks_exact_mut(stride).for_each(|line| line[n_frames..].fill(f32::NAN));
            let first = mask.rect.frames.start - cells.rect.frames.start;
            for (row, values) in (first..).zip(mask.values.chunks_exact(mask.rect.bins.len().max(1))) {
                let in_mask =
                    (bins..).zip(lines.chunks_exact_mut(stride)).filter(|(bin, _)| mask.rect.bins.contains(bin));
                for (_, line) in in_mask.filter(|(bin, _)| values[bin - mask.rect.bins.start] > 0.0) {
                    line[row] = f32::NAN;
                }
            }
        });
        Levels { first_frame: cells.rect.frames.start, first_bin: target.bins.start, stride, values }
    }
}

vectorized! {
    fn levels_above(floor: f32, magnitudes: &[f32], levels: &mut [f32; LINES]) {
        for (level, magnitude) in levels.iter_mut().zip(magnitudes) {
            let own = log2(*magnitude);
            *level = if own > floor { own } else { floor };
        }
    }
}

vectorized! {
    /// Compares the ring with the cells at each of [`SHIFTS`] shifts, starting with `shift`: sums of level differences,
    /// sums of their squares, and cell counts. Cells in the hole are excluded.
    fn compared(levels: &Levels, ring: &[(usize, usize)], shift: i64) -> [[f64; SHIFTS]; 3] {
        let mut sums = [[0.0f64; SHIFTS]; 3];
        for &(frame, bin) in ring {
            let line = &levels.values[(bin - levels.first_bin) * levels.stride..][..levels.stride];
            let wanted = line[frame - levels.first_frame];
            let at = (frame as i64 + shift) as usize - levels.first_frame;
            let Some(others) = line[at..].first_chunk::<SHIFTS>() else { continue };
            for i in 0..SHIFTS {
                let off = wanted - others[i];
                let is_known = !off.is_nan();
                let off = f64::from(if is_known { off } else { 0.0 });
                sums[0][i] += off;
                sums[1][i] += off * off;
                sums[2][i] += if is_known { 1.0 } else { 0.0 };
            }
        }
        sums
    }
}

/// Whether a cell belongs to the hole.
fn is_hole(mask: &Mask, frame: usize, bin: usize) -> bool {
    let CellRect { frames, bins } = &mask.rect;
    frames.contains(&frame)
        && bins.contains(&bin)
        && mask.values[(frame - frames.start) * bins.len() + bin - bins.start] > 0.0
}

/// Largest extent of the hole in frames over all bins.
fn longest_span(mask: &Mask) -> usize {
    let n_bins = mask.rect.bins.len().max(1);
    let mut spans = vec![None; n_bins];
    for (row, values) in mask.values.chunks_exact(n_bins).enumerate() {
        for (span, _) in spans.iter_mut().zip(values).filter(|(_, m)| **m > 0.0) {
            *span = Some((span.map_or(row, |(first, _)| first), row + 1));
        }
    }
    spans.into_iter().flatten().map(|(first, end)| end - first).max().unwrap_or(0)
}

/// The cells of `target` around a hole, thinned out if there are many.
fn ring(mask: &Mask, target: &CellRect) -> Vec<(usize, usize)> {
    let mut all = Vec::new();
    for frame in target.frames.clone() {
        let Some(row) = frame.checked_sub(mask.rect.frames.start).filter(|row| *row < mask.rect.frames.len()) else {
            all.extend(target.bins.clone().map(|bin| (frame, bin)));
            continue;
        };
        // Nothing outside the mask's rectangle belongs to the hole.
        let (n, bins) = (mask.rect.bins.len(), mask.rect.bins.clone());
        all.extend((target.bins.start..bins.start).map(|bin| (frame, bin)));
        let values = mask.values[row * n..][..n].iter().zip(bins.clone());
        all.extend(values.filter(|(m, _)| **m <= 0.0).map(|(_, bin)| (frame, bin)));
        all.extend((bins.end..target.bins.end).map(|bin| (frame, bin)));
    }
    // An odd step seldom shares a factor with the number of bins, a power of two plus one, so it selects different bins
    // in each frame.
    let step = (all.len() / MAX_COMPARED).max(1) | 1;
    all.into_iter().step_by(step).collect()
}

/// The sample offset, at most half a hop either way, at which the source's phases match best.
fn best_lag(grid: &Grid, cells: &Region, ring: &[(usize, usize)], mask: &Mask, shift: i64) -> i64 {
    let complex = |frame: usize, bin: usize| {
        let i = cells.index(frame, bin);
        let [cos, sin] = cos_sin_turns(cells.phase[i]);
        Complex64::new(f64::from(cells.magnitude[i] * cos), f64::from(cells.magnitude[i] * sin))
    };
    let mut cross = vec![Complex64::default(); grid.n_bins()];
    for &(frame, bin) in ring {
        let source = (frame as i64 + shift) as usize;
        if !is_hole(mask, source, bin) {
            cross[bin] += complex(frame, bin) * complex(source, bin).conj();
        }
    }
    // Phases of all bins repeat after a lag of N samples, the FFT size.
    let period = 2 * grid.nyquist_bin();
    let roots: Vec<[f32; 2]> = (0..period).map(|k| cos_sin_turns(k as f32 / period as f32)).collect();
    let zero = Complex64::default();
    let first = cross.iter().position(|z| *z != zero).unwrap_or(0);
    let end = cross.iter().rposition(|z| *z != zero).map_or(first, |last| last + 1);
    let agreement = |lag: i64| -> f64 {
        // A lag turns the phase of bin m by m lag / N.
        let step = lag.rem_euclid(period as i64) as usize;
        let mut at = first * step % period;
        let mut sum = 0.0;
        for z in &cross[first..end] {
            let [cos, sin] = roots[at];
            sum += z.re * f64::from(cos) + z.im * f64::from(sin);
            at += step;
            at -= if at >= period { period } else { 0 };
        }
        sum
    };
    let half = grid.samples_in_frames(1) / 2;
    let best = (-half..=half).into_par_iter().map(|lag| (agreement(lag), lag));
    best.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.abs().cmp(&a.1.abs())).then(a.1.cmp(&b.1)))
        .map_or(0, |(_, lag)| lag)
}
