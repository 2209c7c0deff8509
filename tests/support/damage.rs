//! Damage that is mixed into clean sound, so that what repairs it can be measured.

use super::signals::Rng;
use std::ops::Range;

/// Mixes clicks of 2 to 14 samples into a sound, one in each of as many equal parts of it: random samples, signs that
/// alternate, or both dying away, with peaks of 0.1 to 0.4. Where they are.
pub fn add_clicks(samples: &mut [f32], n_clicks: usize, seed: u64) -> Vec<Range<usize>> {
    let mut random = Rng(seed);
    let part = (samples.len() - 4000) / n_clicks;
    let mut places = Vec::new();
    for click in 0..n_clicks {
        let start = 2000 + click * part + (random.uniform() * (part - 200) as f64) as usize;
        let n = 2 + (random.uniform() * 13.0) as usize;
        let (level, kind) = (random.between(0.1, 0.4), click % 3);
        let mut sign = if random.uniform() < 0.5 { -1.0 } else { 1.0 };
        for (i, sample) in samples[start..start + n].iter_mut().enumerate() {
            let dying = (-2.0 * i as f64 / n as f64).exp();
            let value = match kind {
                0 => random.between(-1.0, 1.0),
                1 => sign * dying,
                _ => sign * dying * random.between(0.4, 1.0),
            };
            sign = -sign;
            *sample += (level * value) as f32;
        }
        places.push(start..start + n);
    }
    places
}
