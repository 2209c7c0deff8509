//! Phase made anew from magnitude: gradients of the logarithm integrated from the loudest cells on (PGHI), then steps
//! towards a sound that has these magnitudes (fast Griffin-Lim). Sequential and in f64 where phases are summed, so one
//! function on the CPU that both engines call.
//!
//! Sources: Prusa, Balazs and Sondergaard, IEEE/ACM TASLP 25(5), 2017; Griffin and Lim, IEEE TASSP 32(2), 1984;
//! Perraudin, Balazs and Sondergaard, WASPAA 2013.

use super::noise::scrambled;
use super::polar::{cos_sin_turns, turns_from_complex};
use super::{CellRect, Grid, Mask, Region, Stft, StftParams, Window};
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
    integrate(&grid.stft, grid.n_bins(), known, &mut rebuilt, mask);
    if n_steps > 0 {
        approach(stft, grid, known, &mut rebuilt, mask, n_steps);
    }
    rebuilt
}

/// Phases by integrating their gradients, loudest cells first.
fn integrate(params: &StftParams, n_grid_bins: usize, known: &Region, target: &mut Region, mask: &Mask) {
    let rect = known.rect.clone();
    let (n_frames, n_bins) = (rect.frames.len(), rect.bins.len());
    let mut magnitude = known.magnitude.clone();
    let mut turns: Vec<f64> = known.phase.iter().map(|&turns| f64::from(turns)).collect();
    let mut is_known = vec![true; magnitude.len()];
    let mut unknown = Vec::new();
    for frame in target.rect.frames.clone() {
        for bin in target.rect.bins.clone() {
            let (from, to) = (target.index(frame, bin), known.index(frame, bin));
            if mask.values[from] > 0.0 {
                magnitude[to] = target.magnitude[from];
                turns[to] = f64::from(target.phase[from]);
                is_known[to] = false;
                unknown.push(to as u32);
            }
        }
    }
    let least = magnitude.iter().fold(0.0, |most: f32, &m| most.max(m)) * TOLERANCE;
    let gradients = Gradients::new(params, n_grid_bins, &rect, &magnitude, least);
    let neighbours = |i: usize| {
        let (frame, bin) = (i / n_bins, i % n_bins);
        [
            (frame > 0).then(|| (i - n_bins, Step::Frames(-0.5))),
            (frame + 1 < n_frames).then(|| (i + n_bins, Step::Frames(0.5))),
            (bin > 0).then(|| (i - 1, Step::Bins(-0.5))),
            (bin + 1 < n_bins).then(|| (i + 1, Step::Bins(0.5))),
        ]
    };
    // Magnitudes are at least 0, so their bits are in order. Ties go by place.
    let entry = |i: usize, magnitude: &[f32]| (magnitude[i].to_bits(), std::cmp::Reverse(i as u32));
    let touches_unknown = |i: usize| neighbours(i).into_iter().flatten().any(|(j, _)| !is_known[j]);
    let mut heap: BinaryHeap<_> = (0..magnitude.len())
        .filter(|&i| is_known[i] && magnitude[i] > least && touches_unknown(i))
        .map(|i| entry(i, &magnitude))
        .collect();
    // Where each part starts that no known phase reaches.
    let mut starts = unknown.clone();
    starts.sort_unstable_by_key(|&i| std::cmp::Reverse(entry(i as usize, &magnitude)));
    let mut starts = starts.into_iter().map(|i| i as usize).take_while(|&i| magnitude[i] > least);
    loop {
        while let Some((_, std::cmp::Reverse(i))) = heap.pop() {
            let i = i as usize;
            for (j, step) in neighbours(i).into_iter().flatten() {
                if is_known[j] || magnitude[j] <= least {
                    continue;
                }
                let gone = match step {
                    Step::Frames(half) => half * (gradients.per_frame[i] + gradients.per_frame[j]),
                    Step::Bins(half) => half * (gradients.per_bin[i] + gradients.per_bin[j]),
                };
                turns[j] = wrapped(turns[i] + gone);
                is_known[j] = true;
                heap.push(entry(j, &magnitude));
            }
        }
        match starts.find(|&i| !is_known[i]) {
            Some(i) => {
                is_known[i] = true;
                heap.push(entry(i, &magnitude));
            }
            None => break,
        }
    }
    for i in unknown.into_iter().map(|i| i as usize) {
        let (frame, bin) = (rect.frames.start + i / n_bins, rect.bins.start + i % n_bins);
        let to = target.index(frame, bin);
        if is_known[i] {
            target.phase[to] = below_half(turns[i] as f32);
        } else if magnitude[i] > 0.0 {
            let bits = scrambled((frame as u64) << 32 | bin as u64);
            target.phase[to] = below_half(((bits >> 40) as f64 / (1u64 << 24) as f64 - 0.5) as f32);
        }
    }
}

#[derive(Clone, Copy)]
enum Step {
    Frames(f64),
    Bins(f64),
}

/// Turns per frame and per bin at every cell.
struct Gradients {
    per_frame: Vec<f64>,
    per_bin: Vec<f64>,
}

