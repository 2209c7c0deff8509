//! Tempo and onsets.

use super::analysis::{RATE_HZ, STEP_SAMPLES};
use super::statistics::mean;
use crate::dsp::yin::vertex;

/// Tempos that are looked for.
const RANGE_BPM: [f64; 2] = [30.0, 300.0];
/// The tempo that is likeliest; an octave from it counts `exp(-1/2)`.
const USUAL_BPM: f64 = 120.0;
/// Shorter sounds have no tempo.
const LEAST_SECS: f64 = 3.0;
/// The most periods that one is read from.
const MOST_PERIODS: u32 = 8;
/// Frames around where several periods should end.
const REACH: usize = 2;
/// What the correlation is there at least, in that of one period.
const LEAST_SHARE: f64 = 0.5;

/// Of the onset strength: how much each frame's mel levels exceed those of the frame before, in dB, mean over mels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RhythmDescriptors {
    /// Of sounds of 3 s and more.
    pub tempo_bpm: Option<f64>,
    /// Autocorrelation at the tempo, 0 to 1.
    pub rhythm_stability: Option<f64>,
    /// Mean of the onset strength, whose first frame is 0.
    pub onset_strength_mean: Option<f64>,
}

/// Measures frames.
#[derive(Debug, Clone, Default)]
pub struct RhythmMeter {
    before: Vec<f64>,
    strengths: Vec<f64>,
}

impl RhythmMeter {
    /// Takes the levels of the next frame.
    pub fn push(&mut self, levels: &[f64]) {
        let rise: f64 = levels.iter().zip(&self.before).map(|(now, before)| (now - before).max(0.0)).sum();
        self.strengths.push(rise / levels.len() as f64);
        self.before.clear();
        self.before.extend_from_slice(levels);
    }

    /// The result of a sound of so many seconds.
    pub fn finish(&self, duration_secs: f64) -> RhythmDescriptors {
        let tempo = if duration_secs >= LEAST_SECS { tempo(&self.strengths) } else { None };
        RhythmDescriptors {
            tempo_bpm: tempo.map(|(bpm, _)| bpm),
            rhythm_stability: tempo.map(|(_, correlation)| correlation.clamp(0.0, 1.0)),
            onset_strength_mean: mean(&self.strengths),
        }
    }
}

/// The likeliest tempo and the autocorrelation there; `None` where nothing varies.
fn tempo(strengths: &[f64]) -> Option<(f64, f64)> {
    let mean = mean(strengths)?;
    let apart: Vec<f64> = strengths.iter().map(|strength| strength - mean).collect();
    let product = |lag: usize| {
        let sum: f64 = apart.iter().zip(&apart[lag..]).map(|(a, b)| a * b).sum();
        sum / (apart.len() - lag) as f64
    };
    let whole = product(0);
    if whole <= 1e-12 {
        return None;
    }
    let frames_per_minute = 60.0 * f64::from(RATE_HZ) / STEP_SAMPLES as f64;
    let [slowest, fastest] = RANGE_BPM.map(|bpm| frames_per_minute / bpm);
    let lags = fastest.ceil() as usize..=(slowest.floor() as usize).min(apart.len().saturating_sub(1));
    let judged = lags.map(|lag| {
        let correlation = product(lag) / whole;
        let octaves = (frames_per_minute / lag as f64 / USUAL_BPM).log2();
        (lag, correlation, correlation * (-octaves * octaves / 2.0).exp())
    });
    let (lag, correlation, _) = judged.reduce(|best, other| if other.2 > best.2 { other } else { best })?;
    let period = period(lag, apart.len(), &|lag| product(lag) / whole);
    Some((frames_per_minute / period, correlation))
}

/// The period at a lag in fractions of a frame. Frames are far apart beside what tempos differ by, so it is read at the
/// vertex of a parabola, and again from two, four and eight periods, as long as the correlation peaks there.
fn period(lag: usize, n_frames: usize, correlation: &dyn Fn(usize) -> f64) -> f64 {
    let around = |lag: usize| [lag - 1, lag, lag + 1].map(correlation);
    // Beyond, too few frames are compared.
    let longest = n_frames * 3 / 4;
    if lag < 2 || lag + 1 >= n_frames {
        return lag as f64;
    }
    let least = LEAST_SHARE * correlation(lag);
    let mut period = lag as f64 + vertex(around(lag));
    for n_periods in [2, 4, MOST_PERIODS] {
        let middle = (period * f64::from(n_periods)).round() as usize;
        if middle + REACH + 1 >= longest {
            break;
        }
        let highest = |best: usize, other: usize| if correlation(other) > correlation(best) { other } else { best };
        let Some(peak) = (middle - REACH..=middle + REACH).reduce(highest) else { break };
        let is_peak = peak > middle - REACH && peak < middle + REACH && correlation(peak) >= least;
        if !is_peak {
            break;
        }
        period = (peak as f64 + vertex(around(peak))) / f64::from(n_periods);
    }
    period
}
