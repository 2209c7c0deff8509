//! Selecting in the window, by key, label and gesture; each act is followed by a look at the mask or the sound.
#![allow(clippy::print_stdout, reason = "the figures of docs/quality.md are read off what the tests print")]

use crate::support::signals::Rng;
use crate::support::studio::{Bench, CTRL, Drawing, NONE, SHIFT, has_gpu};
use egui::{Event, Key, Modifiers, PointerButton, Pos2, pos2, vec2};
use sonobrush::document::Snapshot;
use sonobrush::dsp::selections::mask;
use sonobrush::dsp::{Axis, CellRect, Mask, Selection, Shape, Stft};
use sonobrush::media::Source;
use sonobrush::view::{Analysis, ChannelView, Viewport, grid_of};
use sonobrush::workbench::commands::{PreviewCommand, SelectCommand};
use sonobrush::workbench::{DocumentAct, HealMode, OpenDocument, Tool};
use std::f64::consts::TAU;
use std::sync::Arc;

const RATE: f64 = 16_000.0;

const BOTH: Modifiers = Modifiers { ctrl: true, shift: true, command: true, ..Modifiers::NONE };

/// A tone of 500 Hz with two harmonics, from 0.5 to 1.5 s of 2 s; 3 kHz all along.
fn sound() -> Snapshot {
    let at = |k: usize| {
        let t = k as f64 / RATE;
        let tone = |hz: f64, level: f64| level * (TAU * hz * t).sin();
        let low = if (0.5..1.5).contains(&t) { tone(500.0, 0.4) + tone(1000.0, 0.2) + tone(1500.0, 0.1) } else { 0.0 };
        (low + tone(3000.0, 0.25)) as f32
    };
    let channel: Vec<f32> = (0..2 * RATE as usize).map(at).collect();
    Snapshot::new(Source::from_channels(vec![channel], RATE as u32).unwrap())
}

pub fn bench(drawing: Drawing) -> Bench {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    if drawing == Drawing::Wgpu {
        bench = Bench::with_clip(drawing, "crow_44k_mono.flac");
    }
    bench.show(sound());
    bench
}

fn document(bench: &Bench) -> &OpenDocument {
    bench.studio().document().unwrap()
}

fn selection(bench: &Bench) -> Selection {
    document(bench).selection().cloned().expect("something is selected")
}

/// The selection's mask over the whole spectrogram.
fn mask_of(bench: &Bench, selection: &Selection) -> Mask {
    let grid = grid_of(document(bench).history().current(), &document(bench).view().transform);
    let all = CellRect::new(0..grid.n_frames(), 0..grid.n_bins());
    mask::evaluate(&grid, None, Some(selection), 1.0, &all)
}

pub fn selected_at(bench: &Bench, secs: f64, hz: f64) -> f32 {
    mask::sample(&selection(bench), &[secs], &[hz])[0]
}

/// As the canvas lays it out.
fn viewport(bench: &Bench) -> Viewport {
    let view = document(bench).view();
    let rect = bench.harness.state().picture_rect().unwrap();
    Viewport {
        secs: view.secs,
        hz: view.hz,
        axis: view.axis,
        origin: [f64::from(rect.left()), f64::from(rect.top())],
        size: [f64::from(rect.width()), f64::from(rect.height())],
    }
}

fn place(bench: &Bench, secs: f64, hz: f64) -> Pos2 {
    let viewport = viewport(bench);
    pos2(viewport.x_from_secs(secs) as f32, viewport.y_from_hz(hz) as f32)
}

fn button(pos: Pos2, pressed: bool, modifiers: Modifiers) -> Event {
    Event::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers }
}

/// Press at the first place, along the others, release at the last; places are seconds and hertz.
pub fn drag(bench: &mut Bench, places: &[[f64; 2]], modifiers: Modifiers) {
    let at: Vec<Pos2> = places.iter().map(|&[secs, hz]| place(bench, secs, hz)).collect();
    let (first, last) = (at[0], at[at.len() - 1]);
    bench.harness.event(Event::PointerMoved(first));
    bench.harness.event(button(first, true, modifiers));
    at.iter().for_each(|&at| bench.harness.event(Event::PointerMoved(at)));
    bench.harness.event(button(last, false, modifiers));
    bench.settle();
    // The next press is no second click of this one.
    bench.harness.event(Event::PointerMoved(last + vec2(40.0, 40.0)));
}

