//! The canvas alone, driven without a window: what it draws, what gestures mean, and what a stroke shows before it is
//! committed.

use crate::support::canvas::*;
use crate::support::gpu::gpu;
use crate::support::signals;
use crate::support::studio::set_number;
use egui_kittest::Harness;
use sonobrush::base::Progress;
use sonobrush::document::brushes::Contrast;
use sonobrush::document::{Snapshot, apply, learn_noise};
use sonobrush::dsp::{Axis, Selection, Shape, StftParams};
use sonobrush::engine::{Engine, Plans};
use sonobrush::media::Source;
use sonobrush::view::{Colormap, Picture, Plane, hz_ticks, picture};
use sonobrush::workbench::{ChannelView, OpenDocument, PaintTool, Panes, Tool};
use std::sync::Arc;

#[test]
fn the_canvas_is_the_picture() {
    if !has_gpu() {
        return;
    }
    let mut harness = harness(sound(2, 3.0));
    for (name, change) in [
        ("log", Box::new(|_: &mut App| ()) as Box<dyn Fn(&mut App)>),
        (
            "linear, magma",
            Box::new(|app| {
                app.document.change_view(|view| view.axis = Axis::Linear);
                app.document.change_view(|view| view.hz = [0.0, 8000.0]);
                app.document.change_view(|view| view.colormap = Colormap::Magma);
            }),
        ),
        (
            "zoomed in",
            Box::new(|app| {
                app.document.change_view(|view| view.axis = Axis::Mel);
                app.document.change_view(|view| view.secs = [1.1, 1.35]);
                app.document.change_view(|view| view.hz = [900.0, 1500.0]);
            }),
        ),
        ("side", Box::new(|app| app.document.change_view(|view| view.channels = ChannelView::Side))),
        (
            "fine frames, level 1",
            Box::new(|app| {
                app.document.change_view(|view| view.secs = [0.0, 3.0]);
                app.document.change_view(|view| {
                    view.transform = StftParams { n_fft: 64, hop: 16, ..StftParams::default() }.into()
                });
            }),
        ),
        (
            "level 2",
            Box::new(|app| {
                app.document.change_view(|view| {
                    view.transform = StftParams { n_fft: 64, hop: 4, ..StftParams::default() }.into()
                });
            }),
        ),
    ] {
        change(harness.state_mut());
        settle(&mut harness);
        let seen = pixels(&mut harness);
        let app = harness.state();
        let computed =
            picture(app.document.history().current(), &spec(app, Plane::Magnitude, seen.size), &Progress::new());
        let computed = computed.unwrap();
        assert_eq!(differing(&seen, &computed, COLOUR_STEP), 0, "{name}");
        // The comparison bites: a range one decibel off is seen.
        let mut off = spec(app, Plane::Magnitude, seen.size);
        off.range_db[1] += 6.0;
        let off = picture(app.document.history().current(), &off, &Progress::new()).unwrap();
        assert!(differing(&seen, &off, COLOUR_STEP) > seen.size[0], "{name}");
    }
}

