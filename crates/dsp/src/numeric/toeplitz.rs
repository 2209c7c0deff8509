//! Symmetric positive definite Toeplitz systems, for linear prediction.
//!
//! Sources: Levinson's recursion (Levinson, 1947; Durbin, 1960); the inverse as a difference of two products of
//! triangular Toeplitz matrices (Gohberg and Semencul, 1972).

use super::vectors::vectorized;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use rustfft::num_complex::Complex64;
use std::sync::Arc;

/// Number of unknowns from which products with the inverse use FFTs.
const MIN_FFT_UNKNOWNS: usize = 192;

/// Coefficients `1, a_1 ..= a_order` of the optimal prediction error filter for an autocorrelation `r` at lags
/// `0 ..= order`.
pub fn levinson(r: &[f64]) -> Vec<f64> {
    recursion(r, r.len()).0
}

/// The `n` coefficients and the remaining prediction error; `None` if rounding ended the recursion early. Lags beyond
/// those of `r` are 0.
fn recursion(r: &[f64], n: usize) -> (Vec<f64>, Option<f64>) {
    let mut a = vec![0.0; n];
    a[0] = 1.0;
    let mut error = r[0];
    for i in 1..n {
        error *= longer(&mut a, i, r, error);
        if error <= 0.0 {
            return (a, None);
        }
    }
    (a, Some(error))
}

/// Extends the filter by coefficient `i`; returns the factor by which the error decreases.
fn longer(a: &mut [f64], i: usize, r: &[f64], error: f64) -> f64 {
    let k = -reached(a, i, r) / error;
    a[i] = 0.0;
    let (front, back) = a[..=i].split_at_mut(i.div_ceil(2));
    // If the number of coefficients is odd, the middle one is its own mirror image.
    if back.len() > front.len() {
        back[0] += k * back[0];
    }
    let skipped = back.len() - front.len();
    mix(k, front, &mut back[skipped..]);
    1.0 - k * k
}

/// The sum of `a[j] r[i - j]` over `j < i`; lags beyond those of `r` are 0.
fn reached(a: &[f64], i: usize, r: &[f64]) -> f64 {
    let n_lags = i.min(r.len() - 1);
    dot_reversed(&a[i - n_lags..i], &r[1..=n_lags])
}

vectorized! {
    /// Adds to each value of `low` `k` times its mirror image in `high`, and vice versa.
    fn mix(k: f64, low: &mut [f64], high: &mut [f64]) {
        for (low, high) in low.iter_mut().zip(high.iter_mut().rev()) {
            (*low, *high) = (*low + k * *high, *high + k * *low);
        }
    }
}

/// Solves `T x = y` for systems of one size, with `T` given by its first row, without the trailing zeros.
pub struct ToeplitzSolver {
    n: usize,
    ffts: Option<Ffts>,
}

/// FFTs of at least twice the number of unknowns.
struct Ffts {
    forward: Arc<dyn RealToComplex<f64>>,
    inverse: Arc<dyn ComplexToReal<f64>>,
}

impl ToeplitzSolver {
    /// Creates a solver for `n` unknowns, at least one.
    pub fn new(n: usize) -> ToeplitzSolver {
        let ffts = (n >= MIN_FFT_UNKNOWNS).then(|| {
            let (length, mut planner) = ((2 * n).next_power_of_two(), RealFftPlanner::new());
            Ffts { forward: planner.plan_fft_forward(length), inverse: planner.plan_fft_inverse(length) }
        });
        ToeplitzSolver { n, ffts }
    }

    /// The solution `x` for a `y` of `n` values. If rounding makes `T` singular, it is the partial solution that
    /// Levinson's recursion has reached.
    pub fn solve(&self, row: &[f64], y: &[f64]) -> Vec<f64> {
        let row = &row[..row.len().min(self.n)];
        if let Some(ffts) = &self.ffts
            && let (a, Some(error)) = recursion(row, self.n)
        {
            return ffts.solve(row, &a, error, y);
        }
        solve_by_recursion(row, y)
    }
}

/// [`ToeplitzSolver::solve`] by Levinson's recursion alone.
pub fn solve_by_recursion(row: &[f64], y: &[f64]) -> Vec<f64> {
    let n = y.len();
    let (mut x, mut a) = (vec![0.0; n], vec![0.0; n]);
    a[0] = 1.0;
    let mut error = row[0];
    x[0] = y[0] / error;
    for i in 1..n {
        error *= longer(&mut a, i, row, error);
        if error <= 0.0 {
            // Rounding made the system singular: keep the partial solution.
            break;
        }
        let missing = (y[i] - reached(&x, i, row)) / error;
        x[..=i].iter_mut().zip(a[..=i].iter().rev()).for_each(|(x, a)| *x += missing * a);
    }
    x
}

