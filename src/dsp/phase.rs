//! Phase made anew from magnitude: gradients of the logarithm integrated from the loudest cells on (PGHI), then steps
//! towards a sound that has these magnitudes (fast Griffin-Lim). Sequential and in f64 where phases are summed, so one
//! function on the CPU that both engines call.
//!
//! Sources: Prusa, Balazs and Sondergaard, IEEE/ACM TASLP 25(5), 2017; Griffin and Lim, IEEE TASSP 32(2), 1984;
//! Perraudin, Balazs and Sondergaard, WASPAA 2013.

mod integration;

use super::polar::{cos_sin_small, magnitude_from_complex, polar_from_parts};
use super::vectors::vectorized;
use super::{Grid, Mask, Region, Stft};
use integration::integrate;
use rayon::prelude::*;
use rustfft::num_complex::Complex32;

/// How far a step of Griffin-Lim goes on in the direction of the last one. More than 1 may diverge.
const ACCELERATION: f32 = 0.99;

/// Steps after the integration, where nothing else is asked for.
pub const DEFAULT_STEPS: u32 = 10;

/// Most steps.
pub const MOST_STEPS: u32 = 100;

/// Cells on each side of those to be rebuilt that [`rebuild`] wants to know.
pub const HALO: usize = 2;

/// The cells of `target` with new phases wherever `mask`, of the same rectangle, is above 0; magnitudes stay, and so do
/// all other phases. `known` holds the sound's own cells, those of `target.rect` and [`HALO`] more on each side where
/// the grid has them: known phases next to unknown ones are where the integration starts, and what the steps keep. A
/// part that touches none starts with the phase that its loudest cell has in `target`. `n_steps` steps follow.
pub fn rebuild(stft: &Stft, grid: &Grid, known: &Region, target: &Region, mask: &Mask, n_steps: u32) -> Region {
    let mut rebuilt = target.clone();
    integrate(&stft.params(), grid.n_bins(), known, &mut rebuilt, mask);
    if n_steps > 0 {
        approach(stft, grid, known, &mut rebuilt, mask, n_steps);
    }
    rebuilt
}

/// The same without the integration: the steps start from the phases that `target` has.
pub fn refine(stft: &Stft, grid: &Grid, known: &Region, target: &Region, mask: &Mask, n_steps: u32) -> Region {
    let mut refined = target.clone();
    if n_steps > 0 {
        approach(stft, grid, known, &mut refined, mask, n_steps);
    }
    refined
}

/// Steps of fast Griffin-Lim on the cells under the mask: the rest of the sound, and so all cells outside, stay as they
/// are.
fn approach(stft: &Stft, grid: &Grid, known: &Region, target: &mut Region, mask: &Mask, n_steps: u32) {
    let rect = target.rect.clone();
    let (n_bins, n_grid_bins) = (rect.bins.len(), grid.n_bins());
    let first_sample = grid.first_sample_under(rect.frames.start);
    let own = known.crop(&rect);
    let x: Vec<Complex32> = complex(&own);
    let mut painted = complex(target);
    let mut before: Vec<Complex32> = Vec::new();
    let mut samples = vec![0.0; stft.n_samples_under(rect.frames.len())];
    for _ in 0..n_steps {
        // What the sound's cells become when the difference is put into its samples.
        stft.overlap_add_cells(rect.frames.len(), &mut samples, |frame, spectrum| {
            spectrum.fill(Complex32::default());
            let row = frame * n_bins..(frame + 1) * n_bins;
            subtract(&painted[row.clone()], &x[row.clone()], &mask.values[row], &mut spectrum[rect.bins.clone()]);
        });
        stft.divide_by_weight(&mut samples, first_sample, grid.n_frames());
        let end = (grid.n_samples as i64 - first_sample).clamp(0, samples.len() as i64) as usize;
        let start = ((-first_sample).clamp(0, samples.len() as i64) as usize).min(end);
        samples[..start].fill(0.0);
        samples[end..].fill(0.0);
        let is_first = before.is_empty();
        before.resize(painted.len(), Complex32::default());
        let rows = painted.par_chunks_mut(n_bins).zip(before.par_chunks_mut(n_bins)).zip(x.par_chunks(n_bins));
        let rows = rows.zip(mask.values.par_chunks(n_bins)).zip(target.magnitude.par_chunks(n_bins));
        stft.forward_rows(&samples, rows, |((((painted, before), x), mask), magnitude), spectrum| {
            let acceleration = if is_first { 0.0 } else { ACCELERATION };
            let spectrum = &spectrum[rect.bins.clone()];
            // DC and Nyquist are real: theirs come after the others.
            let ends = [0, n_grid_bins - 1].map(|bin| bin.wrapping_sub(rect.bins.start));
            let ends = ends.map(|i| painted.get(i).zip(before.get(i)).map(|(painted, before)| (i, *painted, *before)));
            go_ahead([painted, before], [x, spectrum], magnitude, mask, acceleration);
            for (i, old, before) in ends.into_iter().flatten().filter(|(i, ..)| mask[*i] > 0.0) {
                let now = x[i] + spectrum[i];
                let ahead = (now + (now - before) * acceleration).re;
                painted[i] = if ahead != 0.0 { Complex32::new(magnitude[i].copysign(ahead), 0.0) } else { old };
            }
        });
    }
    let rows = target.phase.par_chunks_mut(n_bins).zip(target.magnitude.par_chunks(n_bins));
    let rows = rows.zip(mask.values.par_chunks(n_bins)).zip(painted.par_chunks(n_bins)).with_min_len(8);
    rows.for_each(|(((phase, magnitude), mask), painted)| take_phases(painted, magnitude, mask, phase));
}

vectorized! {
    /// What is painted less what is there, where the mask is above 0; else 0.
    fn subtract(painted: &[Complex32], x: &[Complex32], mask: &[f32], out: &mut [Complex32]) {
        for (out, ((painted, x), m)) in out.iter_mut().zip(painted.iter().zip(x).zip(mask)) {
            *out = if *m > 0.0 { painted - x } else { Complex32::default() };
        }
    }
}

vectorized! {
    /// A step of a row: of `[painted, before]`, given the sound's own cells and what is added to them.
    fn go_ahead(
        state: [&mut [Complex32]; 2],
        own_and_added: [&[Complex32]; 2],
        magnitude: &[f32],
        mask: &[f32],
        acceleration: f32,
    ) {
        let [painted, before] = state;
        let cells = painted.iter_mut().zip(before.iter_mut()).zip(own_and_added[0].iter().zip(own_and_added[1]));
        for (((painted, before), (x, added)), (m, magnitude)) in cells.zip(mask.iter().zip(magnitude)) {
            let now = x + added;
            let ahead = now + (now - *before) * acceleration;
            let norm = magnitude_from_complex(ahead.re, ahead.im);
            let new = ahead * (magnitude / if norm > 0.0 { norm } else { 1.0 });
            let acts = *m > 0.0;
            *before = if acts { now } else { *before };
            *painted = if acts & (norm > 0.0) { new } else { *painted };
        }
    }
}

vectorized! {
    /// The phases of painted cells that are not silent, where the mask is above 0.
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