/// Zoomed out a pixel shows the phase of the loudest cell: on the canvas what the CPU draws, and with every tile in
/// place.
#[test]
fn zoomed_out_the_phase_is_that_of_the_loudest_cell() {
    if !has_gpu() {
        return;
    }
    let mut harness = harness(sound(2, 3.0));
    harness.state_mut().document.change_view(|view| (view.panes, view.raw_phase) = (Panes::Both, false));
    // Levels 1 and 2, and of the last each row is the loudest of two bins.
    for (n_fft, hop) in [(64, 16), (64, 4), (4096, 8)] {
        let mut phases = Vec::new();
        for raw_phase in [false, true] {
            harness.state_mut().document.change_view(|view| {
                (view.transform, view.raw_phase) =
                    (StftParams { n_fft, hop, ..StftParams::default() }.into(), raw_phase);
            });
            settle(&mut harness);
            let image = harness.render().unwrap();
            let app = harness.state();
            let seen = crop(&image, app.canvas.rects().unwrap().phase.unwrap());
            let spec = spec(app, Plane::Phase, seen.size);
            let computed = picture(app.document.history().current(), &spec, &Progress::new()).unwrap();
            assert_eq!(differing(&seen, &computed, COLOUR_STEP), 0, "{n_fft}, {hop}, raw {raw_phase}");
            let is_grey = |x: usize, y: usize| seen.at(x, y).iter().all(|byte| *byte == seen.at(x, y)[0]);
            let all = (0..seen.size[1]).flat_map(|y| (0..seen.size[0]).map(move |x| (x, y)));
            let n_grey = all.filter(|&(x, y)| is_grey(x, y)).count();
            assert!(n_grey < seen.size[0] * seen.size[1] / 20, "{n_fft}, {hop}: {n_grey} pixels are grey");
            phases.push(seen);
        }
        assert!(differing(&phases[0], &phases[1], COLOUR_STEP) > phases[0].size[0], "the switch is seen");
    }
    // Without the pane nothing is analysed again: what has phases has levels.
    harness.state_mut().document.change_view(|view| view.panes = Panes::Magnitude);
    settle(&mut harness);
    let seen = pixels(&mut harness);
    let app = harness.state();
    let spec = spec(app, Plane::Magnitude, seen.size);
    let computed = picture(app.document.history().current(), &spec, &Progress::new()).unwrap();
    assert_eq!(differing(&seen, &computed, COLOUR_STEP), 0);
}

#[test]
fn both_panes_show_the_same_sound() {
    if !has_gpu() {
        return;
    }
    let mut harness = harness(sound(1, 2.0));
    harness.state_mut().document.change_view(|view| view.panes = Panes::Both);
    settle(&mut harness);
    let mut phases = Vec::new();
    for raw_phase in [false, true] {
        harness.state_mut().document.change_view(|view| view.raw_phase = raw_phase);
        settle(&mut harness);
        let image = harness.render().unwrap();
        let app = harness.state();
        let rects = app.canvas.rects().unwrap();
        for (plane, rect) in [(Plane::Magnitude, rects.picture), (Plane::Phase, rects.phase.unwrap())] {
            let seen = crop(&image, rect);
            let spec = spec(app, plane, seen.size);
            let computed = picture(app.document.history().current(), &spec, &Progress::new()).unwrap();
            // Phase is cut into 256 colours without clamping: a rounding at a border moves one entry.
            assert_eq!(differing(&seen, &computed, COLOUR_STEP), 0, "{plane:?}, raw {raw_phase}");
            if plane == Plane::Phase {
                phases.push(seen);
            }
        }
    }
    assert!(differing(&phases[0], &phases[1], COLOUR_STEP) > phases[0].size[0], "the switch is seen");
}

#[test]
fn a_box_between_two_ruler_values_has_those_values() {
    if !has_gpu() {
        return;
    }
    let mut harness = harness(sound(1, 3.0));
    harness.state_mut().tools.pick(Tool::SelectBox);
    settle(&mut harness);
    let viewport = harness.state().canvas.viewport().unwrap();
    let place = |secs: f64, hz: f64| egui::pos2(viewport.x_from_secs(secs) as f32, viewport.y_from_hz(hz) as f32);
    let (a, b) = (place(1.0, 2000.0), place(2.0, 500.0));
    // From the lower right to the upper left: any direction will do.
    let gesture = [egui::Event::PointerMoved(b), button(b, true), egui::Event::PointerMoved(a), button(a, false)];
    send(&mut harness, &gesture);
    let selection = harness.state().document.selection().cloned().unwrap();
    let (_, Shape::Rectangle { secs, hz, feather, axis }) = &selection.shapes[0] else { panic!("a rectangle") };
    let (secs, hz) = (secs.unwrap(), hz.unwrap());
    let one_pixel = viewport.secs_per_pixel();
    assert!((secs[0] - 1.0).abs() < one_pixel && (secs[1] - 2.0).abs() < one_pixel, "{secs:?}");
    let y = |hz: f64| viewport.y_from_hz(hz);
    assert!((y(hz[0]) - y(500.0)).abs() < 1.0 && (y(hz[1]) - y(2000.0)).abs() < 1.0, "{hz:?}");
    assert_eq!((*feather, *axis), ([256.0 / 16_000.0, 2.0 * 16_000.0 / 1024.0], Axis::Linear));
    // A click without a drag clears it and sets the cursor.
    let at = place(0.5, 700.0);
    send(&mut harness, &[egui::Event::PointerMoved(at), button(at, true), button(at, false)]);
    assert_eq!(harness.state().document.selection(), None);
    assert!((harness.state().document.cursor_secs() - 0.5).abs() < one_pixel);
}

