//! Peak locking: the phase that sound keeps while a warp stretches its time. Sequential from frame to frame and summed
//! in f64, so one function on the CPU that both engines call.
//!
//! Source: Laroche and Dolson, IEEE Transactions on Speech and Audio Processing 7(3), 1999 (identity phase locking).

use super::displacement::{Displacement, landed, rounded};
use super::vectors::vectorized;
use super::{Grid, Region};
use rayon::prelude::*;

/// A peak is louder than so many cells on each side.
const NEIGHBOURS: usize = 2;

/// Frames that one thread takes at a time.
const ROWS_PER_TASK: usize = 16;

/// Turns the cells that a warp `moved` (the field's rectangle) so that every tone keeps its own frequency where time is
/// stretched.
///
/// A cell read `d` frames earlier than it stands carries the phase of then; while `d` grows by `e` from one frame to
/// the next, a tone of `w` turns per frame falls back by `e w`. Each frame is divided into regions around its peaks, and
/// a whole region is turned on by its peak's `e w`, summed along the frames, so that what hangs together stays together.
/// `w` is what the sound itself does at the places read; `before` holds those. At the end of a run of acting cells phases
/// return to whole turns, but for runs that end with the `grid`. DC and Nyquist stay real.
pub fn lock(grid: &Grid, field: &Displacement, before: &Region, moved: &mut Region) {
    let rect = field.rect.clone();
    let n_bins = rect.bins.len();
    if n_bins == 0 || before.n_frames() < 2 || !field.stretches_time() {
        return;
    }
    let steps = steps(grid, field, before, moved);
    let mut turns = vec![0.0f64; field.acts.len()];
    let (mut rows, mut before_row) = (turns.chunks_exact_mut(n_bins), vec![0.0; n_bins]);
    rows.next();
    for (row, steps) in rows.zip(steps.chunks_exact(n_bins).skip(1)) {
        for (turns, (step, owner)) in row.iter_mut().zip(steps) {
            // Nothing is gone on with where the owner says so.
            let turned = before_row.get(*owner as usize).map_or(0.0, |before| before + step);
            *turns = turned - rounded(turned);
        }
        before_row.copy_from_slice(row);
    }
    landed(&field.acts, n_bins, rect.frames.end == grid.n_frames(), &mut turns);
    let rows = moved.phase.par_chunks_mut(n_bins).zip(turns.par_chunks(n_bins)).with_min_len(16);
    rows.for_each(|(phases, turns)| {
        let ends = [0, grid.nyquist_bin()].map(|bin| bin.wrapping_sub(rect.bins.start));
        let kept = ends.map(|i| phases.get(i).copied());
        turn(phases, turns);
        for (i, kept) in ends.into_iter().zip(kept) {
            if let (Some(phase), Some(kept)) = (phases.get_mut(i), kept) {
                *phase = kept;
            }
        }
    });
}

vectorized! {
    fn turn(phases: &mut [f32], turns: &[f64]) {
        for (phase, more) in phases.iter_mut().zip(turns) {
            let sum = f64::from(*phase) + more;
            let sum = (sum - rounded(sum)) as f32;
            let sum = if sum >= 0.5 { -0.5 } else { sum };
            *phase = if *more != 0.0 { sum } else { *phase };
        }
    }
}

/// A cell that nothing turns on.
const NOBODY: u32 = u32::MAX;

/// Per cell, how far its owner's phase falls back from the frame before, in turns, and which bin owns it; nobody where
/// there is no frame before to go on from. Nothing of the first frame.
fn steps(grid: &Grid, field: &Displacement, before: &Region, moved: &Region) -> Vec<(f64, u32)> {
    let n_bins = field.rect.bins.len();
    let mut steps = vec![(0.0, NOBODY); field.acts.len()];
    let of_rows = |(task, steps): (usize, &mut [(f64, u32)])| {
        let first = task * ROWS_PER_TASK;
        let [mut then, mut now] = [(); 2].map(|()| vec![(0.0, 0.0); n_bins]);
        let mut own = vec![0.0; n_bins];
        let mut owners = Owners::new(n_bins);
        speeds(grid, field, before, first.saturating_sub(1), &mut then);
        for (row, steps) in (first..).zip(steps.chunks_exact_mut(n_bins)).filter(|(row, _)| *row > 0) {
            speeds(grid, field, before, row, &mut now);
            for (own, (now, then)) in own.iter_mut().zip(now.iter().zip(&then)) {
                *own = (now.0 + then.0) / 2.0 * (now.1 - then.1);
            }
            let [acts, acted] = [row, row - 1].map(|row| &field.acts[row * n_bins..(row + 1) * n_bins]);
            owners.find(&moved.magnitude[row * n_bins..(row + 1) * n_bins]);
            for (bin, (owner, step)) in owners.owners.iter().zip(steps).enumerate() {
                let goes_on = |bin: usize| (acts[bin] & acted[bin]) != 0;
                // A peak that only now comes under the brush has nothing to go on from.
                let owner = if goes_on(*owner as usize) { *owner } else { bin as u32 };
                *step = if goes_on(bin) { (own[owner as usize], owner) } else { (0.0, NOBODY) };
            }
            std::mem::swap(&mut now, &mut then);
        }
    };
    steps.par_chunks_mut(ROWS_PER_TASK * n_bins).enumerate().for_each(of_rows);
    steps
}

