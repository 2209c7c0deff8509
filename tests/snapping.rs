//! Snapping and finding the like, in the window; each followed by a look at selection, cursor or pixels.

use crate::support::studio::{Bench, CTRL, Drawing, NONE, has_gpu};
use egui::{Event, Key, Modifiers, PointerButton, Pos2, pos2, vec2};
use sonobrush::document::Snapshot;
use sonobrush::document::brushes::Brush;
use sonobrush::dsp::Axis;
use sonobrush::media::Source;
use sonobrush::workbench::commands::SelectCommand;
use sonobrush::workbench::{OpenDocument, Tool};
use std::f64::consts::TAU;

const RATE: f64 = 16_000.0;
/// Where the notes of [`sound`] begin: two of one kind, one of another between them.
const NOTES: [(f64, f64); 4] = [(0.5, 700.0), (1.4, 1100.0), (2.2, 700.0), (3.1, 700.0)];

/// Notes of 0.3 s with a harmonic, 2 kHz faintly all along.
fn sound() -> Snapshot {
    let at = |k: usize| {
        let t = k as f64 / RATE;
        let notes = NOTES.iter().filter(|(start, _)| (*start..start + 0.3).contains(&t)).map(|(start, hz)| {
            let since = t - start;
            (-6.0 * since).exp() * (0.4 * (TAU * hz * since).sin() + 0.2 * (TAU * 2.0 * hz * since).sin())
        });
        (notes.sum::<f64>() + 0.02 * (TAU * 3500.0 * t).sin()) as f32
    };
    let channel: Vec<f32> = (0..4 * RATE as usize).map(at).collect();
    Snapshot::new(Source::from_channels(vec![channel], RATE as u32).unwrap())
}

fn bench(drawing: Drawing) -> Bench {
    let mut bench = Bench::with_clip(drawing, "crow_44k_mono.flac");
    bench.show(sound());
    bench
}

fn document(bench: &Bench) -> &OpenDocument {
    bench.studio().document().unwrap()
}

fn place(bench: &Bench, secs: f64, hz: f64) -> Pos2 {
    let viewport = bench.studio().viewport().unwrap();
    pos2(viewport.x_from_secs(secs) as f32, viewport.y_from_hz(hz) as f32)
}

fn drag(bench: &mut Bench, from: Pos2, to: Pos2) {
    let button = |pos, pressed| Event::PointerButton {
        pos,
        button: PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    };
    bench.harness.event(Event::PointerMoved(from));
    bench.harness.event(button(from, true));
    bench.harness.event(Event::PointerMoved(to));
    bench.harness.event(button(to, false));
    bench.settle();
    bench.harness.event(Event::PointerMoved(to + vec2(40.0, 40.0)));
    bench.settle();
}

/// A few points beside a place.
fn near(bench: &Bench, secs: f64, hz: f64) -> Pos2 {
    place(bench, secs, hz) + vec2(3.0, 4.0)
}

#[test]
fn a_box_snaps_to_onsets_and_peaks_and_only_while_it_is_on() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    bench.pick(Tool::SelectBox);
    let extent = |bench: &Bench| {
        let [Some(secs), Some(hz)] = document(bench).selection().unwrap().extent() else { panic!("a box") };
        (secs, hz)
    };
    let (from, to) = (near(&bench, 0.5, 700.0), near(&bench, 2.2, 3500.0));
    drag(&mut bench, from, to);
    let (secs, hz) = extent(&bench);
    let viewport = bench.studio().viewport().unwrap();
    let under = [from, to].map(|at| viewport.secs_from_x(f64::from(at.x)));
    assert!((secs[0] - under[0]).abs() < 1e-6 && (secs[1] - under[1]).abs() < 1e-6, "off: what the pointer says");
    assert!((hz[0] - 700.0).abs() > 5.0);

    bench.key(NONE, Key::N);
    assert!(bench.tools().is_snapping());
    // At its corners the box from before would be taken hold of.
    bench.act(SelectCommand::Nothing);
    drag(&mut bench, from, to);
    let (secs, hz) = extent(&bench);
    // Onsets to a millisecond; the band starts on the peak, interpolated, at the time of the press.
    assert!((secs[0] - 0.5).abs() < 0.001 && (secs[1] - 2.2).abs() < 0.001, "{secs:?}");
    assert!((hz[0] - 700.0).abs() < 4.0 && (hz[1] - 3500.0).abs() < 0.5, "{hz:?}");

    // The cursor, too; where nothing is near it stays under the pointer.
    let click = near(&bench, 3.1, 300.0);
    drag(&mut bench, click, click);
    assert!((document(&bench).cursor_secs() - 3.1).abs() < 0.001, "{}", document(&bench).cursor_secs());
    let nowhere = place(&bench, 1.0, 300.0);
    drag(&mut bench, nowhere, nowhere);
    let under = bench.studio().viewport().unwrap().secs_from_x(f64::from(nowhere.x));
    assert!((document(&bench).cursor_secs() - under).abs() < 1e-6);
    bench.key(NONE, Key::N);
    assert!(!bench.tools().is_snapping());
}

