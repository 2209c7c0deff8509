//! Heal brush, mode interpolate: each bin goes on through the hole as an autoregressive process. In f64, and sequential
//! along each bin: the one kernel that both engines call.
//!
//! Source: complex Burg recursion (Burg, "Maximum entropy spectral analysis", 1975), per bin of the STFT, from both
//! sides, the later one on the conjugated and reversed row, joined by `cos^2`.

use crate::dsp::polar::{cos_sin_turns, magnitude_from_complex, turns_from_complex};
use crate::dsp::{Mask, Region};
use rayon::prelude::*;
use rustfft::num_complex::Complex64;
use std::f64::consts::FRAC_PI_2;

/// A process is learned from at least so many cells for each of its coefficients.
const CELLS_PER_COEFFICIENT: usize = 3;

/// Predicts what follows `known`: Burg's coefficients of at most `order`, then `out.len()` steps. False if too little is
/// known.
pub fn burg_continue(known: &[Complex64], order: usize, out: &mut [Complex64]) -> bool {
    let order = order.min(known.len() / CELLS_PER_COEFFICIENT);
    if order == 0 {
        return false;
    }
    let a = burg(known, order);
    let mut tail: Vec<Complex64> = known[known.len() - order..].to_vec();
    tail.reserve(out.len());
    for value in out.iter_mut() {
        let last = &tail[tail.len() - order..];
        let next = -a.iter().zip(last.iter().rev()).map(|(a, x)| a * x).sum::<Complex64>();
        tail.push(next);
        *value = next;
    }
    true
}

/// `a_1 ..= a_order` of `x[n] + a_1 x[n-1] + ... = e[n]`.
fn burg(x: &[Complex64], order: usize) -> Vec<Complex64> {
    let (mut forward, mut backward) = (x.to_vec(), x.to_vec());
    let mut a = vec![Complex64::new(1.0, 0.0)];
    for stage in 0..order {
        // Forward errors from stage + 1 on, against the backward ones a step earlier.
        let n = x.len() - stage - 1;
        let (f, b) = (&mut forward[stage + 1..], &mut backward[stage..stage + n]);
        let mut product = Complex64::default();
        let mut power = 0.0;
        for (f, b) in f.iter().zip(b.iter()) {
            product += b.conj() * f;
            power += f.norm_sqr() + b.norm_sqr();
        }
        let k = if power > 0.0 { product * (-2.0 / power) } else { Complex64::default() };
        for (f, b) in f.iter_mut().zip(b.iter_mut()) {
            (*f, *b) = (*f + k * *b, *b + k.conj() * *f);
        }
        // Backward errors of the next stage stand one place later.
        backward.copy_within(stage..stage + n, stage + 1);
        a.push(Complex64::default());
        let reversed: Vec<Complex64> = a.iter().rev().map(Complex64::conj).collect();
        a.iter_mut().zip(reversed).for_each(|(a, r)| *a += k * r);
    }
    a.split_off(1)
}

/// The cells of `mask.rect`; where the mask is above 0 they are mixed with the prediction as complex numbers, `O` by
/// `1 - M` and the prediction by `M`. `context` is how many frames before and after each run of a bin it is learned from;
/// a run with nothing to learn from keeps its cells.
pub(super) fn run(context: [usize; 2], order: usize, before: &Region, mask: &Mask, after: &mut Region) {
    let n_bins = mask.rect.bins.len();
    let first_row = mask.rect.frames.start - before.rect.frames.start;
    let cell = |row: usize, bin: usize| {
        let i = row * before.n_bins() + mask.rect.bins.start - before.rect.bins.start + bin;
        let [cos, sin] = cos_sin_turns(before.phase[i]);
        Complex64::new(f64::from(before.magnitude[i] * cos), f64::from(before.magnitude[i] * sin))
    };
    let is_hole = |row: usize, bin: usize| {
        let row = row.checked_sub(first_row).filter(|row| *row < mask.rect.frames.len());
        row.is_some_and(|row| mask.values[row * n_bins + bin] > 0.0)
    };
    let healed: Vec<Vec<(usize, Complex64)>> = (0..n_bins)
        .into_par_iter()
        .map(|bin| {
            let mut filled = Vec::new();
            let (mut row, end) = (first_row, first_row + mask.rect.frames.len());
            while row < end {
                if !is_hole(row, bin) {
                    row += 1;
                    continue;
                }
                let first = row;
                while row < end && is_hole(row, bin) {
                    row += 1;
                }
                let known_before =
                    (first.saturating_sub(context[0])..first).rev().take_while(|&row| !is_hole(row, bin));
                let known_after =
                    (row..(row + context[1]).min(before.n_frames())).take_while(|&row| !is_hole(row, bin));
                let mut left: Vec<Complex64> = known_before.map(|row| cell(row, bin)).collect();
                left.reverse();
                let mut right: Vec<Complex64> = known_after.map(|row| cell(row, bin).conj()).collect();
                right.reverse();
                let joined = join(&left, &right, order, row - first);
                filled.extend(joined.into_iter().enumerate().map(|(i, z)| (first - first_row + i, z)));
            }
            filled
        })
        .collect();
    for (bin, filled) in healed.into_iter().enumerate() {
        for (row, z) in filled {
            let i = row * n_bins + bin;
            let m = f64::from(mask.values[i]);
            let mixed = cell(first_row + row, bin) * (1.0 - m) + z * m;
            after.magnitude[i] = magnitude_from_complex(mixed.re as f32, mixed.im as f32);
            after.phase[i] = turns_from_complex(mixed.re as f32, mixed.im as f32);
        }
    }
}

/// A run of `n` cells between what comes before, and what comes after as conjugates from the last to the first. Nothing
/// if neither can be gone on from.
fn join(left: &[Complex64], right: &[Complex64], order: usize, n: usize) -> Vec<Complex64> {
    let mut onward = vec![Complex64::default(); n];
    let mut backward = onward.clone();
    let goes = [burg_continue(left, order, &mut onward), burg_continue(right, order, &mut backward)];
    backward.reverse();
    backward.iter_mut().for_each(|z| *z = z.conj());
    match goes {
        [true, true] => {
            let share = |i: usize| (FRAC_PI_2 * (i + 1) as f64 / (n + 1) as f64).cos().powi(2);
            let pairs = onward.iter().zip(&backward).enumerate();
            pairs.map(|(i, (a, b))| a * share(i) + b * (1.0 - share(i))).collect()
        }
        [true, false] => onward,
        [false, true] => backward,
        [false, false] => Vec::new(),
    }
}
