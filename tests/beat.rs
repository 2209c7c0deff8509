//! Bars and beats in the window: set by the card, seen on ruler and pictures, and snapped to.

use crate::support::studio::{Bench, CTRL, Drawing, NONE, has_gpu};
use egui::{Event, Key, Modifiers, Pos2, pos2, vec2};
use egui_kittest::kittest::Queryable;
use sonobrush::document::brushes::{Brush, VoicesBrush};
use sonobrush::document::{BeatGrid, Snapshot};
use sonobrush::dsp::{Axis, NoteScale, Point, ScaleKind};
use sonobrush::media::Source;
use sonobrush::workbench::commands::{BeatCommand, SelectCommand};
use sonobrush::workbench::{BeatAnswer, BeatOptions, BeatTaps, FoundBeat, OpenDocument, Reply, Tool};

const RATE: u32 = 16_000;
const CTRL_SHIFT: Modifiers = Modifiers { shift: true, ..CTRL };

/// Eight seconds of silence: nothing but the grid catches anything.
fn bench(drawing: Drawing) -> Bench {
    let mut bench = Bench::with_clip(drawing, "crow_44k_mono.flac");
    bench.show(Snapshot::new(Source::from_channels(vec![vec![0.0; 8 * RATE as usize]], RATE).unwrap()));
    bench
}

fn document(bench: &Bench) -> &OpenDocument {
    bench.studio().document().unwrap()
}

fn grid(bench: &Bench) -> Option<BeatGrid> {
    document(bench).beat().copied()
}

fn set(bench: &mut Bench, tempo_bpm: f64, first_bar_secs: f64) {
    let options = BeatOptions {
        document: document(bench).id(),
        tempo_bpm,
        beats_a_bar: 4,
        first_bar_secs,
        is_shown: true,
        cursor_secs: 0.0,
        has_grid: false,
        taps: BeatTaps::default(),
        found: FoundBeat::Unasked,
    };
    bench.act(Reply::Beat(BeatAnswer::Set(options)));
    bench.settle();
}

fn says(bench: &Bench, words: &str) -> bool {
    bench.harness.query_all_by_label_contains(words).next().is_some()
}

#[test]
fn the_grid_is_typed_moved_hidden_and_removed() {
    let mut bench = bench(Drawing::None);
    // Three inputs: the key, the tempo, Enter.
    bench.key(CTRL_SHIFT, Key::B);
    bench.harness.event(Event::Text("97.5".into()));
    bench.settle();
    bench.key(NONE, Key::Enter);
    assert_eq!(grid(&bench), Some(BeatGrid::new(97.5, 4, 0.0).unwrap()));
    assert_eq!(document(&bench).history().entries().len(), 1, "it is no step of the history");
    // What is typed beyond the bounds is held to them, as in every field.
    bench.key(CTRL_SHIFT, Key::B);
    bench.fill("Tempo", "9000");
    bench.fill("Beats a bar", "3");
    bench.fill("First bar", "250 ms");
    bench.key(NONE, Key::Enter);
    assert_eq!(grid(&bench), Some(BeatGrid::new(400.0, 3, 0.25).unwrap()));
    bench.key(CTRL_SHIFT, Key::B);
    bench.fill("Tempo", "quick");
    bench.click("Cancel");
    assert_eq!(grid(&bench), Some(BeatGrid::new(400.0, 3, 0.25).unwrap()), "nothing changed");

    bench.put_cursor(1.5);
    bench.act(BeatCommand::FirstBar);
    bench.settle();
    assert_eq!(grid(&bench).unwrap().first_bar_secs(), 1.5);
    bench.put_cursor(2.25);
    bench.key(CTRL_SHIFT, Key::B);
    bench.click("At cursor");
    bench.click("Show bars and beats");
    bench.click("Set");
    assert_eq!(grid(&bench).unwrap().first_bar_secs(), 2.25);
    assert!(document(&bench).shown_beat().is_none());
    bench.act(BeatCommand::Lines);
    bench.settle();
    assert!(document(&bench).shown_beat().is_some());
    bench.act(BeatCommand::Remove);
    bench.settle();
    assert_eq!(grid(&bench), None);
    bench.key(CTRL_SHIFT, Key::B);
    assert!(!bench.has("Remove"), "there is none to remove");
    bench.click("Set");
    bench.key(CTRL_SHIFT, Key::B);
    bench.click("Remove");
    assert_eq!(grid(&bench), None);
}

