//! The voice brush in the window: a stroke is a note, a click a short one; what is chosen is what is heard.

use crate::hearing::{bench_with, button, left, listen, n_entries, play};
use crate::support::heard::{RATE, TIMEOUT, amplitude, peak, tail};
use crate::support::measure::strongest_tone;
use crate::support::studio::{Bench, CTRL, Drawing, NONE, SHIFT, bits, has_gpu};
use egui::{Event, Key, Pos2, TouchDeviceId, TouchId, TouchPhase, pos2, vec2};
use egui_kittest::kittest::Queryable;
use sonobrush::document::Script;
use sonobrush::document::brushes::{Brush, DrawnVoice, VoicesBrush};
use sonobrush::dsp::Axis;
use sonobrush::dsp::voices::{Score, Timbre, VoicePool};
use sonobrush::media::score::{ReadScore, ScoreOverrides};
use sonobrush::workbench::commands::{FindCommand, WindowCommand};
use sonobrush::workbench::{DocumentAct, Floating, Severity, Tool};
use std::sync::Arc;
use std::time::Duration;

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
    choose(&mut bench, "Chord", "Minor");
    let chosen = voice(&bench);
    assert_eq!((*chosen.timbre).clone(), Timbre::bell());
    assert_eq!(chosen.chord, [0.0, 3.0, 7.0]);
    // As it is remembered.
    let stored = Brush::from(VoicesBrush::Drawn(chosen));
    assert_eq!(Brush::from_json(&stored.to_json()).unwrap(), stored);
    bench.click("Reset tool");
    assert_eq!(voice(&bench), DrawnVoice::default());
    bench.pick(Tool::GAIN);
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

/// The events of a pen at one place: first the touch with its force, then the pointer that follows it.
fn touch(phase: TouchPhase, pos: Pos2, force: Option<f32>) -> Vec<Event> {
    let touch = |id: u64| Event::Touch { device_id: TouchDeviceId(7), id: TouchId(id), phase, pos, force };
    match phase {
        TouchPhase::Start => vec![touch(1), Event::PointerMoved(pos), button(pos, true)],
        TouchPhase::Move => {
            // A second finger that rests beside it is none of the pointer's.
            let other = Event::Touch {
                device_id: TouchDeviceId(7),
                id: TouchId(2),
                phase,
                pos: pos + egui::vec2(90.0, 0.0),
                force: Some(0.9),
            };
            vec![other, touch(1), Event::PointerMoved(pos)]
        }
        TouchPhase::End | TouchPhase::Cancel => vec![touch(1), button(pos, false), Event::PointerGone],
    }
}

/// A pen that presses like this from place to place, all of it within a few frames.
fn press_along(bench: &mut Bench, places: &[(Pos2, Option<f32>)]) {
    let [(first, force), .., (last, _)] = places[..] else { panic!("two places at least") };
    touch(TouchPhase::Start, first, force).into_iter().for_each(|event| bench.harness.event(event));
    bench.harness.step();
    let moves = places.iter().flat_map(|(pos, force)| touch(TouchPhase::Move, *pos, *force));
    moves.for_each(|event| bench.harness.event(event));
    bench.harness.step();
    touch(TouchPhase::End, last, Some(0.0)).into_iter().for_each(|event| bench.harness.event(event));
    bench.settle();
}

/// Pressures of the points of the last stroke.
fn pressures(bench: &Bench) -> Vec<f64> {
    let entries = bench.studio().document().unwrap().history().entries();
    let stroke = entries.last().and_then(|entry| entry.edit.as_ref()).and_then(|edit| edit.stroke.as_ref());
    stroke.unwrap().points.iter().map(|point| point.pressure).collect()
}

