//! Notes that are typed while the sound plays become notes of the document, on the beat.

use crate::hearing::bench_with;
use crate::support::heard::{RATE, TIMEOUT, amplitude, tail};
use crate::support::studio::{Bench, CTRL, Drawing, NONE, bits, has_gpu};
use egui::{Event, Key, Modifiers};
use sonobrush::document::Edit;
use sonobrush::document::brushes::{Brush, Phrase, VoicesBrush};
use sonobrush::dsp::Stft;
use sonobrush::dsp::pitch::onsets::{onset_transform, onsets};
use sonobrush::dsp::voices::Timbre;
use sonobrush::workbench::{NoteQuantise, Tool};
use std::sync::Arc;

const CTRL_SHIFT: Modifiers = Modifiers { shift: true, ..CTRL };

fn bench(secs: f64) -> Bench {
    let mut bench = bench_with(Drawing::Wgpu, &[vec![0.0; (secs * RATE) as usize]]);
    bench.set_tools(|settings| {
        let mut voice = settings.voice().unwrap();
        voice.timbre = Arc::new(Timbre::named("pluck").unwrap());
        settings.keep(VoicesBrush::Drawn(voice).into());
        settings.note_quantise = NoteQuantise::Halves;
    });
    bench.settle();
    bench
}

fn letter(bench: &mut Bench, key: Key, pressed: bool) {
    bench.harness.event(Event::Key { key, physical_key: None, pressed, repeat: false, modifiers: NONE });
    bench.harness.step();
}

fn playhead_secs(bench: &Bench) -> Option<f64> {
    bench.studio().workbench().transport().playhead_secs()
}

/// Frames of the window and buffers of the device in turn, until the sound is there; where it is then.
fn play_to(bench: &mut Bench, secs: f64) -> f64 {
    loop {
        let at_secs = playhead_secs(bench).expect("it plays");
        if at_secs >= secs {
            return at_secs;
        }
        bench.harness.step();
        bench.jobs.run_until_idle();
        for _ in 0..2 {
            assert!(bench.recorder.pull_ready(256, TIMEOUT), "nothing more came at {at_secs} s");
            bench.clock.advance(256.0 / RATE);
        }
    }
}

fn edits(bench: &Bench) -> Vec<Edit> {
    let document = bench.studio().document().unwrap();
    document.history().entries().iter().filter_map(|entry| entry.edit.clone()).collect()
}

fn phrase(edit: &Edit) -> Phrase {
    match &edit.brush {
        Brush::Voices(VoicesBrush::Phrase(phrase)) => phrase.clone(),
        other => panic!("{}", other.kind()),
    }
}

fn starts(phrase: &Phrase) -> Vec<f64> {
    phrase.score().notes.iter().map(|note| phrase.at_secs + note.start_secs).collect()
}

#[test]
fn four_bars_of_typed_notes_are_on_the_beat_and_one_step_of_the_history() {
    if !has_gpu() {
        return;
    }
    let (bpm, n_beats) = (240.0, 16);
    let beat_secs = 60.0 / bpm;
    let mut bench = bench(5.0);
    let before = bench.samples(0);
    // Five inputs besides the notes: the card, the tempo, Enter; record; and stop at the end.
    bench.key(CTRL_SHIFT, Key::B);
    bench.harness.event(Event::Text("240".into()));
    bench.settle();
    bench.key(NONE, Key::Enter);
    bench.key(CTRL_SHIFT, Key::E);
    assert!(bench.has("Typing keyboard: A is C4    Z X: octave    Esc: end"), "the keyboard comes with it");
    assert_eq!(playhead_secs(&bench), None, "it waits for the first key");
    let keys = [(Key::A, 60.0), (Key::D, 64.0), (Key::G, 67.0), (Key::K, 72.0)];
    for beat in 0..n_beats {
        // Up to a twelfth of a beat early and late.
        let off_secs = if beat % 2 == 0 { 0.02 } else { -0.02 };
        if beat > 0 {
            play_to(&mut bench, f64::from(beat) * beat_secs + off_secs);
        }
        let (key, _) = keys[beat as usize % 4];
        letter(&mut bench, key, true);
        let pressed_secs = playhead_secs(&bench).expect("the first key begins to play");
        play_to(&mut bench, pressed_secs + 0.1);
        letter(&mut bench, key, false);
    }
    assert_eq!(edits(&bench).len(), 0, "nothing is changed while it plays");
    bench.key(NONE, Key::Space);
    let edits = edits(&bench);
    let [edit] = &edits[..] else { panic!("{}", edits.len()) };
    let phrase = phrase(edit);
    let notes = &phrase.score().notes;
    assert_eq!(notes.len(), n_beats as usize);
    for (k, (note, at_secs)) in notes.iter().zip(starts(&phrase)).enumerate() {
        assert!((at_secs - k as f64 * beat_secs).abs() < 1e-6, "note {k} at {at_secs} s");
        assert!((note.pitch - keys[k % 4].1).abs() < 1e-9, "note {k} is {}", note.pitch);
        assert!((0.08..0.16).contains(&note.duration_secs), "note {k} lasts {} s", note.duration_secs);
    }
    // What is heard, found as onsets are found in any sound.
    let found = onsets(&Stft::new(onset_transform(RATE)), &bench.samples(0), RATE);
    assert_eq!(found.len(), n_beats as usize, "{found:?}");
    for (k, at) in found.iter().enumerate() {
        let off_secs = *at as f64 / RATE - k as f64 * beat_secs;
        assert!(off_secs.abs() < 0.005, "onset {k} is {off_secs} s off");
    }
    bench.key(CTRL, Key::Z);
    assert_eq!(bits(&bench.samples(0)), bits(&before), "one step takes all of them back");
}