#[test]
fn a_band_is_selected_and_shapes_join_by_the_keys_held() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    bench.key(NONE, Key::Y);
    drag(&mut bench, &[[0.5, 400.0], [1.0, 800.0]], NONE);
    let Shape::Rectangle { secs: None, hz: Some([low, high]), .. } = selection(&bench).shapes[0].1 else {
        panic!("{:?}", selection(&bench))
    };
    let one_pixel = viewport(&bench).units_per_pixel();
    assert!((low / 400.0).log2().abs() < one_pixel && (high / 800.0).log2().abs() < one_pixel, "{low} {high}");
    let before = mask_of(&bench, &selection(&bench));

    bench.click("Box");
    drag(&mut bench, &[[0.4, 2000.0], [0.8, 4000.0]], SHIFT);
    assert_eq!([selected_at(&bench, 0.6, 3000.0), selected_at(&bench, 1.6, 600.0)], [1.0, 1.0], "added");
    drag(&mut bench, &[[0.3, 300.0], [0.7, 6000.0]], CTRL);
    assert_eq!([selected_at(&bench, 0.6, 3000.0), selected_at(&bench, 1.6, 600.0)], [0.0, 1.0], "subtracted");
    drag(&mut bench, &[[1.2, 300.0], [1.8, 6000.0]], BOTH);
    assert_eq!([selected_at(&bench, 0.9, 600.0), selected_at(&bench, 1.6, 600.0)], [0.0, 1.0], "both: intersected");
    assert_ne!(mask_of(&bench, &selection(&bench)), before);
}

#[test]
fn a_lasso_is_drawn_free_hand_or_by_clicks() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    bench.click("Lasso");
    let corners = [[0.5, 400.0], [1.5, 400.0], [1.0, 4000.0]];
    drag(&mut bench, &corners, NONE);
    assert!(matches!(&selection(&bench).shapes[0].1, Shape::Polygon { axis: Axis::Log, .. }));
    let inside = |bench: &Bench| [selected_at(bench, 1.0, 1000.0), selected_at(bench, 0.55, 3000.0)];
    assert_eq!(inside(&bench), [1.0, 0.0]);

    // Corner by corner: nothing is selected until Enter closes it.
    bench.key(CTRL, Key::D);
    for &corner in &corners {
        drag(&mut bench, &[corner], NONE);
        assert!(document(&bench).selection().is_none());
    }
    bench.key(NONE, Key::Enter);
    assert_eq!(inside(&bench), [1.0, 0.0]);
    let Shape::Polygon { points, .. } = &selection(&bench).shapes[0].1 else { panic!("a polygon") };
    assert_eq!(points.len(), 3);
    let one_pixel = viewport(&bench).secs_per_pixel();
    for (point, corner) in points.iter().zip(&corners) {
        assert!((point[0] - corner[0]).abs() < one_pixel && (point[1] / corner[1]).log2().abs() < 0.05, "{point:?}");
    }

    // A click on the first corner closes it too; Ctrl at its first corner subtracts.
    let hole = [[0.9, 800.0], [1.1, 800.0], [1.0, 1500.0]];
    drag(&mut bench, &[hole[0]], CTRL);
    for corner in [hole[1], hole[2], hole[0]] {
        drag(&mut bench, &[corner], NONE);
    }
    assert_eq!([selected_at(&bench, 1.0, 1000.0), selected_at(&bench, 0.8, 500.0)], [0.0, 1.0]);

    // Escape drops what is begun, and keeps what is selected.
    let before = selection(&bench);
    for &corner in &corners {
        drag(&mut bench, &[corner], NONE);
    }
    bench.key(NONE, Key::Escape);
    bench.key(NONE, Key::Enter);
    assert_eq!(selection(&bench), before);
}