impl Ffts {
    /// Computes `T^-1 y` from the final coefficients `a` of the recursion on `T` and their error:
    /// `T^-1 = (A A' - B B') / error`, with `A` and `B` lower triangular Toeplitz matrices whose first columns are `a`
    /// and `0, a[n - 1], ..., a[1]`.
    fn solve(&self, row: &[f64], a: &[f64], error: f64, y: &[f64]) -> Vec<f64> {
        let n = a.len();
        let scale = 1.0 / self.forward.len() as f64;
        let first = self.spectrum(a.iter().copied());
        let second = self.spectrum(std::iter::once(0.0).chain(a[1..].iter().rev().copied()));
        let times_inverse = |y: &[f64]| -> Vec<f64> {
            let y = self.spectrum(y.iter().copied());
            let half = |factor: &[Complex64]| {
                let correlated = self.samples(factor.iter().zip(&y).map(|(factor, y)| factor.conj() * y), n);
                self.spectrum(correlated.into_iter().map(|u| u * scale))
            };
            let (u, v) = (half(&first), half(&second));
            let halves = first.iter().zip(&u).zip(second.iter().zip(&v));
            let mut x = self.samples(halves.map(|((first, u), (second, v))| first * u - second * v), n);
            x.iter_mut().for_each(|x| *x *= scale / error);
            x
        };
        // `T` is embedded in a circulant matrix, whose products are computed by FFT.
        let lag = |i: usize| row.get(i).copied().unwrap_or(0.0);
        let length = self.forward.len();
        let matrix = self.spectrum((0..length).map(|i| lag(i.min(length - i))));
        let mut x = times_inverse(y);
        // One step of iterative refinement, since the rounding error of the formula grows with the condition number of
        // `T`.
        let product = self.spectrum(x.iter().copied());
        let product = self.samples(matrix.iter().zip(&product).map(|(matrix, x)| matrix * x), n);
        let left: Vec<f64> = y.iter().zip(&product).map(|(y, product)| y - product * scale).collect();
        x.iter_mut().zip(times_inverse(&left)).for_each(|(x, more)| *x += more);
        x
    }

    /// The transform of values, padded with zeros.
    fn spectrum(&self, values: impl Iterator<Item = f64>) -> Vec<Complex64> {
        let mut samples = self.forward.make_input_vec();
        samples.iter_mut().zip(values).for_each(|(sample, value)| *sample = value);
        let mut spectrum = self.forward.make_output_vec();
        // Cannot fail: the buffers have the plan's lengths.
        self.forward.process(&mut samples, &mut spectrum).ok();
        spectrum
    }

    /// The first `n` values of the inverse transform, not normalised.
    fn samples(&self, spectrum: impl Iterator<Item = Complex64>, n: usize) -> Vec<f64> {
        let mut spectrum: Vec<Complex64> = spectrum.collect();
        let last = spectrum.len() - 1;
        (spectrum[0].im, spectrum[last].im) = (0.0, 0.0);
        let mut samples = self.inverse.make_output_vec();
        self.inverse.process(&mut spectrum, &mut samples).ok();
        samples.truncate(n);
        samples
    }
}

/// Number of parallel partial sums of a dot product, so that compilers vectorise it.
const LANES: usize = 8;

vectorized! {
    /// The sum of `a[i] b[i]` over two slices of equal length.
    pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
        let (a, a_rest) = a.as_chunks::<LANES>();
        let (b, b_rest) = b.as_chunks::<LANES>();
        let mut sums = [0.0; LANES];
        for (a, b) in a.iter().zip(b) {
            (0..LANES).for_each(|lane| sums[lane] += a[lane] * b[lane]);
        }
        sums.iter().sum::<f64>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f64>()
    }
}

vectorized! {
    /// The sum of `a[i] b[n - 1 - i]` over two slices of length `n`.
    pub(crate) fn dot_reversed(a: &[f64], b: &[f64]) -> f64 {
        let (a, a_rest) = a.as_chunks::<LANES>();
        let (b_rest, b) = b.as_rchunks::<LANES>();
        let mut sums = [0.0; LANES];
        for (a, b) in a.iter().zip(b.iter().rev()) {
            (0..LANES).for_each(|lane| sums[lane] += a[lane] * b[LANES - 1 - lane]);
        }
        sums.iter().sum::<f64>() + a_rest.iter().zip(b_rest.iter().rev()).map(|(a, b)| a * b).sum::<f64>()
    }
}
