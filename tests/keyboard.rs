//! The canvas without a mouse: a cursor that moves, selects and paints, ranges that are typed; each act followed by a
//! look at the document, the mask or the sound.

use crate::support::measure::strongest_tone;
use crate::support::studio::{Bench, CTRL, Drawing, NONE, SHIFT, bits, has_gpu, samples};
use egui::{Key, Modifiers};
use egui_kittest::kittest::{NodeT, Queryable};
use sonobrush::document::Snapshot;
use sonobrush::document::brushes::{Brush, CloneSource, Erase};
use sonobrush::dsp::{Axis, Shape};
use sonobrush::media::Source;
use sonobrush::view::grid_of;
use sonobrush::workbench::commands::{CursorCommand, SelectCommand, Way};
use sonobrush::workbench::{DocumentAct, OpenDocument, Radius, Tool};
use std::f64::consts::TAU;

const RATE: f64 = 16_000.0;
const BOTH: Modifiers = Modifiers { ctrl: true, shift: true, command: true, ..Modifiers::NONE };

fn sound() -> Snapshot {
    let at = |k: usize| {
        let t = k as f64 / RATE;
        (0.3 * (TAU * 500.0 * t).sin() + 0.25 * (TAU * 3000.0 * t).sin()) as f32
    };
    let channel: Vec<f32> = (0..2 * RATE as usize).map(at).collect();
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

fn place_cursor(bench: &mut Bench, secs: f64, hz: f64) {
    bench.act(DocumentAct::KeyCursor([secs, hz]));
    bench.settle();
}

fn tool(bench: &mut Bench, tool: Tool) {
    bench.pick(tool);
    bench.set_tools(|tools| tools.radius = Radius::Locked { secs: 0.05, octaves: 0.3 });
}

/// Where the cursor stands, as a screen reader says it.
fn reported(bench: &Bench) -> String {
    bench.harness.get_by_label("Canvas").accesskit_node().value().unwrap_or_default()
}

#[test]
fn arrows_move_a_cursor_that_is_told_and_drawn() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    let view = document(&bench).view().clone();
    bench.key(NONE, Key::ArrowRight);
    assert_eq!(document(&bench).cursor_secs(), 0.0, "elsewhere arrows scroll");
    place_cursor(&mut bench, 1.0, 500.0);
    let before = bench.harness.render().unwrap();
    bench.key(CTRL, Key::K);
    assert!(reported(&bench).starts_with("0:01.000, 500.0 Hz, B4"), "{}", reported(&bench));
    let lit = bench.harness.render().unwrap();
    let at = bench.studio().viewport().unwrap();
    let (x, y) = (at.x_from_secs(1.0).round() as u32, at.y_from_hz(500.0).round() as u32);
    let differs = |x: u32, y: u32| (y - 1..=y + 1).any(|y| before.get_pixel(x, y) != lit.get_pixel(x, y));
    assert!(differs(x - 80, y) && differs(x + 80, y), "lines across the place");

    let grid = grid_of(document(&bench).history().current(), &document(&bench).view().transform);
    bench.key(NONE, Key::ArrowRight);
    let step = document(&bench).cursor_secs() - 1.0;
    assert!((step - grid.secs_from_frame(1.0).max(at.secs_per_pixel())).abs() < 1e-9, "{step}");
    bench.key(CTRL, Key::ArrowLeft);
    assert!((document(&bench).cursor_secs() - (1.0 - 15.0 * step)).abs() < 1e-9);
    bench.key(NONE, Key::ArrowUp);
    assert!(
        (document(&bench).cursor_hz() - 500.0 - grid.hz_from_bin(1.0)).abs() < 1e-6,
        "{}",
        document(&bench).cursor_hz()
    );
    let from = at.y_from_hz(document(&bench).cursor_hz());
    bench.key(CTRL, Key::ArrowDown);
    let leapt = at.y_from_hz(document(&bench).cursor_hz()) - from;
    assert!((leapt - 16.0).abs() < 1e-3, "{leapt} points");
    assert_eq!(document(&bench).view().secs, view.secs, "the view stays where the cursor is in it");
    let words = reported(&bench);
    assert!(words.contains("dB"), "the level there is told: {words}");

    // Escape gives the keyboard back: arrows scroll again.
    let here = document(&bench).cursor_secs();
    bench.key(NONE, Key::Escape);
    bench.key(NONE, Key::ArrowRight);
    assert_eq!(document(&bench).cursor_secs(), here);
}

