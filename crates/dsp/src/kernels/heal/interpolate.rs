//! Heal brush, mode interpolate: continues each bin through the hole as an autoregressive process. In f64 and
//! sequential along each bin, so both engines call this one kernel.
//!
//! Source: complex Burg recursion (Burg, "Maximum entropy spectral analysis", 1975), per bin of the STFT and from both
//! sides of the hole, backwards on the conjugated and reversed cells; a `cos^2` crossfade joins both predictions.

use crate::dsp::cells::planes;
use crate::dsp::cells::polar::{complex_from_polar, polar_from_complex};
use crate::dsp::numeric::vectors::vectorized;
use crate::dsp::{Mask, Region};
use rayon::prelude::*;
use rustfft::num_complex::Complex64;
use std::f64::consts::FRAC_PI_2;

/// Minimum number of known cells per coefficient of the process.
const CELLS_PER_COEFFICIENT: usize = 3;

/// Number of runs processed side by side. Every lane performs the same operations, so a run's result does not depend on
/// the other runs of its batch.
const LANES: usize = 8;

/// A complex number of each run: real and imaginary parts.
type Lanes = [[f64; LANES]; 2];

const ZERO: Lanes = [[0.0; LANES]; 2];

/// Predicts `out.len()` values that continue `known`, with Burg's coefficients of at most `order`. Returns false if too
/// few values are known.
pub fn burg_continue(known: &[Complex64], order: usize, out: &mut [Complex64]) -> bool {
    let alone = |z: &Complex64| [[z.re; LANES], [z.im; LANES]];
    let mut onward = vec![ZERO; out.len()];
    let goes = continued(&known.iter().map(alone).collect::<Vec<_>>(), order, &mut onward);
    for (out, z) in out.iter_mut().zip(onward) {
        *out = Complex64::new(z[0][0], z[1][0]);
    }
    goes
}

vectorized! {
    /// [`burg_continue`] for several runs side by side.
    fn continued(known: &[Lanes], order: usize, out: &mut [Lanes]) -> bool {
        let order = order.min(known.len() / CELLS_PER_COEFFICIENT);
        if order == 0 {
            return false;
        }
        let mut buffer = vec![ZERO; 2 * known.len()];
        let mut tail = vec![ZERO; order + out.len()];
        tail[..order].copy_from_slice(&known[known.len() - order..]);
        let a = burg(known, order, &mut buffer);
        for n in order..tail.len() {
            let mut sum = ZERO;
            for (k, a) in a[1..].iter().enumerate() {
                let x = &tail[n - 1 - k];
                for i in 0..LANES {
                    sum[0][i] += a[0][i] * x[0][i] - a[1][i] * x[1][i];
                    sum[1][i] += a[0][i] * x[1][i] + a[1][i] * x[0][i];
                }
            }
            for i in 0..LANES {
                (tail[n][0][i], tail[n][1][i]) = (-sum[0][i], -sum[1][i]);
            }
        }
        out.copy_from_slice(&tail[order..]);
        true
    }
}

/// Burg's coefficients `1, a_1 ..= a_order` of the model `x[n] + a_1 x[n-1] + ... = e[n]`. `buffer` holds twice as many
/// values as `x`.
#[inline(always)]
fn burg(x: &[Lanes], order: usize, buffer: &mut [Lanes]) -> Vec<Lanes> {
    let (forward, backward) = buffer.split_at_mut(x.len());
    forward.copy_from_slice(x);
    backward.copy_from_slice(x);
    let mut a = vec![[[1.0; LANES], [0.0; LANES]]];
    for stage in 0..order {
        // Pairs forward errors from index stage + 1 on with the backward errors one step earlier, stored stage + 1
        // indices lower.
        let pairs = forward[stage + 1..].iter().zip(backward.iter());
        let (mut product, mut power) = (ZERO, [0.0; LANES]);
        for (f, b) in pairs {
            for i in 0..LANES {
                product[0][i] += b[0][i] * f[0][i] + b[1][i] * f[1][i];
                product[1][i] += b[0][i] * f[1][i] - b[1][i] * f[0][i];
                power[i] += (f[0][i] * f[0][i] + f[1][i] * f[1][i]) + (b[0][i] * b[0][i] + b[1][i] * b[1][i]);
            }
        }
        let mut k = ZERO;
        for i in 0..LANES {
            let scale = if power[i] > 0.0 { -2.0 / power[i] } else { 0.0 };
            (k[0][i], k[1][i]) = (product[0][i] * scale, product[1][i] * scale);
        }
        for (f, b) in forward[stage + 1..].iter_mut().zip(backward.iter_mut()) {
            for i in 0..LANES {
                let (f_re, f_im, b_re, b_im) = (f[0][i], f[1][i], b[0][i], b[1][i]);
                f[0][i] = f_re + (k[0][i] * b_re - k[1][i] * b_im);
                f[1][i] = f_im + (k[0][i] * b_im + k[1][i] * b_re);
                b[0][i] = b_re + (k[0][i] * f_re + k[1][i] * f_im);
                b[1][i] = b_im + (k[0][i] * f_im - k[1][i] * f_re);
            }
        }
        a.push(ZERO);
        let reversed: Vec<Lanes> = a.iter().rev().copied().collect();
        for (a, r) in a.iter_mut().zip(reversed) {
            for i in 0..LANES {
                // Adds k times the conjugate of the reversed coefficient.
                a[0][i] += k[0][i] * r[0][i] + k[1][i] * r[1][i];
                a[1][i] += k[1][i] * r[0][i] - k[0][i] * r[1][i];
            }
        }
    }
    a
}

