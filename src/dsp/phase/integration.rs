//! Phases by integrating their gradients from cell to cell, the loudest first.

use crate::dsp::displacement::rounded;
use crate::dsp::noise::scrambled;
use crate::dsp::{Mask, Region, StftParams, Window};
use rayon::prelude::*;
use std::f64::consts::TAU;

/// Cells so much quieter than the loudest have no phase worth the name: theirs is drawn by lot.
const TOLERANCE: f32 = 1e-6;

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

/// New phases of the cells of `target` under the mask; see [`rebuild`](super::rebuild).
pub(super) fn integrate(params: &StftParams, n_grid_bins: usize, known: &Region, target: &mut Region, mask: &Mask) {
    if target.rect.is_empty() {
        return;
    }
    let mut cells = Cells::new(params, n_grid_bins, known, target, mask);
    cells.integrate();
    for (row, frame) in target.rect.frames.clone().enumerate() {
        for (column, bin) in target.rect.bins.clone().enumerate() {
            let to = row * mask.rect.bins.len() + column;
            if mask.values[to] <= 0.0 {
                continue;
            }
            let from = cells.place(frame - known.rect.frames.start, bin - known.rect.bins.start);
            if cells.states[from] == State::Known {
                target.phase[to] = below_half(cells.phases[from].turns as f32);
            } else if target.magnitude[to] > 0.0 {
                let bits = scrambled((frame as u64) << 32 | bin as u64);
                target.phase[to] = below_half(((bits >> 40) as f64 / (1u64 << 24) as f64 - 0.5) as f32);
            }
        }
    }
}

/// What the integration knows of a cell besides its phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Known,
    /// Not known yet, and loud enough to have a phase.
    Waiting,
    /// Too quiet to have one, or beyond the last cell.
    Quiet,
}

/// The phase of a cell in turns, and how far it goes from frame to frame and from bin to bin.
#[derive(Debug, Clone, Copy, Default)]
struct Phase {
    turns: f64,
    per_frame: f64,
    per_bin: f64,
    /// Of all cells from which the integration goes on, how many are louder.
    rank: u32,
}

/// The cells of a region, with a quiet one around it on each side, so that each has four neighbours.
struct Cells {
    /// From one frame to the next.
    stride: usize,
    states: Vec<State>,
    phases: Vec<Phase>,
    /// The cells from which the integration goes on, the loudest first; of equals the first.
    ranked: Vec<u32>,
}

impl Cells {
    fn new(params: &StftParams, n_grid_bins: usize, known: &Region, target: &Region, mask: &Mask) -> Cells {
        let (n_frames, n_bins) = (known.n_frames(), known.n_bins());
        let stride = n_bins + 2;
        let n = (n_frames + 2) * stride;
        let mut cells =
            Cells { stride, states: vec![State::Quiet; n], phases: vec![Phase::default(); n], ranked: Vec::new() };
        let mut magnitude = known.magnitude.clone();
        let first = known.index(target.rect.frames.start, target.rect.bins.start);
        let n_target = target.n_bins().max(1);
        let rows = mask.values.chunks_exact(n_target).zip(target.magnitude.chunks_exact(n_target));
        for (row, (mask, new)) in rows.enumerate() {
            for ((own, new), m) in magnitude[first + row * n_bins..].iter_mut().zip(new).zip(mask) {
                *own = if *m > 0.0 { *new } else { *own };
            }
        }
        let loudest = magnitude.par_iter().with_min_len(1 << 16).copied().reduce(|| 0.0, f32::max);
        let least = loudest * TOLERANCE;
        cells.states[stride..n - stride].par_chunks_mut(stride).zip(magnitude.par_chunks(n_bins)).for_each(
            |(row, m)| {
                let known = |m: &f32| if *m > least { State::Known } else { State::Quiet };
                row[1..=n_bins].iter_mut().zip(m).for_each(|(state, m)| *state = known(m));
            },
        );
        for (row, mask) in mask.values.chunks_exact(n_target).enumerate() {
            let frame = target.rect.frames.start + row - known.rect.frames.start;
            let start = cells.place(frame, target.rect.bins.start - known.rect.bins.start);
            for (state, m) in cells.states[start..].iter_mut().zip(mask) {
                *state = if (*m > 0.0) & (*state == State::Known) { State::Waiting } else { *state };
            }
        }
        cells.find_phases(params, n_grid_bins, known, &magnitude, least);
        // A part that touches nothing known starts with the phase that its loudest cell has.
        for (row, turns) in target.phase.chunks_exact(n_target).enumerate() {
            let frame = target.rect.frames.start + row - known.rect.frames.start;
            let start = cells.place(frame, target.rect.bins.start - known.rect.bins.start);
            for ((phase, state), turns) in cells.phases[start..].iter_mut().zip(&cells.states[start..]).zip(turns) {
                phase.turns = if *state == State::Waiting { f64::from(*turns) } else { phase.turns };
            }
        }
        cells.rank(&magnitude, n_bins);
        cells
    }

