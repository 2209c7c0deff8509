//! Search for damage and repetitions: planted clicks, hum, clipping and repeated sounds are found, with few false
//! positives.
#![allow(clippy::print_stdout, reason = "figures, with --nocapture")]

use base::Progress;
use document::{Channels, Script, Snapshot, apply, resolve};
use dsp::selections::find::{AlikeMethod, Find};
use dsp::{Selection, Shape, StftParams};
use engine::{Engine, Plans};
use media::Source;
use support::measure::f64s;
use support::signals::{Rng, noise, tone};
use support::snapshots::{open, samples};
use support::wav::clip;

fn sound(samples: &[f32], rate: u32) -> Snapshot {
    Snapshot::new(Source::from_channels(vec![samples.to_vec()], rate).unwrap())
}

/// The rectangles that are found, each as its range of seconds and of hertz.
type Ranges = Vec<[Option<[f64; 2]>; 2]>;

fn found(sound: &Snapshot, find: Find) -> Ranges {
    let stft = StftParams::for_rate(sound.sample_rate_hz());
    let wanted = Selection::of(Shape::Find(find));
    let found = resolve(sound, &wanted, stft, &Channels::All, &Plans::default(), &Progress::new()).unwrap();
    let [(_, shape)] = &found.shapes[..] else { panic!("{found:?}") };
    let ranges: Ranges = match shape {
        Shape::Group(group) => group.shapes.iter().map(|(_, shape)| shape.extent()).collect(),
        Shape::Moments(moments) => moments.heard().into_iter().map(|secs| [Some(secs), None]).collect(),
        single => vec![single.extent()],
    };
    let within = |range: &[Option<[f64; 2]>; 2]| range[0].is_none_or(|[_, end]| end > 0.0);
    ranges.into_iter().filter(within).collect()
}

/// Signal to error in decibels.
fn snr_db(x: &[f32], clean: &[f32]) -> f64 {
    let error = |x: f32, clean: f32| f64::from(x - clean).powi(2);
    let errors: f64 = x.iter().zip(clean).map(|(x, clean)| error(*x, *clean)).sum();
    10.0 * (clean.iter().map(|x| error(*x, 0.0)).sum::<f64>() / errors).log10()
}

/// The samples after a script that heals what `shape` finds.
fn healed(x: &[f32], rate: u32, shape: &str, mode: &str) -> Vec<f32> {
    let script = format!(
        r#"{{"version": 1, "transform": {{"n_fft": 1024}}, "edits": [
            {{"brush": {{"kind": "heal", "mode": "{mode}"}}, "select": {{"shape": "{shape}"}}}}]}}"#
    );
    let edit = Script::parse(&script).unwrap().edits.remove(0);
    let applied = apply(&sound(x, rate), &edit, &Engine::cpu(), &Progress::new()).unwrap();
    samples(&applied.snapshot, 0)
}

#[test]
fn found_damage_is_healed_to_the_sample() {
    for (name, rate) in [("speech_16k_mono.wav", 16_000), ("guitar_chord_44k_stereo.flac", 44_100)] {
        let mut clean = samples(&open(&clip(name)), 0);
        clean.truncate(4 * rate as usize);
        let peak = clean.iter().fold(0.0f32, |max, s| max.max(s.abs()));
        clean.iter_mut().for_each(|s| *s *= 0.5 / peak);
        let mut rng = Rng(74);
        let mut clicked = clean.clone();
        for k in 0..20 {
            let at = 2000 + k * (clean.len() - 4000) / 20 + (rng.uniform() * 500.0) as usize;
            (0..3).for_each(|i| clicked[at + i] += 0.4 * [0.7, -1.0, 0.5][i]);
        }
        let before = snr_db(&clicked, &clean);
        let [gap, attenuated] =
            ["gap", "attenuate"].map(|mode| snr_db(&healed(&clicked, rate, "clicks", mode), &clean));
        println!("{name}: clicks {before:.1} dB, predicted {gap:.1} dB, attenuated {attenuated:.1} dB");
        assert!(gap > before + 5.0 && gap > attenuated, "{name}: {before} {gap} {attenuated}");
        let clipped: Vec<f32> = clean.iter().map(|s| s.clamp(-0.25, 0.25)).collect();
        let (before, after) = (snr_db(&clipped, &clean), snr_db(&healed(&clipped, rate, "clipping", "gap"), &clean));
        println!("{name}: clipped {before:.1} dB, predicted {after:.1} dB");
        assert!(after > before + 3.0, "{name}: {before} {after}");
    }
}