#[test]
fn a_leap_up_is_as_far_on_the_screen_wherever_it_begins() {
    use Way::{Higher, Lower};
    let mut bench = bench(Drawing::None);
    let bin_hz = grid_of(document(&bench).history().current(), &document(&bench).view().transform).hz_from_bin(1.0);
    let leap = |bench: &mut Bench, hz: f64, way: Way| {
        place_cursor(bench, 1.0, hz);
        let ctx = bench.harness.ctx.clone();
        bench.harness.state_mut().apply(&ctx, CursorCommand::Leap(way));
        bench.settle();
        document(bench).cursor_hz()
    };
    for (axis, lowest_hz) in [(Axis::Log, 20.0), (Axis::Mel, 0.0), (Axis::Bark, 0.0)] {
        bench.set_view(|view| (view.axis, view.hz) = (axis, [lowest_hz, 8_000.0]));
        bench.settle();
        let units = |hz: f64| axis.units_from_hz(hz);
        let points = f64::from(bench.studio().canvas_rect().height());
        let sixteen = 16.0 * (units(8_000.0) - units(lowest_hz)) / points;
        for hz in [400.0, 1_000.0, 3_000.0] {
            let up = leap(&mut bench, hz, Higher);
            assert!((units(up) - units(hz) - sixteen).abs() < 1e-9, "{axis:?}: {hz} to {up} Hz");
            let back = leap(&mut bench, up, Lower);
            assert!((back - hz).abs() < 1e-6, "{axis:?}: {up} to {back} Hz");
        }
        // By an octave at most, and by a bin at least.
        let up = leap(&mut bench, 50.0, Higher);
        assert!((50.0 + 0.999 * bin_hz..100.0).contains(&up) || axis != Axis::Log, "{up} Hz");
    }
    bench.set_view(|view| (view.axis, view.hz) = (Axis::Log, [20.0, 8_000.0]));
    let up = leap(&mut bench, 20.0, Higher);
    assert!((up - 20.0 - bin_hz).abs() < 1e-6, "{up} Hz");
    // Where a bin is many points high, sixteen are sixteen.
    bench.set_view(|view| view.hz = [1_000.0, 1_100.0]);
    let up = leap(&mut bench, 1_000.0, Higher);
    assert!((up - 1_000.0) / bin_hz > 14.0, "{up} Hz");
}

#[test]
fn shift_and_arrows_select_and_every_command_can_be_picked() {
    let mut bench = bench(Drawing::None);
    tool(&mut bench, Tool::SelectBox);
    place_cursor(&mut bench, 1.0, 1000.0);
    let act = |bench: &mut Bench, act: CursorCommand| {
        let ctx = bench.harness.ctx.clone();
        bench.harness.state_mut().apply(&ctx, act);
        bench.settle();
    };
    use Way::{Earlier, Higher, Later};
    act(&mut bench, CursorCommand::ExtendFar(Later));
    act(&mut bench, CursorCommand::ExtendFar(Higher));
    let selection = document(&bench).selection().cloned().unwrap();
    let [Some([start, end]), Some([low, high])] = selection.extent() else { panic!("{selection:?}") };
    let (secs, hz) = (document(&bench).cursor_secs(), document(&bench).cursor_hz());
    assert_eq!([start, end, low, high], [1.0, secs, 1000.0, hz]);
    assert!(secs > 1.1 && hz > 1100.0);
    let grid = grid_of(document(&bench).history().current(), &document(&bench).view().transform);
    let Shape::Rectangle { feather, .. } = &selection.shapes[0].1 else { panic!("a box") };
    assert_eq!(*feather, [grid.secs_from_frame(1.0), grid.hz_from_bin(2.0)], "soft as any new selection");
    // From the anchor to the other side of it.
    for _ in 0..3 {
        act(&mut bench, CursorCommand::ExtendFar(Earlier));
    }
    let [Some([start, end]), _] = document(&bench).selection().unwrap().extent() else { panic!() };
    assert!(start < 1.0 && end == 1.0, "{start} {end}");
    // A step without Shift leaves it, and the next Shift starts a new selection.
    act(&mut bench, CursorCommand::Step(Later));
    let from = document(&bench).cursor_secs();
    bench.act(SelectCommand::Nothing);
    bench.pick(Tool::SelectTime);
    act(&mut bench, CursorCommand::Extend(Later));
    let extent = document(&bench).selection().unwrap().extent();
    assert_eq!(extent, [Some([from, document(&bench).cursor_secs()]), None]);
}