#[test]
fn shift_adds_to_a_selection_and_ctrl_subtracts() {
    if !has_gpu() {
        return;
    }
    let mut harness = harness(sound(1, 3.0));
    harness.state_mut().tools.pick(Tool::SelectTime);
    let selection = Selection::rectangle(Some([0.2, 0.4]), None, [0.0, 0.0], Axis::Linear);
    harness.state_mut().document.select(Some(selection));
    settle(&mut harness);
    let rect = harness.state().canvas.rects().unwrap().picture;
    let (a, b) = (rect.center(), rect.center() + egui::vec2(80.0, 10.0));
    for (modifiers, combine) in [
        (egui::Modifiers::SHIFT, sonobrush::dsp::Combine::Add),
        (egui::Modifiers::CTRL, sonobrush::dsp::Combine::Subtract),
    ] {
        let press =
            |pos, pressed| egui::Event::PointerButton { pos, button: egui::PointerButton::Primary, pressed, modifiers };
        let gesture = [egui::Event::PointerMoved(a), press(a, true), egui::Event::PointerMoved(b), press(b, false)];
        send(&mut harness, &gesture);
        let selection = harness.state().document.selection().cloned().unwrap();
        assert_eq!(selection.shapes.last().unwrap().0, combine);
    }
    assert_eq!(harness.state().document.selection().unwrap().shapes.len(), 3);
}

/// Ctrl+click.
fn click_source(harness: &mut Harness<'static, App>, at: egui::Pos2) {
    let modifiers = egui::Modifiers { ctrl: true, command: true, ..egui::Modifiers::default() };
    let button =
        |pressed| egui::Event::PointerButton { pos: at, button: egui::PointerButton::Primary, pressed, modifiers };
    send(harness, &[egui::Event::PointerMoved(at), button(true), button(false)]);
}

#[test]
fn painting_is_seen_before_release_and_escape_restores() {
    if !has_gpu() {
        return;
    }
    let later = [Tool::CLONE, Tool::SMUDGE, Tool::TONE, Tool::NOISE, Tool::SHARPEN];
    for tool in Tool::ALL.into_iter().filter(|tool| tool.is_brush()) {
        let mut harness = harness(sound(2, 3.0));
        harness.state_mut().tools.pick(tool);
        if later.contains(&tool) {
            harness.state_mut().tools.change(|settings| set_number(settings, Tool::NOISE, "level_db", -20.0));
            harness.state_mut().tools.change(|settings| set_number(settings, Tool::SHARPEN, "amount", 8.0));
        }
        if tool == Tool::DENOISE {
            // Without a noise there is no stroke, but word of what to do.
            let places = wave(&harness);
            send(&mut harness, &down_and_along(&places));
            assert!(!harness.state().last.painting);
            send(&mut harness, &[button(places[0], false)]);
            harness.event(egui::Event::PointerGone);
            let params = StftParams::for_rate(f64::from(RATE));
            let noise =
                learn_noise(&sound(2, 3.0), [0.5, 2.5], None, params, &Plans::default(), &Progress::new()).unwrap();
            harness.state_mut().tools.learn(Arc::new(noise), String::new());
        }
        harness.state_mut().tools.change(|settings| {
            set_number(settings, Tool::HARMONIC_PERCUSSIVE, "harmonic_db", -60.0);
        });
        if tool == Tool::CLONE {
            // Without a source there is no stroke, but word of what to do.
            let places = wave(&harness);
            send(&mut harness, &down_and_along(&places));
            assert!(!harness.state().last.painting);
            send(&mut harness, &[button(places[0], false)]);
            click_source(&mut harness, places[20] - egui::vec2(0.0, 60.0));
            harness.event(egui::Event::PointerGone);
        }
        harness.state_mut().tools.change(|settings| set_number(settings, Tool::GAIN, "gain_db", 24.0));
        let gate = Tool::Brush(PaintTool::of_kind("gate").unwrap());
        harness.state_mut().tools.change(|settings| set_number(settings, gate, "threshold_db", 0.0));
        harness.state_mut().tools.change(|settings| settings.band_filter.bend_hz = 300.0);
        harness.state_mut().tools.change(|settings| settings.modulation_filter.time_cutoff = [2.0, 4.0]);
        settle(&mut harness);
        let before = pixels(&mut harness);
        let places = wave(&harness);
        send(&mut harness, &down_and_along(&places));
        settle(&mut harness);
        assert!(harness.state().last.painting, "{tool:?}");
        harness.event(egui::Event::PointerGone);
        settle(&mut harness);
        let painted = pixels(&mut harness);
        assert!(differing(&before, &painted, COLOUR_STEP) > 300, "{tool:?}");
        assert!(harness.state_mut().cancel_stroke());
        assert!(!harness.state_mut().cancel_stroke());
        settle(&mut harness);
        assert_eq!(differing(&before, &pixels(&mut harness), 0), 0, "{tool:?}");
        // The release of a cancelled stroke is no edit.
        let end = *places.last().unwrap();
        send(&mut harness, &[button(end, false)]);
        assert!(harness.state().finished.is_empty(), "{tool:?}");
    }
}