#[test]
fn damage_far_apart_is_healed_place_by_place() {
    // Ten minutes: all frames between the first and the last click would be too many for one hole.
    let rate = 16_000;
    let clean = tone(600 * rate as usize, f64::from(rate), 440.0, 0.3);
    let mut clicked = clean.clone();
    let places: Vec<usize> = (0..8).map(|k| 5_000 + k * 70 * rate as usize).collect();
    places.iter().for_each(|at| clicked[*at] += 0.5);
    let after = healed(&clicked, rate, "clicks", "gap");
    assert!(places.iter().all(|at| (after[*at] - clean[*at]).abs() < 1e-3));
}

/// Number of `planted` places in a range, and of ranges without any.
fn counts(ranges: &Ranges, axis: usize, planted: &[f64]) -> (usize, usize) {
    let holds = |range: &[Option<[f64; 2]>; 2], at: f64| range[axis].is_some_and(|[a, b]| (a..=b).contains(&at));
    let n_hit = planted.iter().filter(|&&at| ranges.iter().any(|range| holds(range, at))).count();
    let n_false = ranges.iter().filter(|range| !planted.iter().any(|&at| holds(range, at))).count();
    (n_hit, n_false)
}

#[test]
fn clicks_are_found_and_music_is_not() {
    let mut rng = Rng(71);
    let (mut n_planted, mut n_hit, mut n_false) = (0, 0, 0);
    for name in ["choir_44k_stereo_float64.wav", "guitar_chord_44k_stereo.flac"] {
        let mut x = samples(&open(&clip(name)), 0);
        x.truncate(4 * 44_100);
        let clean = found(&sound(&x, 44_100), Find::CLICKS);
        assert!(clean.is_empty(), "{name}: {} clicks in the clean sound", clean.len());
        let mut planted = Vec::new();
        for k in 0..20 {
            let at = 3000 + k * (x.len() - 6000) / 20 + (rng.uniform() * 800.0) as usize;
            let (n, level) = (1 + (rng.uniform() * 7.0) as usize, rng.between(0.1, 0.4));
            let sign = if rng.uniform() < 0.5 { -1.0 } else { 1.0 };
            for i in 0..n {
                let bump = (std::f64::consts::PI * (i as f64 + 1.0) / (n as f64 + 1.0)).sin().powi(2);
                x[at + i] += (sign * level * bump) as f32;
            }
            planted.push(at as f64 / 44_100.0);
        }
        let (hit, wrong) = counts(&found(&sound(&x, 44_100), Find::CLICKS), 0, &planted);
        (n_planted, n_hit, n_false) = (n_planted + planted.len(), n_hit + hit, n_false + wrong);
    }
    assert!(n_hit * 10 >= n_planted * 9, "{n_hit} of {n_planted}");
    assert!(n_false * 20 <= n_hit, "{n_false} that are none");
    // Pulses and bursts of speech may be reported as clicks, but only a few.
    let speech = samples(&open(&clip("speech_16k_mono.wav")), 0);
    let n_in_speech = found(&sound(&speech, 16_000), Find::CLICKS).len();
    assert!(n_in_speech <= 10, "{n_in_speech} in speech");
    assert!(found(&sound(&vec![0.0; 44_100], 44_100), Find::CLICKS).is_empty(), "silence has none");
}

#[test]
fn hum_is_found_line_by_line() {
    let guitar = samples(&open(&clip("guitar_chord_44k_stereo.flac")), 0);
    let hiss = noise(4 * 44_100, 0.02, 72);
    for x in [&guitar, &hiss] {
        assert_eq!(found(&sound(x, 44_100), Find::HUM), Ranges::new(), "a chord and hiss do not hum");
        for f0 in [50.3, 60.0] {
            let mut humming = x.clone();
            let planted: Vec<f64> = [1.0, 2.0, 3.0, 5.0].iter().map(|k| k * f0).collect();
            for (hz, level) in planted.iter().zip([0.01, 0.005, 0.007, 0.004]) {
                let line = tone(x.len(), 44_100.0, *hz, level);
                humming.iter_mut().zip(&line).for_each(|(sum, s)| *sum += s);
            }
            let ranges = found(&sound(&humming, 44_100), Find::HUM);
            let (n_hit, n_false) = counts(&ranges, 1, &planted);
            assert_eq!(n_hit, 4, "{f0}: {ranges:?}");
            assert!(n_false <= 4, "{f0}: {ranges:?}");
            assert!(ranges.iter().all(|range| range[0].is_none()), "at all times");
        }
    }
    // In hiss, which has no steady components of its own, there are no false positives.
    let mut humming = hiss.clone();
    [50.0, 100.0, 150.0].iter().for_each(|hz| {
        humming.iter_mut().zip(tone(hiss.len(), 44_100.0, *hz, 0.01)).for_each(|(sum, s)| *sum += s);
    });
    assert_eq!(found(&sound(&humming, 44_100), Find::HUM).len(), 3);
}

