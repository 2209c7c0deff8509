//! The voice brush in the window: a stroke is a note, a click a short one; what is chosen is what is heard.

use crate::hearing::{PATIENCE, RATE, amplitude, bench_with, button, left, n_entries, peak, tail};
use crate::support::measure::strongest_tone;
use crate::support::studio::{Bench, CTRL, Drawing, NONE, SHIFT, has_gpu};
use egui::{Key, Pos2, pos2};
use egui_kittest::kittest::Queryable;
use sonobrush::document::brushes::{Brush, DrawnVoice, VoicesBrush};
use sonobrush::dsp::voices::Timbre;
use sonobrush::workbench::Tool;
use std::sync::Arc;

/// Three seconds of silence in a wide window, the voice brush in hand.
fn bench(drawing: Drawing) -> Bench {
    let mut bench = bench_with(drawing, &[vec![0.0; 144_000]]);
    bench.harness.set_size([1920.0, 1080.0].into());
    bench.key(SHIFT, Key::M);
    bench.set_view(|view| (view.secs, view.hz) = ([0.0, 3.0], [100.0, 2_000.0]));
    bench.settle();
    bench
}

fn voice(bench: &Bench) -> DrawnVoice {
    match bench.tools().brush() {
        Some(Brush::Voices(VoicesBrush::Drawn(voice))) => voice,
        other => panic!("{other:?} is in hand"),
    }
}

/// Sets the brush, as the option bar does.
fn set(bench: &mut Bench, change: impl FnOnce(&mut DrawnVoice)) {
    let mut voice = voice(bench);
    change(&mut voice);
    bench.set_tools(|settings| settings.keep(VoicesBrush::Drawn(voice).into()));
    bench.settle();
}

fn choose(bench: &mut Bench, list: &str, choice: &str) {
    bench.click(list);
    bench.harness.get_all_by_label(choice).last().unwrap().click();
    bench.settle();
}

fn place(bench: &Bench, secs: f64, hz: f64) -> Pos2 {
    let viewport = bench.studio().viewport().unwrap();
    pos2(viewport.x_from_secs(secs) as f32, viewport.y_from_hz(hz) as f32)
}

#[test]
fn timbre_chord_level_and_length_are_chosen_in_the_option_bar() {
    let mut bench = bench(Drawing::None);
    assert_eq!(voice(&bench), DrawnVoice::default());
    assert!(bench.has("Level") && bench.has("Length") && bench.has("Strength"));
    assert!(!bench.has("Hardness"), "a note has no radius");
    choose(&mut bench, "Timbre", "Bell");
    choose(&mut bench, "Chord", "Minor 7th");
    let chosen = voice(&bench);
    assert_eq!((*chosen.timbre).clone(), Timbre::bell());
    assert_eq!(chosen.chord, [0.0, 3.0, 7.0, 10.0]);
    // As it is remembered.
    let stored = Brush::from(VoicesBrush::Drawn(chosen));
    assert_eq!(Brush::from_json(&stored.to_json()).unwrap(), stored);
    bench.click("Reset tool");
    assert_eq!(voice(&bench), DrawnVoice::default());
    bench.pick(Tool::Tone);
    bench.settle();
    assert!(bench.has("Hardness"), "the control");
}