#[test]
fn a_released_stroke_lies_under_the_pointer() {
    if !has_gpu() {
        return;
    }
    let mut harness = harness(sound(1, 3.0));
    harness.state_mut().document.change_view(|view| view.secs = [0.5, 2.0]);
    harness.state_mut().document.change_view(|view| view.hz = [100.0, 4000.0]);
    settle(&mut harness);
    let viewport = harness.state().canvas.viewport().unwrap();
    let places = wave(&harness);
    let mut events = down_and_along(&places);
    events.push(button(*places.last().unwrap(), false));
    send(&mut harness, &events);
    let edit = harness.state().finished[0].clone();
    let stroke = edit.stroke.unwrap();
    assert_eq!(stroke.points.len(), places.len());
    for (point, place) in stroke.points.iter().zip(&places) {
        assert!((viewport.x_from_secs(point.secs) - f64::from(place.x)).abs() < 1e-3);
        assert!((viewport.y_from_hz(point.hz) - f64::from(place.y)).abs() < 1e-3);
    }
    // 32 points on screen, in seconds and octaves.
    assert!((stroke.radius[0] / viewport.secs_per_pixel() - 32.0).abs() < 1e-6);
    assert!((stroke.radius[1] / viewport.units_per_pixel() - 32.0).abs() < 1e-6);
    assert_eq!((stroke.axis, edit.transform.as_stft().unwrap().n_fft), (Axis::Log, 1024));
}

/// The tool of a brush that states it.
fn contrast() -> Tool {
    Tool::Brush(PaintTool::of_kind("contrast").unwrap())
}

#[test]
fn a_fast_hand_paints_what_a_slow_one_does() {
    if !has_gpu() {
        return;
    }
    let plain = [Tool::ERASE, Tool::BLUR, contrast(), Tool::MODULATION_FILTER, Tool::WARP].map(|tool| (tool, false));
    for (tool, build_up) in plain.into_iter().chain([Tool::GAIN, Tool::BLUR].map(|tool| (tool, true))) {
        let [fast, slow] = [true, false].map(|is_fast| {
            let mut harness = harness(sound(2, 3.0));
            harness.state_mut().tools.pick(tool);
            harness.state_mut().tools.change(|settings| settings.build_up = build_up);
            settle(&mut harness);
            let places = wave(&harness);
            let mut events = down_and_along(&places);
            events.push(button(*places.last().unwrap(), false));
            if is_fast {
                harness.input_mut().events.extend(events);
                harness.step();
            } else {
                for event in events {
                    harness.event(event);
                    harness.step();
                    harness.state().jobs.run_until_idle();
                }
            }
            leave(&mut harness);
            let seen = pixels(&mut harness);
            (harness.state().finished.clone(), seen)
        });
        assert_eq!(fast.0.len(), 1, "{tool:?}");
        assert_eq!(fast.0[0].stroke.as_ref().unwrap().build_up, build_up);
        assert_eq!(fast.0, slow.0, "{tool:?}");
        assert_eq!(differing(&fast.1, &slow.1, 0), 0, "{tool:?}");
    }
}