#[test]
fn clipping_is_found_where_the_wave_was_cut() {
    let mut x = samples(&open(&clip("guitar_chord_44k_stereo.flac")), 0);
    x.truncate(3 * 44_100);
    let none = found(&sound(&x, 44_100), Find::CLIPPING);
    assert!(none.is_empty(), "{none:?} in the clean sound");
    let max = x.iter().fold(0.0f32, |max, s| max.max(s.abs()));
    let level = 0.6 * max;
    // Attenuated after clipping: the clipping level is found relative to the peak of the sound.
    let cut: Vec<f32> = x.iter().map(|s| s.clamp(-level, level) * 0.5).collect();
    let runs: Vec<f64> = (1..x.len() - 1)
        .filter(|&i| (i - 1..=i + 1).all(|j| x[j].abs() >= level && x[j].signum() == x[i].signum()))
        .map(|i| i as f64 / 44_100.0)
        .collect();
    assert!(runs.len() > 30, "{} samples were cut", runs.len());
    let ranges = found(&sound(&cut, 44_100), Find::CLIPPING);
    assert_eq!(counts(&ranges, 0, &runs).0, runs.len());
    // Every range contains a clipped sample: peaks just below the level are not reported.
    let all: Vec<f64> = (0..x.len()).filter(|&i| x[i].abs() >= level).map(|i| i as f64 / 44_100.0).collect();
    assert_eq!(counts(&ranges, 0, &all).1, 0);
}

/// Rounded peaks are not clipping: slow waves are constant there in 16 bit, and float or decaying ones stay close to
/// their maximum for several samples.
#[test]
fn round_tops_are_no_clipping() {
    let rate = 44_100;
    let stored = |x: &[f32], bits: i32| -> Vec<f32> {
        let max = f32::from(1i16 << (bits - 1).min(14)) * if bits == 16 { 2.0 } else { 1.0 };
        x.iter().map(|x| (x * max).round() / max).collect()
    };
    for (hz, level) in [(35.0, 0.334), (110.0, 0.334), (440.0, 0.334), (1_000.0, 0.9), (2_750.0, 0.5)] {
        let wave = tone(2 * rate, rate as f64, hz, level);
        let bump: Vec<f32> = wave.iter().enumerate().map(|(i, x)| x * (-3.0 * i as f32 / rate as f32).exp()).collect();
        for (name, round) in [("16 bit", stored(&wave, 16)), ("float", wave.clone()), ("one top", stored(&bump, 16))] {
            let none = found(&sound(&round, rate as u32), Find::CLIPPING);
            assert!(none.is_empty(), "{hz} Hz, {name}: {none:?}");
        }
        // Clipped at 90 % of the peak, they are found, in 16 bit and in float, and when attenuated.
        let cut: Vec<f32> = wave.iter().map(|x| x.clamp(-0.9 * level as f32, 0.9 * level as f32)).collect();
        let quieter: Vec<f32> = cut.iter().map(|x| x * 0.377).collect();
        for (name, cut) in [("16 bit", stored(&cut, 16)), ("float", cut.clone()), ("quieter", stored(&quieter, 16))] {
            let n_runs = found(&sound(&cut, rate as u32), Find::CLIPPING).len();
            // The ranges include a margin, so most of them overlap and are merged.
            assert!(n_runs > 0, "{hz} Hz, {name}: {n_runs} runs");
        }
    }
    // Unclipped recordings have none in any channel.
    for name in ["guitar_chord_44k_stereo.flac", "choir_44k_stereo_float64.wav", "speech_16k_mono.wav"] {
        let none = found(&open(&clip(name)), Find::CLIPPING);
        assert!(none.is_empty(), "{name}: {none:?}");
    }
}