#[test]
fn a_pen_that_presses_harder_is_louder() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    let mut sine = Timbre::default();
    (sine.adsr.attack_secs, sine.adsr.release_secs) = (0.0, 0.0);
    set(&mut bench, |voice| (voice.timbre, voice.level_db) = (Arc::new(sine), -6.0));
    let at = |secs: f64| place(&bench, secs, 500.0);
    let places = [0.5, 1.0, 1.5, 2.0].map(at);
    let along = |forces: [Option<f32>; 4]| -> Vec<(Pos2, Option<f32>)> { places.into_iter().zip(forces).collect() };

    press_along(&mut bench, &along([0.25, 0.25, 1.0, 1.0].map(Some)));
    assert_eq!(pressures(&bench), [0.25, 0.25, 1.0, 1.0], "the last force counts, not that of the lifted pen");
    let samples = bench.samples(0);
    let level = |secs: f64| f64::from(peak(&samples[(secs * RATE) as usize..][..2_400]));
    let full = 10f64.powf(-6.0 / 20.0) * 0.64;
    for (secs, part) in [(0.7, 0.25), (1.2, 0.6), (1.7, 1.0)] {
        assert!((level(secs) / full - part).abs() < 0.05, "{} of {part} at {secs} s", level(secs) / full);
    }
    // A tap is a note as loud as it was pressed hardest, however softly it began.
    press_along(&mut bench, &[0.1, 0.5, 0.75, 0.2].map(|force| (places[0], Some(force))));
    let tapped = pressures(&bench);
    assert_eq!(tapped.last(), Some(&0.75), "{tapped:?}");
    // It begins with the first stroke, in phase.
    let both = f64::from(peak(&bench.samples(0)[26_000..40_000]));
    assert!((both / full - 1.0).abs() < 0.02, "{}", both / full);
    // Control: devices that report no force, and a mouse after a pen, press fully.
    press_along(&mut bench, &along([None; 4]));
    assert!(pressures(&bench).iter().all(|pressure| *pressure == 1.0), "{:?}", pressures(&bench));
    press_along(&mut bench, &along([0.25; 4].map(Some)));
    bench.drag(&places);
    assert!(pressures(&bench).iter().all(|pressure| *pressure == 1.0), "{:?}", pressures(&bench));
    // What is no force is none, and more than all is all.
    press_along(&mut bench, &along([f32::NAN, 4.0, -1.0, 0.5].map(Some)));
    assert_eq!(pressures(&bench), [1.0, 1.0, 0.0, 0.5]);
}

/// Brushes that paint cells fade with the pen as well.
#[test]
fn a_gain_stroke_fades_with_the_pen() {
    if !has_gpu() {
        return;
    }
    let tone = |n: usize| 0.2 * (std::f64::consts::TAU * 500.0 * n as f64 / RATE).sin() as f32;
    let mut bench = bench_with(Drawing::Wgpu, &[(0..144_000).map(tone).collect()]);
    bench.harness.set_size([1920.0, 1080.0].into());
    bench.pick(Tool::GAIN);
    bench.set_view(|view| (view.secs, view.hz) = ([0.0, 3.0], [100.0, 2_000.0]));
    bench.settle();
    let [from, to] = [0.5, 2.5].map(|secs| place(&bench, secs, 500.0));
    press_along(&mut bench, &[(from, Some(0.0)), (to, Some(1.0))]);
    assert_eq!(pressures(&bench), [0.0, 1.0]);
    let level = |secs: f64| amplitude(&bench.samples(0)[(secs * RATE) as usize..][..4_800], 500.0);
    let [soft, middle, hard] = [0.6, 1.5, 2.3].map(level);
    assert!((soft / 0.2 - 1.0).abs() < 0.2, "{soft}");
    assert!((soft - middle).abs() > 0.05 * soft && (middle - hard).abs() > 0.05 * middle, "{soft} {middle} {hard}");
    assert!((soft < middle) == (middle < hard), "it goes one way: {soft} {middle} {hard}");
}

#[test]
fn lines_stand_at_the_notes_that_a_stroke_snaps_to() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    let row = |bench: &mut Bench, hz: f64| {
        bench.settle();
        let at = place(bench, 1.0, hz);
        let picture = bench.harness.render().unwrap();
        let pixels = (0..900).map(|i| *picture.get_pixel(at.x as u32 + i % 300, at.y as u32 - 1 + i / 300));
        pixels.collect::<Vec<_>>()
    };
    // C5, and halfway to the next note.
    let hz = [3.0, 3.5].map(|semitones: f64| 440.0 * (semitones / 12.0).exp2());
    for tool in [bench.tools().active(), Tool::TONE, Tool::GAIN] {
        bench.pick(tool);
        let free = hz.map(|hz| row(&mut bench, hz));
        bench.key(NONE, Key::N);
        let snapping = hz.map(|hz| row(&mut bench, hz));
        bench.key(NONE, Key::N);
        assert_eq!(free[0] != snapping[0], tool != Tool::GAIN, "{tool:?}");
        assert_eq!(free[1], snapping[1], "{tool:?}: nothing between the notes");
    }
}

