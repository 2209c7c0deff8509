//! Pictures in the window: dropped, moved by their handles, turned, and placed as one edit.

use crate::hearing::{bench_with, button, n_entries};
use crate::support::heard::RATE;
use crate::support::measure::strongest_tone;
use crate::support::program::program;
use crate::support::studio::{Bench, CTRL, Drawing, NONE, SHIFT, clip, has_gpu};
use egui::{Event, Key, Modifiers, Pos2, pos2};
use egui_kittest::kittest::Queryable;
use sonobrush::document::brushes::{Brush, PictureBrush, PictureMode, PicturePhase};
use sonobrush::dsp::Axis;
use sonobrush::dsp::strokes::picture::{PictureArea, PictureTurn};
use sonobrush::dsp::transforms::rows::RowsParams;
use sonobrush::view::Colormap;
use sonobrush::workbench::commands::FileCommand;
use sonobrush::workbench::{DocumentAct, Picked};

/// Two columns of two pixels: black, white, grey, black.
fn write_picture(bench: &Bench) -> std::path::PathBuf {
    let path = bench.out("small.png");
    image::save_buffer(&path, &[0, 255, 128, 0], 2, 2, image::ExtendedColorType::L8).unwrap();
    path
}

/// Two seconds of silence with a picture over it.
fn bench(drawing: Drawing) -> Bench {
    let mut bench = bench_with(drawing, &[vec![0.0; 96_000]]);
    bench.set_view(|view| (view.axis, view.secs, view.hz) = (Axis::Linear, [0.0, 2.0], [0.0, 10_000.0]));
    bench.settle();
    let path = write_picture(&bench);
    bench.open(path);
    bench.settle();
    bench
}

fn picture(bench: &Bench) -> Option<PictureBrush> {
    let document = bench.studio().document().unwrap();
    document.floating().and_then(|floating| floating.picture()).cloned()
}

fn set(bench: &mut Bench, change: impl FnOnce(&mut PictureBrush)) {
    let mut brush = picture(bench).unwrap();
    change(&mut brush);
    bench.act(DocumentAct::FloatPicture(Box::new(brush)));
    bench.settle();
}

#[test]
fn a_dropped_picture_floats_and_is_placed_as_one_edit() {
    let mut bench = bench(Drawing::None);
    let brush = picture(&bench).unwrap();
    assert_eq!((brush.mode, brush.phase, brush.area.axis), (PictureMode::Add, PicturePhase::Random, Axis::Linear));
    assert!(brush.area.secs[0] >= 0.0 && brush.area.secs[1] <= 2.0 && brush.area.hz[1] <= 10_000.0, "{:?}", brush.area);
    assert!(bench.notices().iter().any(|(_, what)| what.contains("picture is floating")), "{:?}", bench.notices());
    set(&mut bench, |brush| {
        (brush.area.secs, brush.area.hz) = ([0.5, 1.5], [1_000.0, 9_000.0]);
        brush.phase = PicturePhase::Bank;
    });
    assert_eq!(n_entries(&bench), 1);
    bench.key(CTRL, Key::Enter);
    assert!(picture(&bench).is_none() && n_entries(&bench) == 2);
    assert!(bench.has("Step 1: Picture at 0:00.500"));
    // The white pixel is at the upper right: later, and at three quarters of the band.
    let samples = bench.samples(0);
    let level = |from: usize, hz: f64| strongest_tone(&samples[from..from + 8_192], RATE, hz - 50.0, hz + 50.0).level;
    assert!(level(56_000, 7_000.0) > 0.05, "{}", level(56_000, 7_000.0));
    assert!(level(28_000, 7_000.0) < 0.05 * level(56_000, 7_000.0), "black is silent");
    assert!(level(28_000, 3_000.0) > 10.0 * level(56_000, 3_000.0));
    let peak = samples.iter().fold(0.0f32, |peak, sample| peak.max(sample.abs()));
    assert!((20.0 * f64::from(peak).log10() + 3.0).abs() < 0.5, "{peak}");
    bench.key(CTRL, Key::Z);
    assert!(bench.samples(0).iter().all(|sample| *sample == 0.0));
}

/// Rows of music take no pictures: what cannot be placed there is not lost.
#[test]
fn a_picture_that_is_refused_floats_again() {
    let mut bench = bench(Drawing::None);
    set(&mut bench, |brush| (brush.area.secs, brush.phase) = ([0.5, 1.0], PicturePhase::Bank));
    let before = picture(&bench).unwrap();
    let stft = bench.studio().document().unwrap().view().transform.clone();
    bench.set_view(|view| view.transform = RowsParams::music().into());
    bench.settle();
    bench.key(CTRL, Key::Enter);
    assert!(bench.notices().iter().any(|(_, what)| what.contains("works on an STFT only")), "{:?}", bench.notices());
    assert_eq!((picture(&bench).as_ref(), n_entries(&bench)), (Some(&before), 1));
    bench.set_view(|view| view.transform = stft);
    bench.settle();
    bench.key(CTRL, Key::Enter);
    assert!(picture(&bench).is_none() && n_entries(&bench) == 2);
    // Undo does not bring back a paste that was placed.
    bench.key(CTRL, Key::Z);
    assert!(picture(&bench).is_none() && n_entries(&bench) == 2);
}

