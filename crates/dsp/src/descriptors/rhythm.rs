//! Tempo and onset strength.

use super::analysis::{RATE_HZ, STEP_SAMPLES};
use super::statistics::mean;
use crate::dsp::pitch::onsets::flux_peaks;
use crate::dsp::pitch::yin::vertex;

/// Range of tempos.
const RANGE_BPM: [f64; 2] = [30.0, 300.0];
/// The most likely tempo, and the standard deviation around it in octaves.
const TYPICAL_BPM: f64 = 120.0;
const TEMPO_SPREAD_OCTAVES: f64 = 1.4;
/// The most likely number of onsets per beat, and the standard deviation around it in octaves. Periods with fewer
/// than `MIN_ONSETS` onsets are a plain pulse, for which the number of onsets is not weighed.
const TYPICAL_ONSETS: f64 = 2.6;
const ONSETS_SPREAD_OCTAVES: f64 = 2.0;
const MIN_ONSETS: f64 = 1.1;
/// Highest multiple of a period whose correlation is added, with the weight below: a beat also repeats at its
/// multiples, while other periods may not.
const MAX_MULTIPLES: usize = 4;
const MULTIPLE_SHARE: f64 = 0.5;
/// Minimum duration of a sound with a tempo.
const MIN_SECS: f64 = 3.0;
/// Maximum number of periods over which the period is measured.
const MAX_PERIODS: u32 = 8;
/// Number of frames searched on either side of the expected end of several periods.
const REACH: usize = 2;
/// Minimum correlation after several periods, relative to that after a single period.
const MIN_SHARE: f64 = 0.5;

/// Descriptors of the onset strength: by how much each frame's mel levels exceed those of the frame before, in dB,
/// averaged over mels. The tempo is determined from it and from the increases of their magnitudes, in which loud sound
/// counts for more.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RhythmDescriptors {
    /// Tempo; `None` for sounds shorter than 3 s.
    pub tempo_bpm: Option<f64>,
    /// Autocorrelation at the tempo, 0 to 1.
    pub rhythm_stability: Option<f64>,
    /// Mean of the onset strength, whose first frame is 0.
    pub onset_strength_mean: Option<f64>,
}

/// Measures onset strengths frame by frame.
#[derive(Debug, Clone, Default)]
pub struct RhythmMeter {
    before: Vec<f64>,
    strengths: Vec<f64>,
    /// Increases of magnitudes, by frame.
    rises: Vec<f64>,
}

impl RhythmMeter {
    /// Processes the mel levels of the next frame, in dB.
    pub fn push(&mut self, levels: &[f64]) {
        let rise: f64 = levels.iter().zip(&self.before).map(|(now, before)| (now - before).max(0.0)).sum();
        self.strengths.push(rise / levels.len() as f64);
        let magnitude = |level: &f64| 10f64.powf(level / 20.0);
        let pairs = levels.iter().zip(&self.before);
        self.rises.push(pairs.map(|(now, before)| (magnitude(now) - magnitude(before)).max(0.0)).sum());
        self.before.clear();
        self.before.extend_from_slice(levels);
    }

    /// The descriptors of a sound of `duration_secs`.
    pub fn finish(&self, duration_secs: f64) -> RhythmDescriptors {
        let tempo = if duration_secs >= MIN_SECS { tempo(&self.strengths, &self.rises) } else { None };
        RhythmDescriptors {
            tempo_bpm: tempo.map(|(bpm, _)| bpm),
            rhythm_stability: tempo.map(|(_, correlation)| correlation.clamp(0.0, 1.0)),
            onset_strength_mean: mean(&self.strengths),
        }
    }
}

/// Autocorrelation of onset strengths.
struct OnsetCorrelation {
    apart: Vec<f64>,
    whole: f64,
}

impl OnsetCorrelation {
    /// The autocorrelation; `None` if the onsets are constant.
    fn of(onsets: &[f64]) -> Option<OnsetCorrelation> {
        let mean = mean(onsets)?;
        let apart: Vec<f64> = onsets.iter().map(|onset| onset - mean).collect();
        let mut correlation = OnsetCorrelation { apart, whole: 1.0 };
        correlation.whole = correlation.at(0);
        // Relative to the mean of the onsets, since magnitudes have no fixed scale.
        (correlation.whole > 1e-12 * mean * mean && correlation.whole > 0.0).then_some(correlation)
    }

