//! Harmonic and percussive gain: medians by definition, separation of tones and hits, and the parts of a mix.
#![allow(clippy::print_stdout, reason = "figures, with --nocapture")]

use base::Progress;
use document::brushes::Brush;
use document::{Edit, Script, Snapshot, apply};
use dsp::kernels::{harmonic_percussive, median_window, medians};
use dsp::strokes::brush::HarmonicPercussive;
use dsp::{CellRect, Region, StftParams};
use engine::Engine;
use media::Source;
use std::f64::consts::TAU;
use support::engines::engines;
use support::measure::{f64s, snr_db};
use support::signals::{Rng, noise, tone};
use support::snapshots::{open, samples};
use support::wav::clip;

/// SDR of librosa 0.11's `decompose.hpss` with its defaults on the same mix, choir and drums (benches/quality).
const LIBROSA_SDR_DB: f64 = 4.730;

fn edit(harmonic_db: f64, percussive_db: f64) -> Edit {
    let brush =
        Brush::HarmonicPercussive(HarmonicPercussive { harmonic_db, percussive_db, reach: HarmonicPercussive::REACH });
    Edit::of(brush, StftParams::default())
}

fn heard(x: &[f32], edit: &Edit, engine: &Engine) -> Vec<f32> {
    let before = Snapshot::new(Source::from_channels(vec![x.to_vec()], 44_100).unwrap());
    samples(&apply(&before, edit, engine, &Progress::new()).unwrap().snapshot, 0)
}

#[test]
fn medians_are_those_of_the_definition() {
    let mut rng = Rng(61);
    for (around, rect, windows) in [
        (CellRect::new(0..30, 0..50), CellRect::new(0..30, 0..50), [5, 9]),
        (CellRect::new(3..40, 2..9), CellRect::new(8..31, 4..5), [31, 17]),
        (CellRect::new(0..1, 0..7), CellRect::new(0..1, 0..7), [3, 1]),
        (CellRect::new(0..6, 0..4), CellRect::new(0..6, 0..4), [41, 41]),
        (CellRect::new(0..40, 0..200), CellRect::new(0..40, 3..197), [1, 151]),
    ] {
        let mut before = Region::zeros(around.clone());
        // Quantised, so that some values repeat.
        before.magnitude.iter_mut().for_each(|m| *m = (rng.uniform() * 20.0).round() as f32 / 4.0);
        let [harmonic, percussive] = medians(windows, &before, &rect);
        let mirrored = |at: i64, n: usize| {
            let at = at.rem_euclid(2 * n as i64);
            (if at < n as i64 { at } else { 2 * n as i64 - 1 - at }) as usize
        };
        let value = |frame: i64, bin: i64| {
            let (frame, bin) = (mirrored(frame, around.frames.len()), mirrored(bin, around.bins.len()));
            before.magnitude[frame * around.bins.len() + bin]
        };
        let median = |mut all: Vec<f32>| {
            all.sort_by(f32::total_cmp);
            all[all.len() / 2]
        };
        let halves = windows.map(|window| (window / 2) as i64);
        for (i, (h, p)) in harmonic.iter().zip(&percussive).enumerate() {
            let frame = (rect.frames.start - around.frames.start + i / rect.bins.len()) as i64;
            let bin = (rect.bins.start - around.bins.start + i % rect.bins.len()) as i64;
            assert_eq!(
                *h,
                median((-halves[0]..=halves[0]).map(|k| value(frame + k, bin)).collect()),
                "{windows:?} {i}"
            );
            assert_eq!(
                *p,
                median((-halves[1]..=halves[1]).map(|k| value(frame, bin + k)).collect()),
                "{windows:?} {i}"
            );
        }
    }
    assert_eq!([0.0, 0.9, 1.0, 2.0, 3.9, 30.14].map(median_window), [1, 1, 1, 3, 3, 31]);
}

#[test]
fn each_part_has_its_gain() {
    for (h, p, gains, expected) in [
        (3.0, 0.0, [0.5, 2.0], 0.5),
        (0.0, 3.0, [0.5, 2.0], 2.0),
        (2.0, 2.0, [0.5, 2.0], 1.25),
        (2.0, 1.0, [0.0, 1.0], 0.2),
        (0.0, 0.0, [0.5, 2.0], 1.25),
        // Squares of these overflow or underflow f32.
        (3e25, 0.0, [0.5, 2.0], 0.5),
        (1e-25, 0.0, [0.5, 2.0], 0.5),
    ] {
        let factor = harmonic_percussive(h, p, gains);
        assert!((factor - expected).abs() < 1e-6, "{h} {p}: {factor}, not {expected}");
    }
}

#[test]
fn tones_and_clicks_come_apart() {
    let n = 44_100;
    let steady = tone(n, 44_100.0, 1500.0, 0.2);
    let mut clicks = vec![0.0f32; n];
    (0..3).for_each(|k| clicks[9000 + 11_000 * k] = 0.9);
    let mix: Vec<f32> = steady.iter().zip(&clicks).map(|(a, b)| a + b).collect();
    let middle = |x: &[f32]| f64s(&x[4096..n - 4096]);
    for engine in engines() {
        let tones = heard(&mix, &edit(0.0, -120.0), engine);
        let hits = heard(&mix, &edit(-120.0, 0.0), engine);
        let [a, b] = [snr_db(&middle(&tones), &middle(&steady)), snr_db(&middle(&hits), &middle(&clicks))];
        assert!(a > 20.0 && b > 15.0, "{}: {a} and {b} dB", engine.name());
        // Both parts add up to the mix, and gains of 0 dB change nothing.
        let sum: Vec<f64> = tones.iter().zip(&hits).map(|(a, b)| f64::from(a + b)).collect();
        assert!(snr_db(&sum, &f64s(&mix)) > 90.0, "{}", snr_db(&sum, &f64s(&mix)));
        assert!(snr_db(&f64s(&heard(&mix, &edit(0.0, 0.0), engine)), &f64s(&mix)) > 110.0);
    }
}

