//! Peak locking: preserves phases while a warp stretches time. Sequential from frame to frame and summed in f64, so one
//! CPU function serves both engines.
//!
//! Source: Laroche and Dolson, IEEE Transactions on Speech and Audio Processing 7(3), 1999 (identity phase locking).

use super::displacement::{Displacement, landed, rounded};
use crate::numeric::vectors::vectorized;
use crate::{Grid, Region};
use rayon::prelude::*;

/// Number of cells on each side that can decide whether a cell is a peak.
const NEIGHBOURS: usize = 2;

/// Which cells of a frame are peaks, around which phases turn together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockedPeaks {
    /// Those no quieter than two cells on each side.
    Wide,
    /// Those no quieter than the next cell on each side, so that closer partials each keep their frequency.
    Narrow,
}

/// Number of frames per task.
const ROWS_PER_TASK: usize = 16;

/// Rotates the cells `moved` by a warp (the field's rectangle) so that every tone keeps its own frequency where time is
/// stretched.
///
/// A cell read `d` frames before its position has the phase of that time; if `d` grows by `e` from one frame to the
/// next, a tone of `w` turns per frame falls back by `e w`. Each frame is divided into regions around its peaks, and a
/// whole region is advanced by its peak's `e w`, summed along the frames, so that related cells keep their phase
/// relations. `w` is measured in the sound at the positions read, which `before` contains. At the end of a run of
/// acting cells phases return to whole turns, except for runs that reach the end of the `grid`. DC and Nyquist stay
/// real.
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
            // Where the owner is `NO_OWNER`, no phase is continued.
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

/// The owner of a cell whose phase continues no earlier frame.
const NO_OWNER: u32 = u32::MAX;

/// For each cell, the turns by which its owner falls back from the previous frame, and the owner's bin; [`NO_OWNER`] in
/// the first frame, and for cells on which the warp does not act in both this frame and the previous one.
fn steps(grid: &Grid, field: &Displacement, before: &Region, moved: &Region) -> Vec<(f64, u32)> {
    let n_bins = field.rect.bins.len();
    let mut steps = vec![(0.0, NO_OWNER); field.acts.len()];
    let of_rows = |(task, steps): (usize, &mut [(f64, u32)])| {
        let first = task * ROWS_PER_TASK;
        let [mut then, mut now] = [(); 2].map(|()| Speeds::new(n_bins));
        let mut own = vec![0.0; n_bins];
        let mut owners = Owners::new(n_bins, LockedPeaks::Wide);
        then.find(grid, field, before, first.saturating_sub(1));
        for (row, steps) in (first..).zip(steps.chunks_exact_mut(n_bins)).filter(|(row, _)| *row > 0) {
            now.find(grid, field, before, row);
            let rows = then.turns.iter().zip(&now.turns).zip(then.late.iter().zip(&now.late));
            for (own, ((turns_then, turns), (late_then, late))) in own.iter_mut().zip(rows) {
                *own = (turns + turns_then) / 2.0 * (late - late_then);
            }
            let [acts, acted] = [row, row - 1].map(|row| &field.acts[row * n_bins..(row + 1) * n_bins]);
            owners.find(&moved.magnitude[row * n_bins..(row + 1) * n_bins]);
            let cells = owners.owners.iter().zip(steps).zip(acts.iter().zip(acted)).enumerate();
            for (bin, ((owner, step), (acts_here, acted_here))) in cells {
                let at = *owner as usize;
                // A peak that was not under the brush in the previous frame has no phase to continue.
                let owner = if acts[at] & acted[at] != 0 { *owner } else { bin as u32 };
                let goes_on = acts_here & acted_here != 0;
                *step = if goes_on { (own[owner as usize], owner) } else { (0.0, NO_OWNER) };
            }
            std::mem::swap(&mut now, &mut then);
        }
    };
    steps.par_chunks_mut(ROWS_PER_TASK * n_bins).enumerate().for_each(of_rows);
    steps
}

