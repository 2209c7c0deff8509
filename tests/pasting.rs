//! Copy, cut, paste, new and longer sounds in the window, by key, label and gesture; each followed by a look at the
//! sound, the selection or a file.

use crate::support::measure::strongest_tone;
use crate::support::studio::{Bench, CTRL, Drawing, NONE, bits, has_gpu, samples, set_number};
use egui::{Event, Key, Modifiers, PointerButton, Pos2, pos2, vec2};
use sonobrush::document::Snapshot;
use sonobrush::dsp::selections::mask;
use sonobrush::dsp::{Axis, Selection};
use sonobrush::media::Source;
use sonobrush::workbench::Picked;
use sonobrush::workbench::commands::{ClipboardCommand, EditCommand, FileCommand};
use sonobrush::workbench::{DocumentAct, OpenDocument, Tool};
use std::f64::consts::TAU;

const RATE: f64 = 16_000.0;
const BOTH: Modifiers = Modifiers { ctrl: true, shift: true, command: true, ..Modifiers::NONE };

/// 500 Hz from 0.5 to 1 s of 2 s; 3 kHz all along.
fn sound(rate: f64) -> Snapshot {
    let at = |k: usize| {
        let t = k as f64 / rate;
        let low = if (0.5..1.0).contains(&t) { 0.4 * (TAU * 500.0 * t).sin() } else { 0.0 };
        (low + 0.25 * (TAU * 3000.0 * t).sin()) as f32
    };
    let channel: Vec<f32> = (0..2 * rate as usize).map(at).collect();
    Snapshot::new(Source::from_channels(vec![channel], rate as u32).unwrap())
}

fn bench(drawing: Drawing) -> Bench {
    let mut bench = Bench::with_clip(drawing, "crow_44k_mono.flac");
    show(&mut bench, sound(RATE));
    bench
}

fn show(bench: &mut Bench, snapshot: Snapshot) {
    bench.show(snapshot);
}

fn document(bench: &Bench) -> &OpenDocument {
    bench.studio().document().unwrap()
}

fn level(samples: &[f32], rate: f64, secs: [f64; 2], hz: f64) -> f64 {
    let [from, to] = secs.map(|secs| (secs * rate) as usize);
    let tone = strongest_tone(&samples[from..to], rate, hz - 40.0, hz + 40.0);
    if (tone.hz - hz).abs() < 10.0 { tone.level } else { 0.0 }
}

#[test]
fn a_cut_takes_away_and_a_paste_in_place_gives_back() {
    let mut bench = bench(Drawing::None);
    let before = bench.samples(0);
    bench.select(Some([0.45, 1.05]), Some([300.0, 800.0]));
    bench.key(CTRL, Key::X);
    let hole = bench.samples(0);
    assert!(level(&hole, RATE, [0.6, 0.9], 500.0) < 0.01 && level(&hole, RATE, [0.6, 0.9], 3000.0) > 0.2);
    assert_eq!(document(&bench).history().position(), 1);
    bench.key(BOTH, Key::V);
    assert!(document(&bench).floating().is_some());
    assert_eq!(bits(&bench.samples(0)), bits(&hole), "what floats is in no history");
    let says_so = |bench: &Bench| bench.studio().notices().all().iter().any(|notice| notice.what.contains("floating"));
    assert!(says_so(&bench));
    bench.key(CTRL, Key::Enter);
    assert!(!says_so(&bench), "what floated is put down");
    let after = bench.samples(0);
    let off = before.iter().zip(&after).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(off < 4e-6, "{off}");
    bench.key(CTRL, Key::Z);
    assert_eq!(bits(&bench.samples(0)), bits(&hole));
    bench.key(CTRL, Key::Z);
    assert_eq!(bits(&bench.samples(0)), bits(&before));
}

#[test]
fn a_copy_is_pasted_at_the_cursor_and_selected_there() {
    let mut bench = bench(Drawing::None);
    bench.select(Some([0.45, 1.05]), Some([300.0, 800.0]));
    // As the windowing system reports Ctrl+C and Ctrl+V.
    bench.harness.event(Event::Copy);
    bench.settle();
    assert_eq!(document(&bench).history().position(), 0, "a copy changes nothing");
    bench.put_cursor(1.2);
    bench.harness.event(Event::Paste("anything".into()));
    bench.settle();
    bench.click("Place");
    let after = bench.samples(0);
    assert!((level(&after, RATE, [1.35, 1.7], 500.0) - 0.4).abs() < 0.01, "the copy sounds at 1.25 to 1.75 s");
    assert!((level(&after, RATE, [0.6, 0.9], 500.0) - 0.4).abs() < 0.01, "and where it was");
    assert!((level(&after, RATE, [1.35, 1.7], 3000.0) - 0.25).abs() < 0.01, "what was not selected is not doubled");
    let selection = document(&bench).selection().cloned().unwrap();
    let [Some([start, end]), Some([low, high])] = selection.extent() else { panic!("{selection:?}") };
    assert!((start - 1.2).abs() < 1e-3 && (end - 1.8).abs() < 1e-3 && (low, high) == (300.0, 800.0));
}

