//! Hum: found and removed, steady and drifting, under speech and music; the rest of the sound stays.
#![allow(clippy::print_stdout, reason = "figures, with --nocapture")]

use crate::support::damage::with_hum;
use crate::support::measure::{changed, error_db, rms};
use crate::support::signals::{noise, tone};
use crate::support::studio::{Bench, CTRL, Drawing, NONE, bits, clip, open, samples};
use egui::Key;
use sonobrush::base::{ErrorKind, Progress, Result};
use sonobrush::document::brushes::{Brush, RemoveHum};
use sonobrush::document::{Channels, Edit, HumRange, HumSearch, Script, Snapshot, apply, find_hum};
use sonobrush::dsp::{Axis, Selection, StftParams};
use sonobrush::engine::Engine;
use sonobrush::media::Source;
use sonobrush::workbench::Severity;
use sonobrush::workbench::commands::{EditCommand, FindCommand, Seek};
use std::f64::consts::TAU;

fn sound(channels: Vec<Vec<f32>>, rate: u32) -> Snapshot {
    Snapshot::new(Source::from_channels(channels, rate).unwrap())
}

fn removed(sound: &Snapshot, brush: RemoveHum, secs: Option<[f64; 2]>) -> Result<Snapshot> {
    let edit = Edit {
        select: secs.map(|secs| Selection::rectangle(Some(secs), None, [0.0; 2], Axis::Linear)),
        ..Edit::of(brush, StftParams::default())
    };
    Ok(apply(sound, &edit, &Engine::cpu(), &Progress::new())?.snapshot)
}

pub fn speech() -> Vec<f32> {
    samples(&open(&clip("speech_16k_mono.wav")), 0)
}

#[test]
fn hum_under_speech_goes_and_the_voice_stays() {
    let clean = speech();
    for (drift_hz, max_db, min_gain_db) in [(0.0, -47.0, 12.0), (0.1, -43.0, 8.0)] {
        for seed in [1, 2] {
            let humming = with_hum(&clean, 16_000.0, 50.0, drift_hz, -35.0, seed);
            let before_db = error_db(&humming, &clean);
            assert!((before_db + 35.0).abs() < 0.1);
            let after = samples(&removed(&sound(vec![humming], 16_000), RemoveHum::DEFAULT, None).unwrap(), 0);
            let after_db = error_db(&after, &clean);
            println!("drift {drift_hz} Hz, seed {seed}: {before_db:.1} dB, removed {after_db:.1} dB");
            assert!(after_db <= max_db && after_db <= before_db - min_gain_db, "{drift_hz}, {seed}: {after_db} dB");
        }
    }
    // The same bits again.
    let humming = sound(vec![with_hum(&clean, 16_000.0, 50.0, 0.0, -35.0, 1)], 16_000);
    let [once, again] = [(); 2].map(|()| samples(&removed(&humming, RemoveHum::DEFAULT, None).unwrap(), 0));
    assert_eq!(bits(&once), bits(&again));
    // The control: what does not follow the drift leaves most of it.
    let humming = with_hum(&clean, 16_000.0, 50.0, 0.1, -35.0, 1);
    let steady = RemoveHum { f0: HumRange::Within([49.0, 51.0]), tracking: false, ..RemoveHum::DEFAULT };
    let after = samples(&removed(&sound(vec![humming], 16_000), steady, None).unwrap(), 0);
    assert!(error_db(&after, &clean) > -40.0);
}

/// All clips, those of less than two seconds with silence behind them, in which a hum goes on.
const CLIPS: [&str; 8] = [
    "choir_44k_stereo_float64.wav",
    "crow_44k_mono.flac",
    "drum_break_44k_stereo.flac",
    "guitar_chord_44k_stereo.flac",
    "many_chunks_44k_stereo.wav",
    "speech_16k_mono.wav",
    "tabla_loop_44k_stereo.flac",
    "vinyl_hiss_44k_stereo.flac",
];

