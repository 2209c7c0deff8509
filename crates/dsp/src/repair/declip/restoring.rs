//! Declips a piece of sound: by social sparsity on one or several STFTs, then by prediction.

use super::levels::ClipLevels;
use super::prediction::predict_clipped;
use super::social::{SocialSchedule, restore_socially};
use crate::base::{Progress, Result};
use crate::dsp::FftPlans;
use std::ops::Range;

/// Quality of declipping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DeclipQuality {
    /// Three STFTs, each weighted by how well it restores intentionally clipped samples.
    Best,
    /// One STFT.
    Fast,
}

/// Minimum fraction of samples between the clipping levels.
pub const MIN_RELIABLE_SHARE: f64 = 0.05;

/// Number of samples per frame at 44.1 kHz.
const FRAME_LEN: usize = 8192;
const FRAME_RATE_HZ: f64 = 44_100.0;
/// Fraction of clipped samples above which the search starts at a higher threshold and takes more iterations.
const HEAVY_CLIPPING_SHARE: f64 = 0.4;
const DEFAULT_SCHEDULE: SocialSchedule = SocialSchedule { first: 2.0, last: 0.01, n_thresholds: 16, n_iterations: 20 };
const HEAVY_SCHEDULE: SocialSchedule = SocialSchedule { first: 5.0, last: 0.01, n_thresholds: 16, n_iterations: 40 };
/// Trial for weighting the STFTs: `TRIAL_SECS` of the piece are clipped again, at `TRIAL_LEVEL` times its levels.
const TRIAL_SCHEDULE: SocialSchedule = SocialSchedule { first: 2.0, last: 0.03, n_thresholds: 8, n_iterations: 12 };
const TRIAL_SECS: f64 = 3.0;
const TRIAL_LEVEL: f32 = 0.7;
/// The work of the prediction, in iterations of the search.
const PREDICTION_STEPS: f64 = 80.0;

/// The clipping of a whole signal, for restoring a piece of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClippedSignal {
    /// Levels at which the signal is clipped.
    pub levels: ClipLevels,
    /// Fraction of all its samples that are clipped, 0 to 1.
    pub share: f64,
    /// Sample rate in hertz.
    pub rate_hz: f64,
}

/// Samples with the clipped ones restored; the others are bit-identical. None is closer to 0 than its clipping level.
/// Steps the progress at every iteration.
///
/// # Errors
/// [`Cancelled`](crate::base::ErrorKind::Cancelled).
pub fn restore_clipped(
    samples: &[f32],
    clipped: &ClippedSignal,
    quality: DeclipQuality,
    plans: &FftPlans,
    progress: &Progress,
) -> Result<Vec<f32>> {
    let ClippedSignal { levels, share, rate_hz } = *clipped;
    let longest = frame_len(rate_hz);
    let frame_lens: &[usize] = match quality {
        DeclipQuality::Fast => &[longest],
        DeclipQuality::Best => &[longest / 4, longest / 2, longest],
    };
    let schedule = if share > HEAVY_CLIPPING_SHARE { HEAVY_SCHEDULE } else { DEFAULT_SCHEDULE };
    let trial = &samples[max_clipped(samples, levels, (TRIAL_SECS * rate_hz) as usize)];
    let is_tried = frame_lens.len() > 1;
    let trial_steps = TRIAL_SCHEDULE.n_steps() as f64 * trial.len() as f64 / samples.len().max(1) as f64;
    let mut parts = Parts::new(
        progress,
        frame_lens.len(),
        [if is_tried { trial_steps } else { 0.0 }, schedule.n_steps() as f64, PREDICTION_STEPS],
    );
    let weights = match is_tried {
        true => weights(trial, levels, frame_lens, plans, &mut parts)?,
        false => vec![1.0],
    };
    let mut mixed = vec![0.0f32; samples.len()];
    for (&frame_len, weight) in frame_lens.iter().zip(weights) {
        let restored = restore_socially(samples, levels, frame_len, &schedule, plans, &parts.next(1))?;
        mixed.iter_mut().zip(&restored).for_each(|(mixed, restored)| *mixed += weight * restored);
    }
    // Rounded weights need not add up to exactly 1, so unclipped samples are copied.
    for (mixed, &sample) in mixed.iter_mut().zip(samples) {
        *mixed = if levels.is_clipped(sample) { levels.allow(sample, *mixed) } else { sample };
    }
    let predicted = predict_clipped(samples, levels, &mixed, &parts.next(2))?;
    for ((mixed, predicted), &sample) in mixed.iter_mut().zip(predicted).zip(samples) {
        if levels.is_clipped(sample) {
            *mixed = levels.allow(sample, 0.5 * (*mixed + predicted));
        }
    }
    Ok(mixed)
}

