//! Phase made anew from magnitude: gradients of the logarithm integrated from the loudest cells on (PGHI), then steps
//! towards a sound that has these magnitudes (fast Griffin-Lim). Sequential and in f64 where phases are summed, so one
//! function on the CPU that both engines call.
//!
//! Sources: Prusa, Balazs and Sondergaard, IEEE/ACM TASLP 25(5), 2017; Griffin and Lim, IEEE TASSP 32(2), 1984;
//! Perraudin, Balazs and Sondergaard, WASPAA 2013.

use super::displacement::rounded;
use super::noise::scrambled;
use super::polar::{cos_sin_small, magnitude_from_complex, polar_from_parts};
use super::vectors::vectorized;
use super::{Grid, Mask, Region, Stft, StftParams, Window};
use rayon::prelude::*;
use rustfft::num_complex::Complex32;
use std::collections::BinaryHeap;
use std::f64::consts::TAU;

/// Cells so much quieter than the loudest have no phase worth the name: theirs is drawn by lot.
const TOLERANCE: f32 = 1e-6;

/// How far a step of Griffin-Lim goes on in the direction of the last one. More than 1 may diverge.
const ACCELERATION: f32 = 0.99;

/// Steps after the integration, where nothing else is asked for.
pub const DEFAULT_STEPS: u32 = 10;

/// Most steps.
pub const MOST_STEPS: u32 = 100;

/// Cells on each side of those to be rebuilt that [`rebuild`] wants to know.
pub const HALO: usize = 2;

/// `gamma / N^2` of the Gaussian that is most like a window: least-squares fits made for this project, near the values
/// of the PGHI paper where it has them.
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

/// Phases by integrating their gradients, loudest cells first.
fn integrate(params: &StftParams, n_grid_bins: usize, known: &Region, target: &mut Region, mask: &Mask) {
    let rect = known.rect.clone();
    let (n_frames, n_bins) = (rect.frames.len(), rect.bins.len());
    let mut magnitude = known.magnitude.clone();
    let mut unknown = Vec::new();
    for frame in target.rect.frames.clone() {
        for bin in target.rect.bins.clone() {
            let (from, to) = (target.index(frame, bin), known.index(frame, bin));
            if mask.values[from] > 0.0 {
                magnitude[to] = target.magnitude[from];
                unknown.push(to as u32);
            }
        }
    }
    let least = magnitude.iter().fold(0.0, |most: f32, &m| most.max(m)) * TOLERANCE;
    let mut cells = cells_of(params, n_grid_bins, known, &magnitude, least);
    for &i in &unknown {
        let (frame, bin) = (rect.frames.start + i as usize / n_bins, rect.bins.start + i as usize % n_bins);
        let cell = &mut cells[i as usize];
        cell.turns = f64::from(target.phase[target.index(frame, bin)]);
        (cell.is_known, cell.waits) = (false, cell.magnitude > least);
    }
    let neighbours = |i: usize| {
        let (frame, bin) = (i / n_bins, i % n_bins);
        [
            (frame > 0).then(|| (i - n_bins, Step::Frames(-0.5))),
            (frame + 1 < n_frames).then(|| (i + n_bins, Step::Frames(0.5))),
            (bin > 0).then(|| (i - 1, Step::Bins(-0.5))),
            (bin + 1 < n_bins).then(|| (i + 1, Step::Bins(0.5))),
        ]
    };
    let mut queue = LoudestFirst::default();
    let touches_unknown = |i: usize| neighbours(i).into_iter().flatten().any(|(j, _)| !cells[j].is_known);
    for (i, cell) in cells.iter().enumerate().filter(|(_, cell)| cell.is_known && cell.magnitude > least) {
        if touches_unknown(i) {
            queue.push(cell.magnitude, i as u32);
        }
    }
    // Where each part starts that no known phase reaches: its loudest cell.
    let mut starts: Option<std::vec::IntoIter<u32>> = None;
    loop {
        while let Some(i) = queue.pop() {
            let i = i as usize;
            let from = cells[i];
            for (j, step) in neighbours(i).into_iter().flatten() {
                let cell = &mut cells[j];
                if !cell.waits {
                    continue;
                }
                let gone = match step {
                    Step::Frames(half) => half * (from.per_frame + cell.per_frame),
                    Step::Bins(half) => half * (from.per_bin + cell.per_bin),
                };
                cell.turns = wrapped(from.turns + gone);
                (cell.is_known, cell.waits) = (true, false);
                queue.push(cell.magnitude, j as u32);
            }
        }
        // What is reached from the borders, most often all, need not be put in order.
        let starts = starts.get_or_insert_with(|| {
            let mut rest: Vec<u32> = unknown.iter().copied().filter(|&i| cells[i as usize].waits).collect();
            rest.sort_unstable_by_key(|&i| std::cmp::Reverse(entry(cells[i as usize].magnitude, i)));
            rest.into_iter()
        });
        match starts.find(|&i| cells[i as usize].waits) {
            Some(i) => {
                let cell = &mut cells[i as usize];
                (cell.is_known, cell.waits) = (true, false);
                queue.push(cell.magnitude, i);
            }
            None => break,
        }
    }
    for i in unknown.into_iter().map(|i| i as usize) {
        let (frame, bin) = (rect.frames.start + i / n_bins, rect.bins.start + i % n_bins);
        let to = target.index(frame, bin);
        if cells[i].is_known {
            target.phase[to] = below_half(cells[i].turns as f32);
        } else if cells[i].magnitude > 0.0 {
            let bits = scrambled((frame as u64) << 32 | bin as u64);
            target.phase[to] = below_half(((bits >> 40) as f64 / (1u64 << 24) as f64 - 0.5) as f32);
        }
    }
}

