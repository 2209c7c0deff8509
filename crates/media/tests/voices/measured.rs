//! Measuring a timbre from a recording, and playing it.
#![allow(clippy::print_stdout, reason = "figures, with --nocapture")]

use super::{note, oracle, rendered, score};
use dsp::FftPlans;
use dsp::voices::{Adsr, MeasuredTimbre, Score, ScoreNote, Timbre, measure};
use sonobrush_media::score::{json_from_timbre, timbre_from_json};
use std::sync::Arc;

const RATE: f64 = 44_100.0;
const F0: f64 = 196.0;

/// A plucked string with 12 partials for two seconds, computed by the reference implementation.
fn pluck() -> (Score, Vec<f32>) {
    let timbre = Timbre { partials: Timbre::pluck().partials[..12].to_vec(), ..Timbre::pluck() };
    let pitch = 69.0 + 12.0 * (F0 / 440.0f64).log2();
    let score = Score { level_db: -6.0, ..score(timbre, vec![note(pitch, 2.0)]) };
    let samples = oracle::samples(&score, RATE, 1)[0].iter().map(|sample| *sample as f32).collect();
    (score, samples)
}

/// Reference level of a pluck's partial, in decibels.
fn level_db(score: &Score, k: usize, secs: f64) -> f64 {
    let timbre = &score.timbres[0];
    let norm: f64 = timbre.partials.iter().map(|partial| partial.level.powi(2)).sum::<f64>().sqrt();
    let time = timbre.decay_secs * timbre.ratio(k).powf(-timbre.damp);
    score.level_db + 20.0 * (timbre.partials[k].level / norm).log10() - 60.0 * secs / time
}

fn playing(measured: &Arc<MeasuredTimbre>) -> Timbre {
    let adsr = Adsr { attack_secs: 0.0, decay_secs: 0.0, sustain: 1.0, release_secs: 0.05 };
    Timbre { measured: Some(measured.clone()), adsr, ..Timbre::default() }
}

#[test]
fn what_is_measured_is_what_was_played() {
    let (score, samples) = pluck();
    let measured = measure(&samples, RATE, F0, &FftPlans::default()).unwrap();
    for k in 0..12 {
        assert!((measured.ratios()[k] - score.timbres[0].ratio(k)).abs() < 1e-3, "{k}: {}", measured.ratios()[k]);
        // Skips the first half window, where levels are held, and levels too low for the window to resolve.
        for step in [8, 16, 64] {
            let secs = step as f64 * measured.step_secs();
            let (found, expected) = (f64::from(measured.levels_db()[k][step]), level_db(&score, k, secs));
            assert!(expected < -80.0 || (found - expected).abs() < 0.3, "{k} at {secs}: {found}, {expected}");
        }
    }
    // Above the twelfth partial, only the side lobes of the others are measured.
    assert!(measured.levels_db()[20].iter().all(|level| *level < -60.0));
    let loudest = (0..12).map(|k| 10f64.powf(level_db(&score, k, 0.0) / 10.0)).sum::<f64>();
    let peak_db = 10.0 * loudest.log10();
    // The partials have decayed a little by the middle of the first window.
    assert!((-1.2..0.0).contains(&(measured.peak_db() - peak_db)), "{}, {peak_db}", measured.peak_db());
}

#[test]
fn what_is_played_is_measured_again() {
    let (_, samples) = pluck();
    let ffts = FftPlans::default();
    let measured = Arc::new(measure(&samples, RATE, F0, &ffts).unwrap());
    let pitch = 69.0 + 12.0 * (F0 / 440.0f64).log2();
    let play = |timbre: Timbre, up: f64| {
        let secs = measured.secs() - timbre.adsr.release_secs;
        let score = Score { level_db: measured.peak_db(), ..score(timbre, vec![note(pitch + up, secs)]) };
        rendered(&score, RATE, false)[0].clone()
    };
    let worst = |again: &MeasuredTimbre, expected: &dyn Fn(usize, usize) -> f64| {
        let levels = (0..12).flat_map(|k| [12, 40].map(|step| (k, step)));
        let loud = levels.filter(|&(k, step)| expected(k, step) > -60.0);
        let off = loud.map(|(k, step)| (f64::from(again.levels_db()[k][step]) - expected(k, step)).abs());
        let off: Vec<f64> = off.collect();
        assert!(off.len() >= 10);
        off.into_iter().fold(0.0, f64::max)
    };
    let again = measure(&play(playing(&measured), 0.0), RATE, F0, &ffts).unwrap();
    for k in 0..12 {
        assert!((again.ratios()[k] - measured.ratios()[k]).abs() < 1e-3, "{k}");
    }
    let off = worst(&again, &|k, step| f64::from(measured.levels_db()[k][step]));
    println!("played and measured again: {off:.3} dB off");
    assert!(off < 0.3, "{off}");
    // A fourth higher with formants preserved: levels are interpolated between the recorded partials.
    let up = (5.0f64 / 12.0).exp2();
    let formants = Timbre { formants: 1.0, ..playing(&measured) };
    let again = measure(&play(formants.clone(), 5.0), RATE, F0 * up, &ffts).unwrap();
    let envelope = |k: usize, step: usize| {
        let octaves = (measured.ratios()[k] * up).log2();
        let after = measured.ratios().iter().position(|ratio| ratio.log2() > octaves).unwrap();
        let at = |j: usize| (measured.ratios()[j].log2(), f64::from(measured.levels_db()[j][step]));
        let ((x0, y0), (x1, y1)) = (at(after - 1), at(after));
        y0 + (y1 - y0) * (octaves - x0) / (x1 - x0)
    };
    // Both measurements have the same window length, and so comparable steps.
    assert_eq!(again.step_secs(), measured.step_secs());
    let off = worst(&again, &envelope);
    println!("a fourth higher with formants: {off:.3} dB off");
    assert!(off < 0.3, "{off}");
    // Control: without formant preservation the levels move with the pitch.
    let moved = measure(&play(playing(&measured), 5.0), RATE, F0 * up, &ffts).unwrap();
    assert!(worst(&moved, &envelope) > 3.0);
}

