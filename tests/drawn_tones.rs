//! The tone brush: what is drawn sounds from press to release, at any FFT size and on rows, and is in tune.
#![allow(clippy::print_stdout, reason = "the figures of docs/quality.md are read off what the tests print")]

use crate::hearing::{bench_with, n_entries};
use crate::support::engines::{cpu, engines};
use crate::support::heard::RATE;
use crate::support::measure::{half_level_secs, snr_db, strongest_tone};
use crate::support::studio::{Bench, CTRL, Drawing, NONE, has_gpu};
use egui::{Key, Pos2, pos2};
use sonobrush::base::Progress;
use sonobrush::document::brushes::Brush;
use sonobrush::document::{Channels, Edit, Script, Snapshot, apply};
use sonobrush::dsp::strokes::brush::Tone;
use sonobrush::dsp::transforms::rows::RowsParams;
use sonobrush::dsp::{Axis, Point, Selection, StftParams, Stroke, Transform};
use sonobrush::engine::Engine;
use sonobrush::media::Source;
use sonobrush::workbench::Tool;
use std::f64::consts::{PI, TAU};

/// From press to release, with the note that is nearest.
const NOTES: [([f64; 2], f64); 3] = [([0.5, 0.65], 523.25), ([1.2, 1.32], 659.26), ([1.8, 2.1], 783.99)];
/// -6 dB points may be this far from press and release.
const MAX_ERROR_SECS: f64 = 0.01;

fn place(bench: &Bench, secs: f64, hz: f64) -> Pos2 {
    let viewport = bench.studio().viewport().unwrap();
    pos2(viewport.x_from_secs(secs) as f32, viewport.y_from_hz(hz) as f32)
}

fn farthest(found: [f64; 2], wanted: [f64; 2]) -> f64 {
    (found[0] - wanted[0]).abs().max((found[1] - wanted[1]).abs())
}

#[test]
fn three_short_notes_sound_from_press_to_release_in_tune_at_any_fft_size() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench_with(Drawing::Wgpu, &[vec![0.0; 144_000]]);
    bench.harness.set_size([1920.0, 1080.0].into());
    bench.pick(Tool::TONE);
    bench.set_view(|view| (view.secs, view.hz) = ([0.0, 3.0], [100.0, 2_000.0]));
    bench.settle();
    bench.key(NONE, Key::N);
    assert!(bench.tools().is_snapping());
    for n_fft in [512, 1024, 2048, 4096, 8192, 16_384] {
        bench.set_view(|view| view.transform = StftParams { n_fft, hop: n_fft / 4, ..StftParams::default() }.into());
        bench.settle();
        for (secs, hz) in NOTES {
            // Not quite where the note is, and not quite level.
            let [from, to] = [(secs[0], 1.011 * hz), (secs[1], 0.992 * hz)].map(|(secs, hz)| place(&bench, secs, hz));
            bench.drag(&[from, from.lerp(to, 0.3), from.lerp(to, 0.8), to]);
        }
        assert_eq!(n_entries(&bench), 4, "{n_fft}");
        let samples = bench.samples(0);
        let mut worst = [0.0f64; 2];
        for (secs, hz) in NOTES {
            let [from, to] = secs.map(|secs| (secs * RATE) as usize);
            let found = strongest_tone(&samples[from + 480..to - 480], RATE, hz * 0.97, hz * 1.03);
            let cents = 1200.0 * (found.hz / hz).log2();
            worst =
                [worst[0].max(farthest(half_level_secs(&samples, RATE, secs, hz), secs)), worst[1].max(cents.abs())];
        }
        println!("{n_fft}: {:.1} ms, {:.2} cents off", 1000.0 * worst[0], worst[1]);
        assert!(worst[0] <= MAX_ERROR_SECS, "{n_fft}: {} s", worst[0]);
        assert!(worst[1] <= 2.0, "{n_fft}: {} cents", worst[1]);
        // No sample outside, except for the pixel under the pen.
        let is_outside = |at: &usize| {
            NOTES.iter().all(|([a, b], _)| {
                let secs = *at as f64 / RATE;
                secs < a - 0.003 || secs > b + 0.003
            })
        };
        assert!((0..samples.len()).filter(is_outside).all(|at| samples[at] == 0.0), "{n_fft}");
        // The control: by a script without fades the same strokes sound a radius longer.
        let history = bench.studio().document().unwrap().history();
        let drawn = history.entries()[2].edit.clone().unwrap();
        let Brush::Tone(tone) = drawn.brush else { panic!("{:?}", drawn.brush) };
        let old = Edit { brush: Tone { fade_secs: 0.0, ..tone }.into(), ..drawn };
        let old = Script::parse(&Script::from(vec![old]).to_json()).unwrap().edits.remove(0);
        let silence = history.original().clone();
        let after = read(&apply(&silence, &old, &Engine::cpu(), &Progress::new()).unwrap().snapshot, 0);
        let off = farthest(half_level_secs(&after, RATE, NOTES[1].0, NOTES[1].1), NOTES[1].0);
        assert!(off > MAX_ERROR_SECS, "{n_fft}: {off} s");
        for _ in 0..3 {
            bench.key(CTRL, Key::Z);
        }
        assert!(bench.samples(0).iter().all(|sample| *sample == 0.0));
    }
}