/// A cell's place in the order: magnitudes are at least 0, so their bits are in order; ties go to the first.
fn entry(magnitude: f32, i: u32) -> u64 {
    u64::from(magnitude.to_bits()) << 32 | u64::from(!i)
}

/// Bits of a magnitude that are left out of its bucket's number: 16 buckets to an octave.
const BUCKET_SHIFT: u32 = 19;

/// Cells, the loudest first. A heap for each sixteenth of an octave: small ones are quick.
struct LoudestFirst {
    buckets: Vec<BinaryHeap<u64>>,
    /// A bit for each bucket that is not empty.
    filled: [u64; 64],
    /// A bit for each word of these that is not 0.
    words: u64,
}

impl Default for LoudestFirst {
    fn default() -> LoudestFirst {
        LoudestFirst { buckets: vec![BinaryHeap::new(); 64 * 64], filled: [0; 64], words: 0 }
    }
}

impl LoudestFirst {
    fn push(&mut self, magnitude: f32, i: u32) {
        let bucket = (magnitude.to_bits() >> BUCKET_SHIFT) as usize % (64 * 64);
        self.buckets[bucket].push(entry(magnitude, i));
        self.filled[bucket / 64] |= 1 << (bucket % 64);
        self.words |= 1 << (bucket / 64);
    }

    fn pop(&mut self) -> Option<u32> {
        let word = self.words.checked_ilog2()? as usize;
        let bit = self.filled[word].checked_ilog2()? as usize;
        let bucket = &mut self.buckets[word * 64 + bit];
        let loudest = bucket.pop()?;
        if bucket.is_empty() {
            self.filled[word] &= !(1 << bit);
            if self.filled[word] == 0 {
                self.words &= !(1 << word);
            }
        }
        Some(!(loudest as u32))
    }
}

#[derive(Clone, Copy)]
enum Step {
    Frames(f64),
    Bins(f64),
}

/// What the integration knows of a cell: side by side, since it jumps from cell to cell.
#[derive(Clone, Copy)]
struct Cell {
    turns: f64,
    /// How far the phase goes from frame to frame, and from bin to bin.
    per_frame: f64,
    per_bin: f64,
    magnitude: f32,
    is_known: bool,
    /// Not known yet, and loud enough to have a phase.
    waits: bool,
}

/// All cells, as if they were known, with the gradients of their phases.
fn cells_of(params: &StftParams, n_grid_bins: usize, known: &Region, magnitude: &[f32], least: f32) -> Vec<Cell> {
    let rect = &known.rect;
    let (n_frames, n_bins) = (rect.frames.len(), rect.bins.len());
    let (n_fft, hop) = (params.n_fft as f64, params.hop as f64);
    let gamma = gaussian_ratio(params.window) * n_fft * n_fft;
    let least = f64::from(least.max(f32::MIN_POSITIVE));
    let log: Vec<f64> = magnitude.par_iter().with_min_len(4096).map(|&m| f64::from(m).max(least).ln()).collect();
    // Between the neighbours that there are.
    let slope = |low: usize, high: usize, apart: usize| (log[high] - log[low]) / apart.max(1) as f64;
    let cell = |i: usize| {
        let (frame, column) = (i / n_bins, i % n_bins);
        let (before, after) = (frame.saturating_sub(1), (frame + 1).min(n_frames - 1));
        let (low, high) = (column.saturating_sub(1), (column + 1).min(n_bins - 1));
        let bin = rect.bins.start + column;
        // The spectrum is its own mirror image at DC and Nyquist.
        let is_end = bin == 0 || bin + 1 == n_grid_bins;
        let row = frame * n_bins;
        let along_bins = if is_end { 0.0 } else { slope(row + low, row + high, high - low) };
        let along_frames = slope(before * n_bins + column, after * n_bins + column, after - before);
        Cell {
            turns: f64::from(known.phase[i]),
            per_frame: wrapped(bin as f64 * hop / n_fft) + hop * n_fft / gamma * along_bins / TAU,
            per_bin: -gamma / (hop * n_fft) * along_frames / TAU,
            magnitude: magnitude[i],
            is_known: true,
            waits: false,
        }
    };
    (0..log.len()).into_par_iter().with_min_len(4096).map(cell).collect()
}

fn wrapped(turns: f64) -> f64 {
    turns - rounded(turns)
}

fn below_half(turns: f32) -> f32 {
    if turns >= 0.5 { -0.5 } else { turns }
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
