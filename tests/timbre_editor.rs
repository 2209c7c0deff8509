//! The timbre of the voice brush is changed in the option bar; an empty canvas says how to draw with it.

use crate::hearing::{bench_with, n_entries};
use crate::support::studio::{Bench, CTRL, Drawing, NONE, SHIFT, has_gpu};
use egui::{Key, vec2};
use egui_kittest::kittest::Queryable;
use sonobrush::document::Script;
use sonobrush::document::brushes::{Brush, DrawnVoice, VoicesBrush};
use sonobrush::dsp::voices::Timbre;
use sonobrush::workbench::{DocumentAct, NewCanvas, Reply, Tool};

/// A new canvas of two seconds in a window of usual width, the voice brush in hand.
fn bench(width: f32, drawing: Drawing) -> Bench {
    let mut bench = Bench::new(drawing);
    bench.harness.set_size([width, 720.0].into());
    let canvas = NewCanvas { secs: 2.0, rate_hz: 48_000, n_channels: 1 };
    bench.act(Reply::New { canvas, has_picture: false });
    bench.settle();
    bench.key(SHIFT, Key::M);
    bench
}

fn voice(bench: &Bench) -> DrawnVoice {
    match bench.tools().brush() {
        Some(Brush::Voices(VoicesBrush::Drawn(voice))) => voice,
        other => panic!("{other:?} is in hand"),
    }
}

/// A note of a second at 440 Hz.
fn draw(bench: &mut Bench) {
    let script = format!(
        r#"{{"version": 1, "edits": [{{"brush": {}, "stroke":
            {{"points": [[0.5, 440, 1], [1.5, 440, 1]], "axis": "log", "radius": [0.01, 0.1]}}}}]}}"#,
        Brush::from(VoicesBrush::Drawn(voice(bench))).to_json()
    );
    bench.act(DocumentAct::Edit(Box::new(Script::parse(&script).unwrap().edits.remove(0))));
    bench.settle();
}

#[test]
fn a_timbre_is_changed_field_by_field_and_heard_so() {
    let mut bench = bench(1_280.0, Drawing::None);
    bench.click("Edit timbre");
    assert!(!bench.has("Formants") && !bench.has("Stretch to the note"), "those are of recordings");
    for (field, text) in [("Attack", "0.5"), ("Release", "0.05"), ("Voices", "1"), ("Vibrato", "0"), ("Breath", "25")] {
        bench.fill(field, text);
        bench.key(NONE, Key::Enter);
    }
    let timbre = voice(&bench).timbre;
    let pad = Timbre::pad();
    assert_eq!((timbre.adsr.attack_secs, timbre.adsr.release_secs, timbre.adsr.decay_secs), (0.5, 0.05, 0.6));
    assert_eq!((timbre.unison, timbre.breath, timbre.vibrato.unwrap().cents), (1, 0.25, 0.0));
    assert_eq!((&timbre.partials, timbre.cutoff, timbre.detune_cents), (&pad.partials, pad.cutoff, pad.detune_cents));
    // What is higher than allowed is the most that is allowed.
    bench.fill("Detune", "500");
    bench.key(NONE, Key::Enter);
    assert_eq!(voice(&bench).timbre.detune_cents, 100.0);
    assert_eq!(voice(&bench).timbre.problem(), None);
    bench.key(NONE, Key::Escape);
    draw(&mut bench);
    let samples = bench.samples(0);
    let rms = |from: f64, to: f64| {
        let part = &samples[(from * 48_000.0) as usize..(to * 48_000.0) as usize];
        (part.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / part.len() as f64).sqrt()
    };
    // Half way up after half of the attack: a quarter of a second of the pad's own is nearly its full level.
    let rise = rms(0.74, 0.76) / rms(1.0, 1.1);
    assert!((0.3..0.75).contains(&rise), "{rise}");
    assert_eq!(rms(1.56, 2.0), 0.0, "the release has ended");
    // A named timbre takes its place again.
    bench.click("Reset tool");
    assert_eq!(*voice(&bench).timbre, pad);
}

/// In a narrow window the fields are in the menu of what has no room.
#[test]
fn a_narrow_window_has_the_fields_in_its_menu() {
    let mut bench = bench(800.0, Drawing::None);
    if !bench.has("Edit timbre") {
        bench.click("More settings");
    } else {
        bench.click("Edit timbre");
    }
    bench.fill("Attack", "0.25");
    bench.key(NONE, Key::Enter);
    assert_eq!(voice(&bench).timbre.adsr.attack_secs, 0.25);
}

const HINT: &str = "Draw a line for a note, or click for a short one. N snaps to notes.";

#[test]
fn an_empty_canvas_says_what_to_do_until_something_is_drawn() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(1_280.0, Drawing::Wgpu);
    assert!(bench.has(HINT));
    bench.pick(Tool::GAIN);
    bench.settle();
    assert!(!bench.has(HINT), "there is nothing to amplify");
    bench.key(SHIFT, Key::M);
    // The pen goes through the words.
    let middle = bench.harness.get_by_label(HINT).rect().center();
    bench.drag(&[middle, middle + vec2(20.0, 0.0), middle + vec2(60.0, 0.0)]);
    assert!(n_entries(&bench) == 2 && !bench.has(HINT), "{:?}", bench.notices());
    bench.key(CTRL, Key::Z);
    assert!(bench.has(HINT), "empty again");
    // A file that is silent is no empty canvas.
    let mut bench = bench_with(Drawing::Wgpu, &[vec![0.0; 48_000]]);
    bench.key(SHIFT, Key::M);
    assert!(!bench.has(HINT));
}