/// An Enter too many after a paste, which stays selected, is not the brush's.
#[test]
fn an_enter_after_the_one_that_placed_paints_nothing() {
    let mut bench = bench(Drawing::None);
    bench.select(Some([0.5, 0.7]), None);
    bench.key(CTRL, Key::C);
    bench.put_cursor(1.2);
    bench.key(CTRL, Key::V);
    bench.key(NONE, Key::Enter);
    let pasted = bench.samples(0);
    assert_eq!(document(&bench).history().position(), 1);
    bench.key(NONE, Key::Enter);
    assert_eq!(bits(&bench.samples(0)), bits(&pasted));
    assert!(bench.notices().iter().any(|(_, what)| what == "It is placed already."), "{:?}", bench.notices());
    // Once that is said, or something is selected by hand, Enter is the brush's again.
    bench.key(NONE, Key::Enter);
    assert_eq!(document(&bench).history().position(), 2);
    bench.key(CTRL, Key::Z);
    bench.select(Some([0.1, 0.2]), None);
    bench.key(NONE, Key::Enter);
    assert_eq!(document(&bench).history().position(), 2);
}

#[test]
fn what_floats_is_dropped_by_escape_delete_and_undo() {
    for (modifiers, key) in [(NONE, Key::Escape), (NONE, Key::Delete), (CTRL, Key::Z)] {
        let mut bench = bench(Drawing::None);
        let before = bits(&bench.samples(0));
        bench.select(Some([0.45, 1.05]), None);
        bench.key(CTRL, Key::C);
        bench.key(CTRL, Key::V);
        assert!(document(&bench).floating().is_some());
        bench.key(modifiers, key);
        assert!(document(&bench).floating().is_none(), "{key:?}");
        assert_eq!((bits(&bench.samples(0)), document(&bench).history().entries().len()), (before, 1), "{key:?}");
    }
}

#[test]
fn a_floating_paste_is_in_the_picture_where_it_is_and_in_no_history() {
    let mut bench = bench(Drawing::None);
    let before = bench.samples(0);
    bench.select(Some([0.45, 1.05]), Some([300.0, 800.0]));
    bench.act(ClipboardCommand::Copy);
    bench.settle();
    bench.put_cursor(1.2);
    bench.act(ClipboardCommand::Paste);
    bench.settle();
    let pictured = |bench: &Bench| samples(document(bench).pictured(), 0);
    let levels = |bench: &Bench, secs: [f64; 2]| level(&pictured(bench), RATE, secs, 500.0);
    assert!(levels(&bench, [1.3, 1.6]) > 0.3 && levels(&bench, [0.2, 0.4]) < 0.01);
    assert_eq!(bits(&bench.samples(0)), bits(&before));
    // Moved, it is where it was moved to.
    let earlier = document(&bench).floating().unwrap().offset[0] - 1.2;
    bench.act(DocumentAct::Float([earlier, 0.0]));
    bench.settle();
    assert!(levels(&bench, [1.3, 1.6]) < 0.01 && levels(&bench, [0.1, 0.4]) > 0.3);
    // Placed it is the same, and no frame shows less.
    let seen = pictured(&bench);
    bench.click("Place");
    assert!(level(&pictured(&bench), RATE, [0.1, 0.4], 500.0) > 0.3, "seen until it is in the history");
    bench.settle();
    let after = bench.samples(0);
    let off = seen.iter().zip(&after).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(off < 1e-5, "{off}");
    assert_eq!(bits(&pictured(&bench)), bits(&after));
    // Discarded it is gone from the picture.
    bench.act(ClipboardCommand::Paste);
    bench.settle();
    bench.key(NONE, Key::Escape);
    bench.settle();
    assert_eq!(bits(&pictured(&bench)), bits(&after));
}