#[test]
fn enter_is_taken_by_what_selects_before_it_applies_a_preview() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    bench.set_tools(|tools| tools.heal.mode = HealMode::Attenuate);
    bench.select(Some([0.4, 0.6]), Some([300.0, 2_000.0]));
    bench.act(PreviewCommand::Heal);
    bench.settle();
    let is_open = |bench: &Bench| document(bench).open_preview().is_some() && document(bench).history().position() == 0;
    // A polygon that waits to be closed.
    bench.pick(Tool::Lasso);
    for corner in [[0.5, 400.0], [1.5, 400.0], [1.0, 4000.0]] {
        drag(&mut bench, &[corner], NONE);
    }
    bench.key(NONE, Key::Enter);
    assert!(matches!(&selection(&bench).shapes[0].1, Shape::Polygon { .. }) && is_open(&bench));
    // The keyboard's cursor: a corner, and the one across.
    bench.key(CTRL, Key::K);
    bench.pick(Tool::SelectBox);
    for place in [[0.5, 400.0], [0.9, 800.0]] {
        bench.act(DocumentAct::KeyCursor(place));
        bench.settle();
        bench.key(NONE, Key::ArrowRight);
        bench.key(NONE, Key::Enter);
    }
    assert!(matches!(&selection(&bench).shapes[0].1, Shape::Rectangle { .. }) && is_open(&bench));
    // A brush paints nothing while a preview is open.
    bench.pick(Tool::GAIN);
    bench.settle();
    bench.key(NONE, Key::Enter);
    assert!(document(&bench).open_preview().is_none());
    assert_eq!(document(&bench).history().position(), 1);
}

#[test]
fn the_selection_brush_selects_what_it_paints_and_delete_erases_it() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    bench.key(NONE, Key::Q);
    drag(&mut bench, &[[0.7, 500.0], [1.0, 500.0], [1.3, 500.0]], NONE);
    let Shape::Stroke(stroke) = &selection(&bench).shapes[0].1 else { panic!("a stroke") };
    assert!(stroke.points.len() >= 3);
    assert!(selected_at(&bench, 1.0, 500.0) > 0.99 && selected_at(&bench, 1.0, 5000.0) == 0.0);
    let before = bench.samples(0);
    bench.key(NONE, Key::Delete);
    let after = bench.samples(0);
    let changed: Vec<usize> = (0..before.len()).filter(|&k| before[k].to_bits() != after[k].to_bits()).collect();
    assert!(!changed.is_empty());
    // Nothing but the touched frames: the stroke, its radius and half a window.
    let reach = (0.7 - stroke.radius[0]) * RATE - 2048.0..(1.3 + stroke.radius[0]) * RATE + 2048.0;
    assert!(changed.iter().all(|&k| reach.contains(&(k as f64))), "{:?} {reach:?}", changed.first());
    let level = |samples: &[f32], hz: f64| {
        let sum = samples[14_000..18_000].iter().enumerate().fold([0.0; 2], |[a, b], (k, &x)| {
            let (sin, cos) = (TAU * hz * k as f64 / RATE).sin_cos();
            [a + f64::from(x) * cos, b + f64::from(x) * sin]
        });
        20.0 * (sum[0].hypot(sum[1]) / 2000.0).log10()
    };
    assert!(level(&after, 500.0) < level(&before, 500.0) - 30.0);
    assert!((level(&after, 3000.0) - level(&before, 3000.0)).abs() < 0.1, "what is not selected stays");
}

#[test]
fn the_wand_takes_a_tone_and_harmonics_follow_it() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    bench.click("Magic wand");
    bench.set_tools(|tools| tools.wand_tolerance_db = 20.0);
    drag(&mut bench, &[[1.0, 3000.0]], NONE);
    let Shape::Cells(_) = &selection(&bench).shapes[0].1 else { panic!("{:?}", selection(&bench)) };
    assert_eq!([selected_at(&bench, 0.3, 3000.0), selected_at(&bench, 1.8, 3000.0)], [1.0, 1.0], "all along");
    assert_eq!([selected_at(&bench, 1.0, 500.0), selected_at(&bench, 1.0, 2000.0)], [0.0, 0.0]);
    drag(&mut bench, &[[1.0, 500.0]], SHIFT);
    assert_eq!([selected_at(&bench, 1.0, 500.0), selected_at(&bench, 1.0, 3000.0)], [1.0, 1.0], "added");
    assert_eq!(selected_at(&bench, 0.2, 500.0), 0.0, "there the tone is silent");

    bench.click("Harmonics of a tone");
    bench.set_tools(|tools| tools.harmonic_count = 3);
    drag(&mut bench, &[[1.0, 505.0]], NONE);
    let Shape::Harmonics { f0_hz, count, secs, .. } = selection(&bench).shapes[0].1 else { panic!("harmonics") };
    assert!((f0_hz - 500.0).abs() < 1.0 && count == 3, "{f0_hz}");
    // As long as it sounds, to within half a window.
    let secs = secs.unwrap();
    assert!((secs[0] - 0.5).abs() < 0.04 && (secs[1] - 1.5).abs() < 0.04, "{secs:?}");
    assert!([500.0, 1000.0, 1500.0].iter().all(|&hz| selected_at(&bench, 1.0, hz) == 1.0));
    assert!([750.0, 2000.0, 3000.0].iter().all(|&hz| selected_at(&bench, 1.0, hz) == 0.0));
    // Dragged along it, for that time alone.
    drag(&mut bench, &[[0.8, 500.0], [1.2, 500.0]], NONE);
    let Shape::Harmonics { secs: Some(secs), .. } = selection(&bench).shapes[0].1 else { panic!("harmonics") };
    let one_pixel = viewport(&bench).secs_per_pixel();
    assert!((secs[0] - 0.8).abs() < one_pixel && (secs[1] - 1.2).abs() < one_pixel, "{secs:?}");
}

