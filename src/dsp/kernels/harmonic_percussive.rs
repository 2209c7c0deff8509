//! Harmonic / percussive gain: soft masks out of running medians along time and along frequency.
//! Twin: `shaders/harmonic_percussive.wgsl`.
//!
//! Source: Fitzgerald, DAFx-10, with the squared masks of Driedger, Müller and Disch, ISMIR 2014 (librosa's
//! `decompose.hpss` with its defaults).

use crate::dsp::{CellRect, Mask, Region};
use rayon::prelude::*;

/// Bins that one thread takes at a time when it runs along frames.
const BINS_PER_TASK: usize = 16;

/// Runs of cells, the odd numbers nearest to these but not above: `2 floor(cells / 2) + 1`.
pub fn median_window(cells: f64) -> usize {
    2 * (cells / 2.0).floor().max(0.0) as usize + 1
}

/// The factor of a cell whose medians along frames and along bins are `harmonic` and `percussive`: each part has its
/// gain, and both count half where there is neither.
pub fn harmonic_percussive(harmonic: f32, percussive: f32, gains: [f32; 2]) -> f32 {
    let largest = harmonic.max(percussive);
    if largest < 1e-30 {
        return 0.5 * (gains[0] + gains[1]);
    }
    // Relative to the larger, so that no square is too large or too small.
    let (h, p) = (harmonic / largest, percussive / largest);
    let (h, p) = (h * h, p * p);
    (gains[0] * h + gains[1] * p) / (h + p)
}

/// Medians of the magnitudes along frames and along bins, of the cells of `rect`; `windows` are odd numbers of frames
/// and of bins. At the ends of `before` cells are mirrored, the last one repeated (SciPy's `reflect`).
pub fn medians(windows: [usize; 2], before: &Region, rect: &CellRect) -> [Vec<f32>; 2] {
    let (n_bins, n_before) = (rect.bins.len(), before.n_bins());
    let [first_frame, first_bin] =
        [rect.frames.start - before.rect.frames.start, rect.bins.start - before.rect.bins.start];
    let mut percussive = vec![0.0; rect.n_cells()];
    percussive.par_chunks_mut(n_bins.max(1)).enumerate().with_min_len(8).for_each_init(
        || Sorted::new(windows[1]),
        |sorted, (row, out)| {
            let line = &before.magnitude[(first_frame + row) * n_before..][..n_before];
            sorted.run(line, first_bin, out);
        },
    );
    let columns: Vec<Vec<f32>> = (0..n_bins)
        .into_par_iter()
        .step_by(BINS_PER_TASK)
        .map(|column| {
            let width = BINS_PER_TASK.min(n_bins - column);
            let n_frames = before.n_frames();
            // Lines along frames side by side, so that each is read in one go.
            let mut lines = vec![0.0; width * n_frames];
            for (frame, row) in before.magnitude.chunks_exact(n_before).enumerate() {
                for (line, value) in row[first_bin + column..][..width].iter().enumerate() {
                    lines[line * n_frames + frame] = *value;
                }
            }
            let mut sorted = Sorted::new(windows[0]);
            let mut out = vec![0.0; width * rect.frames.len()];
            for (line, out) in lines.chunks_exact(n_frames).zip(out.chunks_exact_mut(rect.frames.len())) {
                sorted.run(line, first_frame, out);
            }
            out
        })
        .collect();
    let mut harmonic = vec![0.0; rect.n_cells()];
    harmonic.par_chunks_mut(n_bins.max(1)).enumerate().with_min_len(8).for_each(|(frame, row)| {
        for (block, part) in columns.iter().zip(row.chunks_mut(BINS_PER_TASK)) {
            part.iter_mut().enumerate().for_each(|(i, value)| *value = block[i * rect.frames.len() + frame]);
        }
    });
    [harmonic, percussive]
}

/// The values of a window in order, which slides along a line.
struct Sorted {
    values: Vec<f32>,
}

impl Sorted {
    fn new(window: usize) -> Sorted {
        Sorted { values: vec![0.0; window] }
    }

    /// The medians around the places from `first` on.
    fn run(&mut self, line: &[f32], first: usize, out: &mut [f32]) {
        let window = self.values.len();
        let half = window / 2;
        let n = line.len();
        // Place `i` of the line's mirror, `half` before its start.
        let at = |i: usize| if (half..n + half).contains(&i) { line[i - half] } else { line[mirrored(i, half, n)] };
        for (value, i) in self.values.iter_mut().zip(first..) {
            *value = at(i);
        }
        self.values.sort_unstable_by(f32::total_cmp);
        for (k, out) in out.iter_mut().enumerate() {
            if k > 0 {
                self.replace(at(first + k - 1), at(first + k - 1 + window));
            }
            *out = self.values[half];
        }
    }

    /// Takes a value out and puts another in.
    #[inline]
    fn replace(&mut self, old: f32, new: f32) {
        let values = &mut self.values;
        let mut i = place_of(values, old);
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
}

/// The first place whose value is not below one that is there.
#[inline]
fn place_of(values: &[f32], value: f32) -> usize {
    let (mut first, mut n) = (0, values.len());
    while n > 1 {
        let half = n / 2;
        first = if values[first + half - 1] < value { first + half } else { first };
        n -= half;
    }
    first
}

/// Mirrored at both ends, the ends repeated; `i` counts from `before` cells before the line.
fn mirrored(i: usize, before: usize, n: usize) -> usize {
    let period = 2 * n as i64;
    let at = (i as i64 - before as i64).rem_euclid(period);
    (if at < n as i64 { at } else { period - 1 - at }) as usize
}

/// `|E| = |O| * lerp(1, factor, M)`.
pub(super) fn run(windows: [usize; 2], gains: [f32; 2], before: &Region, mask: &Mask, after: &mut Region) {
    let [harmonic, percussive] = medians(windows, before, &mask.rect);
    let medians = harmonic.iter().zip(&percussive);
    let cells = after.magnitude.iter_mut().zip(medians).zip(&mask.values);
    for ((magnitude, (harmonic, percussive)), m) in cells.filter(|(_, m)| **m != 0.0) {
        *magnitude *= 1.0 + (harmonic_percussive(*harmonic, *percussive, gains) - 1.0) * m;
    }
}