#[test]
fn the_preview_stays_until_the_commit_is_seen_and_resembles_it() {
    if !has_gpu() {
        return;
    }
    for tool in [Tool::ERASE, Tool::GAIN, contrast()] {
        the_preview_resembles_the_commit(tool, tool == Tool::GAIN);
    }
}

fn the_preview_resembles_the_commit(tool: Tool, build_up: bool) {
    let mut harness = harness(sound(2, 3.0));
    harness.state_mut().tools.pick(tool);
    harness.state_mut().tools.change(|settings| settings.build_up = build_up);
    harness.state_mut().tools.change(|settings| settings.keep(Contrast { amount: 4.0, pivot_db: 0.0 }.into()));
    settle(&mut harness);
    let before = pixels(&mut harness);
    let places = wave(&harness);
    let mut events = down_and_along(&places);
    events.push(button(*places.last().unwrap(), false));
    send(&mut harness, &events);
    leave(&mut harness);
    let preview = pixels(&mut harness);
    let edit = harness.state().finished[0].clone();
    let document = &mut harness.state_mut().document;
    let applied = apply(document.history().current(), &edit, &Engine::cpu(), &Progress::new()).unwrap();
    document.commit(edit, applied.snapshot);
    harness.state_mut().busy = false;
    harness.step();
    // Nothing has been analysed yet, so the preview is still what is seen.
    assert_eq!(differing(&preview, &pixels(&mut harness), 0), 0);
    settle(&mut harness);
    let after = pixels(&mut harness);
    let app = harness.state();
    let computed =
        picture(app.document.history().current(), &spec(app, Plane::Magnitude, after.size), &Progress::new());
    assert_eq!(differing(&after, &computed.unwrap(), COLOUR_STEP), 0);
    let (painted, corrected) = (differing(&before, &after, 24), differing(&preview, &after, 24));
    assert!(painted > 1000 && corrected < painted / 3, "painted {painted}, corrected {corrected}");
    // Undo shows the sound before.
    harness.state_mut().document.step_back();
    settle(&mut harness);
    assert_eq!(differing(&before, &pixels(&mut harness), 0), 0);
}

#[test]
fn strokes_on_peaks_are_seen_too() {
    if !has_gpu() {
        return;
    }
    for hop in [16, 4] {
        let mut harness = harness(sound(1, 3.0));
        harness
            .state_mut()
            .document
            .change_view(|view| view.transform = StftParams { n_fft: 64, hop, ..StftParams::default() }.into());
        harness.state_mut().tools.pick(Tool::ERASE);
        settle(&mut harness);
        let before = pixels(&mut harness);
        let places = wave(&harness);
        send(&mut harness, &down_and_along(&places));
        leave(&mut harness);
        assert!(differing(&before, &pixels(&mut harness), COLOUR_STEP) > 500, "hop {hop}");
        harness.state_mut().cancel_stroke();
        settle(&mut harness);
        assert_eq!(differing(&before, &pixels(&mut harness), 0), 0, "hop {hop}");
    }
}