/// A frame at a time of the window's clock, with some events.
fn frame(bench: &mut Bench, at_secs: f64, events: Vec<Event>) {
    bench.harness.input_mut().time = Some(at_secs);
    events.into_iter().for_each(|event| bench.harness.event(event));
    bench.harness.step();
}

#[test]
fn the_tempo_is_tapped_by_key_and_button_while_its_field_has_the_keyboard() {
    let mut bench = bench(Drawing::None);
    bench.key(CTRL_SHIFT, Key::B);
    let start_secs = bench.harness.ctx.input(|input| input.time) + 1.0;
    let key = |pressed| Event::Key { key: Key::T, physical_key: None, pressed, repeat: false, modifiers: NONE };
    for tap in 0..5 {
        let at_secs = start_secs + f64::from(tap) * 0.8;
        frame(&mut bench, at_secs, vec![key(true), Event::Text("t".into())]);
        frame(&mut bench, at_secs + 0.1, vec![key(false)]);
    }
    bench.harness.input_mut().time = None;
    bench.settle();
    bench.key(NONE, Key::Enter);
    assert_eq!(grid(&bench).unwrap().tempo_bpm(), 75.0);
    // By the button: what counts is when it goes down.
    bench.key(CTRL_SHIFT, Key::B);
    let at = bench.harness.get_by_label("Tap").rect().center();
    let button =
        |pressed| Event::PointerButton { pos: at, button: egui::PointerButton::Primary, pressed, modifiers: NONE };
    let start_secs = bench.harness.ctx.input(|input| input.time) + 1.0;
    frame(&mut bench, start_secs - 0.5, vec![Event::PointerMoved(at)]);
    for tap in 0..5 {
        let at_secs = start_secs + f64::from(tap) * 0.5;
        frame(&mut bench, at_secs, vec![button(true)]);
        frame(&mut bench, at_secs + 0.05 * f64::from(1 + tap), vec![button(false)]);
    }
    bench.harness.input_mut().time = None;
    bench.settle();
    bench.key(NONE, Key::Enter);
    assert_eq!(grid(&bench).unwrap().tempo_bpm(), 120.0);
}

#[test]
fn the_beat_of_a_sound_is_taken_and_its_absence_told() {
    let mut bench = bench(Drawing::None);
    bench.key(CTRL_SHIFT, Key::B);
    bench.click("From the sound");
    assert!(says(&bench, "No steady beat was found"), "it is silent");
    bench.click("Cancel");
    // A click every 0.6 s, from 0.3 s on.
    let at = |k: usize| {
        let since = (k + 4_800) % 9_600;
        let sign = if (k / 2).is_multiple_of(2) { 0.5 } else { -0.5 };
        if k >= 4_800 { sign * (-(since as f32) / 200.0).exp() } else { 0.0 }
    };
    let clicks: Vec<f32> = (0..10 * RATE as usize).map(at).collect();
    bench.show(Snapshot::new(Source::from_channels(vec![clicks], RATE).unwrap()));
    bench.key(CTRL_SHIFT, Key::B);
    bench.click("From the sound");
    assert!(says(&bench, "BPM, first sound at 0."), "{:?}", bench.notices());
    bench.click("Set");
    let grid = grid(&bench).unwrap();
    assert!((grid.tempo_bpm() - 100.0).abs() < 0.5 && (grid.first_bar_secs() - 0.3).abs() < 0.005, "{grid:?}");
}

fn place(bench: &Bench, secs: f64, hz: f64) -> Pos2 {
    let viewport = bench.studio().viewport().unwrap();
    pos2(viewport.x_from_secs(secs) as f32, viewport.y_from_hz(hz) as f32)
}

#[test]
fn selections_and_the_cursor_snap_to_the_lines_that_are_shown() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    set(&mut bench, 60.0, 0.1);
    bench.pick(Tool::SelectTime);
    let drag = |bench: &mut Bench, secs: [f64; 2], by: f32| {
        let [from, to] = secs.map(|secs| place(bench, secs, 500.0) + vec2(by, 0.0));
        // At its edges the range from before would be taken hold of.
        bench.act(SelectCommand::Nothing);
        bench.drag(&[from, to]);
        document(bench).selected_secs().unwrap()
    };
    let is_near = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).abs() < 1e-6 && (a[1] - b[1]).abs() < 1e-6;
    let lines = [1.1, 3.1];
    assert!(!is_near(drag(&mut bench, lines, 6.0), lines), "nothing snaps yet");
    bench.key(NONE, Key::N);
    let found = drag(&mut bench, lines, 6.0);
    assert!(is_near(found, lines), "{found:?}");
    assert!(!is_near(drag(&mut bench, lines, 9.5), lines), "farther than eight points");
    let click = place(&bench, 5.1, 500.0) + vec2(-5.0, 0.0);
    bench.drag(&[click, click]);
    assert!((document(&bench).cursor_secs() - 5.1).abs() < 1e-6, "{}", document(&bench).cursor_secs());
    bench.act(BeatCommand::Lines);
    bench.settle();
    assert!(!is_near(drag(&mut bench, lines, 6.0), lines), "what is hidden catches nothing");
}