/// The pixels of the pictures a little behind a place, from the top, and where the top is.
fn column(bench: &mut Bench, at: Pos2) -> (f64, Vec<image::Rgba<u8>>) {
    bench.settle();
    let picture = bench.studio().picture_rect().unwrap().y_range();
    let window = bench.harness.render().unwrap();
    let rows = picture.min.ceil() as u32..picture.max as u32;
    (f64::from(rows.start), rows.map(|y| *window.get_pixel(at.x as u32 + 60, y)).collect())
}

/// Heights of the lines that appear behind a place when the pointer comes to it, from the top.
fn ghost_at(bench: &mut Bench, at: Pos2) -> Vec<f64> {
    // From farther on at the same height, beside which the same lines of notes are seen.
    bench.harness.event(Event::PointerMoved(at + vec2(150.0, 0.0)));
    let (_, without) = column(bench, at);
    bench.harness.event(Event::PointerMoved(at));
    let (top, with) = column(bench, at);
    let mut lines: Vec<[usize; 2]> = Vec::new();
    for y in (0..with.len()).filter(|&y| with[y] != without[y]) {
        match lines.last_mut() {
            Some([_, end]) if *end == y => *end += 1,
            _ => lines.push([y, y + 1]),
        }
    }
    lines.into_iter().map(|[start, end]| top + (start + end) as f64 / 2.0).collect()
}

/// Whether lines stand at these frequencies, and nowhere else, to two points; a semitone has more than ten.
fn are_at(bench: &Bench, lines: &[f64], hz: &[f64]) -> bool {
    let heights = hz.iter().map(|hz| f64::from(place(bench, 0.0, *hz).y));
    lines.len() == hz.len() && heights.zip(lines).all(|(wanted, found)| (wanted - found).abs() < 2.0)
}

#[test]
fn the_ghost_stands_at_the_notes_that_a_stroke_would_begin() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    bench.set_view(|view| view.axis = Axis::Log);
    set(&mut bench, |voice| voice.timbre = Arc::new(Timbre::default()));
    let above = |bench: &Bench, semitones: f64| place(bench, 1.0, 440.0 * (semitones / 12.0).exp2());
    let [a, a_sharp] = [0.0, 1.0].map(|semitones: f64| 440.0 * (semitones / 12.0).exp2());
    bench.key(NONE, Key::N);
    for (semitones, hz) in [(0.0, a), (0.3, a), (-0.4, a), (0.6, a_sharp), (1.3, a_sharp)] {
        let at = above(&bench, semitones);
        let lines = ghost_at(&mut bench, at);
        assert!(are_at(&bench, &lines, &[hz]), "{semitones} semitones above A4: {lines:?}");
    }
    // Every note of a chord, highest first, and its partials.
    let octaves = Timbre { partials: Timbre::organ().partials[1..4].to_vec(), ..Timbre::default() };
    let ratios: Vec<f64> = octaves.partials.iter().map(|partial| partial.ratio).collect();
    set(&mut bench, |voice| (voice.chord, voice.timbre) = (vec![0.0, 4.0], Arc::new(octaves)));
    let mut hz: Vec<f64> = [0.0, 4.0]
        .iter()
        .flat_map(|tone: &f64| ratios.iter().map(move |ratio| a * ratio * (tone / 12.0).exp2()))
        .collect();
    hz.sort_by(|a, b| b.total_cmp(a));
    let at = above(&bench, 0.3);
    let lines = ghost_at(&mut bench, at);
    assert!(are_at(&bench, &lines, &hz), "{lines:?} at {hz:?}");
    // The control: without snapping it stands where the pointer is.
    bench.key(NONE, Key::N);
    set(&mut bench, |voice| (voice.chord, voice.timbre) = (vec![0.0], Arc::new(Timbre::default())));
    let lines = ghost_at(&mut bench, at);
    assert!(are_at(&bench, &lines, &[a * (0.3f64 / 12.0).exp2()]) && !are_at(&bench, &lines, &[a]), "{lines:?}");
}

