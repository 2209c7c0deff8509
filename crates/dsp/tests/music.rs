//! Keys of cadences, in tune and mistuned, and tempos of beats with subdivisions.
#![allow(clippy::print_stdout, reason = "figures, with --nocapture")]

use dsp::FftPlans;
use dsp::descriptors::{ChromaMeter, MusicalKey, N_MELS, RATE_HZ, RhythmMeter, STEP_SAMPLES};
use std::f64::consts::TAU;

/// Semitones above the tonic of the chords of a cadence, the bass first: major, minor.
const CADENCES: [[[i32; 4]; 6]; 2] = [
    [[0, 12, 16, 19], [5, 12, 17, 21], [7, 14, 19, 23], [0, 12, 16, 19], [9, 12, 16, 21], [0, 12, 16, 19]],
    [[0, 12, 15, 19], [5, 12, 17, 20], [7, 14, 19, 23], [0, 12, 15, 19], [8, 12, 15, 20], [0, 12, 15, 19]],
];

/// A cadence of struck chords of 0.8 s, tuned `cents` away from A = 440 Hz.
fn cadence(key: MusicalKey, cents: f64) -> Vec<f32> {
    let rate = f64::from(RATE_HZ);
    let n = (0.8 * rate) as usize;
    let chord = |semitones: &[i32; 4]| {
        let mut samples = vec![0.0; n];
        for semitone in semitones {
            // Semitones from A4; the tonic is in the octave from C2.
            let note = f64::from(36 + key.tonic as i32 + semitone) - 69.0 + cents / 100.0;
            let hz = 440.0 * (note / 12.0).exp2();
            for harmonic in 1..=5u32 {
                let turns = hz * f64::from(harmonic) / rate;
                for (at, sample) in samples.iter_mut().enumerate() {
                    let fall = (-3.0 * at as f64 / rate).exp() / f64::from(harmonic);
                    *sample += 0.1 * fall * (TAU * (turns * at as f64).fract()).sin();
                }
            }
        }
        samples
    };
    CADENCES[usize::from(key.is_minor)].iter().flat_map(chord).map(|sample| sample as f32).collect()
}

#[test]
fn keys_are_found_of_music_that_is_not_in_tune() {
    let mut n_lost = 0;
    for (tonic, is_minor) in [(0, false), (7, false), (2, true), (9, true)] {
        let key = MusicalKey { tonic, is_minor };
        for cents in [0.0, -40.0, 40.0] {
            let mut meter = ChromaMeter::new(&FftPlans::default());
            meter.push(&cadence(key, cents));
            let found = meter.finish().describe().unwrap();
            println!("{key}, {cents} cents: {:?}, {:?}", found.key, found.key_strength);
            assert_eq!(found.key, Some(key), "{key}, {cents} cents off");
            n_lost += usize::from(MusicalKey::of_chroma(&found.chroma).is_none_or(|(of_chroma, _)| of_chroma != key));
        }
    }
    // Control: with one chroma bin per note, some keys are wrong or not found.
    assert!(n_lost >= 3, "{n_lost}");
}

#[test]
fn tempos_are_those_of_the_beats_and_not_of_what_lies_between() {
    let rate = f64::from(RATE_HZ) / STEP_SAMPLES as f64;
    for bpm in [72.0, 100.0, 126.0, 150.0] {
        let mut meter = RhythmMeter::default();
        for frame in 0..(20.0 * rate) as usize {
            let eighths = frame as f64 / rate * bpm / 30.0;
            let secs_since = eighths.fract() * 30.0 / bpm;
            // Beats are loud and low; the eighths between them are soft and high.
            let is_beat = (eighths as usize).is_multiple_of(2);
            let level = |mel: usize| {
                let height = if (mel < 40) == is_beat { if is_beat { 40.0 } else { 24.0 } } else { 0.0 };
                // A hit comes into a frame over four steps.
                let attack = (secs_since * rate / 4.0).min(1.0);
                (height * attack - 200.0 * secs_since).max(0.0) - 60.0
            };
            meter.push(&(0..N_MELS).map(level).collect::<Vec<f64>>());
        }
        let found = meter.finish(20.0).tempo_bpm.unwrap();
        println!("{bpm}: {found}");
        assert!((found / bpm - 1.0).abs() < 0.01, "{found}, not {bpm}");
    }
}

/// The tempo found for hits with these heights, one for each equal part of a beat; 0 is no hit.
fn tempo_of(bpm: f64, heights_db: &[f64]) -> f64 {
    let rate = f64::from(RATE_HZ) / STEP_SAMPLES as f64;
    let mut meter = RhythmMeter::default();
    for frame in 0..(20.0 * rate) as usize {
        let parts = frame as f64 / rate * bpm / 60.0 * heights_db.len() as f64;
        let secs_since = parts.fract() * 60.0 / bpm / heights_db.len() as f64;
        // A hit comes into a frame over four steps.
        let attack = (secs_since * rate / 4.0).min(1.0);
        let height_db = heights_db[parts as usize % heights_db.len()];
        meter.push(&[(height_db * attack - 200.0 * secs_since).max(0.0) - 60.0; N_MELS]);
    }
    meter.finish(20.0).tempo_bpm.unwrap()
}

#[test]
fn of_two_tempos_that_fit_alike_the_one_with_two_or_three_onsets_a_beat_is_found() {
    // Equal eighths, and a soft sixteenth after the first of each beat: twice the tempo fits as well.
    let song = tempo_of(84.0, &[30.0, 16.0, 30.0, 0.0]);
    assert!((song / 84.0 - 1.0).abs() < 0.01, "{song}");
    // Without hits in between, the hits are the beats.
    for bpm in [100.0, 135.0, 160.0] {
        let pulse = tempo_of(bpm, &[30.0, 0.0, 0.0, 0.0]);
        assert!((pulse / bpm - 1.0).abs() < 0.01, "{pulse}, not {bpm}");
    }
}