/// A run of cells of one bin to fill, in rows of the source region.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Run {
    bin: usize,
    first: usize,
    n: usize,
    /// Number of known cells before and after it.
    context: [usize; 2],
}

/// The runs of a hole, found frame by frame with all bins side by side, in memory order.
fn runs(context: [usize; 2], mask: &Mask, first_row: usize, n_rows: usize) -> Vec<Run> {
    let (n_frames, n_bins) = (mask.rect.frames.len(), mask.rect.bins.len());
    // Each bin's current run, and its last completed one.
    let mut open: Vec<Option<usize>> = vec![None; n_bins];
    let mut ended: Vec<Option<usize>> = vec![None; n_bins];
    let mut runs: Vec<Run> = Vec::new();
    let end_of = |run: &Run| run.first + run.n;
    for row in 0..=n_frames {
        for bin in 0..n_bins {
            let is_hole = row < n_frames && mask.values[row * n_bins + bin] > 0.0;
            match (is_hole, open[bin]) {
                (true, Some(run)) => runs[run].n += 1,
                (true, None) => {
                    let first = first_row + row;
                    let gap = first - ended[bin].map_or(0, |run| end_of(&runs[run]));
                    if let Some(last) = ended[bin] {
                        runs[last].context[1] = gap.min(context[1]);
                    }
                    open[bin] = Some(runs.len());
                    runs.push(Run { bin, first, n: 1, context: [gap.min(context[0]), 0] });
                }
                (false, Some(run)) => {
                    runs[run].context[1] = (n_rows - end_of(&runs[run])).min(context[1]);
                    (ended[bin], open[bin]) = (open[bin], None);
                }
                (false, None) => {}
            }
        }
    }
    // Group runs of the same shape, to process them side by side.
    runs.sort_by_key(|run| (run.context, run.n, run.first, run.bin));
    runs
}

/// Fills the cells of a hole: where the mask `M` is above 0, a cell is mixed with its prediction as complex numbers,
/// weighted by `1 - M` and `M`. `context` is the maximum number of known frames before and after each run to which the
/// process is fitted; a run with too few known cells on both sides keeps its cells.
pub(in crate::kernels) fn run(context: [usize; 2], order: usize, before: &Region, mask: &Mask, after: &mut Region) {
    let n_bins = mask.rect.bins.len();
    if n_bins == 0 {
        return;
    }
    let first_row = mask.rect.frames.start - before.rect.frames.start;
    let first_bin = mask.rect.bins.start - before.rect.bins.start;
    let cells = Cells::new(before, mask, first_row, first_bin);
    let runs = runs(context, mask, first_row, before.n_frames());
    let batches: Vec<Batch<'_>> =
        runs.chunk_by(|a, b| a.context == b.context).flat_map(|alike| alike.chunks(LANES)).map(Batch::new).collect();
    let filled: Vec<[Vec<[f32; LANES]>; 2]> = batches.par_iter().map(|batch| cells.filled(batch, order)).collect();
    [cells.re, cells.im, cells.mask].into_iter().for_each(|columns| planes::give(columns.values));
    for (batch, [magnitude, phase]) in batches.iter().zip(filled) {
        for (k, (magnitude, phase)) in magnitude.iter().zip(&phase).enumerate() {
            let row = |run: &Run| run.first - first_row + k;
            batch.write(magnitude, &mut after.magnitude, n_bins, k, row);
            batch.write(phase, &mut after.phase, n_bins, k, row);
        }
    }
}

