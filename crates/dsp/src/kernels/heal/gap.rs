//! Heal brush, mode gap: predicts samples from those before and after, at all frequencies at once. In f64 and
//! iterative, so both engines call this one kernel.
//!
//! Source: Janssen, Veldhuis and Vries, "Adaptive interpolation of discrete-time signals that can be modeled as
//! autoregressive processes", IEEE TASSP 34(2), 1986. The coefficients come from the autocorrelation of the whole
//! segment under a Hann window; the samples of the gap minimise the squared prediction error.

use crate::dsp::numeric::toeplitz::{ToeplitzSolver, dot, dot_reversed, levinson};
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use std::f64::consts::TAU;
use std::ops::Range;
use std::sync::Arc;

/// Number of alternations between estimating coefficients and samples.
const ITERATIONS: usize = 5;
/// White noise added to the autocorrelation, 120 dB below the signal, so that a silent band does not make the matrix
/// singular.
const RIDGE: f64 = 1e-12;

/// Constraint on clipped samples in a gap: their value is at the clipping level or beyond, with its sign.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CutOff(f64);

impl CutOff {
    /// The constraint of samples clipped at one level; `None` if there are too few samples or their values differ.
    pub fn of(samples: &[f64]) -> Option<CutOff> {
        let level = samples.iter().copied().reduce(|a, b| if a.abs() < b.abs() { a } else { b })?;
        let is_level = |x: &f64| x.signum() == level.signum() && (x - level).abs() <= LEVEL_SPREAD * level.abs();
        (samples.len() >= MIN_CLIPPED_RUN && level != 0.0 && samples.iter().all(is_level)).then_some(CutOff(level))
    }

    /// Whether no surrounding sample exceeds the level: if one does, the value was held, not clipped.
    pub fn is_peak_of(self, around: &[f64]) -> bool {
        around.iter().all(|x| x * self.0.signum() <= (1.0 + LEVEL_SPREAD) * self.0.abs())
    }

    fn allows(self, x: f64) -> f64 {
        (x * self.0.signum()).clamp(self.0.abs(), MAX_RESTORED_RATIO * self.0.abs()) * self.0.signum()
    }
}

/// Minimum number of samples at one level that count as clipping.
const MIN_CLIPPED_RUN: usize = 3;
/// Maximum difference of clipped samples from the level, relative to it.
const LEVEL_SPREAD: f64 = 0.02;
/// Upper limit of restored peaks relative to the clipping level: real peaks are seldom higher.
const MAX_RESTORED_RATIO: f64 = 2.0;

/// Fills the samples of `gap` in `segment` by linear prediction of the given order.
pub fn fill_gap(segment: &mut [f64], gap: Range<usize>, order: usize, cut_off: Option<CutOff>) {
    fill_gap_in(segment, gap, order, cut_off, ITERATIONS);
}

/// As [`fill_gap`], with a number of alternations.
pub(in crate::kernels) fn fill_gap_in(
    segment: &mut [f64],
    gap: Range<usize>,
    order: usize,
    cut_off: Option<CutOff>,
    iterations: usize,
) {
    let n = segment.len();
    let order = order.min((n - gap.len()) / 3);
    if gap.is_empty() || order == 0 {
        return;
    }
    if cut_off.is_none() {
        segment[gap.clone()].fill(0.0);
    }
    let (learner, solver) = (Learner::new(n, order), ToeplitzSolver::new(gap.len()));
    for _ in 0..iterations {
        let Some(b) = learner.prediction_error(segment) else { return };
        solve(segment, &gap, &b, &solver, cut_off);
    }
}

