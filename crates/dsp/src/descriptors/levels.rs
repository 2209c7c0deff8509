//! Levels, and their variation from second to second.

use super::analysis::RATE_HZ;
use super::statistics::{deviation, mean};

/// RMS up to which a second is ignored as silent.
const SILENT_RMS: f64 = 1e-3;

/// Crest factor, and variation of levels and peaks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LevelDescriptors {
    /// Ratio of peak to RMS in dB.
    pub crest_db: f64,
    /// Standard deviation of the crest factor between seconds, in dB.
    pub crest_variation_db: Option<f64>,
    /// Standard deviation of the RMS between seconds, in dB.
    pub level_variation_db: Option<f64>,
    /// `1 - deviation / mean` of the peaks of all seconds, at least 0.
    pub peak_consistency: Option<f64>,
}

/// Peak and energy of a stretch of samples.
#[derive(Debug, Clone, Copy, Default)]
struct Stretch {
    n_samples: u64,
    peak: f64,
    squares: f64,
}

impl Stretch {
    fn push(&mut self, samples: &[f32]) {
        for &sample in samples {
            let sample = f64::from(sample);
            self.peak = self.peak.max(sample.abs());
            self.squares += sample * sample;
        }
        self.n_samples += samples.len() as u64;
    }

    fn rms(&self) -> f64 {
        if self.n_samples == 0 { 0.0 } else { (self.squares / self.n_samples as f64).sqrt() }
    }

    fn crest_db(&self) -> f64 {
        20.0 * (self.peak / self.rms()).log10()
    }
}

/// Measures the whole sound and each of its seconds.
#[derive(Debug, Clone, Default)]
pub struct LevelMeter {
    all: Stretch,
    second: Stretch,
    seconds: Vec<Stretch>,
}

impl LevelMeter {
    /// Processes the next samples.
    pub fn push(&mut self, mut samples: &[f32]) {
        self.all.push(samples);
        while !samples.is_empty() {
            let n_left = u64::from(RATE_HZ) - self.second.n_samples;
            let (now, later) = samples.split_at(samples.len().min(n_left as usize));
            self.second.push(now);
            if self.second.n_samples == u64::from(RATE_HZ) {
                self.seconds.push(std::mem::take(&mut self.second));
            }
            samples = later;
        }
    }

    /// RMS of the whole sound.
    pub fn rms(&self) -> f64 {
        self.all.rms()
    }

    /// The result; `None` for digital silence. Values per second ignore an incomplete last second, but a sound shorter
    /// than a second counts as one.
    pub fn finish(&self) -> Option<LevelDescriptors> {
        if self.all.rms() == 0.0 {
            return None;
        }
        let whole = if self.seconds.is_empty() { std::slice::from_ref(&self.all) } else { &self.seconds };
        let loud: Vec<&Stretch> = whole.iter().filter(|second| second.rms() > SILENT_RMS).collect();
        let each = |value: fn(&Stretch) -> f64| loud.iter().map(|second| value(second)).collect::<Vec<f64>>();
        let peaks = each(|second| second.peak);
        let consistency = |deviation: f64, mean: f64| (1.0 - deviation / mean).clamp(0.0, 1.0);
        Some(LevelDescriptors {
            crest_db: self.all.crest_db(),
            crest_variation_db: deviation(&each(Stretch::crest_db)),
            level_variation_db: deviation(&each(|second| 20.0 * second.rms().log10())),
            peak_consistency: deviation(&peaks).zip(mean(&peaks)).map(|(deviation, mean)| consistency(deviation, mean)),
        })
    }
}