#[test]
fn three_strokes_that_snap_to_notes_are_a_chord() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    set(&mut bench, |voice| voice.timbre = Arc::new(Timbre::pluck()));
    let stroke = |bench: &mut Bench, hz: f64| {
        // Not quite where the notes are, and not quite level.
        let [from, to] = [(0.2, 1.012 * hz), (1.6, 0.991 * hz)].map(|(secs, hz)| place(bench, secs, hz));
        bench.drag(&[from, from.lerp(to, 0.3), from.lerp(to, 0.7), to]);
    };
    let cents = |bench: &Bench, hz: f64| {
        let found = strongest_tone(&bench.samples(0)[14_400..47_168], RATE, hz * 0.97, hz * 1.03).hz;
        1200.0 * (found / hz).log2()
    };
    bench.key(NONE, Key::N);
    assert!(bench.tools().is_snapping());
    for hz in [261.63, 329.63, 392.0] {
        stroke(&mut bench, hz);
    }
    assert_eq!(n_entries(&bench), 4);
    for hz in [261.63, 329.63, 392.0] {
        assert!(cents(&bench, hz).abs() < 2.0, "{} cents off {hz}", cents(&bench, hz));
    }
    let samples = bench.samples(0);
    assert!(samples[..9_500].iter().all(|sample| *sample == 0.0), "silence before the pen");
    assert!(samples[83_000..].iter().all(|sample| *sample == 0.0), "and behind the release");
    for _ in 0..3 {
        bench.key(CTRL, Key::Z);
    }
    assert!(bench.samples(0).iter().all(|sample| *sample == 0.0), "undo restores the silence");
    // The control: without snapping the pitch is the pen's.
    bench.key(NONE, Key::N);
    stroke(&mut bench, 261.63);
    assert!(cents(&bench, 261.63).abs() > 2.0);
}

#[test]
fn a_click_is_a_note_of_its_own_length() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    set(&mut bench, |voice| (voice.timbre, voice.length_secs) = (Arc::new(Timbre::organ()), 0.5));
    let at = place(&bench, 1.0, 500.0);
    // A hand that is not quite still.
    bench.drag(&[at, at + egui::vec2(1.0, 1.0), at + egui::vec2(2.0, 0.0)]);
    let samples = bench.samples(0);
    let first = samples.iter().position(|sample| *sample != 0.0).unwrap() as f64 / RATE;
    let last = samples.iter().rposition(|sample| *sample != 0.0).unwrap() as f64 / RATE;
    assert!((first - 1.0).abs() < 0.01, "{first}");
    let release_secs = Timbre::organ().adsr.release_secs;
    assert!((last - first - 0.5 - release_secs).abs() < 0.01, "{} s", last - first);
    assert!(bench.has("Step 1: Voices, stroke"));
}

/// Frames of the window and of the device in turn, with the pen held.
fn hold(bench: &mut Bench, at: Pos2, secs: f64) {
    for _ in 0..(secs * RATE / 512.0) as usize {
        bench.harness.event(egui::Event::PointerMoved(at));
        bench.harness.step();
        bench.jobs.run_until_idle();
        assert!(bench.recorder.pull_ready(512, PATIENCE), "nothing came");
        bench.clock.advance(512.0 / RATE);
    }
}

#[test]
fn a_chord_is_heard_while_it_is_drawn() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    let sine = Timbre::default();
    set(&mut bench, |voice| {
        (voice.timbre, voice.level_db) = (Arc::new(sine), -6.0);
        voice.chord = vec![0.0, 12.0];
    });
    let viewport = bench.studio().viewport().unwrap();
    let at = place(&bench, 0.5, 400.0);
    let hz = viewport.hz_from_y(f64::from(at.y));
    bench.harness.event(egui::Event::PointerMoved(at));
    bench.harness.step();
    bench.harness.event(button(at, true));
    hold(&mut bench, at, 0.3);
    let heard = tail(&left(&bench), 9_600).to_vec();
    let level = 10f64.powf(-6.0 / 20.0) * 0.64;
    for hz in [hz, 2.0 * hz] {
        assert!((amplitude(&heard, hz) - level).abs() < 0.01, "{} at {hz}", amplitude(&heard, hz));
    }
    assert!(amplitude(&heard, 1.5 * hz) < 0.01, "the control");
    assert_eq!(n_entries(&bench), 1, "none of it is in the document");
    bench.harness.event(button(at, false));
    bench.settle();
    for _ in 0..20 {
        bench.recorder.pull(512);
    }
    assert!(peak(tail(&left(&bench), 4_800)) == 0.0, "silence after the release");
    assert_eq!(n_entries(&bench), 2);
}
