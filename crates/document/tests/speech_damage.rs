//! Find damage in speech: planted noise, rooms and sibilants are found and repaired, and clean voices are left alone.
#![allow(clippy::print_stdout, reason = "figures, with --nocapture")]

use base::Progress;
use document::brushes::Brush;
use document::{Damage, DamageKind, Script, find_damage};
use dsp::NoiseSource;
use support::damage::{in_room, with_pink_noise, with_sharp_sibilants};
use support::measure::{rms, si_sdr_db};
use support::signals::noise;
use support::snapshots::{open, run, samples, sound};
use support::wav::clip;

const RATE: u32 = 16_000;

/// The speech clip without its DC offset.
fn speech() -> Vec<f32> {
    let samples = samples(&open(&clip("speech_16k_mono.wav")), 0);
    let mean = samples.iter().map(|x| f64::from(*x)).sum::<f64>() / samples.len() as f64;
    samples.iter().map(|x| (f64::from(*x) - mean) as f32).collect()
}

/// The same between two pauses of 0.8 s, with noise 60 dB below the speech.
fn paused() -> Vec<f32> {
    let speech = speech();
    let still = |seed: u64| noise(12_800, 0.001 * rms(&speech), seed);
    [still(1), speech.clone(), still(2)].concat()
}

fn found(channels: &[Vec<f32>], rate: u32) -> Vec<Damage> {
    find_damage(&sound(channels, rate), &Progress::new()).unwrap()
}

/// The only finding of a sound.
fn only(samples: &[f32]) -> Damage {
    let mut rows = found(&[samples.to_vec()], RATE);
    assert!(rows.len() == 1, "{rows:?}");
    rows.remove(0)
}

/// A sound after the repair of a finding, by way of its script.
fn repaired(samples_before: &[f32], damage: &Damage) -> Vec<f32> {
    let script = Script::from(vec![damage.repair.clone()]).to_json();
    let edit = Script::parse(&script).unwrap().edits.remove(0);
    samples(&run(&sound(&[samples_before.to_vec()], RATE), &edit).unwrap().snapshot, 0)
}

#[test]
fn clean_voices_have_no_damage() {
    for (what, voice) in [("clip", speech()), ("between pauses", paused())] {
        let soft: Vec<f32> = voice.iter().map(|x| 0.05 * x).collect();
        let right: Vec<f32> = voice.iter().map(|x| 0.7 * x).collect();
        for (channels, how) in [(vec![voice.clone()], "mono"), (vec![soft], "soft"), (vec![voice, right], "stereo")] {
            let rows = found(&channels, RATE);
            assert!(rows.is_empty(), "{what}, {how}: {rows:?}");
        }
    }
    // There is no speech in noise, or at a rate too low for a voice.
    assert!(found(&[noise(6 * 16_000, 0.05, 1)], RATE).is_empty());
    assert!(found(&[noise(6 * 6_000, 0.05, 1)], 6_000).is_empty());
}

#[test]
fn noise_under_speech_is_found_and_speech_isolated() {
    let clean = paused();
    let mut gains_db = Vec::new();
    for level_db in [-25.0, -20.0, -10.0, 0.0] {
        let noisy = with_pink_noise(&clean, level_db, 3);
        let row = only(&noisy);
        assert_eq!(row.kind, DamageKind::Noise, "{row:?}");
        let below_db: f64 = row.what.trim_end_matches(" dB below the voice").parse().unwrap();
        let Brush::Isolate(isolate) = &row.repair.brush else { panic!("{row:?}") };
        let Some(NoiseSource::Range { secs: [start, end], hz: None }) = isolate.noise else { panic!("{row:?}") };
        // The noise is learnt outside speech: before or after the sentence.
        let end_secs = clean.len() as f64 / f64::from(RATE);
        assert!(end - start >= 0.2 && (end < 1.2 || start > end_secs - 1.2), "{start} {end}");
        let gained_db = si_sdr_db(&repaired(&noisy, &row), &clean) - si_sdr_db(&noisy, &clean);
        println!("pink noise at {level_db} dB: {}; learnt in {start:.2} to {end:.2} s; {gained_db:+.1} dB", row.what);
        assert!((below_db + level_db).abs() <= 8.0, "{level_db}: {}", row.what);
        gains_db.push(gained_db);
    }
    assert!(gains_db[2] >= 3.0 && gains_db[3] >= 5.0, "{gains_db:?}");
    // Digital silence at the start does not hide the noise.
    let late = [vec![0.0; 32_000], with_pink_noise(&clean, -15.0, 3)].concat();
    assert_eq!(only(&late).kind, DamageKind::Noise);
    // Barely audible noise is not reported.
    assert!(found(&[with_pink_noise(&clean, -50.0, 3)], RATE).is_empty());
}

#[test]
fn a_room_is_found_and_made_drier() {
    let dry = paused();
    for (rt60_secs, seed) in [(0.8, 11), (1.2, 12)] {
        let wet = in_room(RATE, &dry, rt60_secs, seed);
        let row = only(&wet);
        assert_eq!(row.kind, DamageKind::Reverberation, "{row:?}");
        let secs: f64 = row.what.trim_start_matches("RT60 ").trim_end_matches(" s").parse().unwrap();
        let gained_db = si_sdr_db(&repaired(&wet, &row), &dry) - si_sdr_db(&wet, &dry);
        println!("a room of {rt60_secs} s: {}; {gained_db:+.1} dB", row.what);
        assert!((0.6..=rt60_secs * 1.2).contains(&secs) && gained_db >= 0.5, "{}: {gained_db} dB", row.what);
    }
    // A short reverberation is not reported.
    assert!(found(&[in_room(RATE, &dry, 0.3, 13)], RATE).is_empty());
}

#[test]
fn sharp_sibilants_are_found_and_lowered() {
    let clean = paused();
    let sharp = with_sharp_sibilants(f64::from(RATE), &clean, 9.0);
    let row = only(&sharp);
    assert!(row.kind == DamageKind::Sibilants && row.hz.is_empty(), "{row:?}");
    println!("raised by 9 dB: {}, at {:.2?}", row.what, row.secs);
    assert!(row.amount().starts_with(&format!("{}, up to ", row.secs.len())), "{}", row.amount());
    let level = |samples: &[f32], [start, end]: [f64; 2]| {
        let middle = ((start + end) / 2.0 * f64::from(RATE)) as usize;
        support::measure::band_power(&samples[middle - 512..middle + 512], f64::from(RATE), 4500.0, 7500.0)
    };
    // Each place is a sibilant, which the repair lowers.
    let after = repaired(&sharp, &row);
    assert!(!row.secs.is_empty() && row.secs.windows(2).all(|pair| pair[0][1] < pair[1][0]));
    for secs in &row.secs {
        let [raised_db, lowered_db] =
            [(&sharp, &clean), (&sharp, &after)].map(|(a, b)| 10.0 * (level(a, *secs) / level(b, *secs)).log10());
        assert!(raised_db > 6.0 && lowered_db > 3.0, "{secs:?}: {raised_db} dB, then {lowered_db} dB");
    }
    assert!(found(&[after], RATE).is_empty());
}
