//! The grip of a selection: it moves the outline, and takes what is selected out of the window.

use crate::support::signals::tone;
use crate::support::studio::{Bench, Drawing, NONE, has_gpu};
use crate::support::wav::clip;
use egui::{CursorIcon, Event, Key, PointerButton, Pos2, Rect, pos2, vec2};
use egui_kittest::kittest::Queryable;
use sonobrush::document::Snapshot;
use sonobrush::dsp::{Axis, Selection};
use sonobrush::media::Source;
use sonobrush::workbench::{DocumentAct, Tool, ViewAct};

const GRIP: &str = "Grip of the selection";

/// On 2 s of sound.
fn bench() -> Bench {
    let mut bench = Bench::with_clip(Drawing::Wgpu, "crow_44k_mono.flac");
    let tone = tone(96_000, 48_000.0, 1_000.0, 0.3);
    bench.show(Snapshot::new(Source::from_channels(vec![tone], 48_000).unwrap()));
    bench.pick(Tool::SelectBox);
    bench.settle();
    bench
}

fn grip(bench: &Bench) -> Rect {
    bench.harness.get_by_label(GRIP).rect()
}

fn selection(bench: &Bench) -> Selection {
    bench.studio().document().unwrap().selection().unwrap().clone()
}

fn rate_hz(bench: &Bench) -> f64 {
    bench.studio().document().unwrap().shown().sample_rate_hz()
}

fn press(bench: &mut Bench, pos: Pos2, pressed: bool) {
    bench.harness.event(Event::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers: NONE });
    bench.harness.step();
}

fn point(bench: &mut Bench, at: Pos2) {
    bench.harness.event(Event::PointerMoved(at));
    bench.harness.step();
}

/// Takes hold of the grip and moves it, with the button held.
fn hold(bench: &mut Bench, places: &[Pos2]) {
    let at = grip(bench).center();
    point(bench, at);
    press(bench, at, true);
    places.iter().for_each(|place| point(bench, *place));
}

#[test]
fn it_moves_the_outline_as_far_as_the_pointer() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench();
    bench.act(ViewAct::Axis(Axis::Linear));
    bench.select(Some([0.3, 0.5]), Some([2_000.0, 4_000.0]));
    let (before, at) = (selection(&bench), grip(&bench));
    assert_eq!(at.size(), vec2(14.0, 14.0));
    let viewport = bench.studio().viewport().unwrap();
    // In the middle of the top edge.
    let top = pos2(viewport.x_from_secs(0.4) as f32, viewport.y_from_hz(4_000.0) as f32);
    assert!(at.center().distance(top) < 0.1, "{at:?} instead of around {top:?}");
    let to = at.center() + vec2(60.0, -25.0);
    hold(&mut bench, &[at.center() + vec2(10.0, 0.0), to]);
    // It is shown where it would be, and not selected yet.
    assert_eq!(selection(&bench), before);
    assert!(grip(&bench).center().distance(to) < 1.0);
    press(&mut bench, to, false);
    bench.settle();
    let [Some(secs), Some(hz)] = selection(&bench).extent() else { panic!("{:?}", selection(&bench)) };
    let (by_secs, by_hz) = (60.0 * viewport.secs_per_pixel(), 25.0 * viewport.units_per_pixel());
    let sample_secs = 1.0 / rate_hz(&bench);
    for (found, wanted) in secs.into_iter().zip([0.3 + by_secs, 0.5 + by_secs]) {
        assert!((found - wanted).abs() <= sample_secs, "{found} instead of {wanted} s");
    }
    for (found, wanted) in hz.into_iter().zip([2_000.0 + by_hz, 4_000.0 + by_hz]) {
        assert!((found - wanted).abs() < 1.0, "{found} instead of {wanted} Hz");
    }
    // No farther than the sound goes, and as long as it was.
    let far = pos2(viewport.origin[0] as f32 + 2.0, at.center().y);
    hold(&mut bench, &[far]);
    press(&mut bench, far, false);
    bench.settle();
    let [Some([start, end]), _] = selection(&bench).extent() else { panic!() };
    assert!(start.abs() < sample_secs && (end - start - 0.2).abs() < 1e-9, "{start} to {end} s");
}