#[test]
fn voices_snap_to_beats_and_to_notes_of_the_scale() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    bench.set_view(|view| view.axis = Axis::Log);
    set(&mut bench, 120.0, 0.0);
    bench.key(Modifiers::SHIFT, Key::M);
    bench.set_tools(|settings| settings.note_scale = NoteScale { key: 0, kind: ScaleKind::MajorPentatonic });
    bench.key(NONE, Key::N);
    let hz = |midi: f64| 440.0 * ((midi - 69.0) / 12.0).exp2();
    let points = |bench: &mut Bench, midi: f64| -> Vec<Point> {
        let [from, to] = [[1.0, 4.0], [2.0, 5.0]].map(|[secs, by]| place(bench, secs, hz(midi)) + vec2(by as f32, 0.0));
        let between = from + (to - from) / 2.0;
        bench.drag(&[from, between, to]);
        let edit = document(bench).history().entries().last().unwrap().edit.clone().unwrap();
        assert!(matches!(edit.brush, Brush::Voices(VoicesBrush::Drawn(_))));
        edit.stroke.unwrap().points
    };
    // F lies between E and G of the pentatonic on C.
    let drawn = points(&mut bench, 64.9);
    let (first, last) = (drawn[0], drawn[drawn.len() - 1]);
    assert!((first.secs - 1.0).abs() < 1e-6 && (last.secs - 2.0).abs() < 1e-6, "{first:?} {last:?}");
    assert!(drawn.iter().all(|point| (point.hz - hz(64.0)).abs() < 0.01), "{drawn:?}");
    bench.set_tools(|settings| settings.note_scale = NoteScale::default());
    assert!(points(&mut bench, 64.9).iter().all(|point| (point.hz - hz(65.0)).abs() < 0.01), "of all notes, F");
    bench.key(NONE, Key::N);
    let free = points(&mut bench, 64.9);
    assert!((free[0].secs - 1.0).abs() > 1e-3 && (free[0].hz - hz(64.9)).abs() < 1.0, "off: where the pen was");
}

#[test]
fn the_scale_is_chosen_in_the_option_bar_and_remembered() {
    let mut bench = bench(Drawing::None);
    bench.key(Modifiers::SHIFT, Key::M);
    bench.set_tools(|settings| settings.note_scale = NoteScale { key: 2, kind: ScaleKind::Dorian });
    bench.settle();
    let bench = bench.restarted(Drawing::None);
    assert_eq!(bench.tools().settings().note_scale, NoteScale { key: 2, kind: ScaleKind::Dorian });
}

#[test]
fn bars_are_seen_on_the_pictures_and_their_numbers_on_the_ruler() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    set(&mut bench, 60.0, 0.5);
    let light = |bench: &mut Bench, secs: f64| {
        let picture = bench.harness.render().unwrap();
        let at = place(bench, secs, 700.0);
        let of = |x: u32| picture.get_pixel(x, at.y as u32).0[..3].iter().map(|byte| u32::from(*byte)).sum::<u32>();
        (-1..=1).map(|by| of((at.x as i32 + by) as u32)).max().unwrap()
    };
    let [bar, beat, between] = [4.5, 2.5, 2.6].map(|secs| light(&mut bench, secs));
    assert!(bar > beat + 20 && beat > between + 10, "{bar} {beat} {between}");
    // Below the time ruler there is room for the numbers, which goes with them.
    let top = |bench: &Bench| bench.studio().picture_rect().unwrap().top();
    let with = top(&bench);
    bench.act(BeatCommand::Lines);
    bench.settle();
    assert_eq!(with - top(&bench), 16.0);
    assert_eq!(light(&mut bench, 4.5), light(&mut bench, 2.6), "and no line is left");
}
