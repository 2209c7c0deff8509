//! Samples against the definition, on both engines, and properties that follow from it.
#![allow(clippy::print_stdout, reason = "figures, with --nocapture")]

use super::oracle::{fidelity_db, samples, samples_with};
use super::{busy_score, note, rendered, score};
use dsp::voices::{Score, ScoreNote, Timbre, VoicePool};
use engine::Engine;
use std::f64::consts::TAU;
use support::fourier::rfft;
use support::gpu::gpu;

const RATE: f64 = 44_100.0;

#[test]
fn every_timbre_is_its_definition() {
    for name in Timbre::NAMES {
        let score = busy_score(Timbre::named(name).unwrap());
        let expected = samples(&score, RATE, 2);
        let fidelity = fidelity_db(&expected, &rendered(&score, RATE, true));
        println!("{name}: {fidelity:.1} dB");
        assert!(fidelity >= 130.0, "{name}: {fidelity}");
        let mono = samples(&score, 32_000.0, 1);
        let fidelity = fidelity_db(&mono, &rendered(&score, 32_000.0, false)[..1]);
        assert!(fidelity >= 130.0, "{name} in mono: {fidelity}");
    }
}

/// Both channels, rendered by an engine in two calls, the first of which ends within a chunk.
fn rendered_by(engine: &Engine, score: &Score) -> [Vec<f32>; 2] {
    let mut pool = VoicePool::new();
    let stream = pool.begin(score, RATE, true).unwrap();
    let n = stream.n_samples() as usize;
    let mut voices = engine.voices(stream, u64::MAX);
    let mut channels = [vec![0.0; n], vec![0.0; n]];
    let [left, right] = &mut channels;
    let (left_1, left_2) = left.split_at_mut(10_000);
    let (right_1, right_2) = right.split_at_mut(10_000);
    assert_eq!(voices.render(left_1, right_1).unwrap(), None);
    assert_eq!(voices.render(left_2, right_2).unwrap(), None);
    channels
}

#[test]
fn every_timbre_is_its_definition_on_the_gpu() {
    let Some(gpu) = gpu() else { return };
    let engine = Engine::on(gpu);
    for name in Timbre::NAMES {
        let score = busy_score(Timbre::named(name).unwrap());
        let expected = samples(&score, RATE, 2);
        let fidelity = fidelity_db(&expected, &rendered_by(&engine, &score));
        println!("{name}: {fidelity:.1} dB");
        assert!(fidelity >= 125.0, "{name}: {fidelity}");
    }
}

/// Control of both tests above: the comparison detects a sine with one coefficient wrong in its fourth digit.
#[test]
fn a_wrong_coefficient_is_noticed() {
    let polynomial = |c: [f64; 6]| {
        move |phase: u32| {
            let u = f64::from(phase as i32) / 4_294_967_296.0;
            let y = u * u;
            let v = c.iter().rev().fold(0.0, |sum, c| sum * y + c);
            u * (0.25 - y) * v
        }
    };
    let right = [25.132742, -64.83582, 67.07676, -38.498417, 14.065504, -3.1933718];
    let score = busy_score(Timbre::organ());
    let found = rendered(&score, RATE, true);
    let fidelity = |c: [f64; 6]| fidelity_db(&samples_with(&score, RATE, 2, &polynomial(c)), &found);
    assert!(fidelity(right) >= 130.0, "{}", fidelity(right));
    // Such errors in the last two coefficients are too small to be detected.
    for (k, wrong) in [25.14, -64.84, 67.08, -38.51].into_iter().enumerate() {
        let mut c = right;
        c[k] = wrong;
        assert!(fidelity(c) < 125.0, "coefficient {k}: {}", fidelity(c));
    }
}

/// Amplitude at a frequency, through a Hann window.
fn amplitude_at(samples: &[f32], hz: f64) -> f64 {
    let n = samples.len() as f64;
    let (mut re, mut im, mut sum) = (0.0, 0.0, 0.0);
    for (i, sample) in samples.iter().enumerate() {
        let window = 0.5 - 0.5 * (TAU * i as f64 / n).cos();
        let (sin, cos) = (TAU * hz * i as f64 / RATE).sin_cos();
        re += window * f64::from(*sample) * cos;
        im -= window * f64::from(*sample) * sin;
        sum += window;
    }
    2.0 * re.hypot(im) / sum
}