/// Harmonics of a gliding fundamental, from 0.3 to 1.7 s of 2 s.
fn gliding(hz_at: impl Fn(f64) -> f64, n: usize) -> Snapshot {
    let mut cycles = 0.0;
    let at = |i: usize| {
        let t = i as f64 / RATE;
        let hz = hz_at(t);
        cycles += hz / RATE;
        let sounding = (1..=n).filter(|k| *k as f64 * hz < RATE / 2.0);
        let sum: f64 = sounding.map(|k| 0.3 / k as f64 * (TAU * k as f64 * cycles).sin()).sum();
        if (0.3..1.7).contains(&t) { sum as f32 } else { 0.0 }
    };
    let channel: Vec<f32> = (0..2 * RATE as usize).map(at).collect();
    Snapshot::new(Source::from_channels(vec![channel], RATE as u32).unwrap())
}

/// The part of the sound's energy that lies in a selection.
fn part_inside(bench: &Bench, selection: &Selection) -> f64 {
    let mask = mask_of(bench, selection);
    let shown = document(bench);
    let stft = *shown.view().transform.as_stft().unwrap();
    let analysis = Analysis::new(shown.history().current(), ChannelView::All, Arc::new(Stft::new(stft))).unwrap();
    let energy: Vec<f64> =
        analysis.region(mask.rect.frames.clone()).unwrap().magnitude.iter().map(|m| f64::from(*m).powi(2)).collect();
    let inside: f64 = energy.iter().zip(&mask.values).map(|(energy, m)| energy * f64::from(*m)).sum();
    inside / energy.iter().sum::<f64>()
}

#[test]
fn harmonics_follow_a_whistle_with_vibrato_and_a_gliding_voice() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    bench.click("Harmonics of a tone");
    let cents = |by: f64| (by / 1200.0).exp2();
    let vibrato = |hz: f64| move |t: f64| hz * cents(50.0 * (TAU * 6.0 * t).sin());
    type Course = Box<dyn Fn(f64) -> f64>;
    let sounds: [(&str, Course, usize, f64); 3] = [
        ("a whistle with vibrato", Box::new(vibrato(1_500.0)), 1, 0.95),
        ("a voice with vibrato", Box::new(vibrato(220.0)), 12, 0.99),
        ("a gliding voice", Box::new(|t| 160.0 * (t / 1.5).exp2()), 12, 0.85),
    ];
    for (what, course, n, max_steady) in sounds {
        bench.show(gliding(&course, n));
        for secs in [[1.0, 1.0], [0.5, 1.5]] {
            let places = secs.map(|secs| [secs, course(secs)]);
            drag(&mut bench, &places[..1 + usize::from(secs[1] > secs[0])], NONE);
            let found = selection(&bench);
            assert!(matches!(found.shapes[0].1, Shape::Cells(_)), "{what}: {found:?}");
            if secs[0] < secs[1] {
                let [Some(found), _] = found.extent() else { panic!("{found:?}") };
                assert!((found[0] - secs[0]).abs() < 0.03 && (found[1] - secs[1]).abs() < 0.03, "{what}: {found:?}");
                continue;
            }
            // As long as it sounds; the window smears 4 percent of a steady glide beyond its band, and the ends.
            let steady = Shape::Harmonics {
                f0_hz: course(1.0),
                count: 16,
                width_hz: 60.0,
                secs: Some([0.3, 1.7]),
                feather: [0.01, 20.0],
                axis: Axis::Linear,
            };
            let [followed, steady] = [found, Selection::of(steady)].map(|selection| part_inside(&bench, &selection));
            println!("{what}: {:.2} %, {:.2} % in bands of one pitch", 100.0 * followed, 100.0 * steady);
            assert!(followed >= 0.96 && steady < max_steady, "{what}: {followed}, {steady}");
        }
    }
    // A steady tone is what it was: bands around multiples of one frequency, also in noise.
    let mut random = Rng(5);
    let clean = gliding(|_| 440.0, 10);
    let mut samples = vec![0.0; clean.n_samples() as usize];
    clean.read(0, 0, &mut samples).unwrap();
    samples.iter_mut().for_each(|sample| *sample += 0.003 * random.normal() as f32);
    bench.show(Snapshot::new(Source::from_channels(vec![samples], RATE as u32).unwrap()));
    drag(&mut bench, &[[1.0, 440.0]], NONE);
    let Shape::Harmonics { f0_hz, .. } = selection(&bench).shapes[0].1 else { panic!("{:?}", selection(&bench)) };
    assert!((f0_hz - 440.0).abs() < 1.0, "{f0_hz}");
}