#[test]
fn the_wheel_zooms_at_the_pointer_and_middle_drag_pans() {
    if !has_gpu() {
        return;
    }
    let mut harness = harness(sound(1, 3.0));
    settle(&mut harness);
    let rect = harness.state().canvas.rects().unwrap().picture;
    let at = rect.left_top() + rect.size() * egui::vec2(0.3, 0.6);
    let under = |harness: &Harness<'static, App>| {
        let viewport = harness.state().canvas.viewport().unwrap();
        (viewport.secs_from_x(f64::from(at.x)), viewport.hz_from_y(f64::from(at.y)))
    };
    let wheel = |modifiers| egui::Event::MouseWheel {
        unit: egui::MouseWheelUnit::Line,
        delta: egui::vec2(0.0, 3.0),
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Unknown,
        modifiers,
    };
    let (secs, hz) = under(&harness);
    send(&mut harness, &[egui::Event::PointerMoved(at), wheel(egui::Modifiers::NONE)]);
    send(&mut harness, &[wheel(egui::Modifiers::CTRL)]);
    let view = harness.state().document.view().clone();
    let factor = 1.2f64.powi(3);
    assert!((view.secs[1] - view.secs[0] - 3.0 / factor).abs() < 1e-6, "{view:?}");
    assert!(((view.hz[1] / view.hz[0]).log2() * factor - 400f64.log2()).abs() < 1e-6, "{view:?}");
    let zoomed = under(&harness);
    assert!((zoomed.0 - secs).abs() < 1e-6 && (zoomed.1 / hz - 1.0).abs() < 1e-6);
    let press = |pos, pressed| egui::Event::PointerButton {
        pos,
        button: egui::PointerButton::Middle,
        pressed,
        modifiers: egui::Modifiers::NONE,
    };
    let to = at + egui::vec2(40.0, 25.0);
    send(&mut harness, &[press(at, true), egui::Event::PointerMoved(to), press(to, false)]);
    let viewport = harness.state().canvas.viewport().unwrap();
    assert!((viewport.x_from_secs(secs) - f64::from(to.x)).abs() < 0.01);
    assert!((viewport.y_from_hz(hz) - f64::from(to.y)).abs() < 0.01);
    assert!(!hz_ticks(&viewport, sonobrush::view::LabelSize { letter: 7.0, line: 13.0, gap: 8.0 }).is_empty());
}

#[test]
fn the_readout_finds_the_peak() {
    if !has_gpu() {
        return;
    }
    let hz = 1003.7;
    let tone = signals::tone(48_000, f64::from(RATE), hz, 0.25);
    let mut harness = harness(Snapshot::new(Source::from_channels(vec![tone], RATE).unwrap()));
    settle(&mut harness);
    let viewport = harness.state().canvas.viewport().unwrap();
    let at = egui::pos2(viewport.x_from_secs(1.5) as f32, viewport.y_from_hz(1020.0) as f32);
    send(&mut harness, &[egui::Event::PointerMoved(at)]);
    settle(&mut harness);
    let readout = harness.state().seen.readout.unwrap();
    assert!((readout.secs - 1.5).abs() < viewport.secs_per_pixel());
    assert!((readout.peak_hz.unwrap() - hz).abs() < 0.1 * f64::from(RATE) / 1024.0, "{readout:?}");
    assert!((readout.level_db.unwrap() - -12.041).abs() < 0.1, "{readout:?}");
}

#[test]
fn the_readout_is_of_the_place_under_the_pointer() {
    if !has_gpu() {
        return;
    }
    let tone = signals::tone(48_000, f64::from(RATE), 1003.7, 0.25);
    let mut harness = harness(Snapshot::new(Source::from_channels(vec![tone], RATE).unwrap()));
    settle(&mut harness);
    let viewport = harness.state().canvas.viewport().unwrap();
    // Two and a half bins below the tone, and six above: on its skirts, but not under it.
    for hz in [964.0, 1098.0] {
        let at = egui::pos2(viewport.x_from_secs(1.5) as f32, viewport.y_from_hz(hz) as f32);
        send(&mut harness, &[egui::Event::PointerMoved(at)]);
        settle(&mut harness);
        let readout = harness.state().seen.readout.unwrap();
        assert!((readout.hz / hz - 1.0).abs() < 0.01, "{readout:?}");
        assert!(readout.peak_hz.is_none_or(|peak| (peak - 1003.7).abs() > 15.0), "{readout:?}");
        assert!(readout.level_db.unwrap() < -12.041 - 20.0, "{readout:?}");
    }
}