#[test]
fn a_steady_tone_is_caught_to_a_hundredth_of_a_bin_and_the_catch_is_drawn() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    bench.pick(Tool::SelectBand);
    bench.key(NONE, Key::N);
    let (from, to) = (place(&bench, 1.1, 900.0), near(&bench, 1.2, 3500.0));
    drag(&mut bench, from, to);
    let [None, Some([_, high])] = document(&bench).selection().unwrap().extent() else { panic!("a band") };
    let bin_hz = RATE / document(&bench).view().transform.as_stft().unwrap().n_fft as f64;
    assert!((high - 3500.0).abs() < 0.05 * bin_hz, "{high}");
    bench.key(CTRL, Key::D);
    let at = near(&bench, 1.2, 3500.0);
    let far = place(&bench, 1.2, 5000.0);
    let mut picture = |at: Pos2| {
        bench.harness.event(Event::PointerMoved(at));
        bench.settle();
        bench.harness.render().unwrap()
    };
    let (caught, free) = (picture(at), picture(far));
    let y = place(&bench, 1.2, 3500.0).y as u32;
    let n = (0..400).filter(|dx| caught.get_pixel(100 + dx, y) != free.get_pixel(100 + dx, y)).count();
    assert!(n > 100, "a line along the peak: {n} pixels of 400");
}

#[test]
fn the_key_held_inverts_for_as_long_as_it_is_held() {
    let mut bench = bench(Drawing::None);
    let event = |pressed: bool| Event::Key {
        key: Key::N,
        physical_key: None,
        pressed,
        repeat: false,
        modifiers: Modifiers::NONE,
    };
    let is_on = |bench: &mut Bench| bench.tools().is_snapping();
    bench.harness.event(event(true));
    bench.harness.step();
    assert!(is_on(&mut bench));
    (0..8).for_each(|_| bench.harness.step());
    assert!(is_on(&mut bench), "as long as it is held");
    bench.harness.event(event(false));
    bench.settle();
    assert!(!is_on(&mut bench), "and then as before");
    // A frame that takes long holds up the release of a key that was only tapped.
    bench.harness.event(event(true));
    bench.harness.step();
    let now_secs = bench.harness.ctx.input(|input| input.time);
    bench.harness.input_mut().time = Some(now_secs + 0.9);
    bench.harness.event(event(false));
    bench.harness.step();
    bench.harness.input_mut().time = None;
    bench.settle();
    assert!(is_on(&mut bench), "a tap in a slow window stays");
    bench.key(NONE, Key::N);
    assert!(!is_on(&mut bench));
    bench.key(NONE, Key::N);
    assert!(is_on(&mut bench), "a short press stays");
}

