//! Selections are taken: by their edges and corners, which resize them, and afloat, which moves their sound.

use crate::support::load::Load;
use crate::support::measure::rms;
use crate::support::studio::{Bench, CTRL, Drawing, NONE, bits, has_gpu};
use egui::{CursorIcon, Event, Key, PointerButton, Pos2, Vec2, pos2, vec2};
use sonobrush::dsp::{Axis, Combine, Selection, Shape};
use sonobrush::workbench::commands::{ClipboardCommand, SelectCommand};
use sonobrush::workbench::{DocumentAct, OpenDocument, Tool, describe};
use std::time::{Duration, Instant};

const RATE_HZ: f64 = 48_000.0;

fn bench(drawing: Drawing) -> Bench {
    Bench::on_tones(drawing, &[1_000.0, 3_000.0])
}

fn document(bench: &Bench) -> &OpenDocument {
    bench.studio().document().unwrap()
}

fn extent(bench: &Bench) -> [Option<[f64; 2]>; 2] {
    document(bench).selection().expect("a selection").extent()
}

fn at(bench: &Bench, secs: f64, hz: f64) -> Pos2 {
    let viewport = bench.studio().viewport().unwrap();
    pos2(viewport.x_from_secs(secs) as f32, viewport.y_from_hz(hz) as f32)
}

const SECS: [f64; 2] = [0.5, 1.2];
const HZ: [f64; 2] = [1_500.0, 4_500.0];

/// Where an edge or a corner lies: -1, 0 and 1 are left, middle and right, and lower, middle and upper. Off the middle
/// of the top, where the grip is.
fn handle(bench: &Bench, [x, y]: [i8; 2]) -> Pos2 {
    let between = |[low, high]: [f64; 2], side: i8| match side {
        -1 => low,
        1 => high,
        _ => 0.7 * low + 0.3 * high,
    };
    at(bench, between(SECS, x), between(HZ, y))
}

#[test]
fn edges_and_corners_within_6_points_resize_a_box() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    let viewport = bench.studio().viewport().unwrap();
    let by = vec2(24.0, -18.0);
    for grip in [[-1, 0], [1, 0], [0, -1], [0, 1], [-1, -1], [-1, 1], [1, -1], [1, 1]] {
        for off in [0.0, 5.0, -5.0] {
            bench.select(Some(SECS), Some(HZ));
            let from = handle(&bench, grip) + off * Vec2::from(grip.map(f32::from));
            bench.drag(&[from, from + 0.5 * by, from + by]);
            let [Some(secs), Some(hz)] = extent(&bench) else { panic!("{:?}", extent(&bench)) };
            let moved = [f64::from(by.x) * viewport.secs_per_pixel(), -f64::from(by.y) * viewport.units_per_pixel()];
            for (k, (found, own)) in [(secs, SECS), (hz, HZ)].into_iter().enumerate() {
                for (i, side) in [-1, 1].into_iter().enumerate() {
                    let wanted = if grip[k] == side { own[i] + moved[k] } else { own[i] };
                    let is_right =
                        if grip[k] == side { (found[i] - wanted).abs() < 0.01 * moved[k] } else { found[i] == wanted };
                    assert!(is_right, "{grip:?}, {off} points off: {} instead of {wanted}", found[i]);
                }
            }
        }
    }
    // Farther away, and inside, a drag makes a new selection.
    for from in [handle(&bench, [1, 0]) + vec2(9.0, 0.0), at(&bench, 0.85, 3_000.0)] {
        bench.select(Some(SECS), Some(HZ));
        bench.drag(&[from, from + by]);
        let [Some([start, _]), _] = extent(&bench) else { panic!() };
        assert!((start - viewport.secs_from_x(f64::from(from.x))).abs() < 1e-3, "{start} s");
    }
}