#[test]
fn handles_of_the_colour_bar_cover_no_number() {
    if !has_gpu() {
        return;
    }
    let mut harness = harness(sound(1, 2.0));
    settle(&mut harness);
    let bar = harness.state().canvas.rects().unwrap().colour_bar;
    let y = bar.bottom() - 8.0 - 20.0 / 126.0 * (bar.height() - 16.0);
    let beside = egui::Rect::from_min_max(egui::pos2(bar.left() + 14.0, y - 6.0), egui::pos2(bar.right(), y + 6.0));
    let beside = egui::Rect::from_min_max(beside.min.round(), beside.max.round());
    let with_handle = part(&mut harness, beside);
    harness.state_mut().document.change_view(|view| view.range_db[0] = -110.0);
    settle(&mut harness);
    assert_eq!(with_handle, part(&mut harness, beside));
    // Control: there is a number.
    assert!(with_handle.rgb.chunks(3).any(|pixel| pixel != &with_handle.rgb[..3]));
}

#[test]
fn both_engines_preview_the_same() {
    if !has_gpu() {
        return;
    }
    for (tool, hop) in [(Tool::ERASE, 256), (Tool::BLUR, 256), (Tool::WARP, 256)] {
        let [on_cpu, on_gpu] = [false, true].map(|on_gpu| {
            let mut harness = harness_on(sound(2, 2.0), on_gpu);
            harness.state_mut().tools.pick(tool);
            harness
                .state_mut()
                .document
                .change_view(|view| view.transform = StftParams { n_fft: 1024, hop, ..StftParams::default() }.into());
            settle(&mut harness);
            let before = pixels(&mut harness);
            let places = wave(&harness);
            send(&mut harness, &down_and_along(&places));
            leave(&mut harness);
            let painted = pixels(&mut harness);
            assert!(differing(&before, &painted, COLOUR_STEP) > 300, "{tool:?}");
            assert!(harness.state_mut().cancel_stroke());
            settle(&mut harness);
            assert_eq!(differing(&before, &pixels(&mut harness), 0), 0, "{tool:?}");
            painted
        });
        assert_eq!(differing(&on_cpu, &on_gpu, COLOUR_STEP), 0, "{tool:?}");
    }
}

#[test]
fn signals_are_joined_on_the_device_as_in_memory() {
    use sonobrush::dsp::{CellRect, Region};
    let Some(gpu) = gpu() else { return };
    for (frames, bins) in [(1, 1), (7, 33), (40, 513)] {
        let rect = CellRect::new(5..5 + frames, 0..bins);
        let region = |seed| Region {
            rect: rect.clone(),
            magnitude: signals::noise(rect.n_cells(), 1.0, seed).into_iter().map(f32::abs).collect(),
            phase: signals::noise(rect.n_cells(), 0.2, seed + 100),
        };
        let (mut all, other) = (region(1), region(2));
        let on_device = gpu.upload(&all).unwrap();
        let other_on_device = gpu.upload(&other).unwrap();
        gpu.in_batch(|batch| gpu.keep_louder(batch, &on_device, &other_on_device)).unwrap();
        let unjoined = all.clone();
        all.keep_louder(&other);
        let joined = gpu.download(&on_device).unwrap();
        assert_eq!(joined, all);
        assert!(rect.n_cells() == 1 || joined != unjoined);
        let coarse = gpu.download(&gpu.in_batch(|batch| gpu.every_frame(batch, &on_device, 2)).unwrap()).unwrap();
        assert_eq!(coarse.rect.frames, 3..(5 + frames).div_ceil(2).max(3));
        for frame in coarse.rect.frames.clone() {
            for bin in 0..bins {
                assert_eq!(coarse.magnitude[coarse.index(frame, bin)], all.magnitude[all.index(2 * frame, bin)]);
                assert_eq!(coarse.phase[coarse.index(frame, bin)], all.phase[all.index(2 * frame, bin)]);
            }
        }
    }
}