fn read(snapshot: &Snapshot, channel: usize) -> Vec<f32> {
    let mut samples = vec![0.0; snapshot.n_samples() as usize];
    snapshot.read(channel, 0, &mut samples).unwrap();
    samples
}

fn silence(n_channels: usize) -> Snapshot {
    Snapshot::new(Source::silence(96_000, RATE as u32, n_channels).unwrap())
}

const TONE: Tone = Tone {
    level_db: -12.0,
    harmonics: 3,
    spacing: 1.0,
    inharmonicity: 0.0,
    slope_db: -6.0,
    pan: 0.0,
    fade_secs: 0.005,
};

fn drawn(tone: Tone, points: &[[f64; 3]], transform: impl Into<Transform>) -> Edit {
    let points = points.iter().map(|&[secs, hz, pressure]| Point { secs, hz, pressure }).collect();
    let stroke =
        Stroke { points, axis: Axis::Linear, radius: [0.1, 50.0], hardness: 0.5, strength: 0.9, build_up: false };
    Edit { stroke: Some(stroke), ..Edit::of(tone, transform) }
}

fn run(edit: &Edit, engine: &Engine) -> Snapshot {
    let n_channels = 1 + usize::from(!matches!(edit.channels, Channels::All));
    apply(&silence(n_channels), edit, engine, &Progress::new()).unwrap().snapshot
}

#[test]
fn a_drawn_tone_is_the_integral_of_its_frequency_with_its_pressure_and_fades() {
    let points = [[0.3, 700.0, 1.0], [1.5, 1_300.0, 0.4]];
    let y = read(&run(&drawn(TONE, &points, StftParams::default()), &cpu()), 0);
    // Frequency is held before the first point; the phase begins at a multiple of 64 samples.
    let edge_secs = (0.3 * RATE / 64.0).floor() * 64.0 / RATE;
    let expected: Vec<f64> = (0..y.len())
        .map(|i| {
            let t = i as f64 / RATE - 0.3;
            if !(0.0..=1.2).contains(&t) {
                return 0.0;
            }
            let cycles = 700.0 * (0.3 - edge_secs) + 700.0 * t + 500.0 * t * t / 2.0;
            let within = t.min(1.2 - t);
            let fade = if within < 0.005 { 0.5 - 0.5 * (PI * within / 0.005).cos() } else { 1.0 };
            let level = 10f64.powf(-12.0 / 20.0) * 0.9 * (1.0 - 0.6 * t / 1.2) * fade;
            let partial = |k: f64| 10f64.powf(-6.0 * k.log2() / 20.0) * (TAU * k * cycles).cos();
            level * (partial(1.0) + partial(2.0) + partial(3.0))
        })
        .collect();
    let y: Vec<f64> = y.into_iter().map(f64::from).collect();
    let db = snr_db(&y, &expected);
    println!("{db:.1} dB");
    assert!(db > 90.0, "{db:.1} dB");
    let later: Vec<f64> = expected.iter().skip(1).copied().chain([0.0]).collect();
    assert!(snr_db(&y, &later) < 30.0, "control: a sample later");
}