#[test]
fn ranges_have_the_edges_that_they_have_and_other_shapes_none() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    let by = vec2(30.0, -20.0);
    bench.select(Some(SECS), None);
    let from = at(&bench, SECS[1], 2_000.0);
    bench.drag(&[from, from + by]);
    let [Some([start, end]), None] = extent(&bench) else { panic!("{:?}", extent(&bench)) };
    assert!(start == SECS[0] && end > SECS[1]);
    bench.select(None, Some(HZ));
    let from = at(&bench, 0.3, HZ[0]);
    bench.drag(&[from, from + by]);
    let [None, Some([low, high])] = extent(&bench) else { panic!("{:?}", extent(&bench)) };
    assert!(low > HZ[0] && high == HZ[1]);
    // An edge that passes the other one becomes that; a click and Escape leave all as it was.
    bench.select(Some(SECS), Some(HZ));
    let (from, to) = (handle(&bench, [-1, 0]), at(&bench, 1.6, 3_000.0));
    bench.drag(&[from, to]);
    let [Some([start, end]), _] = extent(&bench) else { panic!() };
    assert!(start == SECS[1] && (end - 1.6).abs() < 0.01, "{start} to {end} s");
    bench.select(Some(SECS), Some(HZ));
    bench.drag(&[handle(&bench, [1, 1])]);
    assert_eq!(extent(&bench), [Some(SECS), Some(HZ)]);
    let button = |pos, pressed| Event::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers: NONE };
    bench.harness.event(button(from, true));
    bench.harness.event(Event::PointerMoved(to));
    bench.settle();
    bench.key(NONE, Key::Escape);
    bench.harness.event(button(to, false));
    bench.settle();
    assert_eq!(extent(&bench), [Some(SECS), Some(HZ)]);
    // Other shapes have only the grip: a drag at their edge makes a new selection.
    let points = vec![[SECS[0], HZ[0]], [SECS[1], HZ[0]], [SECS[1], HZ[1]], [SECS[0], HZ[1]]];
    bench.select_shape(Selection::of(Shape::Polygon { points, feather: [0.0; 2], axis: Axis::Linear }));
    bench.settle();
    let from = handle(&bench, [1, 0]);
    bench.drag(&[from, from + by]);
    let [Some([start, _]), _] = extent(&bench) else { panic!() };
    assert!((start - SECS[1]).abs() < 0.01, "{start} s");
}

#[test]
fn every_box_of_several_shapes_has_handles_where_its_edges_are_seen() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    let of_box = |secs: [f64; 2], hz: [f64; 2]| Shape::Rectangle {
        secs: Some(secs),
        hz: Some(hz),
        feather: [0.0; 2],
        axis: Axis::Linear,
    };
    let boxes = [([0.2, 0.5], [1_500.0, 3_000.0]), ([0.8, 1.2], [3_500.0, 5_000.0]), ([0.4, 0.7], [2_000.0, 2_500.0])];
    let mut all = Selection::of(of_box(boxes[0].0, boxes[0].1));
    all.shapes.extend(boxes[1..].iter().map(|(secs, hz)| (Combine::Add, of_box(*secs, *hz))));
    let ring = [[1.4, 5_000.0], [1.7, 5_000.0], [1.7, 6_500.0], [1.4, 6_500.0]].to_vec();
    all.shapes.push((Combine::Add, Shape::Polygon { points: ring, feather: [0.0; 2], axis: Axis::Linear }));
    let by = vec2(20.0, -12.0);
    let viewport = bench.studio().viewport().unwrap();
    let secs_by = f64::from(by.x) * viewport.secs_per_pixel();
    // The right edge of each box, and a corner; the others, and all else of the box, keep their bits.
    for (index, (secs, hz)) in boxes.into_iter().enumerate() {
        for corner in [false, true] {
            bench.select_shape(all.clone());
            bench.settle();
            let from = at(&bench, secs[1], if corner { hz[1] } else { 0.6 * hz[0] + 0.4 * hz[1] });
            // Within the first box the third one's left half is not seen, its right edge is; the first one's is at
            // 1,700 Hz.
            let from = if index == 0 && !corner { at(&bench, secs[1], 1_700.0) } else { from };
            bench.drag(&[from, from + 0.5 * by, from + by]);
            let found = document(&bench).selection().unwrap().clone();
            assert_eq!(found.shapes.len(), 4);
            for (other, shape) in found.shapes.iter().enumerate().filter(|(other, _)| *other != index) {
                assert_eq!(shape, &all.shapes[other], "box {index}");
            }
            let Shape::Rectangle { secs: Some(now), hz: Some(now_hz), .. } = found.shapes[index].1 else { panic!() };
            assert!(now[0] == secs[0] && (now[1] - secs[1] - secs_by).abs() < 0.01 * secs_by, "box {index}: {now:?}");
            assert!(now_hz[0] == hz[0] && if corner { now_hz[1] > hz[1] } else { now_hz[1] == hz[1] }, "{now_hz:?}");
        }
    }
    // An edge inside another shape is no edge of the selection: there a drag makes a new one.
    bench.select_shape(all);
    bench.settle();
    let from = at(&bench, boxes[2].0[0], 2_250.0);
    bench.drag(&[from, from + by]);
    assert_eq!(document(&bench).selection().unwrap().shapes.len(), 1);
}

