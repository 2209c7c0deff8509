//! Heal brush, mode gap: predicts samples from those before and after, at all frequencies at once. In f64 and
//! iterative, so both engines call this one kernel.
//!
//! Source: Janssen, Veldhuis and Vries, "Adaptive interpolation of discrete-time signals that can be modeled as
//! autoregressive processes", IEEE TASSP 34(2), 1986. The coefficients come from the autocorrelation of the whole
//! segment under a Hann window; the gap is the least squares of the prediction error.

use rustfft::FftPlanner;
use rustfft::num_complex::Complex64;
use std::f64::consts::TAU;
use std::ops::Range;

/// Alternations of coefficients and samples.
const ITERATIONS: usize = 5;
/// White noise added to the autocorrelation, 120 dB below the signal, so that a silent band does not make the matrix
/// singular.
const RIDGE: f64 = 1e-12;

/// Constraint on clipped samples in a gap: their value is at the clipping level or beyond, with its sign.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CutOff(f64);

impl CutOff {
    /// Detects clipped samples at one value; `None` if there are too few or the values differ.
    pub fn of(samples: &[f64]) -> Option<CutOff> {
        let level = samples.iter().copied().reduce(|a, b| if a.abs() < b.abs() { a } else { b })?;
        let is_level = |x: &f64| x.signum() == level.signum() && (x - level).abs() <= LEVEL_SPREAD * level.abs();
        (samples.len() >= LEAST_CUT_OFF && level != 0.0 && samples.iter().all(is_level)).then_some(CutOff(level))
    }

    fn allows(self, x: f64) -> f64 {
        (x * self.0.signum()).clamp(self.0.abs(), MOST_RESTORED * self.0.abs()) * self.0.signum()
    }
}

/// Minimum number of samples at one level that count as clipping.
const LEAST_CUT_OFF: usize = 3;
/// Maximum relative difference between them.
const LEVEL_SPREAD: f64 = 0.02;
/// Upper limit of restored peaks relative to the clipping level: real peaks are seldom higher.
const MOST_RESTORED: f64 = 2.0;

/// Fills the samples of `gap` in `segment` by linear prediction of the given order.
pub fn fill_gap(segment: &mut [f64], gap: Range<usize>, order: usize, cut_off: Option<CutOff>) {
    let n = segment.len();
    let order = order.min((n - gap.len()) / 3);
    if gap.is_empty() || order == 0 {
        return;
    }
    if cut_off.is_none() {
        segment[gap.clone()].fill(0.0);
    }
    for _ in 0..ITERATIONS {
        let Some(b) = prediction_error(segment, order) else { return };
        solve(segment, &gap, &b, cut_off);
    }
}

/// Fills many gaps of one segment, too close together to have enough known samples beside each, by prediction with
/// shared coefficients. Each gap is solved in turn from the current values of the others, so their contents are the
/// starting point ([`bridge`]). `gaps` is ascending.
pub fn fill_gaps(segment: &mut [f64], gaps: &[(Range<usize>, Option<CutOff>)], order: usize) {
    let n_missing: usize = gaps.iter().map(|(gap, _)| gap.len()).sum();
    let order = order.min(segment.len().saturating_sub(n_missing) / 3).max(1);
    for _ in 0..ITERATIONS {
        let Some(b) = prediction_error(segment, order) else { return };
        for _ in 0..SWEEPS {
            gaps.iter().for_each(|(gap, cut_off)| solve(segment, gap, &b, *cut_off));
        }
    }
}

/// Rounds of solving interdependent gaps one after the other.
const SWEEPS: usize = 3;

