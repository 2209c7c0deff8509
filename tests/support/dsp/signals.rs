//! Seeded signals.

use std::f64::consts::TAU;

/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers on every machine.
pub struct Rng(pub u64);

impl Rng {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// Box and Muller.
    pub fn normal(&mut self) -> f64 {
        (-2.0 * (1.0 - self.uniform()).ln()).sqrt() * (TAU * self.uniform()).cos()
    }
}

/// White noise of standard deviation `level`.
pub fn noise(n: usize, level: f64, seed: u64) -> Vec<f32> {
    let mut rng = Rng(seed);
    (0..n).map(|_| (level * rng.normal()) as f32).collect()
}

/// A steady sine.
pub fn tone(n: usize, rate: f64, hz: f64, level: f64) -> Vec<f32> {
    (0..n).map(|i| (level * (TAU * (hz * i as f64 / rate).fract()).sin()) as f32).collect()
}

/// Noise, a gliding tone and clicks: something in every cell, nothing periodic.
pub fn busy(n: usize, rate: f64, seed: u64) -> Vec<f32> {
    let mut rng = Rng(seed);
    (0..n)
        .map(|i| {
            let t = i as f64 / rate;
            let glide = 0.3 * (TAU * (220.0 * t + 0.04 * rate * t * t)).sin();
            let click = if i % 4999 == 1234 { 0.4 } else { 0.0 };
            (glide + click + 0.08 * rng.normal()) as f32
        })
        .collect()
}
