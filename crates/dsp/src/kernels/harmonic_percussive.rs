//! Harmonic / percussive gain: soft masks from running medians along time and along frequency. Twin:
//! `shaders/harmonic_percussive.wgsl`.
//!
//! Source: Fitzgerald, DAFx-10, with the squared masks of Driedger, Müller and Disch, ISMIR 2014 (librosa's
//! `decompose.hpss` with its defaults).

use super::cells::{CellKernel, CellProgram, ShaderPart, layout_of};
use crate::dsp::numeric::vectors::vectorized;
use crate::dsp::{CellRect, Mask, Region};
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;

/// Number of lines processed side by side.
const LANES: usize = 16;
type Lanes = [f32; LANES];

/// Maximum window length for which lines are processed side by side; longer windows are faster line by line.
const MAX_VECTOR_WINDOW: usize = 129;

/// `|E| = |O| * lerp(1, (g_h H^2 + g_p P^2) / (H^2 + P^2), M)`, `H` and `P` medians along frames and bins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HarmonicPercussiveKernel {
    /// Window lengths in frames and in bins, both odd.
    pub windows: [usize; 2],
    /// Factors of harmonic and of percussive sound.
    pub gains: [f32; 2],
}

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Uniform {
    frame_window: u32,
    bin_window: u32,
    harmonic_gain: f32,
    percussive_gain: f32,
}

impl HarmonicPercussiveKernel {
    pub(super) const PROGRAM: CellProgram = CellProgram {
        name: "harmonic_percussive",
        source: include_str!("../../../../shaders/harmonic_percussive.wgsl"),
        parts: &[ShaderPart::Median],
        layout: Some(
            || layout_of!(Uniform as "HarmonicPercussive" { frame_window, bin_window, harmonic_gain, percussive_gain }),
        ),
    };
}

impl CellKernel for HarmonicPercussiveKernel {
    fn program(&self) -> &'static CellProgram {
        &HarmonicPercussiveKernel::PROGRAM
    }

    fn run(&self, before: &Region, mask: &Mask, after: &mut Region) {
        let [harmonic, percussive] = medians(self.windows, before, &mask.rect);
        let medians = harmonic.par_iter().zip(&percussive);
        let cells = after.magnitude.par_iter_mut().zip(medians).zip(&mask.values);
        cells.with_min_len(4096).for_each(|((magnitude, (harmonic, percussive)), m)| {
            if *m != 0.0 {
                *magnitude *= 1.0 + (harmonic_percussive(*harmonic, *percussive, self.gains) - 1.0) * m;
            }
        });
    }

    fn halo(&self) -> [usize; 2] {
        self.windows.map(|window| window / 2)
    }

    fn uniform(&self) -> Vec<u8> {
        let [frame_window, bin_window] = self.windows.map(|window| window as u32);
        let [harmonic_gain, percussive_gain] = self.gains;
        bytemuck::bytes_of(&Uniform { frame_window, bin_window, harmonic_gain, percussive_gain }).to_vec()
    }

    /// The shader finds each median in 31 passes over its window.
    fn work_per_cell(&self) -> usize {
        31 * (self.windows[0] + self.windows[1])
    }
}

/// The odd window length for a number of cells: `2 floor(cells / 2) + 1`.
pub fn median_window(cells: f64) -> usize {
    ((cells / 2.0).floor().max(0.0) as usize).saturating_mul(2).saturating_add(1)
}

/// The factor of a cell whose medians along frames and along bins are `harmonic` and `percussive`: the mean of both
/// gains, weighted by the squares of the medians; unweighted if both medians are 0.
pub fn harmonic_percussive(harmonic: f32, percussive: f32, gains: [f32; 2]) -> f32 {
    let largest = harmonic.max(percussive);
    if largest < 1e-30 {
        return 0.5 * (gains[0] + gains[1]);
    }
    // Relative to the larger median, so that squares neither overflow nor underflow.
    let ratio = harmonic.min(percussive) / largest;
    let square = ratio * ratio;
    let [larger, smaller] = if harmonic >= percussive { gains } else { [gains[1], gains[0]] };
    (larger + smaller * square) / (1.0 + square)
}