#[test]
fn enter_paints_a_dab_and_the_pen_a_line() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    tool(&mut bench, Tool::ERASE);
    place_cursor(&mut bench, 1.0, 3000.0);
    let before = bench.samples(0);
    bench.key(CTRL, Key::K);
    bench.key(NONE, Key::Enter);
    let edit = document(&bench).history().entries().last().unwrap().edit.clone().expect("a dab");
    let points = edit.stroke.clone().unwrap().points;
    assert_eq!((edit.brush, points.len()), (Brush::Erase(Erase), 1));
    assert!((points[0].secs - 1.0).abs() < 1e-3 && (points[0].hz - 3000.0).abs() < 3.0, "{points:?}");
    assert_ne!(bits(&bench.samples(0)), bits(&before));
    bench.key(CTRL, Key::Z);
    assert_eq!(bits(&bench.samples(0)), bits(&before));

    // A line: pen down, leaps, pen up. Nothing is in the history before.
    tool(&mut bench, Tool::TONE);
    place_cursor(&mut bench, 0.8, 1000.0);
    bench.key(SHIFT, Key::Enter);
    for _ in 0..3 {
        bench.key(CTRL, Key::ArrowRight);
    }
    assert_eq!(document(&bench).history().position(), 0);
    let end = document(&bench).cursor_secs();
    bench.key(SHIFT, Key::Enter);
    let edit = document(&bench).history().entries().last().unwrap().edit.clone().expect("a line");
    let points = edit.stroke.unwrap().points;
    assert!((points[0].secs - 0.8).abs() < 1e-3 && (points.last().unwrap().secs - end).abs() < 1e-3);
    let heard = bench.samples(0);
    let middle = &heard[(0.85 * RATE) as usize..((end - 0.05) * RATE) as usize];
    let tone = strongest_tone(middle, RATE, 900.0, 1100.0);
    assert!((tone.hz - 1000.0).abs() < 5.0 && tone.level > 0.04, "{tone:?}");

    // Escape drops a line that is not finished, and keeps the keyboard.
    let position = document(&bench).history().position();
    bench.key(SHIFT, Key::Enter);
    bench.key(NONE, Key::ArrowRight);
    bench.key(NONE, Key::Escape);
    bench.key(NONE, Key::ArrowRight);
    assert_eq!(document(&bench).history().position(), position);
    assert!(bench.studio().facts().has_document && reported(&bench).contains("Hz"));
    // A mouse that draws after it is followed.
    let rect = bench.studio().canvas_rect();
    let way = (0..12).map(|i| rect.center() + egui::vec2(10.0 * i as f32, if i % 2 == 0 { 0.0 } else { 25.0 }));
    bench.drag(&way.collect::<Vec<_>>());
    let edit = document(&bench).history().entries().last().unwrap().edit.clone().expect("a line");
    assert!(edit.stroke.unwrap().points.len() >= 10);
}