/// The largest magnitude between 300 and 3,500 Hz, in dB relative to the largest of all bins, through a Hann window of
/// 4,096 samples.
fn loudest_below_db(samples: &[f32]) -> f64 {
    let hann = |i: usize| 0.5 - 0.5 * (TAU * i as f64 / 4096.0).cos();
    let windowed: Vec<f64> = samples[..4096].iter().enumerate().map(|(i, x)| hann(i) * f64::from(*x)).collect();
    let levels: Vec<f64> = rfft(&windowed).iter().map(|[re, im]| re.hypot(*im)).collect();
    let loudest = |levels: &[f64]| levels.iter().copied().fold(0.0, f64::max);
    20.0 * (loudest(&levels[28..=325]) / loudest(&levels)).log10()
}

#[test]
fn no_partial_of_a_high_pluck_comes_back_below_it() {
    let score = score(Timbre::pluck(), vec![note(108.0, 1.0)]);
    let on_cpu = ("cpu", rendered(&score, RATE, true));
    let on_gpu = gpu().map(|gpu| ("gpu", rendered_by(&Engine::on(gpu), &score)));
    for (name, [samples, _]) in std::iter::once(on_cpu).chain(on_gpu) {
        // At three positions in the note.
        for first in [0, 2048, 10_000] {
            let below_db = loudest_below_db(&samples[first..]);
            println!("{name}, from {first}: {below_db:.1} dB");
            assert!(below_db < -100.0, "{name}, from {first}: {below_db}");
        }
        // Control: an alias at 1,001.3 Hz, some 90 dB below the peak.
        let peak = f64::from(samples.iter().fold(0.0f32, |peak, sample| peak.max(sample.abs())));
        let back = |i: usize| peak * 3e-5 * (TAU * 1001.3 * i as f64 / RATE).sin();
        let with_it: Vec<f32> = samples.iter().enumerate().map(|(i, x)| (f64::from(*x) + back(i)) as f32).collect();
        assert!(loudest_below_db(&with_it[10_000..]) > -100.0, "{name}");
    }
}

/// The frequency near `hz` at which the amplitude is largest, to a hundredth of a cent.
fn peak_near(samples: &[f32], hz: f64) -> f64 {
    let at = |cents: f64| amplitude_at(samples, hz * (cents / 1200.0).exp2());
    let [mut low, mut high] = [-30.0, 30.0];
    while high - low > 0.01 {
        let third = (high - low) / 3.0;
        if at(low + third) < at(high - third) { low += third } else { high -= third }
    }
    hz * ((low + high) / 2400.0).exp2()
}

#[test]
fn a_triad_is_in_tune() {
    let notes = [60.0, 64.0, 67.0].map(|pitch| note(pitch, 1.0)).to_vec();
    let [samples, _] = rendered(&score(Timbre::pluck(), notes), RATE, false);
    for hz in [261.63, 329.63, 392.00] {
        let found = peak_near(&samples[2205..][..22_050], hz);
        let cents = 1200.0 * (found / hz).log2();
        assert!(cents.abs() < 2.0, "{hz}: {found}, {cents} cents off");
    }
}

#[test]
fn samples_outside_a_note_are_zeros() {
    let score = score(Timbre::bell(), vec![ScoreNote { start_secs: 0.1, ..note(69.0, 0.1) }]);
    let [left, right] = rendered(&score, RATE, true);
    assert_eq!(left, right);
    let is_sound = |sample: &f32| *sample != 0.0;
    // The first sample is that of a sine at phase 0.
    assert_eq!(left.iter().position(is_sound), Some(4411));
    let last = left.iter().rposition(is_sound).unwrap();
    assert!((4410 + 22_000..4410 + 22_050 + 64).contains(&last), "{last}");
    assert_eq!(left.len(), 4410 + 22_050usize.next_multiple_of(64));
}
