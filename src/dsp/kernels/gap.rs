//! Heal brush, mode gap: samples predicted from those before and after, all frequencies at once. In f64, and each
//! iteration needs the one before: the one kernel that both engines call.
//!
//! Source: Janssen, Veldhuis and Vries, "Adaptive interpolation of discrete-time signals that can be modeled as
//! autoregressive processes", IEEE TASSP 34(2), 1986. The coefficients come from the autocorrelation of the whole
//! segment under a Hann window; the gap is the least squares of the prediction error.

use rustfft::FftPlanner;
use rustfft::num_complex::Complex64;
use std::f64::consts::TAU;

/// Alternations of coefficients and samples.
const ITERATIONS: usize = 5;
/// White noise added to the autocorrelation: 120 dB below the signal, so that silence in a band makes nothing singular.
const RIDGE: f64 = 1e-12;

/// What is known of the samples of a gap that were cut off at a level: they are that or farther from 0, on its side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CutOff(f64);

impl CutOff {
    /// Samples that stand at one value; none of too few, or of others.
    pub fn of(samples: &[f64]) -> Option<CutOff> {
        let level = samples.iter().copied().reduce(|a, b| if a.abs() < b.abs() { a } else { b })?;
        let is_level = |x: &f64| x.signum() == level.signum() && (x - level).abs() <= LEVEL_SPREAD * level.abs();
        (samples.len() >= LEAST_CUT_OFF && level != 0.0 && samples.iter().all(is_level)).then_some(CutOff(level))
    }

    fn allows(self, x: f64) -> f64 {
        (x * self.0.signum()).clamp(self.0.abs(), MOST_RESTORED * self.0.abs()) * self.0.signum()
    }
}

/// Samples at one level that are no accident.
const LEAST_CUT_OFF: usize = 3;
/// How far they may lie apart, of their size.
const LEVEL_SPREAD: f64 = 0.02;
/// Peaks that were cut off were most often no larger than this.
const MOST_RESTORED: f64 = 2.0;

/// Fills the samples of `gap` in `segment` by prediction of an order.
pub fn fill_gap(segment: &mut [f64], gap: std::ops::Range<usize>, order: usize, cut_off: Option<CutOff>) {
    let n = segment.len();
    let order = order.min((n - gap.len()) / 3);
    if gap.is_empty() || order == 0 {
        return;
    }
    if cut_off.is_none() {
        segment[gap.clone()].fill(0.0);
    }
    for _ in 0..ITERATIONS {
        let r = autocorrelation_under_hann(segment, order);
        if r[0] <= 0.0 {
            return;
        }
        let a = levinson(&r);
        // b = autocorrelation of (1, a_1, ...): the Toeplitz matrix of the least squares.
        let b: Vec<f64> = (0..=order).map(|lag| (lag..=order).map(|k| a[k] * a[k - lag]).sum()).collect();
        let right: Vec<f64> = gap
            .clone()
            .map(|t| {
                let known = |t: usize| if gap.contains(&t) { 0.0 } else { segment[t] };
                let later = (1..=order.min(n - 1 - t)).map(|lag| b[lag] * known(t + lag)).sum::<f64>();
                let earlier = (1..=order.min(t)).map(|lag| b[lag] * known(t - lag)).sum::<f64>();
                -(later + earlier)
            })
            .collect();
        let mut row = b.clone();
        row.resize(gap.len().max(row.len()), 0.0);
        let solved = solve_toeplitz(&row[..gap.len()], &right);
        let filled = solved.into_iter().map(|x| cut_off.map_or(x, |cut_off| cut_off.allows(x)));
        segment[gap.clone()].iter_mut().zip(filled).for_each(|(sample, x)| *sample = x);
    }
}

/// Lags `0 ..= order`, by the FFT.
fn autocorrelation_under_hann(x: &[f64], order: usize) -> Vec<f64> {
    let n = (x.len() + order + 1).next_power_of_two();
    let hann = |i: usize| 0.5 - 0.5 * (TAU * (i as f64 + 0.5) / x.len() as f64).cos();
    let mut data: Vec<Complex64> = x.iter().enumerate().map(|(i, x)| Complex64::new(x * hann(i), 0.0)).collect();
    data.resize(n, Complex64::default());
    let mut planner = FftPlanner::new();
    planner.plan_fft_forward(n).process(&mut data);
    data.iter_mut().for_each(|z| *z = Complex64::new(z.norm_sqr(), 0.0));
    planner.plan_fft_inverse(n).process(&mut data);
    let mut r: Vec<f64> = data[..=order].iter().map(|z| z.re / n as f64).collect();
    r[0] *= 1.0 + RIDGE;
    r
}

/// `1, a_1 ..= a_order` of the best prediction, by the Levinson-Durbin recursion.
fn levinson(r: &[f64]) -> Vec<f64> {
    let mut a = vec![0.0; r.len()];
    a[0] = 1.0;
    let mut error = r[0];
    for i in 1..r.len() {
        error *= longer(&mut a, i, r, error);
        if error <= 0.0 {
            break;
        }
    }
    a
}

/// One more coefficient, of number `i`: how much smaller the error becomes.
fn longer(a: &mut [f64], i: usize, r: &[f64], error: f64) -> f64 {
    let k = -a[..i].iter().zip(r[1..=i].iter().rev()).map(|(a, r)| a * r).sum::<f64>() / error;
    a[i] = 0.0;
    for j in 0..=i / 2 {
        let (low, high) = (a[j], a[i - j]);
        a[j] = low + k * high;
        a[i - j] = high + k * low;
    }
    1.0 - k * k
}

/// Solves `T x = y` for the symmetric positive definite Toeplitz matrix of a first row, by Levinson's recursion.
fn solve_toeplitz(row: &[f64], y: &[f64]) -> Vec<f64> {
    let n = y.len();
    let (mut x, mut a) = (vec![0.0; n], vec![0.0; n]);
    a[0] = 1.0;
    let mut error = row[0];
    x[0] = y[0] / error;
    for i in 1..n {
        error *= longer(&mut a, i, row, error);
        if error <= 0.0 {
            // As far as rounding lets it be solved.
            break;
        }
        let reached = x[..i].iter().zip(row[1..=i].iter().rev()).map(|(x, r)| x * r).sum::<f64>();
        let missing = (y[i] - reached) / error;
        x[..=i].iter_mut().zip(a[..=i].iter().rev()).for_each(|(x, a)| *x += missing * a);
    }
    x
}