fn channels_of(name: &str) -> (Vec<Vec<f32>>, u32) {
    let opened = open(&clip(name));
    let rate = opened.sample_rate_hz() as u32;
    let long = |mut samples: Vec<f32>| {
        if samples.len() < 2 * rate as usize {
            samples.resize(4 * rate as usize, 0.0);
        }
        samples
    };
    ((0..opened.n_channels()).map(|channel| long(samples(&opened, channel))).collect(), rate)
}

fn is_long() -> bool {
    std::env::var_os("SONOBRUSH_LONG_TESTS").is_some()
}

/// Whether it is refused, or changes no bit.
fn leaves_alone(channels: Vec<Vec<f32>>, rate: u32) -> bool {
    let before = sound(channels.clone(), rate);
    match removed(&before, RemoveHum::DEFAULT, None) {
        Ok(after) => (0..channels.len()).all(|channel| bits(&samples(&after, channel)) == bits(&channels[channel])),
        Err(refused) => refused.message().contains("no hum found"),
    }
}

#[test]
fn no_clip_has_a_hum() {
    for name in CLIPS {
        let (mut channels, rate) = channels_of(name);
        if !is_long() {
            channels.truncate(1);
        }
        assert!(leaves_alone(channels, rate), "{name} has changed");
    }
}

/// E1 to C#2: of notes between 41 and 69 Hz none is taken for mains, however long it sounds.
#[test]
fn no_bass_note_is_mains() {
    let (rate, n) = (44_100, if is_long() { 6 } else { 3 } * 44_100);
    for note in 28..=37 {
        let hz = 440.0 * ((f64::from(note) - 69.0) / 12.0).exp2();
        // Dying away, steady, dying away fast, and steady in noise.
        let kinds = [(0.1, 0.001), (0.0, 0.0), (0.5, 1e-4), (0.0, 0.01)];
        for (decay, level) in kinds.into_iter().take(if is_long() { 4 } else { 1 }) {
            let mut x = noise(n, level, note as u64);
            for k in (1..=12).map(f64::from) {
                let partial = tone(n, f64::from(rate), k * hz, 0.2 / k);
                let dying = |i: usize| (-decay * i as f64 / f64::from(rate)).exp() as f32;
                x.iter_mut().zip(partial).enumerate().for_each(|(i, (sum, sample))| *sum += sample * dying(i));
            }
            assert!(leaves_alone(vec![x], rate), "{hz:.2} Hz, dying away by {decay} has changed");
        }
    }
}

/// How much of a hum is left: what remains of it along itself, in dB.
fn left_db(after: &[f32], clean: &[f32], humming: &[f32]) -> f64 {
    let (mut along, mut power) = (0.0, 0.0);
    for ((after, clean), humming) in after.iter().zip(clean).zip(humming) {
        let hum = f64::from(humming - clean);
        (along, power) = (along + f64::from(after - clean) * hum, power + hum * hum);
    }
    20.0 * (along / power).abs().max(1e-9).log10()
}

/// Hum of -20 and of -40 dB of full scale in each clip.
#[test]
fn hum_is_removed_from_every_clip() {
    // Both levels in all clips, and every hum in the long form; three quick ones as a rule.
    let quick = ["choir_44k_stereo_float64.wav", "crow_44k_mono.flac", "speech_16k_mono.wav"];
    for (i, name) in CLIPS.into_iter().enumerate().filter(|(_, name)| is_long() || quick.contains(name)) {
        let (clean, rate) = channels_of(name);
        let clean_db = 20.0 * rms(&clean.concat()).log10();
        for level_db in [-20.0, -40.0] {
            let all = [(50.03, 0.02), (59.97, 0.0), (50.0, 0.0), (60.0, 0.05)];
            for (f0_hz, drift_hz) in
                all.into_iter().skip(if is_long() { 0 } else { i % 2 }).take(if is_long() { 4 } else { 1 })
            {
                let humming = with_hums(&clean, f64::from(rate), f0_hz, drift_hz, level_db - clean_db);
                let after = removed(&sound(humming.clone(), rate), RemoveHum::DEFAULT, None);
                let after = after.unwrap_or_else(|refused| panic!("{name} {level_db} {f0_hz}: {refused}"));
                let after: Vec<Vec<f32>> = (0..clean.len()).map(|channel| samples(&after, channel)).collect();
                let [clean, humming, after] = [&clean, &humming, &after].map(|channels| channels.concat());
                let [before_db, after_db] = [&humming, &after].map(|x| error_db(x, &clean));
                let left_db = left_db(&after, &clean, &humming);
                println!(
                    "{name} {level_db} dB at {f0_hz} Hz: {before_db:.1} dB, then {after_db:.1} dB; {left_db:.1} dB of the hum"
                );
                assert!(left_db < -10.0, "{name} {level_db} {f0_hz}: {left_db} dB are left");
                let min_db = if level_db == -20.0 { 10.0 } else { 3.0 };
                assert!(after_db < before_db - min_db, "{name} {level_db} {f0_hz}: {before_db}, {after_db} dB");
            }
        }
    }
}

