//! Rebuilds phases from magnitudes: gradients of the log magnitude are integrated, the loudest cells first (PGHI), then
//! iterations approach a sound with these magnitudes (fast Griffin-Lim). Phases are summed sequentially in f64, so one
//! CPU function serves both engines.
//!
//! Sources: Prusa, Balazs and Sondergaard, IEEE/ACM TASLP 25(5), 2017; Griffin and Lim, IEEE TASSP 32(2), 1984;
//! Perraudin, Balazs and Sondergaard, WASPAA 2013.

mod integration;

use crate::cells::polar::{cos_sin_small, magnitude_from_complex, polar_from_parts};
use crate::numeric::vectors::vectorized;
use crate::transforms::stft::FrameRun;
use crate::{Grid, Mask, Region, Stft};
use integration::integrate;
use rayon::prelude::*;
use rustfft::num_complex::Complex32;

/// Over-relaxation of fast Griffin-Lim. Above 1 it may diverge.
const ACCELERATION: f32 = 0.99;

/// Default number of steps after the integration.
pub const DEFAULT_STEPS: u32 = 10;

/// Maximum number of steps.
pub const MAX_STEPS: u32 = 100;

/// Number of known cells that [`rebuild`] requires on each side of the cells to be rebuilt.
pub const HALO: usize = 2;

/// The cells of `target` with new phases wherever `mask`, of the same rectangle, is above 0; magnitudes and all other
/// phases are unchanged. `known` contains the sound's own cells of `target.rect` and [`HALO`] more on each side where
/// the grid has them: integration starts from known phases next to unknown ones, and the steps preserve known phases. A
/// part without known neighbours starts with the phase of its loudest cell in `target`. `n_steps` steps of fast
/// Griffin-Lim follow.
pub fn rebuild(stft: &Stft, grid: &Grid, known: &Region, target: &Region, mask: &Mask, n_steps: u32) -> Region {
    let mut rebuilt = target.clone();
    integrate(&stft.params(), grid.n_bins(), known, &mut rebuilt, mask);
    if n_steps > 0 {
        approach(stft, grid, known, &mut rebuilt, mask, n_steps);
    }
    rebuilt
}

/// As [`rebuild`] without integration: the steps start from the phases in `target`.
pub fn refine(stft: &Stft, grid: &Grid, known: &Region, target: &Region, mask: &Mask, n_steps: u32) -> Region {
    let mut refined = target.clone();
    if n_steps > 0 {
        approach(stft, grid, known, &mut refined, mask, n_steps);
    }
    refined
}

/// Runs `n_steps` of fast Griffin-Lim on the cells of `target` under the mask. All other cells are unchanged.
fn approach(stft: &Stft, grid: &Grid, known: &Region, target: &mut Region, mask: &Mask, n_steps: u32) {
    let rect = target.rect.clone();
    let (n_bins, n_grid_bins) = (rect.bins.len(), grid.n_bins());
    if n_bins == 0 {
        return;
    }
    let own = known.crop(&rect);
    let x: Vec<Complex32> = complex(&own);
    let mut painted = complex(target);
    let mut before = vec![Complex32::default(); painted.len()];
    let mut rows: Vec<[&mut [Complex32]; 2]> =
        painted.chunks_mut(n_bins).zip(before.chunks_mut(n_bins)).map(|(painted, before)| [painted, before]).collect();
    let row_of = |frame: usize| frame * n_bins..(frame + 1) * n_bins;
    let run = FrameRun {
        first_sample: grid.first_sample_under(rect.frames.start),
        n_signal_samples: grid.n_samples,
        n_signal_frames: grid.n_frames(),
    };
    let put = |frame: usize, [painted, _]: &[&mut [Complex32]; 2], spectrum: &mut [Complex32]| {
        let row = row_of(frame);
        spectrum[..rect.bins.start].fill(Complex32::default());
        spectrum[rect.bins.end..].fill(Complex32::default());
        subtract(painted, &x[row.clone()], &mask.values[row], &mut spectrum[rect.bins.clone()]);
    };
    // Updates a frame. `spectrum` is the change of the sound's cells that results from adding the difference to its
    // samples.
    let take = |round: usize, frame: usize, [painted, before]: &mut [&mut [Complex32]; 2], spectrum: &[Complex32]| {
        let acceleration = if round == 0 { 0.0 } else { ACCELERATION };
        let row = row_of(frame);
        let (x, mask, magnitude) = (&x[row.clone()], &mask.values[row.clone()], &target.magnitude[row]);
        let spectrum = &spectrum[rect.bins.clone()];
        // DC and Nyquist are real, and are updated after the others.
        let ends = [0, n_grid_bins - 1].map(|bin| bin.wrapping_sub(rect.bins.start));
        let ends = ends.map(|i| painted.get(i).zip(before.get(i)).map(|(painted, before)| (i, *painted, *before)));
        go_ahead(painted, before, x, spectrum, magnitude, mask, acceleration);
        for (i, old, before) in ends.into_iter().flatten().filter(|(i, ..)| mask[*i] > 0.0) {
            let now = x[i] + spectrum[i];
            let ahead = (now + (now - before) * acceleration).re;
            painted[i] = if ahead != 0.0 { Complex32::new(magnitude[i].copysign(ahead), 0.0) } else { old };
        }
    };
    stft.round_trips(&run, n_steps as usize, &mut rows, put, take);
    let rows = target.phase.par_chunks_mut(n_bins).zip(target.magnitude.par_chunks(n_bins));
    let rows = rows.zip(mask.values.par_chunks(n_bins)).zip(painted.par_chunks(n_bins)).with_min_len(8);
    rows.for_each(|(((phase, magnitude), mask), painted)| take_phases(painted, magnitude, mask, phase));
}