#[test]
fn keys_turn_flip_and_discard_it() {
    let mut bench = bench(Drawing::None);
    for turn in [PictureTurn::Quarter, PictureTurn::Half, PictureTurn::ThreeQuarters, PictureTurn::None] {
        bench.key(NONE, Key::R);
        assert_eq!(picture(&bench).unwrap().look.turn, turn);
    }
    bench.key(NONE, Key::F);
    assert!(picture(&bench).unwrap().look.is_flipped);
    let tool = bench.tools().active();
    bench.key(NONE, Key::Escape);
    assert!(picture(&bench).is_none());
    assert_eq!((bench.tools().active(), n_entries(&bench)), (tool, 1));
    // The control: without a picture the key takes a tool.
    bench.key(NONE, Key::R);
    assert_ne!(bench.tools().active(), tool);
}

#[test]
fn corners_scale_it_edges_stretch_it_and_the_inside_moves_it() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    set(&mut bench, |brush| (brush.area.secs, brush.area.hz) = ([0.5, 1.0], [2_000.0, 6_000.0]));
    let viewport = bench.studio().viewport().unwrap();
    let at = |secs: f64, hz: f64| pos2(viewport.x_from_secs(secs) as f32, viewport.y_from_hz(hz) as f32);
    let drag = |bench: &mut Bench, from: Pos2, to: Pos2| bench.drag(&[from, from.lerp(to, 0.5), to]);
    let near = |found: [f64; 2], wanted: [f64; 2], by: f64| (0..2).all(|k| (found[k] - wanted[k]).abs() <= by);
    let (secs_by, hz_by) = (2.0 * viewport.secs_per_pixel(), 2.0 * viewport.units_per_pixel());
    // The upper right corner, then the left edge, then the inside.
    drag(&mut bench, at(1.0, 6_000.0), at(1.4, 8_000.0));
    let area = picture(&bench).unwrap().area;
    assert!(near(area.secs, [0.5, 1.4], secs_by) && near(area.hz, [2_000.0, 8_000.0], hz_by), "{area:?}");
    drag(&mut bench, at(0.5, 5_000.0), at(0.2, 7_000.0));
    let area = picture(&bench).unwrap().area;
    assert!(near(area.secs, [0.2, 1.4], secs_by) && near(area.hz, [2_000.0, 8_000.0], hz_by), "{area:?}");
    drag(&mut bench, at(0.8, 4_500.0), at(1.0, 5_500.0));
    let area = picture(&bench).unwrap().area;
    assert!(near(area.secs, [0.4, 1.6], secs_by) && near(area.hz, [3_000.0, 9_000.0], 2.0 * hz_by), "{area:?}");
}

