//! Heal brush, mode interpolate: continues each bin through the hole as an autoregressive process. In f64 and
//! sequential along each bin, so both engines call this one kernel.
//!
//! Source: complex Burg recursion (Burg, "Maximum entropy spectral analysis", 1975), per bin of the STFT, from both
//! sides, the later one on the conjugated and reversed row, joined by `cos^2`.

use crate::dsp::polar::{complex_from_polar, polar_from_complex};
use crate::dsp::{Mask, Region, planes};
use rayon::prelude::*;
use rustfft::num_complex::Complex64;
use std::f64::consts::FRAC_PI_2;

/// Minimum number of known cells per coefficient of the process.
const CELLS_PER_COEFFICIENT: usize = 3;

/// Runs processed side by side, with the same operations on each, so that results do not depend on the neighbours.
const LANES: usize = 8;

/// A complex number of each run: real and imaginary parts.
type Lanes = [[f64; LANES]; 2];

const ZERO: Lanes = [[0.0; LANES]; 2];

/// Predicts the continuation of `known`: Burg's coefficients of at most `order`, then `out.len()` steps. Returns false
/// if too few values are known.
pub fn burg_continue(known: &[Complex64], order: usize, out: &mut [Complex64]) -> bool {
    let alone = |z: &Complex64| [[z.re; LANES], [z.im; LANES]];
    let mut onward = vec![ZERO; out.len()];
    let goes = continued(&known.iter().map(alone).collect::<Vec<_>>(), order, &mut onward);
    for (out, z) in out.iter_mut().zip(onward) {
        *out = Complex64::new(z[0][0], z[1][0]);
    }
    goes
}

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
        tail[n] = sum.map(|part| part.map(|x| -x));
    }
    out.copy_from_slice(&tail[order..]);
    true
}

/// `1, a_1 ..= a_order` of `x[n] + a_1 x[n-1] + ... = e[n]`. `buffer` holds twice as many values as `x`.
#[inline(always)]
fn burg(x: &[Lanes], order: usize, buffer: &mut [Lanes]) -> Vec<Lanes> {
    let (forward, backward) = buffer.split_at_mut(x.len());
    forward.copy_from_slice(x);
    backward.copy_from_slice(x);
    let mut a = vec![[[1.0; LANES], [0.0; LANES]]];
    for stage in 0..order {
        // Forward errors from stage + 1 on, against the backward ones a step earlier: stage + 1 places before them.
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
                // Plus k times the conjugate.
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
    /// Known cells before and after.
    context: [usize; 2],
}

/// The runs of a hole, found frame by frame with all bins side by side, in memory order.
fn runs(context: [usize; 2], mask: &Mask, first_row: usize, n_rows: usize) -> Vec<Run> {
    let (n_frames, n_bins) = (mask.rect.frames.len(), mask.rect.bins.len());
    // Per bin: the current run, and the last one that ended.
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

/// The cells of `mask.rect`; where the mask is above 0 they are mixed with the prediction as complex numbers, `O` by
/// `1 - M` and the prediction by `M`. `context` is the number of frames before and after each run from which the
/// process is learnt; a run without known context keeps its cells.
pub(super) fn run(context: [usize; 2], order: usize, before: &Region, mask: &Mask, after: &mut Region) {
    let n_bins = mask.rect.bins.len();
    if n_bins == 0 {
        return;
    }
    let first_row = mask.rect.frames.start - before.rect.frames.start;
    let first_bin = mask.rect.bins.start - before.rect.bins.start;
    // The mask's bins in all source frames.
    let [mut re, mut im] = [0, 1].map(|_| planes::take(before.n_frames() * n_bins));
    let rows = re.par_chunks_mut(n_bins).zip(im.par_chunks_mut(n_bins)).enumerate().with_min_len(8);
    rows.for_each(|(row, (re, im))| {
        let at = row * before.n_bins() + first_bin..row * before.n_bins() + first_bin + n_bins;
        complex_from_polar(&before.magnitude[at.clone()], &before.phase[at], re, im);
    });
    let runs = runs(context, mask, first_row, before.n_frames());
    let batches: Vec<&[Run]> =
        runs.chunk_by(|a, b| a.context == b.context).flat_map(|alike| alike.chunks(LANES)).collect();
    let filled: Vec<Vec<[[f32; LANES]; 2]>> = batches
        .par_iter()
        .map(|runs| {
            let known = |row: &dyn Fn(&Run) -> usize, sign: f64| {
                let mut z = ZERO;
                for (i, run) in runs.iter().enumerate() {
                    let at = row(run) * n_bins + run.bin;
                    (z[0][i], z[1][i]) = (f64::from(re[at]), sign * f64::from(im[at]));
                }
                z
            };
            let [n_left, n_right] = runs[0].context;
            let left: Vec<Lanes> = (0..n_left).map(|k| known(&|run| run.first - n_left + k, 1.0)).collect();
            // Conjugates, from the last to the first.
            let right: Vec<Lanes> =
                (0..n_right).map(|k| known(&|run| run.first + run.n + n_right - 1 - k, -1.0)).collect();
            let joined = join(&left, &right, order, runs);
            let mix = |(k, z): (usize, &Lanes)| {
                let mut mixed = [[0.0f32; LANES]; 2];
                for (i, run) in runs.iter().enumerate().filter(|(_, run)| k < run.n) {
                    let at = (run.first + k) * n_bins + run.bin;
                    let m = f64::from(mask.values[at - first_row * n_bins]);
                    mixed[0][i] = (f64::from(re[at]) * (1.0 - m) + z[0][i] * m) as f32;
                    mixed[1][i] = (f64::from(im[at]) * (1.0 - m) + z[1][i] * m) as f32;
                }
                let mut polar = [[0.0f32; LANES]; 2];
                let [magnitude, phase] = &mut polar;
                polar_from_complex(&mixed[0], &mixed[1], magnitude, phase);
                polar
            };
            joined.iter().enumerate().map(mix).collect()
        })
        .collect();
    planes::give(re);
    planes::give(im);
    for (runs, filled) in batches.into_iter().zip(filled) {
        for (k, [magnitude, phase]) in filled.into_iter().enumerate() {
            for (i, run) in runs.iter().enumerate().filter(|(_, run)| k < run.n) {
                let at = (run.first - first_row + k) * n_bins + run.bin;
                (after.magnitude[at], after.phase[at]) = (magnitude[i], phase[i]);
            }
        }
    }
}

/// Predicts several runs from the cells before them and the reversed conjugates of the cells after them. Empty if
/// neither side can be continued.
fn join(left: &[Lanes], right: &[Lanes], order: usize, runs: &[Run]) -> Vec<Lanes> {
    let n = runs.iter().map(|run| run.n).max().unwrap_or(0);
    let mut onward = vec![ZERO; n];
    let mut backward = onward.clone();
    let goes = [continued(left, order, &mut onward), continued(right, order, &mut backward)];
    // From the other end of each run, and no longer conjugates.
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
