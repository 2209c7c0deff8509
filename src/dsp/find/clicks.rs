//! Clicks: short runs of samples that neither those before nor those after them lead to expect, and without which all
//! around them is as expected.
//!
//! Sources: Godsill and Rayner, *Digital Audio Restoration*, Springer 1998, chapter 5 (linear prediction, a threshold on its
//! error over a robust estimate of how large it usually is, interpolation by least squares); Esquef, Biscainho, Diniz and
//! Freeland, *A double-threshold-based approach to impulsive noise detection in audio signals*, EUSIPCO 2000 (what is found
//! is then cut to the samples that are damaged).

use std::ops::Range;

/// Samples that one predictor serves.
const BLOCK: usize = 2048;
/// Its order: enough for the strongest resonances of what surrounds a click.
const ORDER: usize = 24;
/// Errors this near to each other are one click.
const GAP: usize = 16;
/// Longest click; longer ones are sounds.
const LONGEST: usize = 64;
/// Longer clicks must stand out this many times as far: so long are pulses of a voice, too.
const SHORT: usize = 20;
const LONG_TIMES: f64 = 3.0;
/// Samples on both sides of a candidate that may belong to it.
const BESIDE: usize = 4;
/// Errors of fewer blocks than these around it set the scale of a block.
const NEAR_BLOCKS: usize = 1;
/// The median of the size of Gaussian errors over their standard deviation.
const MEDIAN_OF_GAUSSIAN: f64 = 0.6745;
/// The second pass predicts from what the first has repaired, as a loud click spoils the predictor of its block. How much of
/// [`REPAIRED`] each asks for.
const PASSES: [f64; 2] = [0.3, 1.0];
/// Parts of the threshold: for an error to make a candidate, and for how many times smaller repair makes the errors.
const CANDIDATE: f64 = 0.6;
const REPAIRED: f64 = 0.8;
/// Part of what repair improves that samples at the ends of a click may give up.
const GIVEN_UP: f64 = 0.001;
/// Runs with so few samples between them are one click.
const APART: usize = 8;
/// Part of the most that repair moves a sample by, under which samples at the ends of a click are left as they are.
const MOVED: f64 = 0.04;
/// A sample of 16 bits: what is quieter is no click.
const LEAST: f64 = 1.0 / 32_768.0;

type Predictor = [f64; ORDER];

/// The runs of samples that are clicks, ascending and disjoint. Where errors of prediction forwards and backwards are over
/// six tenths of `threshold` times as large as usual, samples are interpolated; if that makes the errors eight tenths of
/// `threshold` times smaller, it was a click. Pulses of a voice and strokes are none: what follows them depends on them.
pub fn clicks(samples: &[f32], threshold: f64) -> Vec<Range<usize>> {
    let samples: Vec<f64> = samples.iter().map(|&sample| f64::from(sample)).collect();
    let mut repaired = samples.clone();
    let mut found = Vec::new();
    for part in PASSES {
        let errors = Errors::new(&samples, &repaired);
        repaired.copy_from_slice(&samples);
        found = errors.clicks(threshold, part * REPAIRED * threshold, &mut repaired);
    }
    found
}

/// What is left of each sample when the predictor of its block has said what it could from those before and after it.
struct Errors {
    predictors: Vec<Option<Predictor>>,
    /// Of each block.
    usual: Vec<f64>,
    /// The smaller of the largest error forwards shortly before and the largest backwards shortly after: large within a
    /// click, and nowhere around a sound that begins or ends.
    both: Vec<f64>,
}

impl Errors {
    /// Of `samples`, predicted from what `learnt_from` teaches.
    fn new(samples: &[f64], learnt_from: &[f64]) -> Errors {
        let n = samples.len();
        let (mut forward, mut backward) = (vec![0.0; n], vec![0.0; n]);
        let mut predictors = Vec::new();
        for start in (0..n).step_by(BLOCK) {
            let end = (start + BLOCK).min(n);
            let predictor = predictor_of_block(learnt_from, start..end);
            predictors.push(predictor);
            let Some(predictor) = predictor else { continue };
            for at in start..end {
                if at >= ORDER {
                    forward[at] = error(&samples[at - ORDER..=at], &predictor);
                }
                if at + ORDER < n {
                    let after = predictor.iter().zip(&samples[at + 1..]);
                    backward[at] = samples[at] - after.map(|(a, sample)| a * sample).sum::<f64>();
                }
            }
        }
        let usual = |block: usize| {
            let around = block.saturating_sub(NEAR_BLOCKS) * BLOCK..((block + NEAR_BLOCKS + 1) * BLOCK).min(n);
            let sizes = forward[around].iter().map(|error| error.abs()).collect();
            (median(sizes) / MEDIAN_OF_GAUSSIAN).max(LEAST)
        };
        let largest = |errors: &[f64]| errors.iter().fold(0.0f64, |most, error| most.max(error.abs()));
        let both = |at: usize| {
            let before = largest(&forward[at.saturating_sub(GAP)..=at]);
            before.min(largest(&backward[at..(at + GAP + 1).min(n)]))
        };
        let usual = (0..predictors.len()).map(usual).collect();
        Errors { usual, both: (0..n).map(both).collect(), predictors }
    }

