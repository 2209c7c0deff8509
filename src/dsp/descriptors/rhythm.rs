//! Tempo and onsets.

use super::analysis::{RATE_HZ, STEP_SAMPLES};
use super::statistics::mean;
use serde::Serialize;

/// Tempos that are looked for.
const RANGE_BPM: [f64; 2] = [30.0, 300.0];
/// The tempo that is likeliest; an octave from it counts `exp(-1/2)`.
const USUAL_BPM: f64 = 120.0;
/// Shorter sounds have no tempo.
const LEAST_SECS: f64 = 3.0;

/// Of the onset strength: how much each frame's mel levels exceed those of the frame before, in dB, mean over mels.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
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
    let frames_per_minute = 60.0 * f64::from(RATE_HZ) / STEP_SAMPLES as f64;
    let [slowest, fastest] = RANGE_BPM.map(|bpm| frames_per_minute / bpm);
    let lags = fastest.ceil() as usize..=(slowest.floor() as usize).min(apart.len().saturating_sub(1));
    let judged = lags.map(|lag| {
        let (bpm, correlation) = (frames_per_minute / lag as f64, product(lag) / whole);
        let octaves = (bpm / USUAL_BPM).log2();
        (bpm, correlation, correlation * (-octaves * octaves / 2.0).exp())
    });
    let best = judged.reduce(|best, other| if other.2 > best.2 { other } else { best })?;
    (whole > 1e-12).then_some((best.0, best.1))
}