#[test]
fn an_interval_stays_one_on_a_log_axis() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench();
    bench.act(ViewAct::Axis(Axis::Log));
    bench.select(Some([0.3, 0.5]), Some([1_000.0, 2_000.0]));
    let at = grip(&bench).center();
    let to = at + vec2(0.0, 40.0);
    hold(&mut bench, &[at + vec2(0.0, 5.0), to]);
    press(&mut bench, to, false);
    bench.settle();
    let [Some(secs), Some([low, high])] = selection(&bench).extent() else { panic!() };
    assert!(secs == [0.3, 0.5] && low < 990.0, "{secs:?} s, {low} Hz");
    assert!((high / low - 2.0).abs() < 1e-6, "{low} to {high} Hz is no octave");
}

#[test]
fn escape_and_a_click_leave_the_outline_where_it_was() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench();
    bench.select(Some([0.3, 0.5]), None);
    let (before, at) = (selection(&bench), grip(&bench).center());
    hold(&mut bench, &[at + vec2(50.0, 0.0)]);
    bench.key(NONE, Key::Escape);
    assert!(grip(&bench).center().distance(at) < 0.1);
    press(&mut bench, at + vec2(50.0, 0.0), false);
    bench.settle();
    assert_eq!(selection(&bench), before);
    hold(&mut bench, &[]);
    press(&mut bench, at, false);
    bench.settle();
    assert_eq!(selection(&bench), before);
    // The control: a click beside it selects nothing.
    let beside = at + vec2(0.0, 40.0);
    bench.drag(&[beside]);
    assert!(bench.studio().document().unwrap().selection().is_none());
}

#[test]
fn it_is_there_only_where_it_can_be_meant() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench();
    assert!(!bench.has(GRIP), "nothing is selected");
    bench.act(ViewAct::Axis(Axis::Linear));
    bench.act(ViewAct::Hz([0.0, 10_000.0]));
    bench.act(ViewAct::Secs([0.0, 1.0]));
    bench.select(Some([0.2, 0.4]), Some([2_000.0, 9_000.0]));
    assert!(bench.has(GRIP));
    // Its top edge is out of view: above, at the left.
    bench.act(ViewAct::Hz([0.0, 8_000.0]));
    bench.settle();
    assert!(!bench.has(GRIP), "the edge is above");
    bench.act(ViewAct::Hz([0.0, 10_000.0]));
    bench.act(ViewAct::Secs([0.5, 1.0]));
    bench.settle();
    assert!(!bench.has(GRIP), "the edge is at the left");
    // Half of it is seen: in the middle of that.
    bench.act(ViewAct::Secs([0.3, 1.0]));
    bench.settle();
    let (viewport, at) = (bench.studio().viewport().unwrap(), grip(&bench).center());
    assert!((at.x - viewport.x_from_secs(0.35) as f32).abs() < 0.5, "{at:?}");
    // Strokes of a brush are no drags of it.
    bench.pick(Tool::ERASE);
    bench.settle();
    assert!(!bench.has(GRIP), "a brush is in hand");
    bench.pick(Tool::SelectTime);
    bench.settle();
    assert!(bench.has(GRIP));
    // Keys that join selections mean no grip.
    let before = selection(&bench);
    let at = grip(&bench).center();
    let (button, modifiers) = (PointerButton::Primary, egui::Modifiers::SHIFT);
    let shift = |pos: Pos2, pressed| Event::PointerButton { pos, button, pressed, modifiers };
    bench.harness.event(Event::PointerMoved(at));
    bench.harness.event(shift(at, true));
    bench.harness.event(Event::PointerMoved(at + vec2(80.0, 0.0)));
    bench.harness.event(shift(at + vec2(80.0, 0.0), false));
    bench.settle();
    let shapes = (before.shapes.len(), selection(&bench).shapes.len());
    assert_eq!(shapes, (1, 2), "it was not joined");
}