#[test]
fn the_canvas_is_never_blank_once_it_was_drawn() {
    if !has_gpu() {
        return;
    }
    let mut harness = harness(sound(1, 3.0));
    settle(&mut harness);
    let background = sonobrush::studio::widgets::theme::DARK.window;
    let n_blank = |picture: &Picture| {
        let pixels = (0..picture.size[1]).flat_map(|y| (0..picture.size[0]).map(move |x| (x, y)));
        pixels.filter(|&(x, y)| picture.at(x, y) == [background.r(), background.g(), background.b()]).count()
    };
    let changes: [fn(&mut App); 4] = [
        |app| app.document.change_view(|view| view.secs = [0.4, 0.9]),
        |app| {
            app.document
                .change_view(|view| view.transform = StftParams { n_fft: 256, hop: 64, ..StftParams::default() }.into())
        },
        |app| {
            app.document
                .change_view(|view| view.transform = StftParams { n_fft: 64, hop: 4, ..StftParams::default() }.into())
        },
        |app| app.document.change_view(|view| view.secs = [0.0, 3.0]),
    ];
    for change in changes {
        change(harness.state_mut());
        // Frame after frame, without and with jobs.
        for _ in 0..6 {
            harness.step();
            let seen = pixels(&mut harness);
            assert_eq!(n_blank(&seen), 0);
        }
        settle(&mut harness);
    }
    // Control: with another document there is nothing to stretch.
    let app = harness.state_mut();
    let view = app.document.view().clone();
    app.document = OpenDocument::new(None, app.document.history().current().clone());
    app.document.change_view(|shown| *shown = view);
    harness.step();
    assert!(n_blank(&pixels(&mut harness)) > 10_000);
}

#[test]
fn a_popup_over_the_canvas_keeps_the_pointer_away() {
    if !has_gpu() {
        return;
    }
    let mut harness = harness(sound(1, 2.0));
    settle(&mut harness);
    let at = harness.state().canvas.rects().unwrap().picture.center();
    let gesture = [egui::Event::PointerMoved(at), button(at, true), button(at, false)];
    // An area exists from the frame after its first layout.
    harness.state_mut().covered = Some(at);
    settle(&mut harness);
    send(&mut harness, &gesture);
    settle(&mut harness);
    assert!(harness.state().finished.is_empty());
    harness.state_mut().covered = None;
    settle(&mut harness);
    send(&mut harness, &gesture);
    assert_eq!(harness.state().finished.len(), 1);
}

/// As when the window stood still for a moment.
#[test]
fn strokes_that_end_within_one_frame_are_all_kept() {
    if !has_gpu() {
        return;
    }
    let mut harness = harness(sound(1, 2.0));
    settle(&mut harness);
    let middle = harness.state().canvas.rects().unwrap().picture.center();
    let tap = |at: egui::Pos2| [egui::Event::PointerMoved(at), button(at, true), button(at, false)];
    let taps = [tap(middle), tap(middle + egui::vec2(60.0, 20.0))].concat();
    harness.input_mut().events.extend(taps);
    harness.step();
    settle(&mut harness);
    assert_eq!(harness.state().finished.len(), 2);
}

#[test]
fn handles_of_the_colour_bar_move_the_range() {
    if !has_gpu() {
        return;
    }
    let mut harness = harness(sound(1, 2.0));
    settle(&mut harness);
    let bar = harness.state().canvas.rects().unwrap().colour_bar;
    // The bar reaches from -120 to +6 dB, 8 points inside its rectangle.
    let y = |db: f32| bar.bottom() - 8.0 - (db + 120.0) / 126.0 * (bar.height() - 16.0);
    let (from, to) = (egui::pos2(bar.left() + 10.0, y(0.0)), egui::pos2(bar.left() + 10.0, y(-30.0)));
    send(
        &mut harness,
        &[egui::Event::PointerMoved(from), button(from, true), egui::Event::PointerMoved(to), button(to, false)],
    );
    let [dark, bright] = harness.state().document.view().range_db;
    assert_eq!(dark, -100.0);
    assert!((bright + 30.0).abs() < 0.5, "{bright}");
}