#[test]
fn the_ghost_leaves_with_the_pen() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    bench.set_view(|view| view.axis = Axis::Log);
    set(&mut bench, |voice| (voice.timbre, voice.length_secs) = (Arc::new(Timbre::default()), 0.5));
    bench.key(NONE, Key::N);
    let at = place(&bench, 1.0, 440.0);
    bench.harness.event(Event::PointerGone);
    let bare = column(&mut bench, at);
    let lines = ghost_at(&mut bench, at);
    assert!(are_at(&bench, &lines, &[440.0]), "the control: it is there: {lines:?}");
    // To the piano, beside the pictures.
    let left = bench.studio().picture_rect().unwrap().left();
    bench.harness.event(Event::PointerMoved(pos2(left - 6.0, at.y)));
    assert!(column(&mut bench, at) == bare, "the pointer left the pictures");
    // A pen that draws a note, which is undone.
    press_along(&mut bench, &[(at, Some(0.5)), (at, Some(0.5))]);
    assert_eq!(n_entries(&bench), 2);
    assert!(column(&mut bench, at) != bare, "the note is seen");
    bench.key(CTRL, Key::Z);
    assert!(column(&mut bench, at) == bare, "the pen was lifted");
}

/// Frames of the window and of the device in turn, with the pen held.
fn hold(bench: &mut Bench, at: Pos2, secs: f64) {
    for _ in 0..(secs * RATE / 512.0) as usize {
        bench.harness.event(egui::Event::PointerMoved(at));
        bench.harness.step();
        bench.jobs.run_until_idle();
        assert!(bench.recorder.pull_ready(512, TIMEOUT), "nothing came");
        bench.clock.advance(512.0 / RATE);
    }
}

#[test]
fn a_chord_is_heard_while_it_is_drawn() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    let mut sine = Timbre::default();
    sine.adsr.attack_secs = 0.08;
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
    let all = left(&bench);
    let first = all.iter().position(|sample| *sample != 0.0).unwrap();
    assert!(f64::from(peak(&all[first..first + 960])) < 0.4 * level, "the attack, which a steady tone has not");
    assert_eq!(n_entries(&bench), 1, "none of it is in the document");
    bench.harness.event(button(at, false));
    bench.settle();
    // The release rings on.
    let n_before = left(&bench).len();
    while bench.recorder.pull_ready(512, Duration::from_millis(300)) {}
    let n_rung = left(&bench)[n_before..].iter().rposition(|sample| *sample != 0.0).unwrap();
    assert!((4_000..8_000).contains(&n_rung), "0.1 s and what was in the ring: {n_rung}");
    bench.recorder.pull(4_800);
    assert!(peak(tail(&left(&bench), 4_800)) == 0.0, "silence after the release");
    assert_eq!(n_entries(&bench), 2);
}

fn letter(bench: &mut Bench, key: Key, pressed: bool) {
    bench.harness.event(egui::Event::Key { key, physical_key: None, pressed, repeat: false, modifiers: NONE });
}