/// Selects one of two bitwise: a conditional would become a branch, which prevents vectorisation.
#[inline(always)]
fn either(first: bool, a: Complex32, b: Complex32) -> Complex32 {
    let mask = u32::from(first).wrapping_neg();
    let part = |a: f32, b: f32| f32::from_bits((a.to_bits() & mask) | (b.to_bits() & !mask));
    Complex32::new(part(a.re, b.re), part(a.im, b.im))
}

vectorized! {
    /// The difference of painted and existing cells where the mask is above 0; else 0.
    fn subtract(painted: &[Complex32], x: &[Complex32], mask: &[f32], out: &mut [Complex32]) {
        for (out, ((painted, x), m)) in out.iter_mut().zip(painted.iter().zip(x).zip(mask)) {
            let difference = painted - x;
            *out = either(*m > 0.0, difference, Complex32::default());
        }
    }
}

vectorized! {
    /// A step of a row: updates `painted` and `before`, given the sound's own cells `x` and their change `added`. They
    /// are separate arguments so that the compiler knows that they don't alias.
    fn go_ahead(
        painted: &mut [Complex32],
        before: &mut [Complex32],
        x: &[Complex32],
        added: &[Complex32],
        magnitude: &[f32],
        mask: &[f32],
        acceleration: f32,
    ) {
        let n = painted.len();
        let (before, x, added, magnitude, mask) = (&mut before[..n], &x[..n], &added[..n], &magnitude[..n], &mask[..n]);
        for i in 0..n {
            let now = x[i] + added[i];
            let ahead = now + (now - before[i]) * acceleration;
            let norm = magnitude_from_complex(ahead.re, ahead.im);
            let new = ahead * (magnitude[i] / if norm > 0.0 { norm } else { 1.0 });
            let acts = mask[i] > 0.0;
            before[i] = either(acts, now, before[i]);
            painted[i] = either(acts & (norm > 0.0), new, painted[i]);
        }
    }
}

vectorized! {
    /// Copies the phases of painted cells that are not silent to `phase`, where the mask is above 0.
    fn take_phases(painted: &[Complex32], magnitude: &[f32], mask: &[f32], phase: &mut [f32]) {
        for ((phase, cell), (magnitude, m)) in phase.iter_mut().zip(painted).zip(magnitude.iter().zip(mask)) {
            let [_, turns] = polar_from_parts(cell.re, cell.im);
            *phase = if (*m > 0.0) & (*magnitude > 0.0) { turns } else { *phase };
        }
    }
}

fn complex(region: &Region) -> Vec<Complex32> {
    let mut cells = vec![Complex32::default(); region.magnitude.len()];
    let polar = region.magnitude.par_chunks(4096).zip(region.phase.par_chunks(4096));
    cells.par_chunks_mut(4096).zip(polar).for_each(|(cells, (magnitude, phase))| {
        complex_cells(magnitude, phase, cells);
    });
    cells
}

vectorized! {
    fn complex_cells(magnitude: &[f32], phase: &[f32], cells: &mut [Complex32]) {
        for (cell, (magnitude, turns)) in cells.iter_mut().zip(magnitude.iter().zip(phase)) {
            let [cos, sin] = cos_sin_small(*turns);
            *cell = Complex32::new(magnitude * cos, magnitude * sin);
        }
    }
}