impl Gradients {
    fn new(params: &StftParams, n_grid_bins: usize, rect: &CellRect, magnitude: &[f32], least: f32) -> Gradients {
        let (n_frames, n_bins) = (rect.frames.len(), rect.bins.len());
        let (n_fft, hop) = (params.n_fft as f64, params.hop as f64);
        let gamma = gaussian_ratio(params.window) * n_fft * n_fft;
        let least = f64::from(least.max(f32::MIN_POSITIVE));
        let log: Vec<f64> = magnitude.par_iter().map(|&m| f64::from(m).max(least).ln()).collect();
        // Between the neighbours that there are.
        let slope = |low: usize, high: usize, apart: usize| (log[high] - log[low]) / apart.max(1) as f64;
        let mut per_frame = vec![0.0; log.len()];
        let mut per_bin = vec![0.0; log.len()];
        let rows = per_frame.par_chunks_mut(n_bins.max(1)).zip(per_bin.par_chunks_mut(n_bins.max(1)));
        rows.enumerate().for_each(|(frame, (per_frame, per_bin))| {
            let (before, after) = (frame.saturating_sub(1), (frame + 1).min(n_frames - 1));
            for column in 0..n_bins {
                let (low, high) = (column.saturating_sub(1), (column + 1).min(n_bins - 1));
                let bin = rect.bins.start + column;
                // The spectrum is its own mirror image at DC and Nyquist.
                let is_end = bin == 0 || bin + 1 == n_grid_bins;
                let row = frame * n_bins;
                let along_bins = if is_end { 0.0 } else { slope(row + low, row + high, high - low) };
                let along_frames = slope(before * n_bins + column, after * n_bins + column, after - before);
                per_frame[column] = wrapped(bin as f64 * hop / n_fft) + hop * n_fft / gamma * along_bins / TAU;
                per_bin[column] = -gamma / (hop * n_fft) * along_frames / TAU;
            }
        });
        Gradients { per_frame, per_bin }
    }
}

fn wrapped(turns: f64) -> f64 {
    turns - turns.round()
}

fn below_half(turns: f32) -> f32 {
    if turns >= 0.5 { -0.5 } else { turns }
}

/// Steps of fast Griffin-Lim on the cells under the mask: the rest of the sound, and so all cells outside, stay as they
/// are.
fn approach(stft: &Stft, grid: &Grid, known: &Region, target: &mut Region, mask: &Mask, n_steps: u32) {
    let rect = target.rect.clone();
    let (n_bins, n_grid_bins) = (rect.bins.len(), grid.n_bins());
    let first_sample = rect.frames.start as i64 * grid.stft.hop as i64 - grid.stft.n_fft as i64 / 2;
    let own = known.crop(&rect);
    let x: Vec<Complex32> = complex(&own);
    let mut painted = complex(target);
    let mut before: Vec<Complex32> = Vec::new();
    let mut spectra = vec![Complex32::default(); rect.frames.len() * n_grid_bins];
    let mut samples = vec![0.0; stft.n_samples_under(rect.frames.len())];
    for _ in 0..n_steps {
        // What the sound's cells become when the difference is put into its samples.
        let rows = spectra.par_chunks_mut(n_grid_bins).zip(painted.par_chunks(n_bins).zip(x.par_chunks(n_bins)));
        rows.zip(mask.values.par_chunks(n_bins)).for_each(|((spectrum, (painted, x)), mask)| {
            spectrum.fill(Complex32::default());
            let cells = spectrum[rect.bins.clone()].iter_mut().zip(painted.iter().zip(x)).zip(mask);
            for ((out, (painted, x)), _) in cells.filter(|(_, m)| **m > 0.0) {
                *out = painted - x;
            }
        });
        stft.overlap_add(&spectra, &mut samples);
        stft.divide_by_weight(&mut samples, first_sample, grid.n_frames());
        let end = (grid.n_samples as i64 - first_sample).clamp(0, samples.len() as i64) as usize;
        let start = ((-first_sample).clamp(0, samples.len() as i64) as usize).min(end);
        samples[..start].fill(0.0);
        samples[end..].fill(0.0);
        stft.forward(&samples, &mut spectra);
        let is_first = before.is_empty();
        before.resize(painted.len(), Complex32::default());
        let rows = painted.par_chunks_mut(n_bins).zip(before.par_chunks_mut(n_bins)).zip(x.par_chunks(n_bins));
        let rows = rows.zip(spectra.par_chunks(n_grid_bins)).zip(mask.values.par_chunks(n_bins));
        rows.zip(target.magnitude.par_chunks(n_bins)).for_each(|(row, magnitude)| {
            let ((((painted, before), x), spectrum), mask) = row;
            for i in (0..mask.len()).filter(|&i| mask[i] > 0.0) {
                let bin = rect.bins.start + i;
                let now = x[i] + spectrum[bin];
                let mut ahead = if is_first { now } else { now + (now - before[i]) * ACCELERATION };
                if bin == 0 || bin + 1 == n_grid_bins {
                    ahead.im = 0.0;
                }
                before[i] = now;
                let norm = ahead.norm();
                if norm > 0.0 {
                    painted[i] = ahead * (magnitude[i] / norm);
                }
            }
        });
    }
    for (i, cell) in painted.iter().enumerate() {
        if mask.values[i] > 0.0 && target.magnitude[i] > 0.0 {
            target.phase[i] = turns_from_complex(cell.re, cell.im);
        }
    }
}

fn complex(region: &Region) -> Vec<Complex32> {
    let cell = |(magnitude, turns): (&f32, &f32)| {
        let [cos, sin] = cos_sin_turns(*turns);
        Complex32::new(magnitude * cos, magnitude * sin)
    };
    region.magnitude.par_iter().zip(&region.phase).with_min_len(4096).map(cell).collect()
}