#[test]
fn letter_keys_and_the_piano_play_the_voice() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    bench.set_view(|view| view.axis = Axis::Log);
    set(&mut bench, |voice| (voice.timbre, voice.level_db) = (Arc::new(Timbre::default()), -6.0));
    let level = 10f64.powf(-6.0 / 20.0) * 0.64;
    let away = place(&bench, 1.0, 500.0);
    let tool = bench.tools().active();
    bench.act(WindowCommand::TypingKeyboard);
    bench.settle();
    assert!(bench.has("Typing keyboard: A is C4    Z X: octave    Esc: end"));
    // A fifth: C4 and G4.
    letter(&mut bench, Key::A, true);
    letter(&mut bench, Key::G, true);
    hold(&mut bench, away, 0.3);
    let heard = tail(&left(&bench), 9_600).to_vec();
    for hz in [261.63, 392.0] {
        assert!((amplitude(&heard, hz) - level).abs() < 0.02, "{} at {hz}", amplitude(&heard, hz));
    }
    letter(&mut bench, Key::A, false);
    letter(&mut bench, Key::G, false);
    bench.settle();
    assert_eq!((bench.tools().active(), n_entries(&bench)), (tool, 1), "letters are no commands, and nothing is drawn");
    bench.key(NONE, Key::Escape);
    assert!(!bench.has("Typing keyboard: A is C4    Z X: octave    Esc: end"));
    bench.key(NONE, Key::G);
    assert_ne!(bench.tools().active(), tool, "the control: it ends with Esc");
    // The piano beside the pictures, with the voice brush in hand.
    bench.key(SHIFT, Key::M);
    let x = bench.studio().picture_rect().unwrap().left() - 6.0;
    let key = pos2(x, place(&bench, 0.0, 440.0).y);
    bench.harness.event(egui::Event::PointerMoved(key));
    bench.harness.step();
    bench.harness.event(button(key, true));
    hold(&mut bench, key, 0.3);
    let heard = tail(&left(&bench), 9_600).to_vec();
    assert!((amplitude(&heard, 440.0) - level).abs() < 0.02, "{}", amplitude(&heard, 440.0));
    // Dragged on to B4, which is another note.
    let next = pos2(x, place(&bench, 0.0, 493.88).y);
    hold(&mut bench, next, 0.5);
    let heard = tail(&left(&bench), 9_600).to_vec();
    let [before, after] = [440.0, 493.88].map(|hz| amplitude(&heard, hz));
    assert!(before < 0.02 && (after - level).abs() < 0.02, "{before} of A4, {after} of B4");
    bench.harness.event(button(next, false));
    bench.settle();
    assert_eq!(n_entries(&bench), 1);
}

// ------------------------------------------------------------------------------------------------------- floating
// notes

const SCORE: &str = r#"{"version": 1, "timbre": "organ", "notes": [{"pitch": "C4", "start": 0, "duration": 0.3},
    {"pitch": "E4", "start": 0.4, "duration": 0.3, "velocity": 0.5}]}"#;

fn rendered(score: &Score) -> Vec<f32> {
    let mut pool = VoicePool::new();
    let mut stream = pool.begin(score, RATE, false).unwrap();
    let mut samples = vec![0.0; stream.n_samples() as usize];
    stream.render(&mut samples, &mut []);
    samples
}

fn read_score() -> Score {
    ReadScore::from_bytes(SCORE.as_bytes(), &ScoreOverrides::default()).unwrap().score
}

fn floating(bench: &Bench) -> Option<Floating> {
    bench.studio().document().and_then(|document| document.floating().cloned())
}

fn drop_score(bench: &mut Bench) {
    let path = bench.out("score.json");
    std::fs::write(&path, SCORE).unwrap();
    bench.open(path);
    bench.settle();
}

#[test]
fn a_dropped_score_floats_and_is_placed_as_one_edit() {
    let mut bench = bench(Drawing::None);
    bench.put_cursor(0.5);
    drop_score(&mut bench);
    assert_eq!(floating(&bench).unwrap().offset, [0.5, 0.0]);
    assert!(bench.notices().iter().any(|(_, what)| what.contains("notes are floating")), "{:?}", bench.notices());
    assert_eq!(n_entries(&bench), 1, "it is in no history yet");
    bench.act(DocumentAct::Float([1.0, 0.0]));
    bench.key(CTRL, Key::Enter);
    assert!(floating(&bench).is_none());
    assert_eq!(n_entries(&bench), 2);
    assert!(bench.has("Step 1: 2 notes at 0:01.000"));
    let (samples, expected) = (bench.samples(0), rendered(&read_score()));
    assert_eq!(bits(&samples[48_000..48_000 + expected.len()]), bits(&expected));
    assert!(samples[..48_000].iter().chain(&samples[48_000 + expected.len()..]).all(|sample| *sample == 0.0));
    assert!(bench.studio().document().unwrap().selection().is_none());
    bench.key(CTRL, Key::Z);
    assert!(bench.samples(0).iter().all(|sample| *sample == 0.0));
}

#[test]
fn floating_notes_move_by_semitones_and_are_discarded_by_escape() {
    let mut bench = bench(Drawing::None);
    drop_score(&mut bench);
    bench.act(DocumentAct::Float([0.25, 2.0 / 12.0]));
    bench.settle();
    let notes = floating(&bench).unwrap().notes().cloned().unwrap();
    assert_eq!((notes.at_secs, notes.pitches()), (0.25, [62.0, 66.0]));
    assert_eq!(floating(&bench).unwrap().words(), "0.250 s later, 2.00 semitones up");
    // Back where it was it is what was read.
    bench.act(DocumentAct::Float([0.0, 0.0]));
    bench.settle();
    assert_eq!(floating(&bench).unwrap().notes().unwrap().pitches(), [60.0, 64.0]);
    bench.key(NONE, Key::Escape);
    assert!(floating(&bench).is_none());
    assert_eq!(n_entries(&bench), 1);
}