#[test]
fn lines_stand_at_the_notes_while_tones_and_voices_snap_to_them() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    bench.show(Snapshot::new(Source::from_channels(vec![vec![0.0; 64_000]], RATE as u32).unwrap()));
    bench.set_view(|view| (view.axis, view.hz) = (Axis::Log, [200.0, 800.0]));
    bench.settle();
    let notes = 57..=77;
    let n_lines = |bench: &mut Bench| {
        let picture = bench.harness.render().unwrap();
        let x = bench.studio().picture_rect().unwrap().left() as u32 + 60;
        let light = |y: f32| picture.get_pixel(x, y as u32).0[..3].iter().map(|byte| u32::from(*byte)).sum::<u32>();
        let y = |midi: f64| place(bench, 1.0, 440.0 * ((midi - 69.0) / 12.0).exp2()).y;
        let stands = |midi: &i32| {
            let (at, beside) = (y(f64::from(*midi)), y(f64::from(*midi) + 0.5));
            let lightest = [-1.0, 0.0, 1.0].into_iter().map(|by| light(at + by)).max();
            lightest > Some(light(beside) + 20)
        };
        notes.clone().filter(stands).count()
    };
    bench.pick(Tool::TONE);
    bench.settle();
    assert_eq!(n_lines(&mut bench), 0, "nothing snaps yet");
    bench.key(NONE, Key::N);
    // C4 and C5.
    assert_eq!(n_lines(&mut bench), 2);
    bench.key(Modifiers::SHIFT, Key::M);
    assert!(matches!(bench.tools().brush(), Some(Brush::Voices(_))));
    assert_eq!(n_lines(&mut bench), 2);
    let a = place(&bench, 3.0, 440.0);
    bench.harness.event(Event::PointerMoved(a));
    bench.settle();
    assert!((4..12).contains(&n_lines(&mut bench)), "and those beside the pointer");
    bench.harness.event(Event::PointerGone);
    for tool in [Tool::GAIN, Tool::SelectBox, Tool::Hand] {
        bench.pick(tool);
        bench.settle();
        assert_eq!(n_lines(&mut bench), 0, "{tool:?} knows no notes");
    }
    bench.pick(Tool::TONE);
    bench.key(NONE, Key::N);
    assert_eq!(n_lines(&mut bench), 0);
}

#[test]
fn the_like_is_found_before_and_after() {
    let mut bench = bench(Drawing::None);
    bench.select(Some([0.45, 0.8]), Some([500.0, 1700.0]));
    let start = |bench: &Bench| document(bench).selection().unwrap().extent()[0].unwrap()[0];
    let hop_secs = document(&bench).view().transform.as_stft().unwrap().hop as f64 / RATE;
    bench.key(CTRL, Key::F);
    assert!((start(&bench) - 2.15).abs() <= hop_secs, "past the other note: {}", start(&bench));
    let last = |bench: &Bench| bench.notices().last().unwrap().1.clone();
    assert!(last(&bench).starts_with("2 of 3, ") && last(&bench).ends_with(" % similar."), "{}", last(&bench));
    assert_eq!(document(&bench).selection().unwrap().extent()[1], Some([500.0, 1700.0]));
    bench.key(CTRL, Key::F);
    assert!((start(&bench) - 3.05).abs() <= hop_secs, "{}", start(&bench));
    bench.key(CTRL, Key::F);
    assert!((start(&bench) - 3.05).abs() <= hop_secs, "there is no other");
    assert!(last(&bench).contains("No similar sound"), "{}", last(&bench));
    bench.key(CTRL, Key::B);
    bench.key(CTRL, Key::B);
    assert!((start(&bench) - 0.45).abs() <= hop_secs, "back at the first: {}", start(&bench));
    assert!(last(&bench).starts_with("1 of 3, "), "{}", last(&bench));
    let counts = bench.notices().iter().filter(|(_, what)| what.ends_with(" % similar.")).count();
    assert_eq!(counts, 1, "each takes the place of the one before: {:?}", bench.notices());
    // A selection without a pattern gives a notice, and nothing moves.
    bench.select(Some([1.0, 1.2]), Some([5500.0, 6000.0]));
    bench.key(CTRL, Key::F);
    assert_eq!(start(&bench), 1.0);
    assert!(bench.notices().iter().any(|(_, what)| what.contains("is silent")));
}
