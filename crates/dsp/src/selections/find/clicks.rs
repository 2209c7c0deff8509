//! Clicks: samples that deviate far from what their neighbours predict.
//!
//! Source: Godsill and Rayner, *Digital Audio Restoration*, Springer 1998, chapter 5: linear prediction, and a
//! threshold on its error relative to a robust estimate of its usual size.

use std::ops::Range;

/// Number of samples per predictor.
const BLOCK: usize = 2048;
/// Prediction order: enough for the strongest resonances around a click.
const ORDER: usize = 24;
/// Maximum distance in samples of errors that belong to one click.
const GAP: usize = 16;
/// Maximum length of a click in samples; longer runs are left alone as wanted sound.
const MAX: usize = 256;
/// Distance within which similar runs mark a run as a pulse rather than a click.
const NEAR_SECS: f64 = 0.02;
/// Number of blocks on each side whose errors determine the scale of a block.
const NEAR_BLOCKS: usize = 1;
/// Median absolute value of a Gaussian variable with standard deviation 1.
const MEDIAN_OF_GAUSSIAN: f64 = 0.6745;

/// The runs of samples that are clicks, ascending and disjoint: their prediction errors exceed `threshold` times the
/// usual error, and at most one other position within 20 ms has errors a third as large. This excludes glottal pulses,
/// which repeat, and percussive strokes, which ring on.
pub fn clicks(samples: &[f32], threshold: f64, sample_rate_hz: f64) -> Vec<Range<usize>> {
    let errors = prediction_errors(samples);
    let n_blocks = samples.len().div_ceil(BLOCK);
    let medians: Vec<f64> = (0..n_blocks)
        .map(|block| {
            let around =
                block.saturating_sub(NEAR_BLOCKS) * BLOCK..((block + NEAR_BLOCKS + 1) * BLOCK).min(errors.len());
            median(errors[around].iter().map(|error| error.abs()).collect())
        })
        .collect();
    let far = (NEAR_SECS * sample_rate_hz) as usize;
    // One 16-bit quantisation step: smaller errors are no clicks.
    let min = 1.0 / 32_768.0;
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut i = 0;
    while i < errors.len() {
        let usual = (medians[i / BLOCK] / MEDIAN_OF_GAUSSIAN).max(min);
        if errors[i].abs() <= threshold * usual {
            i += 1;
            continue;
        }
        // The run extends around the largest error nearby, since the first errors of a click may be small.
        let near = i..(i + MAX / 2).min(errors.len());
        let top = near.max_by(|&a, &b| errors[a].abs().total_cmp(&errors[b].abs())).unwrap_or(i);
        let run = run_around(&errors, top, (threshold / 2.0 * usual).max(errors[top].abs() / 4.0));
        i = run.end.max(i + 1);
        if run.len() <= MAX && is_alone(&errors, &run, far) {
            match found.last_mut() {
                Some(last) if run.start <= last.end => last.end = run.end,
                _ => found.push(run),
            }
        }
    }
    found
}

/// The run of errors above a level around sample `at`, across gaps of fewer than `GAP` samples.
fn run_around(errors: &[f64], at: usize, level: f64) -> Range<usize> {
    let (mut start, mut end) = (at, at + 1);
    let belongs = |j: &usize| errors[*j].abs() > level;
    while let Some(j) = (end..(end + GAP).min(errors.len())).rfind(belongs) {
        end = j + 1;
    }
    while let Some(j) = (start.saturating_sub(GAP)..start).find(belongs) {
        start = j;
    }
    start..end
}

/// Whether at most one position near a run has errors a third as large as its largest.
fn is_alone(errors: &[f64], run: &Range<usize>, far: usize) -> bool {
    let level = errors[run.clone()].iter().fold(0.0f64, |max, error| max.max(error.abs())) / 3.0;
    let places = |range: Range<usize>| {
        let mut n = 0;
        let mut last: Option<usize> = None;
        for i in range.filter(|&i| errors[i].abs() > level) {
            n += usize::from(last.is_none_or(|last| i > last + GAP));
            last = Some(i);
        }
        n
    };
    let (start, end) = (run.start.saturating_sub(GAP), (run.end + GAP).min(errors.len()));
    places(start.saturating_sub(far)..start) + places(end..(end + far).min(errors.len())) < 2
}

/// The prediction error of each sample, with the predictor of its block. It is 0 for the first `ORDER` samples.
fn prediction_errors(samples: &[f32]) -> Vec<f64> {
    let mut errors = vec![0.0; samples.len()];
    for start in (0..samples.len()).step_by(BLOCK) {
        let end = (start + BLOCK).min(samples.len());
        // The predictor is fitted to the windowed block with half a block of context on each side.
        let (low, high) = (start.saturating_sub(BLOCK / 2), (end + BLOCK / 2).min(samples.len()));
        let n = (high - low) as f64;
        let windowed: Vec<f64> = samples[low..high]
            .iter()
            .enumerate()
            .map(|(i, &sample)| f64::from(sample) * (0.5 - 0.5 * (std::f64::consts::TAU * (i as f64 + 0.5) / n).cos()))
            .collect();
        let Some(predictor) = predictor(&windowed) else { continue };
        for i in start.max(ORDER)..end {
            let predicted: f64 = predictor.iter().enumerate().map(|(k, a)| a * f64::from(samples[i - 1 - k])).sum();
            errors[i] = f64::from(samples[i]) - predicted;
        }
    }
    errors
}

/// Linear prediction by the autocorrelation method (Levinson and Durbin); `None` for silence.
fn predictor(windowed: &[f64]) -> Option<[f64; ORDER]> {
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