#[test]
fn floating_notes_are_dragged_to_notes() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    bench.put_cursor(0.5);
    drop_score(&mut bench);
    let from = place(&bench, 0.8, 280.0);
    // Not quite three semitones.
    let to = place(&bench, 1.3, 280.0 * 2f64.powf(2.8 / 12.0));
    bench.drag(&[from, from.lerp(to, 0.5), to]);
    let floating = floating(&bench).unwrap();
    assert!((floating.offset[0] - 1.0).abs() < 0.01, "{:?}", floating.offset);
    assert_eq!(floating.offset[1], 0.25);
}

/// A minute in stereo, which would be twice the cells that a stroke is followed with.
#[test]
fn a_long_floating_score_is_heard_where_it_is() {
    let mut bench = bench_with(Drawing::None, &[vec![0.0; 60 * 48_000], vec![0.0; 60 * 48_000]]);
    let path = bench.out("long.json");
    let long = r#"{"version": 1, "timbre": "organ", "notes": [{"pitch": "A4", "start": 0, "duration": 58}]}"#;
    std::fs::write(&path, long).unwrap();
    bench.open(path);
    bench.settle();
    play(&mut bench);
    for (units, hz, other_hz) in [(0.0, 440.0, 622.25), (6.0 / 12.0, 622.25, 440.0)] {
        bench.act(DocumentAct::Float([0.0, units]));
        listen(&mut bench, 48_000, true);
        let heard = tail(&left(&bench), 9_600).to_vec();
        let [own, other] = [hz, other_hz].map(|hz| amplitude(&heard, hz));
        assert!(own > 0.01 && other < 0.01 * own, "{units}: {own} at {hz} Hz, {other} at {other_hz} Hz");
    }
    assert_eq!(n_entries(&bench), 1, "it is in no history yet");
}

