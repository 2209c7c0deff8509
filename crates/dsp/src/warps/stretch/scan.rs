//! Onsets of a sound that is read in pieces.

use super::ReadInput;
use super::attacks::attacks;
use crate::base::Result;
use crate::dsp::Stft;
use crate::dsp::pitch::onsets::onsets;
use std::ops::Range;

/// Length analysed at a time.
const BLOCK_SECS: f64 = 8.0;
/// Length of context on both sides.
const CONTEXT_SECS: f64 = 0.5;
/// Minimum distance between onsets.
const MIN_SEPARATION_SECS: f64 = 0.012;

/// The onsets in `n_samples` samples, ascending. Onsets and the positions passed to `read` are relative to the first
/// sample. `stft` must have the [transform](crate::dsp::pitch::onsets::onset_transform) for the rate. `is_going_on` is
/// called before each block with the number of samples done; its errors end the scan.
///
/// # Errors
/// Read errors, and those of `is_going_on`.
pub fn onsets_in(
    stft: &Stft,
    rate_hz: f64,
    n_samples: u64,
    read: &mut ReadInput<'_>,
    mut is_going_on: impl FnMut(u64) -> Result<()>,
) -> Result<Vec<u64>> {
    let samples_in = |secs: f64| ((secs * rate_hz).round() as u64).max(1);
    let (block, around, apart) = (samples_in(BLOCK_SECS), samples_in(CONTEXT_SECS), samples_in(MIN_SEPARATION_SECS));
    let mut found: Vec<u64> = Vec::new();
    for start in (0..n_samples).step_by(block as usize) {
        is_going_on(start)?;
        let own: Range<u64> = start..n_samples.min(start + block);
        let first = own.start as i64 - around as i64;
        let mono = steps(mean(read(first, (own.end - own.start + 2 * around) as usize)?));
        let begin = onsets(stft, &mono, rate_hz);
        let is_new = |at: &usize| begin.iter().all(|other| at.abs_diff(*other) as u64 >= apart);
        let mut all: Vec<usize> = attacks(&mono, rate_hz).into_iter().filter(is_new).collect();
        all.extend(&begin);
        all.sort_unstable();
        for at in all {
            let at = first + at as i64;
            let is_own = at >= own.start as i64 && at < own.end as i64;
            if is_own && found.last().is_none_or(|last| at as u64 >= last + apart) {
                found.push(at as u64);
            }
        }
    }
    Ok(found)
}

/// The mean of all channels.
fn mean(channels: Vec<Vec<f32>>) -> Vec<f32> {
    let gain = 1.0 / channels.len().max(1) as f32;
    let mut channels = channels.into_iter();
    let mut sum = channels.next().unwrap_or_default();
    for channel in channels {
        sum.iter_mut().zip(&channel).for_each(|(sum, sample)| *sum += sample);
    }
    sum.iter_mut().for_each(|sample| *sample *= gain);
    sum
}

/// The differences of consecutive samples, which emphasise attacks over sustained low frequencies.
fn steps(mut samples: Vec<f32>) -> Vec<f32> {
    let mut last = samples.first().copied().unwrap_or(0.0);
    for sample in &mut samples {
        (last, *sample) = (*sample, *sample - last);
    }
    samples
}