    /// The clicks of `samples`, which are repaired.
    fn clicks(&self, threshold: f64, least_times: f64, samples: &mut [f64]) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        let mut at = 0;
        while at < self.both.len() {
            if self.both[at] <= threshold * CANDIDATE * self.usual[at / BLOCK] {
                at += 1;
                continue;
            }
            let candidate = self.candidate(at, threshold);
            at = candidate.end.max(at + 1);
            if candidate.len() <= LONGEST
                && let Some(run) = self.repair(samples, &candidate, least_times)
            {
                match found.last_mut() {
                    Some(last) if run.start <= last.end + APART => last.end = last.end.max(run.end),
                    _ => found.push(run),
                }
            }
        }
        found
    }

    /// The samples around the largest error near one, with errors that are not much smaller.
    fn candidate(&self, at: usize, threshold: f64) -> Range<usize> {
        let near = at..(at + LONGEST).min(self.both.len());
        let top = near.max_by(|&a, &b| self.both[a].total_cmp(&self.both[b])).unwrap_or(at);
        let least = threshold * CANDIDATE / 2.0 * self.usual[at / BLOCK];
        let around = |part: f64| {
            let level = least.max(self.both[top] / part);
            let (mut start, mut end) = (top, top + 1);
            while start > 0 && self.both[start - 1] > level {
                start -= 1;
            }
            while end < self.both.len() && self.both[end] > level {
                end += 1;
            }
            start..end
        };
        // A click within other surprises is what stands out of them.
        let parts = [3.0, 2.0, 1.5, 1.2].into_iter().map(around);
        parts.clone().find(|run| run.len() <= LONGEST).unwrap_or_else(|| around(1.0))
    }

    /// Interpolates a candidate if it is a click, and says which of its samples are damaged.
    fn repair(&self, samples: &mut [f64], candidate: &Range<usize>, least_times: f64) -> Option<Range<usize>> {
        let span = candidate.start.saturating_sub(BESIDE)..(candidate.end + BESIDE).min(samples.len());
        if span.start < ORDER || span.end + ORDER > samples.len() {
            return None;
        }
        let predictor = self.predictors[candidate.start / BLOCK].as_ref()?;
        let usual = self.usual[candidate.start / BLOCK];
        let place = Place { samples: &samples[span.start - ORDER..span.end + ORDER], predictor };
        let all = ORDER..ORDER + span.len();
        let [before, after] = place.error_powers(&all, &all);
        // Not worth to be cut to its damaged samples.
        if before < (least_times / 3.0).powi(2) * after {
            return None;
        }
        let most = after + (25.0 * usual * usual).max(GIVEN_UP * (before - after));
        let mut run = all.clone();
        while run.len() > 1 {
            let fewer = [run.start + 1..run.end, run.start..run.end - 1];
            let [without_first, without_last] = [0, 1].map(|side| place.error_powers(&fewer[side], &all)[1]);
            if without_first.min(without_last) > most {
                break;
            }
            let [first, last] = fewer;
            run = if without_first < without_last { first } else { last };
        }
        // Samples at the ends that repair hardly moves are those around a click.
        let moved = |run: &Range<usize>| -> Vec<f64> {
            place.interpolated(run).iter().zip(&place.samples[run.clone()]).map(|(a, b)| (a - b).abs()).collect()
        };
        let by = moved(&run);
        let least_moved = MOVED * by.iter().fold(0.0f64, |most, by| most.max(*by));
        let (first, last) =
            (by.iter().position(|by| *by >= least_moved)?, by.iter().rposition(|by| *by >= least_moved)?);
        run = run.start + first..run.start + last + 1;
        let times = if run.len() > SHORT { LONG_TIMES * least_times } else { least_times };
        let [before, after] = place.error_powers(&run, &run);
        if before < times * times * after {
            return None;
        }
        let first = span.start - ORDER;
        let repaired = place.interpolated(&run);
        let run = first + run.start..first + run.end;
        samples[run.clone()].copy_from_slice(&repaired);
        Some(run)
    }
}