/// Phase advances of the cells of a row.
struct Speeds {
    /// Phase advance of the sound in turns per frame, measured at the nearest cell read; 0 if the cell does not act.
    turns: Vec<f64>,
    /// Number of frames from the position read to the cell.
    late: Vec<f64>,
    /// Turns per frame of a tone at the centre of that cell's bin.
    own: Vec<f64>,
    /// Index of the nearest cell read, in the plane of the sound.
    places: Vec<u32>,
    /// Phase of the nearest cell read, and of the same bin in the next frame.
    phases: [Vec<f32>; 2],
}

impl Speeds {
    fn new(n_bins: usize) -> Speeds {
        let [turns, late, own] = [(); 3].map(|()| vec![0.0; n_bins]);
        Speeds { turns, late, own, places: vec![0; n_bins], phases: [(); 2].map(|()| vec![0.0; n_bins]) }
    }

    fn find(&mut self, grid: &Grid, field: &Displacement, before: &Region, row: usize) {
        let n_bins = field.rect.bins.len();
        let (rect, at) = (&field.rect, row * n_bins..(row + 1) * n_bins);
        let from = |of_field: usize, of_before: usize| (of_field as i64 - of_before as i64) as i32;
        let plane = Plane {
            first: [
                from(rect.frames.start + row, before.rect.frames.start),
                from(rect.bins.start, before.rect.bins.start),
            ],
            last: [before.n_frames() as i32 - 2, before.n_bins() as i32 - 1],
            first_bin: before.rect.bins.start as i32,
            turns_per_bin: 1.0 / grid.frames_per_turn() as f64,
        };
        let (whole_frames, whole_bins) = (&field.whole_frames[at.clone()], &field.whole_bins[at.clone()]);
        find_places(&plane, whole_frames, whole_bins, &field.bin_fraction[at.clone()], &mut self.places, &mut self.own);
        let [here, next] = &mut self.phases;
        // A gather: the only part that is not vectorised.
        let beyond = &before.phase[before.n_bins()..];
        for ((here, next), place) in here.iter_mut().zip(&mut *next).zip(&self.places) {
            (*here, *next) = (before.phase[*place as usize], beyond[*place as usize]);
        }
        find_turns(&self.own, here, next, &field.acts[at.clone()], &mut self.turns);
        for ((late, whole), part) in self.late.iter_mut().zip(whole_frames).zip(&field.frame_fraction[at]) {
            *late = -(f64::from(*whole) + f64::from(*part));
        }
    }
}
/// Mapping of a field's row to the plane that it reads: first and last row and column, the first column's bin, and the
/// extra rotation per frame of a tone on a bin's centre over one on the bin below.
struct Plane {
    first: [i32; 2],
    last: [i32; 2],
    first_bin: i32,
    turns_per_bin: f64,
}

vectorized! {
    /// The nearest positions from which cells are read, and the turns per frame of a tone at their bins' centres.
    fn find_places(
        plane: &Plane,
        frames: &[i32],
        bins: &[i32],
        bin_fractions: &[f32],
        places: &mut [u32],
        own: &mut [f64],
    ) {
        let stride = plane.last[1].wrapping_add(1) as u32;
        let cells = frames.iter().zip(bins).zip(bin_fractions).zip(places.iter_mut().zip(own)).enumerate();
        for (i, (((frames, bins), fraction), (place, own))) in cells {
            let row = plane.first[0].wrapping_add(*frames).clamp(0, plane.last[0]);
            let bin = plane.first[1].wrapping_add(i as i32).wrapping_add(*bins);
            let column = bin.wrapping_add(i32::from(*fraction >= 0.5)).clamp(0, plane.last[1]);
            *place = (row as u32).wrapping_mul(stride).wrapping_add(column as u32);
            *own = f64::from(plane.first_bin.wrapping_add(column)) * plane.turns_per_bin;
        }
    }
}