#[test]
fn the_pointer_shows_what_it_would_take() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    bench.select(Some(SECS), Some(HZ));
    let icon = |bench: &mut Bench, place: Pos2| {
        bench.harness.event(Event::PointerMoved(place));
        bench.settle();
        bench.harness.output().platform_output.cursor_icon
    };
    for (grip, wanted) in [
        ([-1, 0], CursorIcon::ResizeHorizontal),
        ([0, 1], CursorIcon::ResizeVertical),
        ([-1, 1], CursorIcon::ResizeNwSe),
        ([1, -1], CursorIcon::ResizeNwSe),
        ([1, 1], CursorIcon::ResizeNeSw),
    ] {
        let place = handle(&bench, grip);
        assert_eq!(icon(&mut bench, place), wanted, "{grip:?}");
    }
    let inside = at(&bench, 0.85, 3_000.0);
    assert_eq!(icon(&mut bench, inside), CursorIcon::Crosshair);
    // Brushes paint over edges.
    bench.pick(Tool::ERASE);
    let edge = handle(&bench, [1, 0]);
    assert_eq!(icon(&mut bench, edge), CursorIcon::None);
    bench.drag(&[edge, edge + vec2(20.0, 0.0)]);
    assert_eq!((extent(&bench), document(&bench).history().position()), ([Some(SECS), Some(HZ)], 1));
}

/// The level at a tone in a range of time, in dB of that of a full sine.
fn level_db(samples: &[f32], [from, to]: [f64; 2], hz: f64) -> f64 {
    let part = &samples[(from * RATE_HZ) as usize..(to * RATE_HZ) as usize];
    let sum = part.iter().enumerate().fold([0.0; 2], |[re, im], (i, &value)| {
        let (sin, cos) = (std::f64::consts::TAU * hz * i as f64 / RATE_HZ).sin_cos();
        [re + f64::from(value) * cos, im + f64::from(value) * sin]
    });
    20.0 * (2.0 * sum[0].hypot(sum[1]) / part.len() as f64).log10()
}

#[test]
fn cut_to_float_moves_the_sound_in_one_step_or_not_at_all() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    let before = bench.samples(0);
    // The upper tone, from 0.4 to 0.8 s.
    let (from, to) = ([0.4, 0.8], [1.2, 1.6]);
    bench.select(Some(from), Some([2_000.0, 4_000.0]));
    bench.act(ClipboardCommand::CutToFloat);
    bench.settle();
    let floating = document(&bench).floating().expect("the sound floats");
    assert_eq!(floating.offset, [0.0; 2]);
    // Seen and heard without what was cut; in no history yet.
    let beneath = crate::support::studio::samples(document(&bench).beneath(), 0);
    assert!(level_db(&beneath, [0.5, 0.7], 3_000.0) < -60.0 && level_db(&beneath, [0.5, 0.7], 1_000.0) > -11.0);
    assert_eq!(document(&bench).history().position(), 0);
    bench.key(NONE, Key::Escape);
    assert!(document(&bench).floating().is_none());
    assert_eq!(bits(&bench.samples(0)), bits(&before));
    // From the menu; dragged by the hand, and placed in one step.
    let [from_at, to_at] = [0.6, 1.4].map(|secs| self::at(&bench, secs, 2_800.0));
    bench.right_click(from_at, NONE);
    bench.click("Cut to float");
    bench.drag(&[from_at, from_at.lerp(to_at, 0.5), to_at]);
    let dragged = document(&bench).floating().unwrap().offset;
    assert!((dragged[0] - 0.8).abs() < 0.02 && dragged[1] == 0.0, "{dragged:?}");
    // To the sample, as the places below are compared.
    bench.act(DocumentAct::Float([0.8, 0.0]));
    bench.key(NONE, Key::Enter);
    let after = bench.samples(0);
    assert_eq!(document(&bench).history().entries().len(), 2, "{:?}", bench.notices());
    assert!(level_db(&after, [0.5, 0.7], 3_000.0) < -60.0, "it is still there");
    // The tone is in phase with itself after a whole number of its periods.
    assert!((level_db(&after, [1.3, 1.5], 3_000.0) - level_db(&before, [1.3, 1.5], 3_000.0) - 6.02).abs() < 0.1);
    assert!((level_db(&after, [0.5, 0.7], 1_000.0) - level_db(&before, [0.5, 0.7], 1_000.0)).abs() < 0.01);
    let outside = [0.0, 0.3].map(|secs| (secs * RATE_HZ) as usize);
    assert_eq!(bits(&after[outside[0]..outside[1]]), bits(&before[outside[0]..outside[1]]));
    let [Some(secs), _] = extent(&bench) else { panic!() };
    assert!((secs[0] - to[0]).abs() < 1e-4 && (secs[1] - to[1]).abs() < 1e-4, "{secs:?}");
    let step = document(&bench).history().entries()[1].edit.clone().unwrap();
    assert_eq!(describe(&step), "Move to 0:01.200");
    bench.key(CTRL, Key::Z);
    assert_eq!(bits(&bench.samples(0)), bits(&before));
    let [Some(secs), _] = extent(&bench) else { panic!() };
    assert_eq!(secs, from);
    // Placed where it was, all is as before to a rounding.
    bench.act(ClipboardCommand::CutToFloat);
    bench.settle();
    bench.key(NONE, Key::Enter);
    let difference: Vec<f32> = bench.samples(0).iter().zip(&before).map(|(a, b)| a - b).collect();
    assert!(rms(&difference) < 1e-6, "{}", rms(&difference));
}