#[test]
fn a_tone_on_cells_is_the_tone_on_samples_on_both_engines_and_on_rows() {
    let points = [[0.3, 700.0, 1.0], [0.9, 1_300.0, 0.5], [0.7, 900.0, 0.8], [1.2, 900.0, 0.8]];
    let transforms: [Transform; 3] = [
        StftParams::default().into(),
        StftParams { n_fft: 8192, hop: 2048, ..StftParams::default() }.into(),
        RowsParams::music().into(),
    ];
    let whole = Some(Selection::rectangle(None, None, [0.0; 2], Axis::Linear));
    let of_samples = read(&run(&drawn(TONE, &points, StftParams::default()), &cpu()), 0);
    let expected: Vec<f64> = of_samples.iter().copied().map(f64::from).collect();
    for transform in transforms {
        for engine in engines() {
            let edit = drawn(TONE, &points, transform.clone());
            let direct = read(&run(&edit, engine), 0);
            assert!(direct == of_samples, "the transform and the engine do not matter: {transform:?}");
            let on_cells = read(&run(&Edit { select: whole.clone(), ..edit.clone() }, engine), 0);
            let on_cells: Vec<f64> = on_cells.into_iter().map(f64::from).collect();
            let db = snr_db(&on_cells, &expected);
            println!("{transform:?}, {}: {db:.1} dB", engine.name());
            assert!(db > 100.0, "{transform:?}, {}: {db:.1} dB", engine.name());
            // A selection confines it.
            let low = Some(Selection::rectangle(None, Some([0.0, 1_500.0]), [0.0; 2], Axis::Linear));
            let low = read(&run(&Edit { select: low, ..edit }, engine), 0);
            let level = |hz: f64| strongest_tone(&low[48_960..56_640], RATE, hz - 20.0, hz + 20.0).level;
            assert!(level(2_700.0) < 1e-3 * level(900.0), "{} {}", level(2_700.0), level(900.0));
        }
    }
}

#[test]
fn pan_mid_and_side_are_as_they_are_of_any_tone() {
    let points = [[0.3, 700.0, 1.0], [1.0, 700.0, 1.0]];
    for fade_secs in [0.0, 0.005] {
        for (channels, signs) in
            [(Channels::Mid, [1.0, 1.0]), (Channels::Side, [1.0, -1.0]), (Channels::List(vec![1]), [0.0, 1.0])]
        {
            let tone = Tone { fade_secs, pan: 0.5, ..TONE };
            let edit = Edit { channels: channels.clone(), ..drawn(tone, &points, StftParams::default()) };
            let whole = Some(Selection::rectangle(None, None, [0.0; 2], Axis::Linear));
            for edit in [edit.clone(), Edit { select: whole, ..edit }] {
                let after = run(&edit, &cpu());
                let [left, right] = [0, 1].map(|channel| f64::from(read(&after, channel)[33_600]));
                let loudest = left.abs().max(right.abs());
                assert!(loudest > 0.01);
                let off = (left - signs[0] * loudest * right.signum() * signs[1]).abs().max(right.abs() - loudest);
                assert!(off < 1e-4, "{channels:?} {fade_secs}: {left} {right}");
            }
        }
    }
}

#[test]
fn a_script_without_fades_says_what_it_said_and_bad_ones_are_refused() {
    let script = |more: &str| {
        format!(
            r#"{{"version": 1, "edits": [{{"brush": {{"kind": "tone", "level_db": -20{more}}},
                "stroke": {{"points": [[0.2, 440, 1], [0.5, 440, 1]], "radius": [0.05, 50]}}}}]}}"#
        )
    };
    let old = Script::parse(&script("")).unwrap();
    assert!(matches!(old.edits[0].brush, Brush::Tone(Tone { fade_secs: 0.0, .. })));
    assert!(!old.to_json().contains("fade"), "it is written as it was: {}", old.to_json());
    let new = Script::parse(&script(", \"fade\": 0.004")).unwrap();
    assert!(matches!(new.edits[0].brush, Brush::Tone(Tone { fade_secs: 0.004, .. })));
    assert_eq!(Script::parse(&new.to_json()).unwrap().edits, new.edits);
    for bad in ["-0.001", "0.011", "\"short\""] {
        let error = Script::parse(&script(&format!(", \"fade\": {bad}"))).unwrap_err();
        assert!(error.message().contains("edits[0].brush.fade"), "{error}");
    }
    let refuse = |edit: Edit, says: &str| {
        let error = apply(&silence(1), &edit, &cpu(), &Progress::new()).expect_err(says);
        assert!(error.message().contains(says), "{error}");
    };
    let mut built_up = new.edits[0].clone();
    built_up.stroke.as_mut().unwrap().build_up = true;
    refuse(built_up, "tone does not build up");
    refuse(drawn(TONE, &[[0.0, 440.0, 1.0], [1e7, 440.0, 1.0]], StftParams::default()), "too long");
    refuse(Edit { stroke: None, ..new.edits[0].clone() }, "tone needs a stroke");
}

#[test]
fn a_click_sounds_for_as_long_as_its_fades() {
    let y = read(&run(&drawn(TONE, &[[1.0, 1_000.0, 1.0]], StftParams::default()), &cpu()), 0);
    let first = y.iter().position(|sample| *sample != 0.0).unwrap() as f64 / RATE;
    let last = y.iter().rposition(|sample| *sample != 0.0).unwrap() as f64 / RATE;
    assert!((first - 1.0).abs() < 1e-3 && (last - 1.01).abs() < 1e-3, "{first} {last}");
}