#[test]
fn a_clip_of_another_rate_keeps_its_pitch_and_length() {
    let mut bench = bench(Drawing::None);
    bench.select(Some([0.45, 1.05]), Some([300.0, 800.0]));
    bench.key(CTRL, Key::C);
    show(&mut bench, Snapshot::new(Source::silence(44_100, 22_050, 2).unwrap()));
    bench.key(BOTH, Key::V);
    bench.key(CTRL, Key::Enter);
    for channel in 0..2 {
        let after = bench.samples(channel);
        let found = level(&after, 22_050.0, [0.6, 0.9], 500.0);
        assert!((found - 0.4).abs() < 0.01, "channel {channel}: {found}");
        assert!(level(&after, 22_050.0, [1.2, 1.5], 500.0) < 0.01);
    }
}

fn viewport(bench: &Bench) -> sonobrush::view::Viewport {
    bench.studio().viewport().unwrap()
}

fn place(bench: &Bench, secs: f64, hz: f64) -> Pos2 {
    pos2(viewport(bench).x_from_secs(secs) as f32, viewport(bench).y_from_hz(hz) as f32)
}

fn drag(bench: &mut Bench, from: Pos2, to: Pos2) {
    let button = |pos, pressed| Event::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers: NONE };
    bench.harness.event(Event::PointerMoved(from));
    bench.harness.event(button(from, true));
    bench.harness.event(Event::PointerMoved(to));
    bench.harness.event(button(to, false));
    bench.settle();
    bench.harness.event(Event::PointerMoved(to + vec2(30.0, 30.0)));
    bench.settle();
}

#[test]
fn a_paste_is_dragged_to_another_time_and_pitch_and_put_down_by_a_click() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    let without = bench.harness.render().unwrap();
    bench.select(Some([0.45, 1.05]), Some([300.0, 800.0]));
    bench.key(CTRL, Key::C);
    bench.key(BOTH, Key::V);
    // On the log axis an octave up, and 0.6 s later: to within the pixel that the pointer stands on.
    let (from, to) = (place(&bench, 0.7, 500.0), place(&bench, 1.3, 1000.0));
    drag(&mut bench, from, to);
    let floating = document(&bench).floating().cloned().unwrap();
    let pixel = viewport(&bench);
    assert!((floating.offset[0] - 0.6).abs() <= pixel.secs_per_pixel(), "{:?}", floating.offset);
    assert!((floating.offset[1] - 1.0).abs() <= pixel.units_per_pixel(), "{:?}", floating.offset);
    assert_eq!(floating.axis, Axis::Log);
    let with = bench.harness.render().unwrap();
    let at = place(&bench, 1.05 + 0.6, 1100.0);
    let differs = (-4..=4).any(|dx| {
        let (x, y) = ((at.x as i32 + dx) as u32, at.y as u32);
        without.get_pixel(x, y) != with.get_pixel(x, y)
    });
    assert!(differs, "its outline is drawn where it goes");
    let beside = place(&bench, 0.2, 7000.0);
    drag(&mut bench, beside, beside);
    assert!(document(&bench).floating().is_none());
    let after = bench.samples(0);
    let heard = strongest_tone(&after[(1.25 * RATE) as usize..(1.5 * RATE) as usize], RATE, 700.0, 1500.0);
    // A lobe drawn out to twice its width loses some of its level: its bins turn at their own speeds.
    let wanted = 500.0 * floating.offset[1].exp2();
    assert!((heard.hz - wanted).abs() < 3.0 && heard.level > 0.2, "{heard:?}");
    let selection = document(&bench).selection().cloned().unwrap();
    assert_eq!(mask::sample(&selection, &[1.3], &[1000.0]), [1.0]);
}

#[test]
fn an_empty_canvas_is_made_painted_and_exported() {
    let mut bench = Bench::new(Drawing::None);
    bench.key(CTRL, Key::N);
    assert!(bench.has("Length of the canvas") && bench.has("Number of channels"));
    bench.key(NONE, Key::Enter);
    let snapshot = document(&bench).history().current().clone();
    assert_eq!((snapshot.n_samples(), snapshot.sample_rate_hz(), snapshot.n_channels()), (480_000, 48_000.0, 2));
    assert!(samples(&snapshot, 1).iter().all(|&sample| sample == 0.0));
    assert!(!document(&bench).has_unsaved_edits());

    // Another one is another document.
    bench.key(CTRL, Key::M);
    bench.key(NONE, Key::Enter);
    assert_eq!(document(&bench).duration_secs(), 11.0, "one second was added");
    assert_eq!(document(&bench).view().secs, [0.0, 11.0], "the whole is still shown");
    bench.key(CTRL, Key::N);
    bench.key(NONE, Key::Enter);
    assert_eq!(document(&bench).duration_secs(), 10.0);
    bench.key(CTRL, Key::W);
    assert_eq!(document(&bench).duration_secs(), 11.0);

    let out = bench.out("new.wav");
    bench.dialogs.answer(Picked::File(out.clone()));
    bench.key(CTRL, Key::E);
    bench.click("Save as\u{2026}");
    assert_eq!(hound::WavReader::open(&out).unwrap().duration(), 11 * 48_000);
    bench.key(CTRL, Key::Z);
    assert_eq!(document(&bench).duration_secs(), 10.0);
    bench.key(BOTH, Key::Z);
    assert_eq!(document(&bench).duration_secs(), 11.0);
}