/// Fills many gaps of one segment, which are too close together for separate predictions, by prediction with shared
/// coefficients. Each gap in turn is solved from the current values of the others, starting from the contents of
/// `segment`, such as those from [`bridge`]. `gaps` is ascending.
pub fn fill_gaps(segment: &mut [f64], gaps: &[(Range<usize>, Option<CutOff>)], order: usize) {
    let n_missing: usize = gaps.iter().map(|(gap, _)| gap.len()).sum();
    let order = order.min(segment.len().saturating_sub(n_missing) / 3).max(1);
    let learner = Learner::new(segment.len(), order);
    let solvers: Vec<ToeplitzSolver> = gaps.iter().map(|(gap, _)| ToeplitzSolver::new(gap.len())).collect();
    for _ in 0..ITERATIONS {
        let Some(b) = learner.prediction_error(segment) else { return };
        for _ in 0..SWEEPS {
            let gaps = gaps.iter().zip(&solvers);
            gaps.for_each(|((gap, cut_off), solver)| solve(segment, gap, &b, solver, *cut_off));
        }
    }
}

/// Number of rounds over the interdependent gaps per set of coefficients.
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

/// Estimates prediction coefficients for segments of one length.
struct Learner {
    order: usize,
    hann: Vec<f64>,
    forward: Arc<dyn RealToComplex<f64>>,
    inverse: Arc<dyn ComplexToReal<f64>>,
}

impl Learner {
    fn new(n_samples: usize, order: usize) -> Learner {
        let hann = |i: usize| 0.5 - 0.5 * (TAU * (i as f64 + 0.5) / n_samples as f64).cos();
        let (length, mut planner) = ((n_samples + order + 1).next_power_of_two(), RealFftPlanner::new());
        Learner {
            order,
            hann: (0..n_samples).map(hann).collect(),
            forward: planner.plan_fft_forward(length),
            inverse: planner.plan_fft_inverse(length),
        }
    }

    /// The autocorrelation of `1, a_1 ..= a_order`, the coefficients that predict a segment best: the first row of the
    /// Toeplitz matrix of the least-squares problem. `None` for silence.
    fn prediction_error(&self, segment: &[f64]) -> Option<Vec<f64>> {
        let r = self.autocorrelation_under_hann(segment);
        if r[0] <= 0.0 {
            return None;
        }
        let a = levinson(&r);
        Some((0..=self.order).map(|lag| dot(&a[lag..], &a[..=self.order - lag])).collect())
    }

    /// Autocorrelation of the windowed segment at lags `0 ..= order`, by FFT.
    fn autocorrelation_under_hann(&self, segment: &[f64]) -> Vec<f64> {
        let (mut samples, mut spectrum) = (self.forward.make_input_vec(), self.forward.make_output_vec());
        let weighed = segment.iter().zip(&self.hann).map(|(x, hann)| x * hann);
        samples.iter_mut().zip(weighed).for_each(|(sample, x)| *sample = x);
        // Cannot fail: the buffers have the plan's lengths, and a power spectrum is real.
        self.forward.process(&mut samples, &mut spectrum).ok();
        spectrum.iter_mut().for_each(|z| *z = z.norm_sqr().into());
        self.inverse.process(&mut spectrum, &mut samples).ok();
        let mut r: Vec<f64> = samples[..=self.order].iter().map(|x| x / self.inverse.len() as f64).collect();
        r[0] *= 1.0 + RIDGE;
        r
    }
}

/// Writes the samples of a gap that minimise the prediction error, where `b` is the first row of the matrix.
fn solve(segment: &mut [f64], gap: &Range<usize>, b: &[f64], solver: &ToeplitzSolver, cut_off: Option<CutOff>) {
    let order = b.len() - 1;
    let known = |t: usize| {
        // Lags that reach beyond the gap.
        let later = gap.end - t..=(segment.len() - t - 1).min(order);
        let earlier = t + 1 - gap.start..=t.min(order);
        let after = if later.is_empty() { 0.0 } else { dot(&segment[t + later.start()..=t + later.end()], &b[later]) };
        let before = match earlier.is_empty() {
            true => 0.0,
            false => dot_reversed(&segment[t - earlier.end()..=t - earlier.start()], &b[earlier]),
        };
        -(after + before)
    };
    let right: Vec<f64> = gap.clone().map(known).collect();
    let solved = solver.solve(b, &right);
    let filled = solved.into_iter().map(|x| cut_off.map_or(x, |cut_off| cut_off.allows(x)));
    segment[gap.clone()].iter_mut().zip(filled).for_each(|(sample, x)| *sample = x);
}