#[test]
fn tools_that_select_are_used_at_the_cursor() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    bench.key(CTRL, Key::K);
    let selected = |bench: &Bench, secs: f64, hz: f64| {
        let selection = document(bench).selection().cloned();
        selection.map_or(0.0, |selection| sonobrush::dsp::selections::mask::sample(&selection, &[secs], &[hz])[0])
    };
    // A corner, and the one across.
    tool(&mut bench, Tool::SelectBox);
    place_cursor(&mut bench, 0.5, 400.0);
    bench.key(NONE, Key::Enter);
    place_cursor(&mut bench, 0.9, 800.0);
    bench.key(NONE, Key::ArrowRight);
    bench.key(NONE, Key::Enter);
    assert_eq!([selected(&bench, 0.7, 600.0), selected(&bench, 1.2, 600.0)], [1.0, 0.0]);
    // The wand takes the tone that the cursor is on; Ctrl would subtract.
    tool(&mut bench, Tool::Wand);
    place_cursor(&mut bench, 1.0, 3000.0);
    bench.key(NONE, Key::Enter);
    assert_eq!([selected(&bench, 1.5, 3000.0), selected(&bench, 1.0, 1500.0)], [1.0, 0.0]);
    // A polygon: corners, and twice at the last.
    tool(&mut bench, Tool::Lasso);
    for (secs, hz) in [(0.4, 300.0), (1.2, 300.0), (0.8, 4000.0)] {
        place_cursor(&mut bench, secs, hz);
        bench.key(NONE, Key::Enter);
    }
    bench.key(NONE, Key::Enter);
    assert_eq!([selected(&bench, 0.8, 800.0), selected(&bench, 0.45, 3000.0)], [1.0, 0.0]);
    // The clone's source, and a dab from there.
    bench.key(CTRL, Key::D);
    tool(&mut bench, Tool::CLONE);
    place_cursor(&mut bench, 0.6, 500.0);
    bench.key(CTRL, Key::Enter);
    place_cursor(&mut bench, 1.4, 1500.0);
    bench.key(NONE, Key::Enter);
    let edit = document(&bench).history().entries().last().unwrap().edit.clone().expect("a dab of clone");
    let Brush::Clone(CloneSource { offset }) = edit.brush else { panic!("{edit:?}") };
    assert!((offset[0] + 0.8).abs() < 1e-3 && (offset[1] - (500.0f64 / 1500.0).log2()).abs() < 1e-2, "{offset:?}");
}

#[test]
fn what_floats_is_moved_by_arrows_and_put_down_by_enter() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    bench.select(Some([0.3, 0.6]), Some([400.0, 700.0]));
    bench.key(CTRL, Key::C);
    bench.key(BOTH, Key::V);
    let hop_secs =
        grid_of(document(&bench).history().current(), &document(&bench).view().transform).secs_from_frame(1.0);
    bench.key(NONE, Key::ArrowRight);
    bench.key(CTRL, Key::ArrowRight);
    bench.key(NONE, Key::ArrowUp);
    let offset = document(&bench).floating().unwrap().offset;
    assert!((offset[0] - 17.0 * hop_secs).abs() < 1e-4 && (offset[1] - 1.0 / 12.0).abs() < 1e-9, "{offset:?}");
    bench.key(NONE, Key::Enter);
    assert!(document(&bench).floating().is_none());
    assert_eq!(document(&bench).history().entries().last().unwrap().edit.as_ref().unwrap().brush.kind(), "paste");
}

#[test]
fn ranges_are_typed_in_seconds_hertz_and_notes() {
    let mut bench = bench(Drawing::None);
    bench.enter("End of the selection", "0:01.5");
    bench.enter("Start of the selection", "500 ms");
    let extent = |bench: &Bench| document(bench).selection().unwrap().extent();
    assert_eq!(extent(&bench), [Some([0.5, 1.5]), None]);
    let Shape::Rectangle { feather, axis: Axis::Linear, .. } = &document(&bench).selection().unwrap().shapes[0].1
    else {
        panic!("a rectangle")
    };
    assert!(feather[0] > 0.0 && feather[1] > 0.0, "soft as what the pointer selects: {feather:?}");
    bench.enter("Highest frequency of the selection", "2k");
    bench.enter("Lowest frequency of the selection", "A4");
    assert_eq!(extent(&bench), [Some([0.5, 1.5]), Some([440.0, 2000.0])]);
    bench.enter("Length of the selection", "0.25");
    assert_eq!(extent(&bench)[0], Some([0.5, 0.75]));
    bench.enter("Lowest frequency of the selection", "nonsense");
    assert_eq!(extent(&bench)[1], Some([440.0, 2000.0]), "what cannot be read changes nothing");
    bench.key(NONE, Key::Delete);
    let after = samples(document(&bench).history().current(), 0);
    let level = |from: f64, to: f64| {
        strongest_tone(&after[(from * RATE) as usize..(to * RATE) as usize], RATE, 450.0, 550.0).level
    };
    assert!(level(0.55, 0.7) < 0.02 && level(0.9, 1.4) > 0.29);
}