#[test]
fn notes_stay_where_they_are_played_without_a_grid_and_where_nothing_is_quantised() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(4.0);
    bench.put_cursor(0.5);
    bench.settle();
    bench.key(CTRL_SHIFT, Key::E);
    letter(&mut bench, Key::A, true);
    play_to(&mut bench, 0.7);
    letter(&mut bench, Key::A, false);
    let pressed_secs = play_to(&mut bench, 1.03);
    // Two keys at once, one let go of earlier.
    letter(&mut bench, Key::D, true);
    letter(&mut bench, Key::G, true);
    play_to(&mut bench, 1.2);
    letter(&mut bench, Key::G, false);
    play_to(&mut bench, 1.5);
    // Recording ends while it plays: what was played is put in, and the key that is down ends there.
    bench.key(CTRL_SHIFT, Key::E);
    let taken = phrase(&edits(&bench)[0]);
    let starts = starts(&taken);
    assert!((starts[0] - 0.5).abs() < 1e-6, "the first note begins at the cursor: {starts:?}");
    assert!(starts[1..].iter().all(|at| (at - pressed_secs).abs() < 0.05), "{starts:?}, not {pressed_secs}");
    let durations: Vec<f64> = taken.score().notes.iter().map(|note| note.duration_secs).collect();
    assert!((durations[0] - 0.2).abs() < 0.05, "{durations:?}");
    assert!(durations[1] > 0.4 && (durations[2] - 0.17).abs() < 0.05, "{durations:?}");
    letter(&mut bench, Key::D, false);
    // Off, keys are heard and nothing more.
    letter(&mut bench, Key::A, true);
    letter(&mut bench, Key::A, false);
    bench.key(NONE, Key::Space);
    assert_eq!(edits(&bench).len(), 1);
    // On again and ended with Esc, without a note: nothing is changed.
    bench.set_tools(|settings| settings.note_quantise = NoteQuantise::Off);
    bench.key(CTRL_SHIFT, Key::E);
    bench.key(NONE, Key::Escape);
    assert!(!bench.studio().workbench().monitor().take().is_on());
    assert_eq!(edits(&bench).len(), 1);
}

#[test]
fn a_tone_in_hand_is_recorded_as_it_is_heard() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(3.0);
    bench.key(Modifiers::SHIFT, Key::T);
    assert_eq!(bench.tools().active(), Tool::TONE);
    bench.key(CTRL_SHIFT, Key::E);
    letter(&mut bench, Key::H, true);
    play_to(&mut bench, 1.0);
    let heard: Vec<f32> = bench.recorder.samples().chunks(2).map(|pair| pair[0]).collect();
    letter(&mut bench, Key::H, false);
    bench.key(NONE, Key::Space);
    let samples = bench.samples(0);
    let taken = &samples[(0.4 * RATE) as usize..(0.6 * RATE) as usize];
    let [heard, taken] = [tail(&heard, 9_600), taken].map(|samples| amplitude(samples, 440.0));
    assert!(heard > 0.01 && (taken / heard - 1.0).abs() < 0.05, "{taken} recorded, {heard} heard");
}
