//! Heal brush, mode gap: several prediction orders, each weighted by how well it fills trial gaps of the same length
//! beside the gap. On the CPU for both engines, like the prediction itself (`gap`).

use super::gap::fill_gap_in;
use rayon::prelude::*;
use std::ops::Range;

/// Number of weighted orders.
pub const N_GAP_ORDERS: usize = 6;
/// Each order, and the number of samples at 44.1 kHz before and after the gap from which its coefficients are learnt.
const ORDERS: [(usize, usize); N_GAP_ORDERS] =
    [(64, 512), (256, 1024), (512, 2048), (1024, 8192), (2048, 16_384), (3072, 32_768)];
const ORDERS_RATE_HZ: f64 = 44_100.0;
/// Minimum context, in gap lengths.
const MIN_CONTEXT_GAPS: usize = 2;
/// Number of alternations between estimating coefficients and samples, in the gap and in a trial gap.
const ITERATIONS: usize = 3;
const TRIAL_ITERATIONS: usize = 2;
/// Minimum distance of a trial gap from the gap.
const TRIAL_DISTANCE_SECS: f64 = 0.01;
/// Minimum number of samples between a trial gap and either end of the given samples.
const TRIAL_MARGIN: usize = 64;
/// Mean square below which a trial gap is silence, which any order predicts.
const SILENCE: f64 = 1e-12;
/// Value added to the error of each order, so that an order without error leaves weight for the others.
const MIN_ERROR: f64 = 1e-6;
/// Weights of the orders if there is no room for a trial gap: equal for the two that are usually best.
const DEFAULT_ORDER_WEIGHTS: [f64; N_GAP_ORDERS] = [0.0, 0.0, 0.0, 0.5, 0.5, 0.0];

/// The weight of each order; the sum is 1.
type OrderWeights = [f64; N_GAP_ORDERS];

/// A gap to fill by prediction. The samples of the gap itself are 0.
#[derive(Debug, Clone)]
pub struct SilencedGap<'a> {
    /// The gap with [`gap_reach`] samples on each side, or fewer at an end of the signal.
    pub samples: &'a [f64],
    /// The gap, a non-empty range of these samples.
    pub gap: Range<usize>,
    /// Other gaps within these samples.
    pub others: &'a [Range<usize>],
    /// Maximum number of samples before and after the gap from which coefficients are learnt.
    pub context: [usize; 2],
    /// Sample rate of the sound.
    pub rate_hz: f64,
}

/// Number of samples before and after a gap of `gap_samples` that affect its contents.
pub fn gap_reach(gap_samples: usize, context: [usize; 2], rate_hz: f64) -> [usize; 2] {
    let beside = trial_distance(gap_samples, rate_hz) + gap_samples;
    contexts(N_GAP_ORDERS - 1, gap_samples, context, rate_hz).map(|context| context + beside + TRIAL_MARGIN)
}

/// Number of samples before and after a gap from which an order's coefficients are learnt.
fn contexts(order: usize, gap_samples: usize, max: [usize; 2], rate_hz: f64) -> [usize; 2] {
    let wanted = (ORDERS[order].1 as f64 * rate_hz / ORDERS_RATE_HZ).round() as usize;
    max.map(|max| wanted.max(MIN_CONTEXT_GAPS * gap_samples).min(max))
}

fn trial_distance(gap_samples: usize, rate_hz: f64) -> usize {
    gap_samples.max((TRIAL_DISTANCE_SECS * rate_hz).round() as usize)
}

impl SilencedGap<'_> {
    /// Predicts the samples of the gap. Returns them and the weights of the orders: `weights`, or if `None`, those
    /// found with trial gaps.
    pub fn filled(&self, weights: Option<OrderWeights>) -> (Vec<f64>, OrderWeights) {
        let trials = if weights.is_some() { Vec::new() } else { self.trials() };
        let tried: Vec<(Vec<f64>, f64)> = (0..N_GAP_ORDERS)
            .into_par_iter()
            .map(|order| {
                let fill = self.fill(self.samples, &self.gap, order, ITERATIONS);
                let error = self.error(order, &fill, &trials);
                (fill, error)
            })
            .collect();
        let weights = weights.unwrap_or_else(|| match trials.is_empty() {
            true => DEFAULT_ORDER_WEIGHTS,
            false => weights_of(&tried),
        });
        let mut mixed = vec![0.0; self.gap.len()];
        for ((fill, _), weight) in tried.iter().zip(weights) {
            mixed.iter_mut().zip(fill).for_each(|(mixed, sample)| *mixed += weight * sample);
        }
        (mixed, weights)
    }

    /// Trial gaps: ranges as long as the gap, before and after it, in known sound that is not silent.
    fn trials(&self) -> Vec<Range<usize>> {
        let (n, Range { start, end }) = (self.gap.len(), self.gap.clone());
        let distance = trial_distance(n, self.rate_hz);
        let before = start.checked_sub(distance + n).map(|first| first..first + n);
        let after = end + distance..end + distance + n;
        let is_known = |trial: &Range<usize>| {
            let is_inside = trial.start >= TRIAL_MARGIN && trial.end + TRIAL_MARGIN <= self.samples.len();
            is_inside
                && self.others.iter().all(|other| other.end < trial.start || other.start > trial.end)
                && energy(&self.samples[trial.clone()]) > SILENCE * n as f64
        };
        before.into_iter().chain([after]).filter(is_known).collect()
    }

    /// Predicts a range of samples with one order.
    fn fill(&self, samples: &[f64], range: &Range<usize>, order: usize, iterations: usize) -> Vec<f64> {
        let [before, after] = contexts(order, range.len(), self.context, self.rate_hz);
        let first = range.start.saturating_sub(before);
        let mut segment = samples[first..(range.end + after).min(samples.len())].to_vec();
        let within = range.start - first..range.end - first;
        fill_gap_in(&mut segment, within.clone(), ORDERS[order].0, None, iterations);
        segment[within].to_vec()
    }

    /// The mean squared error of an order in the trial gaps, relative to their energy, with its prediction `fill` in
    /// the gap.
    fn error(&self, order: usize, fill: &[f64], trials: &[Range<usize>]) -> f64 {
        if trials.is_empty() {
            return 0.0;
        }
        let mut samples = self.samples.to_vec();
        samples[self.gap.clone()].copy_from_slice(fill);
        let error_of = |trial: &Range<usize>| {
            let (truth, guess) = (&samples[trial.clone()], self.fill(&samples, trial, order, TRIAL_ITERATIONS));
            let error: f64 = guess.iter().zip(truth).map(|(guess, truth)| (guess - truth) * (guess - truth)).sum();
            error / energy(truth)
        };
        let errors: Vec<f64> = trials.par_iter().map(error_of).collect();
        errors.iter().sum::<f64>() / errors.len() as f64
    }
}

fn energy(samples: &[f64]) -> f64 {
    samples.iter().map(|x| x * x).sum()
}

/// The inverse square of each error, normalised to sum 1.
fn weights_of(tried: &[(Vec<f64>, f64)]) -> OrderWeights {
    let mut weights = [0.0; N_GAP_ORDERS];
    weights.iter_mut().zip(tried).for_each(|(weight, (_, error))| *weight = (error + MIN_ERROR).powi(-2));
    let sum: f64 = weights.iter().sum();
    if sum > 0.0 && sum.is_finite() { weights.map(|weight| weight / sum) } else { DEFAULT_ORDER_WEIGHTS }
}