/// With Shift a corner keeps the proportion of seconds and units, whichever side the hand went further along; an edge
/// has none to keep.
#[test]
fn with_shift_a_corner_keeps_the_proportion() {
    if !has_gpu() {
        return;
    }
    for axis in [Axis::Linear, Axis::Log] {
        let mut bench = bench(Drawing::Wgpu);
        bench.set_view(|view| (view.axis, view.hz) = (axis, [200.0, 12_000.0]));
        bench.settle();
        let viewport = bench.studio().viewport().unwrap();
        let at = |secs: f64, hz: f64| pos2(viewport.x_from_secs(secs) as f32, viewport.y_from_hz(hz) as f32);
        // Where the lower corner is.
        while bench.has("Close the notice") {
            bench.harness.get_all_by_label("Close the notice").next().unwrap().click();
            bench.settle();
        }
        // Shift is pressed, or not, once the corner is in hand.
        let drag = |bench: &mut Bench, from: Pos2, to: Pos2, keys: [Modifiers; 2]| {
            set(bench, |brush| {
                brush.area = PictureArea { secs: [0.5, 1.0], hz: [1_000.0, 4_000.0], axis };
            });
            bench.harness.event(Event::ModifiersChanged(keys[0]));
            bench.harness.event(Event::PointerMoved(from));
            // A notice that lies there makes room.
            bench.harness.step();
            bench.harness.event(button(from, true));
            bench.harness.event(Event::PointerMoved(from.lerp(to, 0.5)));
            bench.harness.event(Event::ModifiersChanged(keys[1]));
            bench.harness.event(Event::PointerMoved(to));
            bench.harness.event(button(to, false));
            bench.harness.event(Event::ModifiersChanged(NONE));
            bench.settle();
            let area = picture(bench).unwrap().area;
            let units = area.hz.map(|hz| axis.units_from_hz(hz));
            (area, (units[1] - units[0]) / (area.secs[1] - area.secs[0]))
        };
        let units = [1_000.0, 4_000.0].map(|hz| axis.units_from_hz(hz));
        let proportion = (units[1] - units[0]) / 0.5;
        let near = |a: f64, b: f64| (a / b - 1.0).abs() < 0.02;
        let corner = [at(1.0, 4_000.0), at(1.2, 4_400.0)];
        for keys in [[SHIFT, SHIFT], [NONE, SHIFT]] {
            let (area, found) = drag(&mut bench, corner[0], corner[1], keys);
            assert!((found / proportion - 1.0).abs() < 1e-9, "{axis:?}: {found} instead of {proportion}");
            assert_eq!((area.secs[0], area.hz[0]), (0.5, 1_000.0), "the corner across stays");
            assert!(near(area.secs[1], 1.2), "{axis:?}: {area:?}");
            let top = axis.hz_from_units(units[0] + 1.4 * (units[1] - units[0]));
            assert!(near(area.hz[1], top), "{axis:?}: {area:?} instead of {top}");
        }
        // The lower left one, drawn further along the frequencies.
        let below = axis.hz_from_units(units[1] - 1.1 * (units[1] - units[0]));
        let (area, found) = drag(&mut bench, at(0.5, 1_000.0), at(0.49, below), [SHIFT; 2]);
        assert!((found / proportion - 1.0).abs() < 1e-9, "{axis:?}: {found} instead of {proportion}");
        assert_eq!((area.secs[1], area.hz[1]), (1.0, 4_000.0), "{axis:?}");
        assert!((area.secs[0] - 0.45).abs() < 0.01, "{axis:?}: {area:?}");
        // The controls: a corner is free without Shift, also once it is let go, and an edge always is.
        for keys in [[NONE, NONE], [SHIFT, NONE]] {
            let (area, found) = drag(&mut bench, corner[0], corner[1], keys);
            assert!((found / proportion - 1.0).abs() > 0.05, "{axis:?}: {found}");
            assert!(near(area.secs[1], 1.2) && near(area.hz[1], 4_400.0), "{axis:?}: {area:?}");
        }
        let (area, _) = drag(&mut bench, at(1.0, 2_000.0), at(1.3, 2_400.0), [SHIFT; 2]);
        assert!(near(area.secs[1], 1.3) && area.hz == [1_000.0, 4_000.0], "{axis:?}: {area:?}");
    }
}

#[test]
fn a_picture_without_a_file_opens_a_canvas_and_a_damaged_one_is_told() {
    let mut bench = Bench::new(Drawing::None);
    let path = write_picture(&bench);
    bench.open(path.clone());
    bench.settle();
    assert!(picture(&bench).is_some());
    let brush = Brush::from(picture(&bench).unwrap());
    assert_eq!(Brush::from_json(&brush.to_json()).unwrap(), brush);
    let damaged = bench.out("damaged.png");
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&damaged, &bytes[..bytes.len() / 2]).unwrap();
    bench.open(damaged);
    bench.settle();
    assert!(bench.notices().iter().any(|(_, what)| what.contains("damaged.png")), "{:?}", bench.notices());
    assert!(picture(&bench).is_some(), "what floats stays");
}

/// The zoomed view in the colours and the range of the window, independent of the selection: the same file as that of
/// `sonobrush image --axes`.
#[test]
fn what_is_seen_is_saved_with_axes_as_the_command_line_draws_it() {
    let mut bench = Bench::with_clip(Drawing::None, "speech_16k_mono.wav");
    bench.set_view(|view| {
        (view.secs, view.hz, view.axis) = ([1.0, 2.5], [100.0, 6_000.0], Axis::Mel);
        (view.colormap, view.range_db) = (Colormap::Magma, [-80.0, -10.0]);
    });
    bench.select(Some([1.2, 1.3]), None);
    bench.dialogs.answer(Picked::File(bench.out("figure")));
    bench.act(FileCommand::SavePicture);
    bench.settle();
    assert!(bench.notices().iter().any(|(_, what)| what.contains("figure.png")), "{:?}", bench.notices());
    let made = bench.out("command.png");
    let mut command = std::process::Command::new(program());
    command.args(["-q", "image", "--axes", "--smooth", "--axis", "mel", "--colormap", "magma", "--range", "-80,-10"]);
    command.args(["--time", "1,2.5", "--frequency", "100,6000", "--size", "1600x1000", "-o"]).arg(&made);
    let output = command.arg(clip("speech_16k_mono.wav")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let read = |path: &std::path::Path| sonobrush::view::colours_from_png(&std::fs::read(path).unwrap()).unwrap();
    let (ours, theirs) = (read(&bench.out("figure.png")), read(&made));
    assert_eq!(ours.0, [1_600, 1_000]);
    assert!(ours == theirs, "the same pixels");
}
