//! White noise from a hash: any division into pieces gives the same samples, on every engine and machine. Computed on
//! the CPU for both engines.

use crate::cells::planes;
use rayon::prelude::*;

/// Samples computed per task.
const SAMPLES_PER_TASK: usize = 16 << 10;

/// The output function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
pub(crate) fn scrambled(x: u64) -> u64 {
    let z = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Samples `first ..` of uniformly distributed noise with standard deviation `sigma`. `stream` separates signals that
/// share a seed.
pub fn noise_samples(seed: u64, stream: u64, first: i64, n: usize, sigma: f64) -> Vec<f32> {
    const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
    let start = scrambled(scrambled(seed.wrapping_add(GOLDEN)).wrapping_add(stream.wrapping_mul(GOLDEN)));
    let range = sigma * 12f64.sqrt();
    let sample = |i: i64| {
        let bits = scrambled(start.wrapping_add((i as u64).wrapping_mul(GOLDEN)));
        (((bits >> 11) as f64 / (1u64 << 53) as f64 - 0.5) * range) as f32
    };
    let mut samples = planes::take(n);
    samples.par_chunks_mut(SAMPLES_PER_TASK).enumerate().for_each(|(task, samples)| {
        let first = first.saturating_add((task * SAMPLES_PER_TASK) as i64);
        for (i, out) in samples.iter_mut().enumerate() {
            *out = sample(first.saturating_add(i as i64));
        }
    });
    samples
}

/// The standard deviation of white noise whose cells on an STFT have a mean power of `level_db`, 0 dB being a
/// full-scale sine: `E|X|^2 = sigma^2 sum(w^2)`, and a sine's peak is `sum(w) / 2`.
pub fn noise_sigma(level_db: f64, window_sum: f64, window_power: f64) -> f64 {
    10f64.powf(level_db / 20.0) * window_sum / 2.0 / window_power.sqrt()
}