    /// Unbiased autocorrelation at a lag, 1 at a lag of 0.
    fn at(&self, lag: usize) -> f64 {
        let sum: f64 = self.apart.iter().zip(&self.apart[lag..]).map(|(a, b)| a * b).sum();
        sum / (self.apart.len() - lag) as f64 / self.whole
    }

    /// The autocorrelation at all lags up to a maximum.
    fn up_to(&self, max: usize) -> Vec<f64> {
        (0..self.apart.len().min(max + 1)).map(|lag| self.at(lag)).collect()
    }
}

/// The correlation at a lag, plus weighted maxima near its multiples.
fn with_multiples(correlations: &[f64], lag: usize) -> f64 {
    let near = |times: usize| {
        let (middle, reach) = (lag * times, times);
        let around = correlations.get(middle - reach..=middle + reach).unwrap_or_default();
        around.iter().copied().reduce(f64::max).unwrap_or_default()
    };
    correlations[lag] + MULTIPLE_SHARE * (2..=MAX_MULTIPLES).map(near).sum::<f64>()
}

/// The most likely tempo and the autocorrelation of the strengths there; `None` if they are constant.
fn tempo(strengths: &[f64], rises: &[f64]) -> Option<(f64, f64)> {
    let of_strengths = OnsetCorrelation::of(strengths)?;
    if of_strengths.whole <= 1e-12 {
        return None;
    }
    let frames_per_minute = 60.0 * f64::from(RATE_HZ) / STEP_SAMPLES as f64;
    let [slowest, fastest] = RANGE_BPM.map(|bpm| frames_per_minute / bpm);
    let max = slowest.floor() as usize;
    let correlations: Vec<Vec<f64>> = [Some(&of_strengths), OnsetCorrelation::of(rises).as_ref()]
        .into_iter()
        .flatten()
        .map(|correlation| correlation.up_to(MAX_MULTIPLES * (max + 1)))
        .collect();
    let flux: Vec<f32> = strengths.iter().map(|strength| *strength as f32).collect();
    let onsets_per_frame = flux_peaks(&flux, frames_per_minute / 60.0).count() as f64 / flux.len() as f64;
    let lags = fastest.ceil() as usize..=max.min(strengths.len().saturating_sub(1));
    let judged = lags.map(|lag| {
        let tempo_off = (frames_per_minute / lag as f64 / TYPICAL_BPM).log2() / TEMPO_SPREAD_OCTAVES;
        let onsets = onsets_per_frame * lag as f64;
        let is_pulse = onsets < MIN_ONSETS;
        let onsets_off = if is_pulse { 0.0 } else { (onsets / TYPICAL_ONSETS).log2() / ONSETS_SPREAD_OCTAVES };
        let sum: f64 = correlations.iter().map(|correlations| with_multiples(correlations, lag)).sum();
        (lag, sum * (-(tempo_off * tempo_off + onsets_off * onsets_off) / 2.0).exp())
    });
    let (lag, _) = judged.reduce(|best, other| if other.1 > best.1 { other } else { best })?;
    let period = period(lag, strengths.len(), &|lag| of_strengths.at(lag));
    Some((frames_per_minute / period, of_strengths.at(lag)))
}

/// The period at a lag in fractions of a frame. Frames are too coarse to distinguish tempos, so it is interpolated by a
/// parabola, and refined over two, four and eight periods, as long as the correlation peaks there.
fn period(lag: usize, n_frames: usize, correlation: &dyn Fn(usize) -> f64) -> f64 {
    let around = |lag: usize| [lag - 1, lag, lag + 1].map(correlation);
    // At longer lags too few frames are compared.
    let longest = n_frames * 3 / 4;
    if lag < 2 || lag + 1 >= n_frames {
        return lag as f64;
    }
    let min = MIN_SHARE * correlation(lag);
    let mut period = lag as f64 + vertex(around(lag));
    for n_periods in [2, 4, MAX_PERIODS] {
        let middle = (period * f64::from(n_periods)).round() as usize;
        if middle + REACH + 1 >= longest {
            break;
        }
        let highest = |best: usize, other: usize| if correlation(other) > correlation(best) { other } else { best };
        let Some(peak) = (middle - REACH..=middle + REACH).reduce(highest) else { break };
        let is_peak = peak > middle - REACH && peak < middle + REACH && correlation(peak) >= min;
        if !is_peak {
            break;
        }
        period = (peak as f64 + vertex(around(peak))) / f64::from(n_periods);
    }
    period
}