/// The longest frame length for a sample rate, in samples.
fn frame_len(rate_hz: f64) -> usize {
    let octaves = (rate_hz / FRAME_RATE_HZ).log2().round().clamp(-8.0, 8.0);
    (FRAME_LEN as f64 * octaves.exp2()) as usize
}

/// The stages of the work as parts of the progress.
struct Parts<'a> {
    progress: &'a Progress,
    /// Number of steps of each trial, of each search, and of the prediction; there is a trial and a search per frame
    /// length.
    steps: [f64; 3],
    total: f64,
    done: f64,
}

impl<'a> Parts<'a> {
    fn new(progress: &'a Progress, n_searches: usize, steps: [f64; 3]) -> Parts<'a> {
        let total = n_searches as f64 * (steps[0] + steps[1]) + steps[2];
        Parts { progress, steps, total, done: 0.0 }
    }

    fn next(&mut self, part: usize) -> Progress {
        let from = self.done;
        self.done += self.steps[part];
        self.progress.within([from, self.done].map(|done| (done / self.total).min(1.0)))
    }
}

/// The range of `n` samples that contains the most clipped ones.
fn max_clipped(samples: &[f32], levels: ClipLevels, n: usize) -> Range<usize> {
    if samples.len() <= n {
        return 0..samples.len();
    }
    let (mut clipped, mut max, mut first) = (levels.count(&samples[..n]), 0, 0);
    for (start, (&leaves, &enters)) in samples.iter().zip(&samples[n..]).enumerate() {
        if clipped > max {
            (max, first) = (clipped, start);
        }
        clipped += u64::from(levels.is_clipped(enters));
        clipped -= u64::from(levels.is_clipped(leaves));
    }
    if clipped > max {
        first = samples.len() - n;
    }
    first..first + n
}

/// Weight of the result with each frame length: proportional to `1 / e^2`, where `e` is its summed squared error on a
/// piece that is clipped again for the trial. The weights add up to 1.
fn weights(
    samples: &[f32],
    levels: ClipLevels,
    frame_lens: &[usize],
    plans: &FftPlans,
    parts: &mut Parts<'_>,
) -> Result<Vec<f32>> {
    let lower = levels.scaled(TRIAL_LEVEL);
    let clipped: Vec<f32> = samples.iter().map(|sample| sample.clamp(lower.below, lower.above)).collect();
    let mut errors = Vec::with_capacity(frame_lens.len());
    for &frame_len in frame_lens {
        let restored = restore_socially(&clipped, lower, frame_len, &TRIAL_SCHEDULE, plans, &parts.next(0))?;
        let error_of = |(&sample, &restored): (&f32, &f32)| {
            // An already clipped sample is unknown, except that it lies beyond its level.
            let wanted = if levels.is_clipped(sample) { levels.allow(sample, restored) } else { sample };
            f64::from(restored - wanted).powi(2)
        };
        errors.push(samples.iter().zip(&restored).map(error_of).sum::<f64>());
    }
    let min = errors.iter().copied().fold(f64::MAX, f64::min);
    // Relative to the smallest error; an error of 0 has the largest weight.
    let parts: Vec<f64> = errors.iter().map(|error| if *error > 0.0 { (min / error).powi(2) } else { 1.0 }).collect();
    let sum: f64 = parts.iter().sum();
    Ok(parts.iter().map(|part| (part / sum) as f32).collect())
}