#[test]
fn a_score_without_a_file_opens_a_canvas() {
    let mut bench = Bench::new(Drawing::None);
    drop_score(&mut bench);
    let document = bench.studio().document().unwrap();
    assert_eq!((document.duration_secs(), document.history().current().n_channels()), (2.0, 2));
    assert!(document.floating().is_some());
    // A file that is no score gives a notice, and opens nothing.
    let path = bench.out("bad.json");
    std::fs::write(&path, r#"{"version": 1, "notes": []}"#).unwrap();
    bench.open(path);
    bench.settle();
    assert!(bench.notices().iter().any(|(_, what)| what.contains("bad.json")), "{:?}", bench.notices());
}

/// 171 notes of the pad are 8,208 oscillators.
#[test]
fn notes_that_are_too_many_at_once_do_not_float() {
    let mut bench = bench(Drawing::None);
    let drop = |bench: &mut Bench, n: usize| {
        let notes = vec![r#"{"pitch": "C4", "start": 0.5, "duration": 0.05}"#; n].join(", ");
        let pad = r#"{"like": "pad", "adsr": [0, 0, 1, 0.01]}"#;
        let path = bench.out("many.json");
        std::fs::write(&path, format!(r#"{{"version": 1, "timbre": {pad}, "notes": [{notes}]}}"#)).unwrap();
        bench.open(path);
        bench.settle();
    };
    drop(&mut bench, 171);
    assert!(floating(&bench).is_none());
    let errors = |bench: &Bench| -> Vec<String> {
        let all = bench.notices().into_iter();
        all.filter(|(severity, _)| *severity == Severity::Error).map(|(_, what)| what).collect()
    };
    let reported = "Cannot place the notes: 8208 oscillators sound at once at 0.500 s; the limit is 8192.";
    assert_eq!(errors(&bench), [reported]);
    // One note less is taken, and stays afloat when more are refused.
    drop(&mut bench, 170);
    assert_eq!(errors(&bench), [""; 0]);
    let before = floating(&bench).unwrap();
    drop(&mut bench, 171);
    assert_eq!(floating(&bench), Some(before));
    assert_eq!(n_entries(&bench), 1);
    bench.key(CTRL, Key::Enter);
    assert!(floating(&bench).is_none() && n_entries(&bench) == 2);
}

#[test]
fn no_canvas_is_opened_for_notes_that_are_too_many_at_once() {
    let mut bench = Bench::new(Drawing::None);
    let path = bench.out("many.json");
    let notes = vec![r#"{"pitch": 60, "start": 0, "duration": 1}"#; 171].join(", ");
    std::fs::write(&path, format!(r#"{{"version": 1, "notes": [{notes}]}}"#)).unwrap();
    bench.open(path);
    bench.settle();
    assert!(bench.studio().document().is_none());
    assert!(bench.notices().iter().any(|(_, what)| what.contains("8208 oscillators")), "{:?}", bench.notices());
}

// ------------------------------------------------------------------------------------------------------------- timbres

/// Partials of a steady tone, in dB below the first.
fn below_first_db(samples: &[f32], f0_hz: f64, n: usize) -> Vec<f64> {
    let level = |k: usize| {
        let hz = f0_hz * k as f64;
        strongest_tone(samples, RATE, hz * 0.99, hz * 1.01).level
    };
    (2..=n).map(|k| 20.0 * (level(k) / level(1)).log10()).collect()
}

#[test]
fn the_timbre_of_a_selection_is_taken_and_played() {
    let levels_db = [0.0, -20.0, -6.0, -30.0, -12.0];
    let at = |n: usize| {
        let partial = |(k, db): (usize, &f64)| {
            let turns = 220.0 * (k + 1) as f64 * n as f64 / RATE;
            0.2 * 10f64.powf(db / 20.0) * (std::f64::consts::TAU * turns + k as f64).sin()
        };
        if n < 96_000 { levels_db.iter().enumerate().map(partial).sum::<f64>() as f32 } else { 0.0 }
    };
    let mut bench = bench_with(Drawing::None, &[(0..240_000).map(at).collect()]);
    bench.key(SHIFT, Key::M);
    for hz in [None, Some([200.0, 240.0])] {
        set(&mut bench, |voice| *voice = DrawnVoice::default());
        bench.select(Some([0.2, 1.8]), hz);
        bench.act(FindCommand::TakeTimbre);
        bench.settle();
        let taken = voice(&bench);
        let measured = taken.timbre.measured.clone().unwrap();
        assert!((measured.f0_hz() / 220.0 - 1.0).abs() < 1e-3, "{hz:?}: {}", measured.f0_hz());
        assert!(bench.notices().iter().any(|(_, what)| what.starts_with("Timbre taken from a tone at 220")));
        // Played a fifth higher it has the levels that were recorded.
        let stroke = format!(
            r#"{{"version": 1, "edits": [{{"brush": {},
                "stroke": {{"points": [[2.2, 330, 1], [3.4, 330, 1]], "axis": "log", "radius": [0.01, 0.1]}}}}]}}"#,
            Brush::from(VoicesBrush::Drawn(taken)).to_json()
        );
        let edit = Script::parse(&stroke).unwrap().edits.remove(0);
        bench.act(DocumentAct::Edit(Box::new(edit)));
        bench.settle();
        let played = &bench.samples(0)[120_000..136_384];
        for (found, requested) in below_first_db(played, 330.0, 5).into_iter().zip(&levels_db[1..]) {
            assert!((found - requested).abs() < 1.0, "{found} dB instead of {requested} dB");
        }
        let level = strongest_tone(played, RATE, 320.0, 340.0).level;
        assert!((20.0 * (level / 0.2).log10()).abs() < 1.0, "as loud as recorded: {level}");
        bench.key(CTRL, Key::Z);
    }
    // Silence has no timbre.
    bench.select(Some([3.0, 4.0]), None);
    let before = voice(&bench);
    bench.act(FindCommand::TakeTimbre);
    bench.settle();
    assert_eq!(voice(&bench), before);
    let says = ["No tone found.", "No harmonic found.", "The selection is silent."];
    assert!(bench.notices().iter().any(|(_, what)| says.contains(&what.as_str())), "{:?}", bench.notices());
}