/// Fills each gap by linear interpolation between the known samples around it, as the starting point of [`fill_gaps`].
/// Gaps are ascending; touching gaps are merged.
pub fn bridge(samples: &mut [f64], gaps: impl Iterator<Item = Range<usize>>) {
    let mut wide: Option<Range<usize>> = None;
    let mut draw = |gap: Range<usize>| {
        let before = gap.start.checked_sub(1).map(|at| samples[at]);
        let after = samples.get(gap.end).copied();
        let [from, to] = [before.or(after).unwrap_or(0.0), after.or(before).unwrap_or(0.0)];
        let step = (to - from) / (gap.len() + 1) as f64;
        samples[gap].iter_mut().enumerate().for_each(|(i, sample)| *sample = from + step * (i + 1) as f64);
    };
    for gap in gaps {
        match &mut wide {
            Some(wide) if gap.start <= wide.end => wide.end = wide.end.max(gap.end),
            _ => wide.replace(gap).into_iter().for_each(&mut draw),
        }
    }
    wide.into_iter().for_each(draw);
}

/// The autocorrelation of `1, a_1 ..= a_order`, the coefficients that predict a segment best: the first row of the
/// Toeplitz matrix of the least squares. `None` for silence.
fn prediction_error(segment: &[f64], order: usize) -> Option<Vec<f64>> {
    let r = autocorrelation_under_hann(segment, order);
    if r[0] <= 0.0 {
        return None;
    }
    let a = levinson(&r);
    Some((0..=order).map(|lag| dot(&a[lag..], &a[..=order - lag])).collect())
}

/// The samples of a gap for which the prediction error, of which `b` is the matrix, is least.
fn solve(segment: &mut [f64], gap: &Range<usize>, b: &[f64], cut_off: Option<CutOff>) {
    segment[gap.clone()].fill(0.0);
    let known = |t: usize| {
        let [n_before, n_after] = [t, segment.len() - t - 1].map(|n| n.min(b.len() - 1));
        let later = dot(&segment[t + 1..=t + n_after], &b[1..=n_after]);
        let earlier = dot_reversed(&segment[t - n_before..t], &b[1..=n_before]);
        -(later + earlier)
    };
    let right: Vec<f64> = gap.clone().map(known).collect();
    let mut row = b[..b.len().min(gap.len())].to_vec();
    row.resize(gap.len(), 0.0);
    let solved = solve_toeplitz(&row, &right);
    let filled = solved.into_iter().map(|x| cut_off.map_or(x, |cut_off| cut_off.allows(x)));
    segment[gap.clone()].iter_mut().zip(filled).for_each(|(sample, x)| *sample = x);
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
    let k = -dot_reversed(&a[..i], &r[1..=i]) / error;
    a[i] = 0.0;
    let (front, back) = a[..=i].split_at_mut(i.div_ceil(2));
    // Of an odd number the one in the middle is its own partner.
    if back.len() > front.len() {
        back[0] += k * back[0];
    }
    for (low, high) in front.iter_mut().zip(back.iter_mut().rev()) {
        (*low, *high) = (*low + k * *high, *high + k * *low);
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
            // Stop where rounding makes it unsolvable.
            break;
        }
        let reached = dot_reversed(&x[..i], &row[1..=i]);
        let missing = (y[i] - reached) / error;
        x[..=i].iter_mut().zip(a[..=i].iter().rev()).for_each(|(x, a)| *x += missing * a);
    }
    x
}

/// Sums that run side by side in a product, so that compilers make vectors of them.
const LANES: usize = 8;

/// The sum of `a[i] b[i]`, of two lists as long.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a, a_rest) = a.as_chunks::<LANES>();
    let (b, b_rest) = b.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (a, b) in a.iter().zip(b) {
        (0..LANES).for_each(|lane| sums[lane] += a[lane] * b[lane]);
    }
    sums.iter().sum::<f64>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f64>()
}

/// The sum of `a[i] b[n - 1 - i]`, of two lists of `n`.
fn dot_reversed(a: &[f64], b: &[f64]) -> f64 {
    let (a, a_rest) = a.as_chunks::<LANES>();
    let (b_rest, b) = b.as_rchunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (a, b) in a.iter().zip(b.iter().rev()) {
        (0..LANES).for_each(|lane| sums[lane] += a[lane] * b[LANES - 1 - lane]);
    }
    sums.iter().sum::<f64>() + a_rest.iter().zip(b_rest.iter().rev()).map(|(a, b)| a * b).sum::<f64>()
}
