//! Damage that is mixed into clean sound, so that what repairs it can be measured.

use super::measure::rms;
use super::signals::Rng;
use std::f64::consts::TAU;
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

/// How loud the middle third is.
fn loudness(samples: &[f32]) -> f64 {
    let middle = &samples[samples.len() / 3..2 * samples.len() / 3];
    (middle.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / middle.len() as f64).sqrt()
}

/// 1 from 0 to `secs` and 0 elsewhere, with linear fades inside.
fn faded(t: f64, secs: f64, fade_secs: f64) -> f64 {
    (t.min(secs - t) / fade_secs).clamp(0.0, 1.0)
}

/// Mixes a cough into the middle: 120 ms of noise, 6 dB louder than the sound. When it begins and ends, in seconds.
pub fn add_cough(samples: &mut [f32], rate: f64, seed: u64) -> [f64; 2] {
    let (mut random, start, level) = (Rng(seed), samples.len() as f64 / rate / 2.0, 2.0 * loudness(samples));
    for (i, sample) in samples.iter_mut().enumerate() {
        *sample += (level * random.normal() * faded(i as f64 / rate - start, 0.12, 0.01)) as f32;
    }
    [start, start + 0.12]
}

/// Mixes a whistle into the middle, as loud as the sound and half a second long, that glides from 2.8 to 3.1 kHz with a vibrato
/// of 30 Hz. Its course: seconds and hertz.
pub fn add_whistle(samples: &mut [f32], rate: f64) -> Vec<[f64; 2]> {
    let (start, level) = (samples.len() as f64 / rate / 2.0, 2f64.sqrt() * loudness(samples));
    let hz = |t: f64| 2_800.0 + 600.0 * t + 30.0 * (TAU * 5.5 * t).sin();
    let mut turns = 0.0;
    for (i, sample) in samples.iter_mut().enumerate() {
        let t = i as f64 / rate - start;
        turns += hz(t) / rate;
        *sample += (level * (TAU * turns).sin() * faded(t, 0.5, 0.02)) as f32;
    }
    (0..=50).map(|i| f64::from(i) * 0.01).map(|t| [start + t, hz(t)]).collect()
}

/// Ten harmonics whose fundamental swings by `drift_hz` in ten seconds, so loud under the clean sound.
pub fn with_hum(clean: &[f32], rate: f64, f0_hz: f64, drift_hz: f64, level_db: f64, seed: u64) -> Vec<f32> {
    let mut random = Rng(seed);
    let lines: Vec<[f64; 2]> =
        (1..=10).map(|k| [random.between(0.5, 1.0) / f64::from(k).sqrt(), random.between(0.0, TAU)]).collect();
    let at = |i: usize| {
        let t = i as f64 / rate;
        let turns = f0_hz * t + drift_hz * 10.0 / TAU * (1.0 - (TAU * t / 10.0).cos());
        (1..).zip(&lines).map(|(k, [level, phase])| level * (TAU * f64::from(k) * turns + phase).sin()).sum::<f64>()
    };
    let hum: Vec<f32> = (0..clean.len()).map(|i| at(i) as f32).collect();
    let gain = rms(clean) / rms(&hum) * 10f64.powf(level_db / 20.0);
    clean.iter().zip(&hum).map(|(clean, hum)| (f64::from(*clean) + gain * f64::from(*hum)) as f32).collect()
}