/// Frames as fast as they come, each with the events that are due by then.
fn play(bench: &mut Bench, events: &[(f64, Event)]) {
    let began = Instant::now();
    let mut n_given = 0;
    while n_given < events.len() {
        let now_secs = began.elapsed().as_secs_f64();
        while let Some((_, event)) = events.get(n_given).filter(|(secs, _)| *secs <= now_secs) {
            bench.harness.event(event.clone());
            n_given += 1;
        }
        bench.harness.step();
        bench.jobs.run_until_idle();
        std::thread::sleep(Duration::from_millis(1));
    }
    bench.settle();
}

/// Six of each, or a hundred in the long form.
fn n_of_each() -> usize {
    if std::env::var_os("SONOBRUSH_LONG_TESTS").is_some() { 100 } else { 6 }
}

#[test]
fn no_swift_drag_is_lost_on_a_busy_machine() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    let _load = Load::begin(4);
    for i in 0..n_of_each() {
        // None begins at an edge of the one before.
        let place = (i % 8) as f64;
        let secs = [0.2, 0.5].map(|secs| secs + 0.13 * place);
        let (from, to) = (at(&bench, secs[0], 1_000.0 + 150.0 * place), at(&bench, secs[1], 4_000.0));
        let button =
            |pos, pressed| Event::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers: NONE };
        let moves = (1..=10).map(|k| (0.02 * f64::from(k), Event::PointerMoved(from.lerp(to, k as f32 / 10.0))));
        let mut events = vec![(0.0, Event::PointerMoved(from)), (0.0, button(from, true))];
        events.extend(moves);
        events.push((0.2, button(to, false)));
        play(&mut bench, &events);
        let viewport = bench.studio().viewport().unwrap();
        let [Some(secs), Some(_)] = extent(&bench) else { panic!("drag {i}") };
        let wanted = [from, to].map(|at| viewport.secs_from_x(f64::from(at.x)));
        assert!(secs.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-3), "drag {i}: {secs:?} instead of {wanted:?}");
    }
}

#[test]
fn no_key_within_50_ms_of_another_is_lost_on_a_busy_machine() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    bench.put_cursor(0.5);
    bench.key(CTRL, Key::K);
    let steps = |bench: &Bench| document(bench).cursor_secs();
    let start = steps(&bench);
    bench.key(NONE, Key::ArrowRight);
    let step_secs = steps(&bench) - start;
    bench.put_cursor(0.5);
    bench.settle();
    let _load = Load::begin(4);
    let key =
        |pressed| Event::Key { key: Key::ArrowRight, physical_key: None, pressed, repeat: false, modifiers: NONE };
    let events: Vec<(f64, Event)> = (0..20)
        .flat_map(|i| {
            [true, false].map(|pressed| (0.05 * f64::from(i) + if pressed { 0.0 } else { 0.02 }, key(pressed)))
        })
        .collect();
    for _ in 0..n_of_each().div_ceil(20) {
        bench.put_cursor(0.5);
        bench.settle();
        play(&mut bench, &events);
        let n_steps = ((steps(&bench) - 0.5) / step_secs).round();
        assert_eq!(n_steps, 20.0);
    }
    // The same with commands of the window.
    bench.act(SelectCommand::All);
    bench.settle();
    let all = document(&bench).selection().unwrap().clone();
    bench.select(Some(SECS), Some(HZ));
    let letter = |key, modifiers| {
        [true, false].map(|pressed| Event::Key { key, physical_key: None, pressed, repeat: false, modifiers })
    };
    let orders = [(Key::D, CTRL), (Key::D, CTRL | egui::Modifiers::SHIFT), (Key::D, CTRL), (Key::A, CTRL)];
    let events: Vec<(f64, Event)> = orders
        .into_iter()
        .enumerate()
        .flat_map(|(i, (key, held))| letter(key, held).map(|event| (0.04 * i as f64, event)))
        .collect();
    play(&mut bench, &events);
    assert_eq!(document(&bench).selection(), Some(&all));
}