#[test]
fn drums_and_choir_come_apart_no_worse_than_librosas() {
    let mono = |name: &str| -> Vec<f64> {
        let snapshot = open(&clip(name));
        let [left, right] = [0, 1].map(|channel| f64s(&samples(&snapshot, channel)));
        left.iter().zip(&right).map(|(l, r)| (l + r) / 2.0).collect()
    };
    let parts = [mono("choir_44k_stereo_float64.wav"), mono("drum_break_44k_stereo.flac")];
    let n = parts[0].len().min(parts[1].len());
    let parts = parts.map(|part| {
        let rms = (part[..n].iter().map(|x| x * x).sum::<f64>() / n as f64).sqrt();
        part[..n].iter().map(|x| x / rms * 0.1).collect::<Vec<f64>>()
    });
    let mix: Vec<f32> = parts[0].iter().zip(&parts[1]).map(|(a, b)| (a + b) as f32).collect();
    let [choir, drums] = [edit(0.0, -120.0), edit(-120.0, 0.0)].map(|edit| f64s(&heard(&mix, &edit, &Engine::cpu())));
    let sdr = [snr_db(&choir, &parts[0]), snr_db(&drums, &parts[1])];
    assert!(sdr.iter().all(|&sdr| sdr >= LIBROSA_SDR_DB), "{sdr:?} dB");
    // Control: the mix itself has an SDR of about 0 dB.
    assert!(snr_db(&f64s(&mix), &parts[0]) < 0.1);
}

/// Notes of 270 ms with six harmonics, faded at both ends, and bursts of noise with the same RMS.
fn notes_and_hits() -> [Vec<f64>; 2] {
    let (rate, n) = (44_100.0, 4 * 44_100);
    let mut notes = vec![0.0; n];
    for (at, note) in notes.iter_mut().enumerate() {
        let secs = at as f64 / rate;
        let since = secs % 0.27;
        let semitones = [0.0, 4.0, 7.0, 12.0, 9.0, 5.0][(secs / 0.27) as usize % 6];
        let hz = 523.25 * f64::exp2(semitones / 12.0);
        let fade = (since.min(0.27 - since) / 0.02).min(1.0);
        *note = (1..=6).map(|k| fade / f64::from(k) * (TAU * hz * f64::from(k) * since).sin()).sum();
    }
    let since = |at: usize| (at as f64 / rate) % 0.23;
    let hits =
        noise(n, 1.0, 5).into_iter().enumerate().map(|(at, x)| f64::from(x) * (-since(at) / 0.02).exp()).collect();
    [notes, hits].map(|part: Vec<f64>| {
        let rms = (part.iter().map(|x| x * x).sum::<f64>() / n as f64).sqrt();
        part.iter().map(|x| 0.1 * x / rms).collect()
    })
}

#[test]
fn the_reach_that_the_studio_begins_with_keeps_fast_notes() {
    let [notes, hits] = notes_and_hits();
    let mix: Vec<f32> = notes.iter().zip(&hits).map(|(a, b)| (a + b) as f32).collect();
    let sdr = |reach| {
        let brush = HarmonicPercussive { harmonic_db: 0.0, percussive_db: -120.0, reach };
        let edit = Edit { brush: brush.into(), ..edit(0.0, -120.0) };
        snr_db(&f64s(&heard(&mix, &edit, &Engine::cpu())), &notes)
    };
    let [short, studio, long] = [HarmonicPercussive::REACH, HarmonicPercussive::STUDIO_REACH, [0.7, 350.0]].map(sdr);
    println!(
        "270 ms notes: {short:.1} dB by the reach of scripts, {studio:.1} dB by the studio's, {long:.1} dB by 700 ms"
    );
    assert!(studio > short - 1.0, "{studio} and {short} dB");
    assert!(long < short - 1.0, "the control: {long} and {short} dB");
}

#[test]
fn scripts_say_it() {
    let script = r#"{"version": 1, "edits": [{"brush": {"kind": "harmonic_percussive", "percussive_db": -24}}]}"#;
    let read = Script::parse(script).unwrap();
    assert_eq!(read.edits[0], edit(0.0, -24.0));
    assert_eq!(Script::parse(&read.to_json()).unwrap(), read);
    for (wrong, place) in
        [("\"harmonic_db\": 30", "harmonic_db: 30 is outside -120 to 24"), ("\"reach\": [0, 1]", "above 0")]
    {
        let script = script.replace("\"percussive_db\": -24", wrong);
        let error = Script::parse(&script).unwrap_err().to_string();
        assert!(error.contains(place), "{error}");
    }
    let long = r#"{"version": 1, "edits": [{"brush": {"kind": "harmonic_percussive", "reach": [30, 300]}}]}"#;
    let edit = Script::parse(long).unwrap().edits.remove(0);
    let before = Snapshot::new(Source::from_channels(vec![vec![0.1; 9000]], 44_100).unwrap());
    let error = apply(&before, &edit, &Engine::cpu(), &Progress::new()).unwrap_err().to_string();
    assert!(error.contains("at most 2049"), "{error}");
}