/// Runs processed side by side, with contexts of the same lengths.
struct Batch<'a> {
    runs: &'a [Run],
    /// Whether they form a block of the plane: as many as there are lanes, adjacent, and of equal length.
    is_block: bool,
}

impl Batch<'_> {
    fn new(runs: &[Run]) -> Batch<'_> {
        let first = runs[0];
        let mut places = runs.iter().zip(first.bin..);
        let is_block =
            runs.len() == LANES && places.all(|(run, bin)| [run.bin, run.first, run.n] == [bin, first.first, first.n]);
        Batch { runs, is_block }
    }

    /// Reads one value per run, from the row given by `row`.
    #[inline]
    fn read(&self, columns: &Columns, row: impl Fn(&Run) -> usize) -> [f32; LANES] {
        let at = |run: &Run| columns.index(row(run), run.bin);
        let first = at(&self.runs[0]);
        if self.is_block
            && first.is_multiple_of(LANES)
            && let Some(values) = columns.values[first..].first_chunk()
        {
            return *values;
        }
        let mut values = [0.0; LANES];
        values.iter_mut().zip(self.runs).for_each(|(value, run)| *value = columns.values[at(run)]);
        values
    }

    /// Writes the values at index `k` of each run that is long enough.
    #[inline]
    fn write(&self, values: &[f32; LANES], plane: &mut [f32], n_bins: usize, k: usize, row: impl Fn(&Run) -> usize) {
        let at = |run: &Run| row(run) * n_bins + run.bin;
        if self.is_block
            && let Some(cells) = plane[at(&self.runs[0])..].first_chunk_mut()
        {
            *cells = *values;
            return;
        }
        for (value, run) in values.iter().zip(self.runs).filter(|(_, run)| k < run.n) {
            plane[at(run)] = *value;
        }
    }
}

/// A plane stored in columns of [`LANES`] bins, each contiguous from the first row to the last, since runs extend along
/// time.
struct Columns {
    n_rows: usize,
    values: Vec<f32>,
}

/// Number of columns that a thread fills at a time.
const COLUMNS_PER_TASK: usize = 8;

impl Columns {
    /// Columns with unspecified values.
    fn new(n_rows: usize, n_bins: usize) -> Columns {
        Columns { n_rows, values: planes::take(n_rows * n_bins.next_multiple_of(LANES)) }
    }

    fn index(&self, row: usize, bin: usize) -> usize {
        (bin / LANES * self.n_rows + row) * LANES + bin % LANES
    }

    /// Splits the values into the columns of each task.
    fn tasks(&mut self) -> impl IndexedParallelIterator<Item = &mut [f32]> {
        self.values.par_chunks_mut((COLUMNS_PER_TASK * self.n_rows * LANES).max(1))
    }

    /// Writes the cells of a row, from its first column on, into the columns of a task.
    fn write(task: &mut [f32], n_rows: usize, row: usize, cells: &[f32]) {
        for (column, cells) in task.chunks_exact_mut(n_rows * LANES).zip(cells.chunks(LANES)) {
            column[row * LANES..][..cells.len()].copy_from_slice(cells);
        }
    }
}

/// The cells of the mask's bins in all source frames, and the mask, whose first row is row `first_row` of the cells.
struct Cells {
    re: Columns,
    im: Columns,
    mask: Columns,
    first_row: usize,
}