/// Samples around a candidate, from [`ORDER`] before it to as many behind it.
struct Place<'a> {
    samples: &'a [f64],
    predictor: &'a Predictor,
}

impl Place<'_> {
    /// Sums of the squares of all errors that some samples take part in, as they are and with a run interpolated.
    fn error_powers(&self, run: &Range<usize>, samples: &Range<usize>) -> [f64; 2] {
        let mut repaired = self.samples.to_vec();
        repaired[run.clone()].copy_from_slice(&self.interpolated(run));
        let reached = samples.start - ORDER..samples.end + ORDER;
        [self.samples, &repaired].map(|all| {
            let errors = all[reached.clone()].windows(ORDER + 1).map(|past| error(past, self.predictor));
            errors.map(|error| error * error).sum::<f64>() + LEAST * LEAST
        })
    }

    /// The samples of a run that make the errors smallest: least squares, as Janssen and others have it.
    fn interpolated(&self, run: &Range<usize>) -> Vec<f64> {
        let filter: Vec<f64> = std::iter::once(1.0).chain(self.predictor.iter().map(|a| -a)).collect();
        let lags: Vec<f64> =
            (0..=ORDER).map(|lag| filter[lag..].iter().zip(&filter).map(|(a, b)| a * b).sum()).collect();
        let lag = |by: usize| lags.get(by).copied().unwrap_or(0.0);
        let known = |at: usize| {
            let before = (at.saturating_sub(ORDER)..run.start).map(|other| lag(at - other) * self.samples[other]);
            let after = run.end..(at + ORDER + 1).min(self.samples.len()).max(run.end);
            -before.chain(after.map(|other| lag(other - at) * self.samples[other])).sum::<f64>()
        };
        solved(run.len(), lag, run.clone().map(known).collect())
    }
}

/// Solves a symmetric positive definite Toeplitz system by Cholesky's decomposition.
fn solved(n: usize, lag: impl Fn(usize) -> f64, mut right: Vec<f64>) -> Vec<f64> {
    let mut lower = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| lower[i * n + k] * lower[j * n + k]).sum();
            let rest = lag(i - j) - sum;
            lower[i * n + j] = if i == j { rest.max(1e-12).sqrt() } else { rest / lower[j * n + j] };
        }
    }
    for i in 0..n {
        let sum: f64 = (0..i).map(|k| lower[i * n + k] * right[k]).sum();
        right[i] = (right[i] - sum) / lower[i * n + i];
    }
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|k| lower[k * n + i] * right[k]).sum();
        right[i] = (right[i] - sum) / lower[i * n + i];
    }
    right
}

/// What a predictor does not say of the last of `ORDER + 1` samples.
fn error(samples: &[f64], predictor: &Predictor) -> f64 {
    let predicted: f64 = predictor.iter().zip(samples[..ORDER].iter().rev()).map(|(a, sample)| a * sample).sum();
    samples[ORDER] - predicted
}

/// Learnt from a block and half of one more on each side, under a window.
fn predictor_of_block(samples: &[f64], block: Range<usize>) -> Option<Predictor> {
    let (low, high) = (block.start.saturating_sub(BLOCK / 2), (block.end + BLOCK / 2).min(samples.len()));
    let n = (high - low) as f64;
    let window = |i: usize| 0.5 - 0.5 * (std::f64::consts::TAU * (i as f64 + 0.5) / n).cos();
    let windowed: Vec<f64> = samples[low..high].iter().enumerate().map(|(i, sample)| sample * window(i)).collect();
    predictor(&windowed)
}

/// Linear prediction by the autocorrelation method (Levinson and Durbin); none of silence.
fn predictor(windowed: &[f64]) -> Option<Predictor> {
    if windowed.len() <= ORDER {
        return None;
    }
    let lag = |k: usize| windowed[k..].iter().zip(windowed).map(|(a, b)| a * b).sum::<f64>();
    let mut r: Vec<f64> = (0..=ORDER).map(lag).collect();
    if r[0] <= 0.0 {
        return None;
    }
    // A floor 80 dB down keeps pure tones from being predicted to the last digit.
    r[0] *= 1.0 + 1e-8;
    let mut a = [0.0; ORDER];
    let mut power = r[0];
    for i in 0..ORDER {
        let reflection = (r[i + 1] - (0..i).map(|k| a[k] * r[i - k]).sum::<f64>()) / power;
        let before = a;
        a[i] = reflection;
        for k in 0..i {
            a[k] = before[k] - reflection * before[i - 1 - k];
        }
        power *= 1.0 - reflection * reflection;
        if power <= 0.0 {
            break;
        }
    }
    Some(a)
}

fn median(mut values: Vec<f64>) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f64::total_cmp).1
}
