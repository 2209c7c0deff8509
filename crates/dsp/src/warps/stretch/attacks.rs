//! Attacks that the spectral flux of whole frames misses: second hits soon after a first one, and soft strokes between
//! loud ones.

use std::ops::Range;

/// Distance between two level measurements.
const STEP_SECS: f64 = 0.0005;
/// Steps on each side over which mean levels are compared, and the minimum rise at an attack.
const STEPS_PER_SIDE: usize = 10;
const MIN_RISE_DB: f32 = 13.0;
/// Steps before an attack, and the minimum level of the loudest step after it relative to the loudest before: excludes
/// the ringing of a hit.
const STEPS_BEFORE: usize = 16;
const MIN_STEP_DB: f32 = -1.5;
/// Minimum distance between attacks in steps, and their range below the loudest level.
const MIN_SEPARATION: usize = 24;
const RANGE_DB: f32 = 30.0;

/// The samples at which high frequencies rise, ascending. `steps` are the differences from sample to sample.
pub(super) fn attacks(steps: &[f32], rate_hz: f64) -> Vec<usize> {
    let levels = levels_of_highs(steps, rate_hz);
    let loudest = levels.iter().copied().fold(f32::MIN, f32::max);
    let mean = |range: Range<usize>| levels[range].iter().sum::<f32>() / STEPS_PER_SIDE as f32;
    let max = |range: Range<usize>| levels[range].iter().copied().fold(f32::MIN, f32::max);
    let last = levels.len().saturating_sub(STEPS_PER_SIDE);
    let rises: Vec<f32> = (0..last)
        .map(|at| if at < STEPS_PER_SIDE { 0.0 } else { mean(at..at + STEPS_PER_SIDE) - mean(at - STEPS_PER_SIDE..at) })
        .collect();
    let is_attack = |at: &usize| {
        let rise = rises[*at];
        let is_steepest = rises[at.saturating_sub(MIN_SEPARATION)..(at + MIN_SEPARATION).min(last)]
            .iter()
            .all(|other| *other <= rise);
        rise > MIN_RISE_DB
            && is_steepest
            && mean(*at..at + STEPS_PER_SIDE) > loudest - RANGE_DB
            && max(*at..at + STEPS_PER_SIDE) > max(at.saturating_sub(STEPS_BEFORE)..at - 1) + MIN_STEP_DB
    };
    let sample_at = |at: usize| (at as f64 * STEP_SECS * rate_hz).round() as usize;
    (STEPS_BEFORE..last).filter(is_attack).map(sample_at).collect()
}

/// Levels in decibels of the high frequencies in each step and the one before.
fn levels_of_highs(steps: &[f32], rate_hz: f64) -> Vec<f32> {
    let sample_at = |at: usize| ((at as f64 * STEP_SECS * rate_hz) as usize).min(steps.len().saturating_sub(1));
    let n = (steps.len() as f64 / rate_hz / STEP_SECS) as usize;
    let power = |at: usize| {
        let highs = &steps[sample_at(at)..=sample_at(at + 1)];
        highs.windows(2).map(|pair| (pair[1] - pair[0]).powi(2)).sum::<f32>()
    };
    let powers: Vec<f32> = (0..n).map(power).collect();
    let level = |at: usize| 10.0 * (powers[at.saturating_sub(1)..=at].iter().sum::<f32>() + 1e-12).log10();
    (0..n).map(level).collect()
}