#[test]
fn commands_invert_grow_shrink_feather_and_select_again() {
    let mut bench = bench(Drawing::None);
    bench.select(Some([0.5, 1.0]), Some([1000.0, 2000.0]));
    let first = selection(&bench);
    let mask = |bench: &Bench| mask_of(bench, &selection(bench));
    let before = mask(&bench);
    bench.key(CTRL, Key::I);
    assert!(mask(&bench).values.iter().zip(&before.values).all(|(inverted, m)| *inverted == 1.0 - m));
    bench.key(CTRL, Key::I);
    assert_eq!(selection(&bench), first);

    let grid = grid_of(document(&bench).history().current(), &document(&bench).view().transform);
    bench.key(CTRL, Key::G);
    let Some([start, end]) = selection(&bench).extent()[0] else { panic!("a range") };
    let hop_secs = grid.secs_from_frame(1.0);
    assert!((start - (0.5 - hop_secs)).abs() < 1e-9 && (end - (1.0 + hop_secs)).abs() < 1e-9);
    assert_eq!(mask(&bench).tight_bounds(), {
        let all = CellRect::new(0..grid.n_frames(), 0..grid.n_bins());
        before.tight_bounds().grown(1, 2, &all)
    });
    bench.key(BOTH, Key::G);
    assert_eq!(mask(&bench), before);
    bench.key(BOTH, Key::F);
    let soft = mask(&bench);
    assert!(soft.values.iter().zip(&before.values).all(|(soft, m)| soft >= m));
    assert!(soft.values.iter().any(|m| *m > 0.0 && *m < 1.0));

    // Other shapes are changed cell by cell.
    let points = vec![[0.4, 800.0], [1.2, 900.0], [0.9, 3000.0]];
    bench.select_shape(Selection::of(Shape::Polygon { points, feather: [0.0; 2], axis: Axis::Linear }));
    bench.settle();
    let triangle = mask(&bench);
    bench.key(CTRL, Key::G);
    let all = CellRect::new(0..grid.n_frames(), 0..grid.n_bins());
    let grown = mask::dilated(&triangle, 1, 2, &all);
    assert_eq!(mask(&bench), grown);
    bench.key(BOTH, Key::G);
    let n = |mask: &Mask| mask.values.iter().filter(|m| **m > 0.0).count();
    assert!(n(&mask(&bench)) < n(&grown) && n(&mask(&bench)) >= n(&triangle));

    bench.key(CTRL, Key::D);
    assert!(document(&bench).selection().is_none() && document(&bench).figures().is_none());
    bench.key(BOTH, Key::D);
    assert_eq!(n(&mask(&bench)), n(&mask::eroded(&grown, 1, 2, &all)));
    bench.key(CTRL, Key::A);
    assert!(mask(&bench).values.iter().all(|&m| m == 1.0));
    assert!(SelectCommand::Reselect.row().enabled(&bench.studio().facts()).is_err(), "something is selected");
}

