//! Damage that is mixed into clean sound, so that what repairs it can be measured.

use super::measure::rms;
use super::signals::{Rng, noise};
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

/// Mixes a whistle into the middle, as loud as the sound and half a second long, that glides from 2.8 to 3.1 kHz with a
/// vibrato of 30 Hz. Its course: seconds and hertz.
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

/// Pink noise so loud under a sound, with what the sound becomes.
pub fn with_pink_noise(clean: &[f32], level_db: f64, seed: u64) -> Vec<f32> {
    // Kellet's sum of low-passed noises falls by 3 dB an octave to within 0.5 dB.
    const POLES: [[f64; 2]; 3] = [[0.99765, 0.0990460], [0.96300, 0.2965164], [0.57000, 1.0526913]];
    let mut states = [0.0; 3];
    let pink = |white: &f32| {
        for (state, [pole, gain]) in states.iter_mut().zip(POLES) {
            *state = pole * *state + gain * f64::from(*white);
        }
        (states.iter().sum::<f64>() + 0.1848 * f64::from(*white)) as f32
    };
    let pink: Vec<f32> = noise(clean.len(), 1.0, seed).iter().map(pink).collect();
    let gain = rms(clean) / rms(&pink) * 10f64.powf(level_db / 20.0);
    clean.iter().zip(&pink).map(|(clean, pink)| (f64::from(*clean) + gain * f64::from(*pink)) as f32).collect()
}

/// Noise alone before the voice of an [`interview`] and after it.
pub const PAUSE_SECS: f64 = 1.25;

/// A voice without its offset between two pauses, and the same in noise 15 dB below it, clipped.
pub fn interview(rate_hz: f64, speech: &[f32]) -> [Vec<f32>; 2] {
    let mean = speech.iter().sum::<f32>() / speech.len() as f32;
    let peak = speech.iter().fold(0.0f32, |max, x| max.max((x - mean).abs()));
    let voice: Vec<f32> = speech.iter().map(|x| 0.6 * (x - mean) / peak).collect();
    let still = vec![0.0; (PAUSE_SECS * rate_hz) as usize];
    let clean = [still.clone(), voice, still].concat();
    let clipped = with_pink_noise(&clean, -15.0, 7).iter().map(|x| x.clamp(-0.15, 0.15)).collect();
    [clean, clipped]
}

/// A sound in a room: noise that falls by 60 dB over a time, a quarter as strong as the direct sound, and where it is
/// added to the sound itself.
pub fn in_room(rate_hz: u32, dry: &[f32], rt60_secs: f64, seed: u64) -> Vec<f32> {
    let n = (1.2 * rt60_secs * f64::from(rate_hz)) as usize;
    let fall = |i: usize| (-1000f64.ln() * i as f64 / f64::from(rate_hz) / rt60_secs).exp();
    let tail: Vec<f64> = noise(n, 1.0, seed).iter().enumerate().map(|(i, x)| f64::from(*x) * fall(i)).collect();
    let scale = (0.4 / tail.iter().map(|x| x * x).sum::<f64>()).sqrt();
    let mut wet: Vec<f64> = dry.iter().map(|x| f64::from(*x)).collect();
    for (at, sample) in dry.iter().enumerate() {
        let room = wet.len() - at;
        let tail = &tail[..tail.len().min(room)];
        wet[at..].iter_mut().zip(tail).for_each(|(wet, tail)| *wet += scale * tail * f64::from(*sample));
    }
    wet.iter().map(|x| *x as f32).collect()
}

/// A voice with sibilants louder by `raised_db`: everything above 4 kHz is raised.
pub fn with_sharp_sibilants(rate: f64, clean: &[f32], raised_db: f64) -> Vec<f32> {
    const REACH: i64 = 40;
    let corner = 2.0 * 4000.0 / rate;
    let low = |k: i64| {
        let x = std::f64::consts::PI * k as f64;
        let sinc = if k == 0 { corner } else { (corner * x).sin() / x };
        sinc * (0.5 + 0.5 * (x / (REACH + 1) as f64).cos())
    };
    let high: Vec<f64> = (-REACH..=REACH).map(|k| f64::from(u8::from(k == 0)) - low(k)).collect();
    let more = 10f64.powf(raised_db / 20.0) - 1.0;
    let filtered = |i: i64| -> f64 {
        let around = (-REACH..=REACH).zip(&high);
        around.filter_map(|(k, tap)| Some(tap * f64::from(*clean.get(usize::try_from(i + k).ok()?)?))).sum()
    };
    (0..clean.len()).map(|i| (f64::from(clean[i]) + more * filtered(i as i64)) as f32).collect()
}