#[test]
fn more_of_the_same_is_found() {
    let rate = 16_000;
    let speech = samples(&open(&clip("speech_16k_mono.wav")), 0);
    // The same chirp at four positions, each time at another level, in hiss.
    let mut x = noise(6 * rate, 0.01, 73);
    let planted = [0.7, 2.0, 3.3, 5.1];
    for (k, at) in planted.iter().enumerate() {
        let level = 0.1 + 0.08 * k as f64;
        for i in 0..4000 {
            let t = i as f64 / rate as f64;
            let bump = (std::f64::consts::PI * i as f64 / 4000.0).sin().powi(2);
            let phase = 900.0 * t + 3000.0 * t * t;
            x[(at * rate as f64) as usize + i] += (level * bump * (std::f64::consts::TAU * phase).sin()) as f32;
        }
    }
    // A stretch of speech, which must not match.
    x[4 * rate..][..8000].iter_mut().zip(&speech[8000..]).for_each(|(sum, s)| *sum += s);
    let alike = |method, similarity| {
        let patch = Find::Alike { secs: [0.7, 0.95], hz: Some([500.0, 4000.0]), similarity, method };
        found(&sound(&x, rate as u32), patch)
    };
    let middles: Vec<f64> = planted.iter().map(|at| at + 0.125).collect();
    for method in [AlikeMethod::Bands, AlikeMethod::Likeness] {
        let ranges = alike(method, method.similarity());
        assert_eq!(counts(&ranges, 0, &middles), (4, 0), "{ranges:?}");
        for (range, at) in ranges.iter().zip(planted) {
            let start = range[0].unwrap()[0];
            assert!((start - at).abs() < 0.017, "{start}, not {at}: within a hop");
            assert_eq!(range[1], Some([500.0, 4000.0]));
        }
        // Control: only the pattern itself has a similarity of 1, and many passages exceed -1.
        assert_eq!(alike(method, 1.0).len(), 1);
        assert!(alike(method, -1.0).len() > 10);
    }
}

#[test]
fn a_script_finds_and_acts() {
    let rate = 16_000;
    let mut x = tone(2 * rate, rate as f64, 440.0, 0.2);
    x.iter_mut().zip(noise(2 * rate, 0.001, 74)).for_each(|(sum, s)| *sum += s);
    let clean = x.clone();
    x[12_345] += 0.8;
    let script = r#"{"version": 1, "transform": {"n_fft": 512}, "edits": [
        {"brush": {"kind": "erase"}, "select": [{"shape": "clicks"}, {"op": "subtract", "time": [1.5, 2.0]}]}]}"#;
    let read = Script::parse(script).unwrap();
    assert_eq!(Script::parse(&read.to_json()).unwrap(), read);
    let before = sound(&x, rate as u32);
    let applied = apply(&before, &read.edits[0], &Engine::cpu(), &Progress::new()).unwrap();
    let heard = f64s(&samples(&applied.snapshot, 0));
    assert!(heard[12_345].abs() < 0.3, "{}", heard[12_345]);
    assert_eq!(samples(&applied.snapshot, 0)[..11_000], x[..11_000]);
    let found = applied.resolved.expect("what was found stays in the edit");
    assert!(found.select.as_ref().is_some_and(|select| !select.needs_sound()));
    let again = Script::from(vec![*found]);
    assert_eq!(Script::parse(&again.to_json()).unwrap(), again);
    // Control: without clicks, the edit changes nothing and reports that it covers no cell.
    let none = apply(&sound(&clean, rate as u32), &read.edits[0], &Engine::cpu(), &Progress::new()).unwrap();
    assert_eq!(samples(&none.snapshot, 0), clean);
    assert!(none.report.notices.iter().any(|notice| notice.contains("covers no cell")));
    for (shape, place) in [
        (r#"{"shape": "clicks", "threshold": 0.5}"#, "threshold: 0.5 is outside 1 to 100"),
        (r#"{"shape": "hum", "f0": [5, 60]}"#, "f0: must lie within 10 to 1000 Hz"),
        (r#"{"shape": "alike"}"#, "time is missing"),
        (r#"{"shape": "alike", "time": [1, 2], "similarity": 2}"#, "similarity: 2 is outside -1 to 1"),
        (r#"{"shape": "alike", "time": [1, 2], "method": "ears"}"#, "method: \"ears\""),
        (r#"{"shape": "clipping", "level": 0}"#, "level: 0 is outside 0.1 to 1"),
    ] {
        let text = format!(r#"{{"version": 1, "edits": [{{"brush": {{"kind": "erase"}}, "select": {shape}}}]}}"#);
        let error = Script::parse(&text).unwrap_err().to_string();
        assert!(error.contains(place), "{error}");
    }
}