/// Medians of the magnitudes along frames and along bins, of the cells of `rect`; `windows` are odd numbers of frames
/// and of bins. At the ends of `before` cells are mirrored, the last one repeated (SciPy's `reflect`).
pub fn medians(windows: [usize; 2], before: &Region, rect: &CellRect) -> [Vec<f32>; 2] {
    let (n_frames, n_bins) = (rect.frames.len(), rect.bins.len());
    let (all_frames, all_bins) = (before.n_frames(), before.n_bins());
    let [first_frame, first_bin] =
        [rect.frames.start - before.rect.frames.start, rect.bins.start - before.rect.bins.start];
    let mut percussive = vec![0.0; rect.n_cells()];
    percussive.par_chunks_mut((LANES * n_bins).max(1)).enumerate().for_each(|(block, out)| {
        let frames = first_frame + block * LANES..first_frame + block * LANES + out.len() / n_bins;
        let half = windows[1] / 2;
        // One frame per lane.
        let mut lines = vec![[0.0; LANES]; n_bins + 2 * half];
        for (lane, frame) in frames.enumerate() {
            let row = &before.magnitude[frame * all_bins..][..all_bins];
            for (i, line) in lines.iter_mut().enumerate() {
                line[lane] = row[mirrored(first_bin + i, half, all_bins)];
            }
        }
        let mut found = vec![[0.0; LANES]; n_bins];
        slide(&lines, windows[1], &mut found);
        for (lane, row) in out.chunks_exact_mut(n_bins).enumerate() {
            row.iter_mut().zip(&found).for_each(|(out, found)| *out = found[lane]);
        }
    });
    let columns: Vec<Vec<Lanes>> = (0..n_bins)
        .into_par_iter()
        .step_by(LANES)
        .map(|column| {
            let (width, half) = (LANES.min(n_bins - column), windows[0] / 2);
            let line = |i: usize| {
                let start = mirrored(first_frame + i, half, all_frames) * all_bins + first_bin + column;
                let mut line = [0.0; LANES];
                line[..width].copy_from_slice(&before.magnitude[start..start + width]);
                line
            };
            let lines: Vec<Lanes> = (0..n_frames + 2 * half).map(line).collect();
            let mut found = vec![[0.0; LANES]; n_frames];
            slide(&lines, windows[0], &mut found);
            found
        })
        .collect();
    let mut harmonic = vec![0.0; rect.n_cells()];
    harmonic.par_chunks_mut(n_bins.max(1)).enumerate().with_min_len(8).for_each(|(frame, row)| {
        for (found, part) in columns.iter().zip(row.chunks_mut(LANES)) {
            part.copy_from_slice(&found[frame][..part.len()]);
        }
    });
    [harmonic, percussive]
}

/// Running medians along `LANES` lines in parallel; `lines` has `window - 1` more elements than `out`.
fn slide(lines: &[Lanes], window: usize, out: &mut [Lanes]) {
    if window <= MAX_VECTOR_WINDOW {
        return slide_in_lanes(lines, window, out);
    }
    for lane in 0..LANES {
        let mut sorted: Vec<f32> = lines[..window].iter().map(|line| line[lane]).collect();
        sorted.sort_unstable_by(f32::total_cmp);
        for (k, out) in out.iter_mut().enumerate() {
            if k > 0 {
                replace(&mut sorted, lines[k - 1][lane], lines[k - 1 + window][lane]);
            }
            out[lane] = sorted[window / 2];
        }
    }
}

vectorized! {
    /// Each lane keeps its window sorted. When one value leaves and another enters, the values in between shift by one
    /// index. The new value at an index depends only on the old value there and its neighbours, so all lanes are
    /// updated at once.
    fn slide_in_lanes(lines: &[Lanes], window: usize, out: &mut [Lanes]) {
        // With sentinels at both ends.
        let mut sorted = vec![[f32::NEG_INFINITY; LANES]; window + 2];
        sorted[window + 1] = [f32::INFINITY; LANES];
        for lane in 0..LANES {
            let mut values: Vec<f32> = lines[..window].iter().map(|line| line[lane]).collect();
            values.sort_unstable_by(f32::total_cmp);
            sorted[1..].iter_mut().zip(values).for_each(|(row, value)| row[lane] = value);
        }
        for (k, out) in out.iter_mut().enumerate() {
            if k > 0 {
                exchange(&mut sorted, &lines[k - 1], &lines[k - 1 + window]);
            }
            *out = sorted[window / 2 + 1];
        }
    }
}

#[inline(always)]
fn exchange(sorted: &mut [Lanes], old: &Lanes, new: &Lanes) {
    let mut before = sorted[0];
    for i in 1..sorted.len() - 1 {
        let (here, next) = (sorted[i], sorted[i + 1]);
        let row = &mut sorted[i];
        for lane in 0..LANES {
            let (x, low, high, old, new) = (here[lane], before[lane], next[lane], old[lane], new[lane]);
            let from_above = if high < new { high } else { new };
            let up = if x < old || from_above < x { x } else { from_above };
            let from_below = if low > new { low } else { new };
            let down = if x > old || from_below > x { x } else { from_below };
            row[lane] = if new >= old { up } else { down };
        }
        before = here;
    }
}

/// Replaces one value in the sorted window by another.
fn replace(values: &mut [f32], old: f32, new: f32) {
    let mut i = values.partition_point(|&value| value < old);
    if new >= old {
        while i + 1 < values.len() && values[i + 1] < new {
            values[i] = values[i + 1];
            i += 1;
        }
    } else {
        while i > 0 && values[i - 1] > new {
            values[i] = values[i - 1];
            i -= 1;
        }
    }
    values[i] = new;
}

/// The index mirrored at both ends, with the ends repeated; `i` counts from `before` cells before the line.
fn mirrored(i: usize, before: usize, n: usize) -> usize {
    let period = 2 * n as i64;
    let at = (i as i64 - before as i64).rem_euclid(period);
    (if at < n as i64 { at } else { period - 1 - at }) as usize
}