/// Tones that begin loud, each beside a line of a hum of -40 dB, and die away: the hum is what stays. An amplitude that
/// was free to wander with them took up to a quarter of the hum's along: 12 to 17 dB.
#[test]
fn tones_that_die_away_beside_its_lines_do_not_pull_a_hum_along() {
    let (rate, n) = (8_000.0, 6 * 8_000);
    let mut gains_db = Vec::new();
    for (f0_hz, beside) in [(60.0, 1.01), (60.0, 1.02), (50.0, 0.97)] {
        let mut clean = noise(n, 1e-4, 5);
        for k in (1..=8).map(f64::from) {
            let partial = tone(n, rate, k * beside * f0_hz, 0.08 / k);
            let dying = |i: usize| (-(i as f64) / rate / 0.8).exp() as f32;
            clean.iter_mut().zip(partial).enumerate().for_each(|(i, (sum, sample))| *sum += sample * dying(i));
        }
        let level_db = -40.0 - 20.0 * rms(&clean).log10();
        let humming = with_hum(&clean, rate, f0_hz, 0.0, level_db, 1);
        let after = samples(&removed(&sound(vec![humming.clone()], 8_000), RemoveHum::DEFAULT, None).unwrap(), 0);
        gains_db.push(error_db(&humming, &clean) - error_db(&after, &clean));
        // Half as loud, it is the same hum, half as loud.
        let half = |x: &[f32]| -> Vec<f32> { x.iter().map(|x| 0.5 * x).collect() };
        let quiet = samples(&removed(&sound(vec![half(&humming)], 8_000), RemoveHum::DEFAULT, None).unwrap(), 0);
        assert!(error_db(&quiet, &half(&after)) < -80.0, "{f0_hz}: {} dB", error_db(&quiet, &half(&after)));
    }
    println!("lower by {gains_db:.1?} dB");
    assert!(gains_db.iter().all(|db| *db > 20.0), "{gains_db:?}");
}

/// The same hum in all channels.
fn with_hums(clean: &[Vec<f32>], rate: f64, f0_hz: f64, drift_hz: f64, level_db: f64) -> Vec<Vec<f32>> {
    let (all, n) = (clean.concat(), clean[0].len());
    // Of a sound as loud as all of them.
    let mut reference = vec![0.0; n];
    reference[0] = (rms(&all) * (n as f64).sqrt()) as f32;
    let humming = with_hum(&reference, rate, f0_hz, drift_hz, level_db, 3);
    let hum: Vec<f32> = humming.iter().zip(&reference).map(|(humming, reference)| humming - reference).collect();
    clean.iter().map(|samples| samples.iter().zip(&hum).map(|(x, hum)| x + hum).collect()).collect()
}