#[test]
fn time_is_stretched_behind_the_attack_or_not_at_all() {
    // One partial that falls by 60 dB in a second, from -20 dB.
    let levels = (0..=100).map(|step| -20.0 - 0.6 * step as f32).collect();
    let measured = Arc::new(MeasuredTimbre::new(440.0, 0.01, vec![1.0], vec![levels]).unwrap());
    assert!((measured.secs() - 1.0).abs() < 1e-12 && (measured.peak_db() + 20.0).abs() < 1e-6);
    let level_at = |is_stretched: bool, secs: f64| {
        let timbre = Timbre { stretch_time: is_stretched, ..playing(&measured) };
        let score = Score { level_db: 0.0, ..score(timbre, vec![ScoreNote { ..note(69.0, 1.95) }]) };
        let [samples, _] = rendered(&score, RATE, false);
        let first = (secs * RATE) as usize;
        let peak = samples[first..first + 110].iter().fold(0.0f32, |peak, sample| peak.max(sample.abs()));
        20.0 * f64::from(peak).log10()
    };
    // Played for two seconds: until 0.15 s as recorded, then 0.85 s of recording in 1.85 s.
    for (secs, recorded) in [(0.1, 0.1), (0.15, 0.15), (1.075, 0.575), (1.9, 0.954)] {
        assert!((level_at(true, secs) + 60.0 * recorded).abs() < 0.2, "{secs}: {}", level_at(true, secs));
    }
    assert!((level_at(false, 0.5) + 30.0).abs() < 0.2);
    assert!(level_at(false, 1.01).is_infinite());
}

#[test]
fn a_measured_timbre_survives_json() {
    let (_, samples) = pluck();
    let measured = Arc::new(measure(&samples, RATE, F0, &FftPlans::default()).unwrap());
    let timbre = Timbre { formants: 0.25, stretch_time: false, ..playing(&measured) };
    let text = json_from_timbre(&timbre).to_string();
    assert_eq!(timbre_from_json(text.as_bytes()).unwrap(), timbre);
    for name in Timbre::NAMES {
        let timbre = Timbre::named(name).unwrap();
        assert_eq!(timbre_from_json(json_from_timbre(&timbre).to_string().as_bytes()).unwrap(), timbre, "{name}");
    }
}

/// Four periods of 86.11 Hz are half a sample more than 2,048, which requires the next power of two.
#[test]
fn windows_hold_four_periods() {
    let ffts = FftPlans::default();
    // Levels are an eighth of a window apart.
    let size = |f0: f64| 8.0 * RATE * measure(&[0.0; 20_000], RATE, f0, &ffts).unwrap().step_secs();
    for (f0, expected) in [(440.0, 2048.0), (86.14, 2048.0), (86.11, 4096.0), (43.05, 8192.0), (20.0, 16_384.0)] {
        let found = size(f0);
        assert!((found - expected).abs() < 1e-6, "{f0} Hz: {found}");
        assert!(expected >= (4.0 * RATE / f0).min(16_384.0), "{f0} Hz");
    }
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let ffts = FftPlans::default();
    let message = |samples: &[f32], f0: f64| measure(samples, RATE, f0, &ffts).unwrap_err().message().to_owned();
    assert_eq!(message(&[0.1; 9000], 5.0), "a fundamental of 5 Hz is outside 20 to 5000 Hz");
    assert_eq!(
        message(&[0.1; 2000], 196.0),
        "0.045 s are too short to measure a timbre at 196.0 Hz; select at least 0.046 s"
    );
    // Silence gives a timbre whose levels are all at the minimum.
    let silence = measure(&[0.0; 9000], RATE, F0, &ffts).unwrap();
    assert!(silence.levels_db().iter().flatten().all(|level| *level == -100.0));
}
