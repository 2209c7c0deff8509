//! True peak: the highest level at and between samples, by ITU-R BS.1770-4, annex 2.

use std::f64::consts::PI;

/// Taps of the filter between two samples.
const TAPS: usize = 12;
/// Samples examined together: if none is close to the current peak, no value between them can exceed it.
const CHUNK: usize = 64;

/// Measures the true peak of a channel passed in pieces.
#[derive(Debug, Clone)]
pub struct TruePeak {
    /// For each interpolated position between two samples, the weights of the surrounding samples, the latest first.
    filters: Vec<[f32; TAPS]>,
    /// Maximum of an inter-sample value relative to the loudest samples around it.
    max_gain: f32,
    /// The last `TAPS - 1` samples of earlier pieces, then the current piece.
    samples: Vec<f32>,
    peak: f32,
}

impl TruePeak {
    /// A meter for a channel. Oversamples four times, twice from 96 kHz on, and not at all from 192 kHz on.
    pub fn new(rate_hz: u32) -> TruePeak {
        let factor: usize = match rate_hz {
            ..96_000 => 4,
            96_000..192_000 => 2,
            _ => 1,
        };
        // A sinc of 49 points under a Hann window, or of 25.
        let half = (factor * TAPS / 2) as f64;
        let weight = |at: usize| {
            let (apart, window) = (at as f64 - half, 0.5 - 0.5 * (PI * at as f64 / half).cos());
            let turn = PI * apart / factor as f64;
            (window * turn.sin() / turn) as f32
        };
        let filters: Vec<[f32; TAPS]> =
            (1..factor).map(|place| std::array::from_fn(|tap| weight(place + factor * tap))).collect();
        let gain = |filter: &[f32; TAPS]| filter.iter().map(|weight| weight.abs()).sum::<f32>();
        // With a margin for rounding errors.
        let max_gain = filters.iter().map(gain).fold(1.0, f32::max) * 1.0001;
        TruePeak { filters, max_gain, samples: vec![0.0; TAPS - 1], peak: 0.0 }
    }

    /// Processes the next samples.
    pub fn push(&mut self, samples: &[f32]) {
        self.samples.extend_from_slice(samples);
        let highest = |samples: &[f32]| samples.iter().fold(0.0f32, |max, sample| max.max(sample.abs()));
        let mut start = 0;
        while start + TAPS <= self.samples.len() {
            let around = &self.samples[start..self.samples.len().min(start + CHUNK + TAPS - 1)];
            let level = highest(around);
            self.peak = self.peak.max(level);
            if level * self.max_gain > self.peak {
                self.peak = self.filters.iter().fold(self.peak, |peak, filter| peak.max(between(around, filter)));
            }
            start += CHUNK;
        }
        self.samples.drain(..self.samples.len() - (TAPS - 1));
    }

    /// The true peak so far; 1 is full scale.
    pub fn peak(&self) -> f64 {
        f64::from(self.peak)
    }
}

/// The highest magnitude of all values interpolated with one filter.
fn between(samples: &[f32], filter: &[f32; TAPS]) -> f32 {
    let level = |around: &[f32]| around.iter().rev().zip(filter).map(|(sample, weight)| sample * weight).sum::<f32>();
    samples.windows(TAPS).fold(0.0, |max, around| max.max(level(around).abs()))
}