#[test]
fn what_was_found_is_reported_and_progress_moves() {
    let clean = noise(25 * 16_000, 0.02, 21);
    // -34 dB of a full-scale sine.
    let level_db = -34.0 - 20.0 * (rms(&clean) * 2f64.sqrt()).log10();
    let humming = sound(vec![with_hum(&clean, 16_000.0, 50.03, 0.0, level_db, 22)], 16_000);
    let progress = Progress::new();
    let seen = std::thread::scope(|threads| {
        let theirs = progress.clone();
        let work = threads.spawn(move || {
            apply(&humming, &Edit::of(RemoveHum::DEFAULT, StftParams::default()), &Engine::cpu(), &theirs)
        });
        let mut seen = vec![progress.fraction()];
        while !work.is_finished() {
            let now = progress.fraction();
            assert!(now >= seen[seen.len() - 1], "{now} after {seen:?}");
            if now > seen[seen.len() - 1] {
                seen.push(now);
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        let found = work.join().unwrap().unwrap().report.found.unwrap();
        assert!(found.starts_with("50.03 Hz, 1") && found.ends_with(" harmonics, -34 dB"), "{found}");
        seen
    });
    println!("{seen:?}");
    assert!(seen.iter().filter(|part| (0.01..0.99).contains(*part)).count() >= 5, "{seen:?}");
}

#[test]
fn each_channel_has_its_own_hum_and_both_have_one_frequency() {
    let tabla = open(&clip("tabla_loop_44k_stereo.flac"));
    let clean = [samples(&tabla, 0), samples(&tabla, 1)];
    let humming =
        [with_hum(&clean[0], 44_100.0, 59.97, 0.1, -35.0, 4), with_hum(&clean[1], 44_100.0, 59.97, 0.1, -25.0, 5)];
    let snapshot = sound(humming.to_vec(), 44_100);
    let hum = find_hum(&snapshot, None, &Channels::All, &HumSearch::DEFAULT, &Progress::new()).unwrap().unwrap();
    println!("{hum:?}");
    assert!((hum.f0_hz - 59.97).abs() < 0.02 && (0.05..0.15).contains(&hum.drift_hz), "{hum:?}");
    assert!((1..=10).all(|k| hum.multiples.contains(&k)), "{hum:?}");
    let after = removed(&snapshot, RemoveHum::DEFAULT, None).unwrap();
    for channel in 0..2 {
        let [before, after] = [&humming[channel], &samples(&after, channel)].map(|x| error_db(x, &clean[channel]));
        println!("channel {channel}: {before:.1} dB, removed {after:.1} dB");
        assert!(after < before - 15.0, "channel {channel}: {after} dB");
    }
}

#[test]
fn the_beat_of_drums_is_not_taken_for_mains() {
    // Levels and phases with which 62.8 Hz, a line of the loop's own, explained more than the hum: the error rose to
    // -27.8 dB.
    let lines = [
        [0.769, 0.325],
        [0.475, 5.342],
        [0.395, 0.056],
        [0.344, 6.150],
        [0.444, 5.196],
        [0.333, 4.934],
        [0.316, 0.302],
        [0.235, 1.303],
        [0.280, 5.340],
        [0.178, 2.717],
    ];
    let drums = open(&clip("drum_break_44k_stereo.flac"));
    let clean = [samples(&drums, 0), samples(&drums, 1)];
    let at = |i: usize| {
        let line = |(k, [level, phase]): (f64, [f64; 2])| level * (TAU * k * 60.0 * i as f64 / 44_100.0 + phase).sin();
        (1..).map(f64::from).zip(lines).map(line).sum::<f64>() as f32
    };
    let hum: Vec<f32> = (0..clean[0].len()).map(at).collect();
    let gain = (rms(&clean.concat()) / rms(&hum) * 10f64.powf(-35.0 / 20.0)) as f32;
    let humming =
        clean.clone().map(|clean| clean.iter().zip(&hum).map(|(x, hum)| x + gain * hum).collect::<Vec<f32>>());
    let after = match removed(&sound(humming.to_vec(), 44_100), RemoveHum::DEFAULT, None) {
        Ok(after) => [0, 1].map(|channel| samples(&after, channel)),
        // Not to be sure is no harm.
        Err(refused) => {
            assert!(refused.message().contains("no hum found"), "{refused}");
            humming.clone()
        }
    };
    let [before_db, after_db] = [humming, after].map(|x| error_db(&x.concat(), &clean.concat()));
    println!("drums: {before_db:.1} dB, removed {after_db:.1} dB");
    assert!((before_db + 35.0).abs() < 0.1 && after_db < before_db + 0.5, "{after_db} dB");
}

#[test]
fn long_sound_is_done_passage_by_passage() {
    // Two passages and a half at 48 kHz, of a hum that drifts all the time.
    let clean = noise(75 * 48_000, 0.02, 6);
    let humming = with_hum(&clean, 48_000.0, 50.02, 0.05, -6.0, 7);
    let after = samples(&removed(&sound(vec![humming], 48_000), RemoveHum::DEFAULT, None).unwrap(), 0);
    for secs in (0..75).step_by(5) {
        let at = secs * 48_000..(secs + 5) * 48_000;
        let left_db = error_db(&after[at.clone()], &clean[at.clone()]);
        assert!(left_db < -30.0, "{secs} s: {left_db} dB");
    }
}

#[test]
fn only_the_range_changes_and_its_borders_are_soft() {
    let clean = speech();
    let humming = with_hum(&clean, 16_000.0, 50.0, 0.0, -20.0, 8);
    let after =
        samples(&removed(&sound(vec![humming.clone()], 16_000), RemoveHum::DEFAULT, Some([2.0, 6.0])).unwrap(), 0);
    let touched = changed(&humming, &after);
    assert!(touched.len() > 60_000 && touched[0] >= 32_000 && touched[touched.len() - 1] < 96_000);
    let change = |i: usize| f64::from(after[i] - humming[i]).abs();
    let max = (40_000..80_000).map(change).fold(0.0, f64::max);
    assert!(change(32_000) < 0.01 * max && change(95_999) < 0.01 * max, "no step at the borders");
    assert!(error_db(&after[33_000..95_000], &clean[33_000..95_000]) < -32.0);
}

#[test]
fn music_notes_and_silence_are_no_hum() {
    let rate = 44_100;
    let n = 6 * rate;
    let hiss = noise(n, 0.01, 9);
    // Notes of one second, with harmonics that die away.
    let bass = |hz: f64, starts: &[usize]| {
        let mut x = hiss.clone();
        for start in starts {
            for (k, level) in (1..=8).map(|k| (k, 0.3 / k as f32)) {
                let note = tone(rate, rate as f64, hz * k as f64, f64::from(level));
                for (i, sample) in note.iter().enumerate() {
                    x[start * rate + i] += sample * (-2.0 * i as f32 / rate as f32).exp();
                }
            }
        }
        x
    };
    let guitar = samples(&open(&clip("guitar_chord_44k_stereo.flac")), 0);
    let drums = samples(&open(&clip("drum_break_44k_stereo.flac")), 0);
    let none = [
        bass(50.0, &[2]),
        bass(100.0, &[1]),
        bass(200.0, &[3]),
        bass(55.0, &[0, 4]),
        hiss.clone(),
        guitar,
        drums,
        vec![0.0; n],
    ];
    for (i, x) in none.into_iter().enumerate() {
        let snapshot = sound(vec![x], rate as u32);
        let found = find_hum(&snapshot, None, &Channels::All, &HumSearch::DEFAULT, &Progress::new()).unwrap();
        assert_eq!(found, None, "{i}");
        let refused = removed(&snapshot, RemoveHum::DEFAULT, None).unwrap_err();
        assert!(refused.kind() == ErrorKind::Script && refused.message().contains("no hum found"), "{refused}");
    }
    // The same notes all the time are.
    let humming = with_hum(&hiss, rate as f64, 50.0, 0.0, 0.0, 10);
    let found = find_hum(
        &sound(vec![humming.clone()], rate as u32),
        None,
        &Channels::All,
        &HumSearch::DEFAULT,
        &Progress::new(),
    );
    assert!(found.unwrap().is_some());
    let short = removed(&sound(vec![humming], rate as u32), RemoveHum::DEFAULT, Some([1.0, 2.5])).unwrap_err();
    assert!(short.message().contains("less than 2 s"), "{short}");
}

#[test]
fn other_mains_are_found_where_they_are_looked_for() {
    let hiss = noise(5 * 44_100, 0.02, 11);
    for f0_hz in [100.0, 400.0] {
        let humming = with_hum(&hiss, 44_100.0, f0_hz, 0.0, 0.0, 12);
        let f0 = HumRange::Within([0.98 * f0_hz, (1.02 * f0_hz).min(400.0)]);
        let brush = RemoveHum { f0, ..RemoveHum::DEFAULT };
        let after = samples(&removed(&sound(vec![humming], 44_100), brush, None).unwrap(), 0);
        assert!(error_db(&after, &hiss) < -25.0, "{f0_hz}: {}", error_db(&after, &hiss));
    }
}

#[test]
fn scripts_have_it_and_refuse_what_it_is_not() {
    let text = |brush: &str| format!(r#"{{"version": 1, "edits": [{{"brush": {brush}}}]}}"#);
    let other = RemoveHum { f0: HumRange::Within([390.0, 400.0]), harmonics: 4, tracking: false };
    let near = RemoveHum { f0: HumRange::Within([45.0, 65.0]), ..RemoveHum::DEFAULT };
    for (json, brush) in [
        (r#"{"kind": "remove_hum"}"#, RemoveHum::DEFAULT),
        (r#"{"kind": "remove_hum", "f0": "mains"}"#, RemoveHum::DEFAULT),
        // As scripts and projects of before have it.
        (r#"{"kind": "remove_hum", "f0": [45.0, 65.0], "harmonics": 16, "tracking": true}"#, near),
        (r#"{"kind": "remove_hum", "f0": [390, 400], "harmonics": 4, "tracking": false}"#, other),
    ] {
        let script = Script::parse(&text(json)).unwrap();
        assert_eq!(script.edits[0].brush, Brush::from(brush));
        assert_eq!(Script::parse(&script.to_json()).unwrap().edits, script.edits, "and back");
    }
    assert!(Script::parse(&text(r#"{"kind": "remove_hum"}"#)).unwrap().to_json().contains("\"mains\""));
    for wrong in [
        "\"f0\": \"main\"",
        "\"f0\": [5, 60]",
        "\"f0\": [45, 500]",
        "\"harmonics\": 0",
        "\"harmonics\": 65",
        "\"tracking\": 1",
    ] {
        let refused = Script::parse(&text(&format!(r#"{{"kind": "remove_hum", {wrong}}}"#))).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Script, "{wrong}");
    }
}

#[test]
fn the_commands_find_hum_and_remove_it() {
    let clean = speech();
    let mut bench = Bench::with_clip(Drawing::None, "speech_16k_mono.wav");
    let humming = with_hum(&clean, 16_000.0, 50.02, 0.0, -30.0, 13);
    bench.show(sound(vec![humming.clone()], 16_000));
    // Independent of the view's transform.
    bench.set_view(|view| view.transform = StftParams { n_fft: 256, hop: 64, ..StftParams::default() }.into());
    bench.act(FindCommand::Seek(Seek::Hum));
    bench.settle();
    let (severity, what) = bench.notices().pop().unwrap();
    assert_eq!((severity, what.as_str()), (Severity::Info, "Hum at 50.02 Hz with 10 harmonics found and selected."));
    let [low, high] = bench.studio().document().unwrap().selected_hz().unwrap();
    assert!(low < 50.0 && high > 500.0, "{low} to {high} Hz");
    // The lines stay selected, and removing it takes all of each.
    bench.act(EditCommand::RemoveHum);
    bench.settle();
    bench.key(NONE, Key::Enter);
    assert!(bench.has("Step 1: Remove hum, whole file"), "{:?}", bench.notices());
    let after = bench.samples(0);
    assert!(error_db(&after, &clean) < -45.0, "{} dB", error_db(&after, &clean));
    bench.key(CTRL, Key::Z);
    assert_eq!(bits(&bench.samples(0)), bits(&humming), "undone");
    // Where there is none, one sentence and no step.
    bench.show(sound(vec![noise(80_000, 0.1, 14)], 16_000));
    bench.act(EditCommand::RemoveHum);
    bench.key(NONE, Key::Enter);
    let (severity, what) = bench.notices().pop().unwrap();
    assert!(severity == Severity::Info && what == "No hum found near 50 or 60 Hz.", "{what}");
    assert_eq!(bench.studio().document().unwrap().history().position(), 0);
    bench.key(NONE, Key::Escape);
}