#[test]
fn figures_of_the_selection_are_those_of_the_sound_and_are_copied() {
    let mut bench = bench(Drawing::None);
    bench.select(Some([0.7, 1.3]), Some([350.0, 700.0]));
    let figures = document(&bench).figures().expect("figures are known");
    let peak_hz = figures.peak_hz.unwrap();
    assert!((peak_hz - 500.0).abs() < 0.5, "{peak_hz}");
    // A sine of 0.4: its level, and 3.01 dB below that its root mean square.
    let level_db = 20.0 * 0.4f64.log10();
    assert!((figures.peak_db - level_db).abs() < 0.1, "{}", figures.peak_db);
    assert!((figures.rms_db - (level_db - 3.01)).abs() < 0.1, "{}", figures.rms_db);
    assert!((figures.centroid_hz.unwrap() - 500.0).abs() < 2.0, "{:?}", figures.centroid_hz);
    // The loudest tone of another band is another one.
    bench.select(Some([0.7, 1.3]), Some([2000.0, 4000.0]));
    let other = document(&bench).figures().unwrap();
    assert!((other.peak_hz.unwrap() - 3000.0).abs() < 0.5 && (other.peak_db + 12.04).abs() < 0.1, "{other:?}");
    bench.select(Some([0.7, 1.3]), Some([350.0, 700.0]));
    let press = Event::Key { key: Key::C, physical_key: None, pressed: true, repeat: false, modifiers: BOTH };
    bench.harness.event(press); // one event, one frame: the one whose output is looked at
    bench.harness.step();
    let copied = bench.harness.output().platform_output.commands.iter().find_map(|command| match command {
        egui::OutputCommand::CopyText(text) => Some(text.clone()),
        _ => None,
    });
    let text = copied.expect("something was copied");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2);
    let value = |name: &str| {
        let column = lines[0].split(',').position(|heading| heading == name).unwrap();
        lines[1].split(',').nth(column).unwrap().to_owned()
    };
    assert_eq!([value("start_s"), value("duration_s")], ["0.700000", "0.600000"]);
    assert_eq!(value("peak_note"), "B4");
    assert!((value("peak_hz").parse::<f64>().unwrap() - 500.0).abs() < 0.5);
}

#[test]
fn any_shape_is_outlined_where_it_ends_and_nothing_inside_it_is_tinted() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    let rect = bench.studio().picture_rect().unwrap();
    let without = bench.harness.render().unwrap();
    let points = vec![[0.4, 300.0], [1.6, 300.0], [1.6, 5000.0], [1.0, 900.0], [0.4, 5000.0]];
    let shape = Shape::Polygon { points, feather: [0.0; 2], axis: Axis::Log };
    bench.select_shape(Selection::of(shape));
    bench.settle();
    let with = bench.harness.render().unwrap();
    let viewport = viewport(&bench);
    let selection = selection(&bench);
    let at = |x: f64, y: f64| mask::sample(&selection, &[viewport.secs_from_x(x)], &[viewport.hz_from_y(y)])[0];
    let (mut n_on, mut n_far) = (0, 0);
    for y in rect.top() as u32 + 8..rect.bottom() as u32 - 60 {
        for x in rect.left() as u32 + 8..rect.right() as u32 - 8 {
            if without.get_pixel(x, y) == with.get_pixel(x, y) {
                continue;
            }
            n_on += 1;
            // The lattice's step and half the line's width: every drawn pixel has the border within 5 points.
            let (x, y) = (f64::from(x), f64::from(y));
            let around = [-5.0, 0.0, 5.0].map(|dx| [-5.0, 0.0, 5.0].map(|dy| at(x + dx, y + dy)));
            let same = around.as_flattened().iter().all(|m| *m == around[1][1]);
            n_far += usize::from(same);
        }
    }
    assert!(n_on > 1000, "{n_on} pixels of outline");
    assert!(n_far * 100 < n_on, "{n_far} of {n_on} lie away from the border");
}

#[test]
fn silence_is_told() {
    let mut bench = bench(Drawing::None);
    bench.select(Some([0.5, 1.0]), Some([1000.0, 2000.0]));
    bench.key(NONE, Key::Delete);
    assert!(bench.notices().is_empty(), "a box is no silence");
    bench.select(Some([0.5, 1.0]), None);
    bench.key(NONE, Key::Delete);
    let notices = bench.notices();
    assert!(notices.len() == 1 && notices[0].1.contains("length is unchanged"), "{notices:?}");
    assert_eq!(document(&bench).duration_secs(), 2.0);
}
