//! The samples of a score by their definition, in f64: one oscillator after the other, one sample after the other.

use dsp::voices::{Score, ScoreNote, Timbre};
use std::f64::consts::{PI, TAU};

const TURN: f64 = 4_294_967_296.0;

fn scrambled(x: u64) -> u64 {
    let z = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn chance(keys: &[u64]) -> u64 {
    keys.iter().fold(0u64, |z, key| scrambled(z.wrapping_add(*key).wrapping_add(0x9e37_79b9_7f4a_7c15)))
}

/// Straight between points, held beyond.
fn curve(points: &[[f64; 2]], t: f64) -> f64 {
    if t <= points[0][0] {
        return points[0][1];
    }
    for pair in points.windows(2) {
        if t < pair[1][0] {
            return pair[0][1] + (pair[1][1] - pair[0][1]) * (t - pair[0][0]) / (pair[1][0] - pair[0][0]);
        }
    }
    points[points.len() - 1][1]
}

fn envelope(timbre: &Timbre, duration: f64, t: f64) -> f64 {
    let a = &timbre.adsr;
    let held = |t: f64| {
        if t < a.attack_secs {
            return (1.0 - (PI * t / a.attack_secs).cos()) / 2.0;
        }
        let fall = if a.decay_secs == 0.0 { 0.0 } else { (-6.907755 * (t - a.attack_secs) / a.decay_secs).exp() };
        a.sustain + (1.0 - a.sustain) * fall
    };
    if t < duration {
        return held(t);
    }
    let u = (t - duration) / a.release_secs;
    if u >= 1.0 { 0.0 } else { held(duration) * ((-6.907755 * u).exp() - 0.001) / 0.999 }
}

/// One oscillator: its note and place among the others.
struct Oscillator<'a> {
    score: &'a Score,
    rate: f64,
    index: u64,
    u: u32,
    k: usize,
}