    /// The place of a frame and a bin, both counted from the first.
    fn place(&self, frame: usize, bin: usize) -> usize {
        (frame + 1) * self.stride + bin + 1
    }

    /// The neighbours before and after, below and above.
    fn neighbours(&self, i: usize) -> [usize; 4] {
        [i - self.stride, i + self.stride, i - 1, i + 1]
    }

    /// All phases as they are known, with their gradients.
    fn find_phases(&mut self, params: &StftParams, n_grid_bins: usize, known: &Region, magnitude: &[f32], least: f32) {
        let (n_frames, n_bins, first_bin) = (known.n_frames(), known.n_bins(), known.rect.bins.start);
        let (n_fft, hop) = (params.n_fft as f64, params.hop as f64);
        let gamma = gaussian_ratio(params.window) * n_fft * n_fft;
        let least = f64::from(least.max(f32::MIN_POSITIVE));
        let log: Vec<f64> = magnitude.par_iter().with_min_len(4096).map(|&m| f64::from(m).max(least).ln()).collect();
        let rows = self.phases.par_chunks_mut(self.stride).skip(1).take(n_frames).enumerate();
        rows.with_min_len(8).for_each(|(frame, row)| {
            let line = |frame: usize| &log[frame * n_bins..(frame + 1) * n_bins];
            let (before, after) = (frame.saturating_sub(1), (frame + 1).min(n_frames - 1));
            let (log_before, log_here, log_after) = (line(before), line(frame), line(after));
            for (column, (phase, turns)) in
                row[1..].iter_mut().zip(&known.phase[frame * n_bins..][..n_bins]).enumerate()
            {
                // Between the neighbours that there are.
                let (low, high) = (column.saturating_sub(1), (column + 1).min(n_bins - 1));
                let bin = first_bin + column;
                // The spectrum is its own mirror image at DC and Nyquist.
                let is_end = bin == 0 || bin + 1 == n_grid_bins;
                let slope = |low: f64, high: f64, apart: usize| (high - low) / apart.max(1) as f64;
                let along_bins = if is_end { 0.0 } else { slope(log_here[low], log_here[high], high - low) };
                let along_frames = slope(log_before[column], log_after[column], after - before);
                *phase = Phase {
                    turns: f64::from(*turns),
                    per_frame: wrapped(bin as f64 * hop / n_fft) + hop * n_fft / gamma * along_bins / TAU,
                    per_bin: -gamma / (hop * n_fft) * along_frames / TAU,
                    rank: 0,
                };
            }
        });
    }

    /// Ranks waiting cells, and known ones beside them.
    fn rank(&mut self, magnitude: &[f32], n_bins: usize) {
        let mut entering = Vec::new();
        for (row, magnitude) in magnitude.chunks_exact(n_bins.max(1)).enumerate() {
            let start = self.place(row, 0);
            for (i, magnitude) in (start..).zip(magnitude) {
                let waits = |i: usize| self.states[i] == State::Waiting;
                let is_border = || self.states[i] == State::Known && self.neighbours(i).into_iter().any(waits);
                if waits(i) || is_border() {
                    // Magnitudes are above 0, so their bits are in order.
                    entering.push((!magnitude.to_bits(), i as u32));
                }
            }
        }
        sort_by_key(&mut entering);
        for (rank, (_, i)) in entering.iter().enumerate() {
            self.phases[*i as usize].rank = rank as u32;
        }
        self.ranked = entering.into_iter().map(|(_, i)| i).collect();
    }