impl Cells {
    fn new(before: &Region, mask: &Mask, first_row: usize, first_bin: usize) -> Cells {
        const BINS: usize = COLUMNS_PER_TASK * LANES;
        let (n_rows, n_bins) = (before.n_frames(), mask.rect.bins.len());
        let [mut re, mut im] = [(); 2].map(|()| Columns::new(n_rows, n_bins));
        re.tasks().zip(im.tasks()).enumerate().for_each(|(task, (re, im))| {
            let bins = task * BINS..((task + 1) * BINS).min(n_bins);
            let mut parts = [[0.0; BINS]; 2];
            for row in 0..n_rows {
                let first = row * before.n_bins() + first_bin;
                let at = first + bins.start..first + bins.end;
                let [re_row, im_row] = parts.each_mut().map(|part| &mut part[..bins.len()]);
                complex_from_polar(&before.magnitude[at.clone()], &before.phase[at], re_row, im_row);
                Columns::write(re, n_rows, row, re_row);
                Columns::write(im, n_rows, row, im_row);
            }
        });
        let n_mask_rows = mask.rect.frames.len();
        let mut columns = Columns::new(n_mask_rows, n_bins);
        columns.tasks().enumerate().for_each(|(task, columns)| {
            for (row, values) in mask.values.chunks_exact(n_bins).enumerate() {
                Columns::write(columns, n_mask_rows, row, &values[task * BINS..((task + 1) * BINS).min(n_bins)]);
            }
        });
        Cells { re, im, mask: columns, first_row }
    }

    /// Magnitudes and phases of the cells of each run; empty if no process can be fitted.
    fn filled(&self, batch: &Batch<'_>, order: usize) -> [Vec<[f32; LANES]>; 2] {
        let known = |row: &dyn Fn(&Run) -> usize, sign: f64| {
            let (re, im) = (batch.read(&self.re, row), batch.read(&self.im, row));
            [re.map(f64::from), std::array::from_fn(|i| sign * f64::from(im[i]))]
        };
        let [n_left, n_right] = batch.runs[0].context;
        let left: Vec<Lanes> = (0..n_left).map(|k| known(&|run| run.first - n_left + k, 1.0)).collect();
        // Conjugates, from the last to the first.
        let right: Vec<Lanes> = (0..n_right).map(|k| known(&|run| run.first + run.n + n_right - 1 - k, -1.0)).collect();
        let joined = join(&left, &right, order, batch.runs);
        let [mut re, mut im] = [(); 2].map(|()| vec![[0.0f32; LANES]; joined.len()]);
        for (k, ((re, im), z)) in re.iter_mut().zip(&mut im).zip(&joined).enumerate() {
            // Lanes of shorter runs repeat their last cell; these results are not used.
            let row = |run: &Run| run.first + k.min(run.n - 1);
            let own = [batch.read(&self.re, row), batch.read(&self.im, row)];
            let mask = batch.read(&self.mask, |run| row(run) - self.first_row);
            for i in 0..LANES {
                let m = f64::from(mask[i]);
                re[i] = (f64::from(own[0][i]) * (1.0 - m) + z[0][i] * m) as f32;
                im[i] = (f64::from(own[1][i]) * (1.0 - m) + z[1][i] * m) as f32;
            }
        }
        let mut polar = [(); 2].map(|()| vec![[0.0f32; LANES]; joined.len()]);
        let [magnitude, phase] = &mut polar;
        let (magnitude, phase) = (magnitude.as_flattened_mut(), phase.as_flattened_mut());
        polar_from_complex(re.as_flattened(), im.as_flattened(), magnitude, phase);
        polar
    }
}

/// Predicts several runs from the cells before them and the reversed conjugates of the cells after them. Empty if
/// neither side can be continued.
fn join(left: &[Lanes], right: &[Lanes], order: usize, runs: &[Run]) -> Vec<Lanes> {
    let n = runs.iter().map(|run| run.n).max().unwrap_or(0);
    let mut onward = vec![ZERO; n];
    let mut backward = onward.clone();
    let goes = [continued(left, order, &mut onward), continued(right, order, &mut backward)];
    // The backward prediction is read from the end of each run and conjugated back.
    let mut joined = vec![ZERO; n];
    let mut shares: Vec<f64> = Vec::new();
    for (i, run) in runs.iter().enumerate() {
        if shares.len() != run.n {
            let share = |k: usize| (FRAC_PI_2 * (k + 1) as f64 / (run.n + 1) as f64).cos().powi(2);
            shares = match goes {
                [true, true] => (0..run.n).map(share).collect(),
                [onward, _] => vec![if onward { 1.0 } else { 0.0 }; run.n],
            };
        }
        for (k, share) in shares.iter().enumerate() {
            let (a, b) = (&onward[k], &backward[run.n - 1 - k]);
            joined[k][0][i] = a[0][i] * share + b[0][i] * (1.0 - share);
            joined[k][1][i] = a[1][i] * share - b[1][i] * (1.0 - share);
        }
    }
    if goes == [false, false] { Vec::new() } else { joined }
}