#[test]
fn what_goes_past_the_end_is_offered_room() {
    let mut bench = bench(Drawing::None);
    bench.select(Some([0.45, 1.05]), Some([300.0, 800.0]));
    bench.key(CTRL, Key::C);
    bench.put_cursor(1.7);
    bench.key(CTRL, Key::V);
    bench.key(CTRL, Key::Enter);
    assert_eq!(bench.samples(0).len(), 32_000, "nothing grows unasked");
    let reported: Vec<String> = bench.notices().into_iter().map(|(_, what)| what).collect();
    assert!(reported.iter().any(|what| what.ends_with("after the canvas does.")), "{reported:?}");
    bench.click("Add silence at the end\u{2026}");
    let after = bench.samples(0);
    assert!(after.len() > (2.3 * RATE) as usize && after.len() < (2.5 * RATE) as usize, "{}", after.len());
    assert!((level(&after, RATE, [1.85, 2.2], 500.0) - 0.4).abs() < 0.01, "across the old end, in one piece");
    assert!(level(&after, RATE, [2.05, 2.2], 3000.0) < 0.01, "behind it is silence");
    let kinds: Vec<&str> = document(&bench)
        .history()
        .entries()
        .iter()
        .filter_map(|entry| Some(entry.edit.as_ref()?.brush.kind()))
        .collect();
    assert_eq!(kinds, ["lengthen", "paste"], "the part was done again, whole");
    bench.key(CTRL, Key::Z);
    bench.key(CTRL, Key::Z);
    assert_eq!(bits(&bench.samples(0)), bits(&samples(&sound(RATE), 0)));
}

#[test]
fn a_tone_drawn_past_the_end_is_offered_room_and_the_picture_grows() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    bench.pick(Tool::TONE);
    bench.set_tools(|tools| set_number(tools, Tool::TONE, "level_db", -12.0));
    let (from, to) = (place(&bench, 1.6, 1200.0), place(&bench, 2.3, 1200.0));
    drag(&mut bench, from, to);
    bench.harness.event(Event::PointerMoved(place(&bench, 1.0, 300.0)));
    bench.settle();
    bench.click("Add silence at the end\u{2026}");
    let after = bench.samples(0);
    assert!(level(&after, RATE, [2.02, 2.2], 1200.0) > 0.2, "drawn behind the old end");
    assert_eq!(document(&bench).view().secs, [0.0, document(&bench).duration_secs()]);
    // Bright where the tone is, dark below it: the picture shows the new part.
    let picture = bench.harness.render().unwrap();
    let light = |secs: f64, hz: f64| {
        let at = place(&bench, secs, hz);
        picture.get_pixel(at.x as u32, at.y as u32).0[..3].iter().map(|&byte| u32::from(byte)).sum::<u32>()
    };
    assert!(light(2.15, 1200.0) > light(2.15, 5000.0) + 100, "{} {}", light(2.15, 1200.0), light(2.15, 5000.0));
    bench.key(CTRL, Key::Z);
    bench.key(CTRL, Key::Z);
    assert_eq!(bench.samples(0).len(), 32_000);
}

#[test]
fn commands_of_the_clipboard_say_when_they_cannot() {
    let bench = bench(Drawing::None);
    let facts = bench.studio().facts();
    for command in [
        ClipboardCommand::Copy,
        ClipboardCommand::Cut,
        ClipboardCommand::Paste,
        ClipboardCommand::PasteInPlace,
        ClipboardCommand::LandPaste,
    ] {
        assert!(command.row().enabled(&facts).is_err(), "{command:?}");
    }
    assert!(FileCommand::New.row().enabled(&facts).is_ok() && EditCommand::Lengthen.row().enabled(&facts).is_ok());
    let harmonics = Selection::rectangle(None, Some([100.0, 200.0]), [0.0; 2], Axis::Linear).moved(0.5, Axis::Log, 1.0);
    let [None, Some([low, high])] = harmonics.extent() else { panic!("{harmonics:?}") };
    assert!((low - 200.0).abs() < 1e-9 && (high - 400.0).abs() < 1e-9);
}
