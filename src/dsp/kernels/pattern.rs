//! Heal brush, mode pattern: where nearby the sound fits best around a hole. A search, one place after the other: the
//! one function that both engines call.
//!
//! The cells around the hole are compared as levels, whole frames apart; then the best frames are moved by single
//! samples to where their phases agree most (the cross-correlation, out of the cells' cross spectrum; Knapp and Carter,
//! IEEE TASSP 24(4), 1976).

use crate::dsp::log2::log2;
use crate::dsp::polar::cos_sin_turns;
use crate::dsp::{CellRect, Mask, Region};
use rayon::prelude::*;
use rustfft::num_complex::Complex64;

/// Cells around the hole that are compared at each place; of more, every so many.
const MOST_COMPARED: usize = 6_000;
/// Levels this far below the loudest of the ring count as that.
const RANGE_LOG2: f32 = 13.3;
/// A place whose sound is louder or quieter throughout can be brought to level; it costs this part of the same distance
/// cell by cell.
const LEVEL_COST: f64 = 0.25;
/// Most that a pattern is made louder or quieter, in log2 of magnitude: 12 dB.
const MOST_GAIN_LOG2: f64 = 2.0;

/// Where a pattern comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pattern {
    /// From a sample to its source.
    pub samples: i64,
    /// What its magnitudes are multiplied by, as a power of 2.
    pub log2_gain: f32,
}

/// The best place within `reach` frames, out of cells that hold all of them. None if there is no place for the hole and
/// its `context` frames elsewhere. `mask` is the hole; cells around it, within `context` frames and bins, must fit.
pub fn best_pattern(
    cells: &Region,
    mask: &Mask,
    context: [usize; 2],
    reach: usize,
    hop: usize,
    n_fft: usize,
) -> Option<Pattern> {
    let target = mask.rect.grown(context[0], context[1], &cells.rect);
    let ring = ring(mask, &target);
    let loudest = ring.iter().map(|&(frame, bin)| cells.magnitude[cells.index(frame, bin)]).fold(0.0, f32::max);
    let floor = log2(loudest) - RANGE_LOG2;
    let level = |frame: usize, bin: usize| log2(cells.magnitude[cells.index(frame, bin)]).max(floor);
    let wanted: Vec<f32> = ring.iter().map(|&(frame, bin)| level(frame, bin)).collect();
    // No cell's source may lie in the hole: each is as far away as the hole is long in any bin.
    let least = longest_span(mask) as i64;
    let fits = |shift: i64| {
        let moved = target.frames.start as i64 + shift..target.frames.end as i64 + shift;
        shift.abs() >= least
            && moved.start >= cells.rect.frames.start as i64
            && moved.end <= cells.rect.frames.end as i64
    };
    let reach = reach as i64 + least;
    let found = (-reach..=reach)
        .into_par_iter()
        .filter(|&shift| fits(shift))
        .filter_map(|shift| {
            let [mut sum, mut squares, mut n] = [0.0f64; 3];
            for (&(frame, bin), wanted) in ring.iter().zip(&wanted) {
                let source = (frame as i64 + shift) as usize;
                // What lies in the hole is not known.
                if !is_hole(mask, source, bin) {
                    let off = f64::from(wanted - level(source, bin));
                    (sum, squares, n) = (sum + off, squares + off * off, n + 1.0);
                }
            }
            let mean = sum / n;
            (n > 0.0).then(|| (squares / n - (1.0 - LEVEL_COST) * mean * mean, shift, mean))
        })
        // Ties go to the nearest.
        .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.abs().cmp(&b.1.abs())).then(a.1.cmp(&b.1)))?;
    let (_, shift, mean) = found;
    let lag = best_lag(cells, &ring, mask, shift, hop, n_fft);
    let log2_gain = mean.clamp(-MOST_GAIN_LOG2, MOST_GAIN_LOG2) as f32;
    Some(Pattern { samples: shift * hop as i64 + lag, log2_gain })
}

/// Whether the hole is there.
fn is_hole(mask: &Mask, frame: usize, bin: usize) -> bool {
    let CellRect { frames, bins } = &mask.rect;
    frames.contains(&frame)
        && bins.contains(&bin)
        && mask.values[(frame - frames.start) * bins.len() + bin - bins.start] > 0.0
}

/// Frames from the first to the last of the hole, in the bin where that is most.
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

/// The cells of `target` around a hole, thinned out where they are many.
fn ring(mask: &Mask, target: &CellRect) -> Vec<(usize, usize)> {
    let cells = target.frames.clone().flat_map(|frame| target.bins.clone().map(move |bin| (frame, bin)));
    let all: Vec<_> = cells.filter(|&(frame, bin)| !is_hole(mask, frame, bin)).collect();
    // A step that shares no factor with a power of two plus one takes other bins in every frame.
    let step = (all.len() / MOST_COMPARED).max(1) | 1;
    all.into_iter().step_by(step).collect()
}

/// Samples, at most half a hop either way, by which the source's phases fit best.
fn best_lag(cells: &Region, ring: &[(usize, usize)], mask: &Mask, shift: i64, hop: usize, n_fft: usize) -> i64 {
    let complex = |frame: usize, bin: usize| {
        let i = cells.index(frame, bin);
        let [cos, sin] = cos_sin_turns(cells.phase[i]);
        Complex64::new(f64::from(cells.magnitude[i] * cos), f64::from(cells.magnitude[i] * sin))
    };
    let mut cross = vec![Complex64::default(); n_fft / 2 + 1];
    for &(frame, bin) in ring {
        let source = (frame as i64 + shift) as usize;
        if !is_hole(mask, source, bin) {
            cross[bin] += complex(frame, bin) * complex(source, bin).conj();
        }
    }
    let roots: Vec<[f32; 2]> = (0..n_fft).map(|k| cos_sin_turns(k as f32 / n_fft as f32)).collect();
    let agreement = |lag: i64| -> f64 {
        // Sound a lag later turns bin m by m lag / N.
        let turned = |(bin, z): (usize, &Complex64)| {
            let [cos, sin] = roots[(bin as i64 * lag).rem_euclid(n_fft as i64) as usize];
            z.re * f64::from(cos) + z.im * f64::from(sin)
        };
        cross.iter().enumerate().map(turned).sum()
    };
    let half = hop as i64 / 2;
    let best = (-half..=half).into_par_iter().map(|lag| (agreement(lag), lag));
    best.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.abs().cmp(&a.1.abs())).then(a.1.cmp(&b.1)))
        .map_or(0, |(_, lag)| lag)
}