    /// Goes on from known cells to waiting ones, always from the loudest.
    fn integrate(&mut self) {
        let mut queue = Ranks::new(self.ranked.len());
        for (rank, i) in self.ranked.iter().enumerate() {
            if self.states[*i as usize] == State::Known {
                queue.insert(rank);
            }
        }
        // Where each part starts that no known phase reaches: its loudest cell.
        let mut next_start = 0;
        loop {
            while let Some(rank) = queue.take_first() {
                self.go_on(self.ranked[rank] as usize, &mut queue);
            }
            let waits = |i: &u32| self.states[*i as usize] == State::Waiting;
            let Some(ahead) = self.ranked[next_start..].iter().position(waits) else { return };
            next_start += ahead;
            self.states[self.ranked[next_start] as usize] = State::Known;
            queue.insert(next_start);
        }
    }

    /// Gives waiting neighbours of a cell their phase.
    fn go_on(&mut self, i: usize, queue: &mut Ranks) {
        let from = self.phases[i];
        for (direction, j) in self.neighbours(i).into_iter().enumerate() {
            if self.states[j] != State::Waiting {
                continue;
            }
            let to = &mut self.phases[j];
            let gone = match direction {
                0 => -0.5 * (from.per_frame + to.per_frame),
                1 => 0.5 * (from.per_frame + to.per_frame),
                2 => -0.5 * (from.per_bin + to.per_bin),
                _ => 0.5 * (from.per_bin + to.per_bin),
            };
            to.turns = wrapped(from.turns + gone);
            self.states[j] = State::Known;
            queue.insert(to.rank as usize);
        }
    }
}

/// A set of ranks: a bit for each, and above each 64 bits one that says whether any is set.
struct Ranks(Vec<Vec<u64>>);

impl Ranks {
    /// Of ranks below `n`, none of them.
    fn new(n: usize) -> Ranks {
        let mut levels = vec![vec![0; n.div_ceil(64).max(1)]];
        while let Some(last) = levels.last().filter(|last| last.len() > 1) {
            let n_words = last.len().div_ceil(64);
            levels.push(vec![0; n_words]);
        }
        Ranks(levels)
    }

    fn insert(&mut self, rank: usize) {
        let mut at = rank;
        for level in &mut self.0 {
            level[at / 64] |= 1 << (at % 64);
            at /= 64;
        }
    }

    fn take_first(&mut self) -> Option<usize> {
        let mut at = 0;
        for level in self.0.iter().rev() {
            let bits = level[at];
            if bits == 0 {
                return None;
            }
            at = at * 64 + bits.trailing_zeros() as usize;
        }
        let mut empty = at;
        for level in &mut self.0 {
            level[empty / 64] &= !(1 << (empty % 64));
            if level[empty / 64] != 0 {
                break;
            }
            empty /= 64;
        }
        Some(at)
    }
}

/// Sorts by the first number, equals as they were: by 11 bits at a time, the lowest first.
fn sort_by_key(values: &mut Vec<(u32, u32)>) {
    const BITS: u32 = 11;
    let digit = |key: u32, pass: u32| (key >> (BITS * pass)) as usize % (1 << BITS);
    let mut counts = vec![[0u32; 3]; 1 << BITS];
    for (key, _) in values.iter() {
        (0..3).for_each(|pass| counts[digit(*key, pass)][pass as usize] += 1);
    }
    let mut sorted = vec![(0, 0); values.len()];
    for pass in 0..3 {
        let mut next = vec![0u32; 1 << BITS];
        for i in 1..next.len() {
            next[i] = next[i - 1] + counts[i - 1][pass as usize];
        }
        for value in values.iter() {
            let place = &mut next[digit(value.0, pass)];
            sorted[*place as usize] = *value;
            *place += 1;
        }
        std::mem::swap(values, &mut sorted);
    }
}

fn wrapped(turns: f64) -> f64 {
    turns - rounded(turns)
}

fn below_half(turns: f32) -> f32 {
    if turns >= 0.5 { -0.5 } else { turns }
}
