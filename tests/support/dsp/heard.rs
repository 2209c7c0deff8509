//! What is heard: recordings at 48 kHz.

use std::time::Duration;

pub const RATE: f64 = 48_000.0;
pub const TIMEOUT: Duration = Duration::from_secs(20);
/// Level of an audible tone.
pub const LEVEL: f32 = 0.5;

/// The amplitude of a tone in a recording.
pub fn amplitude(samples: &[f32], hz: f64) -> f64 {
    let (mut re, mut im) = (0.0, 0.0);
    for (n, &sample) in samples.iter().enumerate() {
        let angle = std::f64::consts::TAU * hz * n as f64 / RATE;
        // A Hann window, so that other tones stay out.
        let weight = 1.0 - (std::f64::consts::TAU * n as f64 / samples.len() as f64).cos();
        re += weight * f64::from(sample) * angle.cos();
        im += weight * f64::from(sample) * angle.sin();
    }
    2.0 * re.hypot(im) / samples.len() as f64
}

pub fn tail(samples: &[f32], n: usize) -> &[f32] {
    &samples[samples.len() - n..]
}

pub fn peak(samples: &[f32]) -> f32 {
    samples.iter().fold(0.0, |peak, sample| peak.max(sample.abs()))
}