impl Oscillator<'_> {
    fn note(&self) -> &ScoreNote {
        &self.score.notes[self.index as usize]
    }

    fn timbre(&self) -> &Timbre {
        &self.score.timbres[self.note().timbre]
    }

    /// The place of the unison voice, -1 to 1.
    fn x(&self) -> f64 {
        let n = f64::from(self.timbre().unison);
        if n == 1.0 { 0.0 } else { 2.0 * f64::from(self.u) / (n - 1.0) - 1.0 }
    }

    fn f0(&self, t: f64) -> f64 {
        let (note, timbre) = (self.note(), self.timbre());
        let mut pitch = if note.glide.is_empty() { note.pitch } else { curve(&note.glide, t) };
        if let Some(v) = timbre.vibrato {
            let fade = ((t - v.delay_secs) / v.fade_secs.max(0.001)).clamp(0.0, 1.0);
            pitch += v.cents / 100.0 * fade * (TAU * v.hz * t).sin();
        }
        self.score.tuning_hz * 2f64.powf((pitch - 69.0) / 12.0)
    }

    fn ratio(&self) -> f64 {
        let (r, q) = (self.timbre().partials[self.k].ratio, self.timbre().stretch);
        if q > 0.0 { r * ((1.0 + q * r * r) / (1.0 + q)).sqrt() } else { r }
    }

    fn hz(&self, t: f64) -> f64 {
        self.ratio() * self.f0(t) * 2f64.powf(self.x() * self.timbre().detune_cents / 1200.0)
    }

    fn level(&self, block: u64) -> f32 {
        let (note, timbre) = (self.note(), self.timbre());
        let t = 64.0 * block as f64 / self.rate;
        let (r, f, v) = (self.ratio(), self.hz(t), note.velocity);
        let norm = timbre.partials.iter().map(|partial| partial.level.powi(2)).sum::<f64>().sqrt();
        let mut a = 10f64.powf(self.score.level_db / 20.0) * v * v * timbre.partials[self.k].level / norm;
        a *= r.max(1.0).powf(-timbre.bright * (1.0 - v)) / f64::from(timbre.unison).sqrt();
        a *= envelope(timbre, note.duration_secs, t);
        if !note.pressure.is_empty() {
            a *= curve(&note.pressure, t);
        }
        let z = f / (self.rate / 2.0);
        if z >= 0.98 {
            a = 0.0;
        } else if z > 0.9 {
            a *= 0.5 + 0.5 * (PI * (z - 0.9) / 0.08).cos();
        }
        if timbre.decay_secs > 0.0 {
            let time = timbre.decay_secs * timbre.partials[self.k].life * r.max(1.0).powf(-timbre.damp);
            a *= 10f64.powf(-3.0 * t / time);
        }
        if let Some(c) = timbre.cutoff {
            let fc = self.f0(t) * (c.end + (c.start - c.end) * (-t / c.secs).exp());
            a *= (1.0 + (f / fc).powi(2 * c.order as i32)).powf(-0.5);
        }
        if timbre.breath > 0.0 {
            let keys = [self.score.seed, 1, self.index, u64::from(self.u), self.k as u64, block];
            let h = (chance(&keys) >> 11) as f64 * 2f64.powi(-53);
            a *= 1.0 - timbre.breath + timbre.breath * 3f64.sqrt() * (2.0 * h - 1.0);
        }
        a as f32
    }

    /// Adds it to the channels; `sine` takes a phase in 2^-32 turns.
    fn add(&self, channels: &mut [Vec<f64>], sine: &dyn Fn(u32) -> f64) {
        let (note, timbre) = (self.note(), self.timbre());
        let start = (note.start_secs * self.rate + 0.5).floor() as usize;
        let length = ((note.duration_secs + timbre.adsr.release_secs) * self.rate + 0.5).floor().max(1.0);
        let n_blocks = (length / 64.0).ceil() as u64;
        let pan = (note.pan + self.x() * timbre.spread).clamp(-1.0, 1.0);
        let gains = if channels.len() == 1 { [1.0, 1.0] } else { [(1.0 - pan).min(1.0), (1.0 + pan).min(1.0)] };
        let step = |b: u64| {
            let step = (self.hz(64.0 * b as f64 / self.rate) / self.rate * TURN + 0.5).floor();
            step.min(2_147_483_647.0) as i64
        };
        let keys = [self.score.seed, 0, self.index, u64::from(self.u), self.k as u64];
        let mut phase = if timbre.random_phase { (chance(&keys) >> 32) as i64 } else { 0 };
        for b in 0..n_blocks {
            let (s, d) = (step(b), (step(b + 1) - step(b)) / 64);
            let (a, next) = (f64::from(self.level(b)), f64::from(self.level(b + 1)));
            for i in 0..64i64 {
                let p = (phase + i * s + i * (i - 1) / 2 * d).rem_euclid(1 << 32) as u32;
                let m = (a + (next - a) * i as f64 / 64.0) * sine(p);
                for (channel, gain) in channels.iter_mut().zip(gains) {
                    channel[start + 64 * b as usize + i as usize] += gain * m;
                }
            }
            phase = (phase + 64 * s + 2016 * d).rem_euclid(1 << 32);
        }
    }
}

/// One or two channels of a whole score.
pub fn samples_with(score: &Score, rate: f64, n_channels: usize, sine: &dyn Fn(u32) -> f64) -> Vec<Vec<f64>> {
    let mut channels = vec![vec![0.0; score.n_samples(rate) as usize]; n_channels];
    for (index, note) in score.notes.iter().enumerate() {
        let timbre = &score.timbres[note.timbre];
        for u in 0..timbre.unison {
            for k in 0..timbre.partials.len() {
                Oscillator { score, rate, index: index as u64, u, k }.add(&mut channels, sine);
            }
        }
    }
    channels
}

/// With the mathematical sine.
pub fn samples(score: &Score, rate: f64, n_channels: usize) -> Vec<Vec<f64>> {
    samples_with(score, rate, n_channels, &|phase| (f64::from(phase) / TURN * TAU).sin())
}

/// Decibels by which a signal stands above its difference from what it should be.
pub fn fidelity_db<'a>(
    expected: impl IntoIterator<Item = &'a Vec<f64>>,
    found: impl IntoIterator<Item = &'a Vec<f32>>,
) -> f64 {
    let (mut signal, mut noise) = (0.0, 0.0);
    for (expected, found) in expected.into_iter().zip(found) {
        assert_eq!(expected.len(), found.len());
        for (expected, found) in expected.iter().zip(found) {
            signal += expected * expected;
            noise += (expected - f64::from(*found)).powi(2);
        }
    }
    10.0 * (signal / noise).log10()
}