/// Turns per frame of the sound at the place that each acting cell of a row is read from, in its nearest bin, and how many
/// frames later than it that is.
fn speeds(grid: &Grid, field: &Displacement, before: &Region, row: usize, speeds: &mut [(f64, f64)]) {
    let n_bins = field.rect.bins.len();
    let (last_row, last) = (before.n_frames() as i32 - 2, before.n_bins() as i32 - 1);
    let frame = (field.rect.frames.start + row) as i64 - before.rect.frames.start as i64;
    let first_bin = field.rect.bins.start as i64 - before.rect.bins.start as i64;
    let own_per_bin = 1.0 / grid.frames_per_turn() as f64;
    let at = row * n_bins..(row + 1) * n_bins;
    let frames = field.whole_frames[at.clone()].iter().zip(&field.frame_fraction[at.clone()]);
    let bins = field.whole_bins[at.clone()].iter().zip(&field.bin_fraction[at.clone()]);
    let cells = frames.zip(bins).zip(&field.acts[at]).zip(speeds).enumerate();
    for (column, (((frames, bins), acts), speed)) in cells {
        let row = (frame as i32).wrapping_add(*frames.0).clamp(0, last_row);
        let bin = (first_bin as i32).wrapping_add(column as i32).wrapping_add(*bins.0);
        let column = bin.wrapping_add(i32::from(*bins.1 >= 0.5)).clamp(0, last);
        let at = row as usize * before.n_bins() + column as usize;
        let own = (before.rect.bins.start as i32).wrapping_add(column) as f64 * own_per_bin;
        let step = f64::from(before.phase[at + before.n_bins()]) - f64::from(before.phase[at]) - own;
        let turns = if *acts != 0 { own + step - rounded(step) } else { 0.0 };
        *speed = (turns, -(f64::from(*frames.0) + f64::from(*frames.1)));
    }
}

/// For every cell of a frame the peak whose region it is in: regions meet at the least cell between two peaks.
pub(super) struct Owners {
    owners: Vec<u32>,
    peaks: Vec<u32>,
    /// Silence on both sides.
    padded: Vec<f32>,
    is_peak: Vec<bool>,
}

impl Owners {
    /// Of frames of `n` cells.
    pub fn new(n: usize) -> Owners {
        let padded = vec![0.0; n + 2 * NEIGHBOURS];
        Owners { owners: vec![0; n], peaks: Vec::with_capacity(n), padded, is_peak: vec![false; n] }
    }

    /// The owner of each cell of the frame looked at last; each its own where there is no peak.
    pub fn owners(&self) -> &[u32] {
        &self.owners
    }

    /// The peaks of that frame, ascending.
    pub fn peaks(&self) -> &[u32] {
        &self.peaks
    }

    /// Looks at a frame, given its magnitudes or powers.
    pub fn find(&mut self, magnitude: &[f32]) {
        let n = magnitude.len();
        self.padded[NEIGHBOURS..NEIGHBOURS + n].copy_from_slice(magnitude);
        // Louder than all around it, without a branch from cell to cell.
        let (padded, is_peak) = (&self.padded, &mut self.is_peak);
        for ((around, is_peak), m) in padded.windows(2 * NEIGHBOURS + 1).zip(is_peak).zip(magnitude) {
            let is_louder = (around[0] <= *m) & (around[1] <= *m) & (around[3] <= *m) & (around[4] <= *m);
            *is_peak = is_louder & (*m > 0.0);
        }
        self.peaks.clear();
        self.peaks.extend((0..n as u32).filter(|i| self.is_peak[*i as usize]));
        let mut start = 0;
        for (k, &peak) in self.peaks.iter().enumerate() {
            // The first of the least.
            let least = |next: u32| {
                let mut least = (peak + 1, f32::INFINITY);
                for (i, m) in (peak + 1..next).zip(&magnitude[peak as usize + 1..]) {
                    least = if *m < least.1 { (i, *m) } else { least };
                }
                least.0 as usize
            };
            let end = self.peaks.get(k + 1).map_or(n, |next| least(*next));
            self.owners[start..end].fill(peak);
            start = end;
        }
        if self.peaks.is_empty() {
            self.owners.iter_mut().zip(0..).for_each(|(owner, i)| *owner = i);
        }
    }
}