vectorized! {
    /// The turns per frame of the sound read by each cell: its phase advance to the next frame, unwrapped around `own`,
    /// that of the bin's centre; 0 for cells that do not act.
    fn find_turns(own: &[f64], here: &[f32], next: &[f32], acts: &[u32], turns: &mut [f64]) {
        for ((turns, own), ((here, next), acts)) in turns.iter_mut().zip(own).zip(here.iter().zip(next).zip(acts)) {
            let step = f64::from(*next) - f64::from(*here) - own;
            let all = own + step - rounded(step);
            *turns = if *acts != 0 { all } else { 0.0 };
        }
    }
}

vectorized! {
    /// Marks the values that are wide peaks, except the first and last two.
    fn mark_wide_peaks(values: &[f32], is_peak: &mut [bool]) {
        for (around, is_peak) in values.windows(2 * NEIGHBOURS + 1).zip(is_peak) {
            let m = around[NEIGHBOURS];
            let is_louder = (around[0] <= m) & (around[1] <= m) & (around[3] <= m) & (around[4] <= m);
            *is_peak = is_louder & (m > 0.0);
        }
    }
}

vectorized! {
    /// Marks the values that are narrow peaks, except the first and last two.
    fn mark_narrow_peaks(values: &[f32], is_peak: &mut [bool]) {
        for (around, is_peak) in values.windows(2 * NEIGHBOURS + 1).zip(is_peak) {
            let m = around[NEIGHBOURS];
            *is_peak = (around[1] <= m) & (around[3] <= m) & (m > 0.0);
        }
    }
}

/// For every cell of a frame, the peak whose region contains it: regions meet at the quietest cell between two peaks.
pub(crate) struct Owners {
    which: LockedPeaks,
    owners: Vec<u32>,
    peaks: Vec<u32>,
    /// The levels, padded with silence on both sides.
    padded: Vec<f32>,
    is_peak: Vec<bool>,
}

impl Owners {
    /// Owners for frames of `n` cells.
    pub fn new(n: usize, which: LockedPeaks) -> Owners {
        let padded = vec![0.0; n + 2 * NEIGHBOURS];
        Owners { which, owners: vec![0; n], peaks: Vec::with_capacity(n), padded, is_peak: vec![false; n] }
    }

    /// The owner of each cell of the last frame; each cell owns itself if there are no peaks.
    pub fn owners(&self) -> &[u32] {
        &self.owners
    }

    /// The peaks of the last frame, ascending.
    pub fn peaks(&self) -> &[u32] {
        &self.peaks
    }

    /// Finds the peaks of a frame, given its magnitudes or powers.
    pub fn find(&mut self, magnitude: &[f32]) {
        let n = magnitude.len();
        self.padded[NEIGHBOURS..NEIGHBOURS + n].copy_from_slice(magnitude);
        // Marks cells at least as loud as their neighbours, without branches.
        let (padded, is_peak) = (&self.padded, &mut self.is_peak);
        match self.which {
            LockedPeaks::Wide => mark_wide_peaks(padded, is_peak),
            LockedPeaks::Narrow => mark_narrow_peaks(padded, is_peak),
        }
        // Writes every index, but advances only at peaks, to avoid branches; so there is one more entry than cells.
        self.peaks.resize(n + 1, 0);
        let mut n_peaks = 0;
        for (i, is_peak) in (0..).zip(&self.is_peak[..n]) {
            self.peaks[n_peaks] = i;
            n_peaks += usize::from(*is_peak);
        }
        self.peaks.truncate(n_peaks);
        let mut start = 0;
        for (k, &peak) in self.peaks.iter().enumerate() {
            // The first of equally quiet cells.
            let min = |next: u32| {
                let mut min = (peak + 1, f32::INFINITY);
                for (i, m) in (peak + 1..next).zip(&magnitude[peak as usize + 1..]) {
                    min = if *m < min.1 { (i, *m) } else { min };
                }
                min.0 as usize
            };
            let end = self.peaks.get(k + 1).map_or(n, |next| min(*next));
            self.owners[start..end].fill(peak);
            start = end;
        }
        if self.peaks.is_empty() {
            self.owners.iter_mut().zip(0..).for_each(|(owner, i)| *owner = i);
        }
    }
}