#[test]
fn it_says_what_it_does_and_looks_held() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench();
    bench.select(Some([0.3, 0.5]), None);
    let icon = |bench: &Bench| bench.harness.output().platform_output.cursor_icon;
    let at = grip(&bench).center();
    point(&mut bench, at + vec2(0.0, 60.0));
    point(&mut bench, at + vec2(0.0, 61.0));
    assert_eq!(icon(&bench), CursorIcon::Crosshair);
    let says =
        "Drag to move the outline. Drag it out of the window to give the sound to another program as a WAV file.";
    assert!(!bench.has(says));
    // The pointer has to rest on it for a while.
    point(&mut bench, at);
    (0..40).for_each(|_| bench.harness.step());
    assert_eq!(icon(&bench), CursorIcon::Grab);
    assert!(bench.has(says), "it does not say what it does");
    hold(&mut bench, &[at + vec2(20.0, 0.0), at + vec2(21.0, 0.0)]);
    assert_eq!(icon(&bench), CursorIcon::Grabbing);
    assert!(!bench.has(says), "it says so while it is held");
}

/// Without a display nothing drags it on: a notice says so, and the file is there.
#[test]
fn out_of_the_window_the_outline_returns_and_the_sound_goes_on() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench();
    bench.select(Some([0.3, 0.5]), None);
    let (before, at) = (selection(&bench), grip(&bench).center());
    hold(&mut bench, &[at + vec2(30.0, 0.0), pos2(-5.0, at.y)]);
    assert!(grip(&bench).center().distance(at) < 0.1, "the outline did not return");
    bench.settle();
    assert_eq!(selection(&bench), before);
    let reported = bench.notices();
    assert!(reported.iter().any(|(_, what)| what.contains("gives no sounds to other programs")), "{reported:?}");
    let given = walk(&bench.out("state/dragged-out"));
    assert!(given.iter().any(|path| path.ends_with("Untitled-part.wav")), "{given:?}");
    press(&mut bench, pos2(-5.0, at.y), false);
    bench.settle();
    assert_eq!(selection(&bench), before);
    // A release before the file is there: a notice says what to do.
    bench.act(DocumentAct::Select(Some(Selection::rectangle(Some([0.3, 0.6]), None, [0.0; 2], Axis::Linear))));
    bench.settle();
    let at = grip(&bench).center();
    hold(&mut bench, &[at + vec2(30.0, 0.0), pos2(-5.0, at.y)]);
    press(&mut bench, pos2(-5.0, at.y), false);
    bench.settle();
    let reported = bench.notices();
    assert!(reported.iter().any(|(_, what)| what.contains("before the sound was ready")), "{reported:?}");
}

#[test]
fn a_tab_leaves_the_window_as_its_file() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    for n_tabs in 1..=2 {
        let name = if n_tabs == 1 { "crow_44k_mono.flac" } else { "drum_break_44k_stereo.flac" };
        if n_tabs == 2 {
            bench.open(clip(name));
            bench.settle();
        }
        let n_before = bench.notices().len();
        let at = bench.harness.query_all_by_label(name).next().unwrap().rect().center();
        point(&mut bench, at);
        press(&mut bench, at, true);
        point(&mut bench, at + vec2(12.0, 0.0));
        point(&mut bench, pos2(at.x, -8.0));
        bench.settle();
        let reported = bench.notices();
        let n_reported = reported.iter().filter(|(_, what)| what.contains("gives no sounds to other programs")).count();
        assert!(n_reported == 1 && (n_tabs == 2 || n_before == 0), "{reported:?}");
        press(&mut bench, pos2(at.x, -8.0), false);
        bench.settle();
        assert!(!bench.out("state/dragged-out").exists(), "its own file is what is given");
    }
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.flat_map(|entry| if entry.path().is_dir() { walk(&entry.path()) } else { vec![entry.path()] }).collect()
}
