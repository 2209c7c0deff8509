//! Rulers, piano, colour bar and marks of the canvas: what they say is where it is, and drags move it.

use crate::support::canvas::*;
use crate::support::signals;
use egui::{Modifiers, PointerButton, Pos2, pos2, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use sonobrush::document::Snapshot;
use sonobrush::dsp::{Axis, Selection, Shape};
use sonobrush::media::Source;
use sonobrush::studio::widgets::theme;
use sonobrush::view::Viewport;
use sonobrush::workbench::{Tool, View};

const PLAIN: Modifiers = Modifiers::NONE;

fn place(viewport: &Viewport, secs: f64, hz: f64) -> Pos2 {
    pos2(viewport.x_from_secs(secs) as f32, viewport.y_from_hz(hz) as f32)
}

fn view_of(harness: &Harness<'static, App>) -> View {
    harness.state().document.view().clone()
}

fn set_view(harness: &mut Harness<'static, App>, axis: Axis, secs: [f64; 2], hz: [f64; 2]) {
    harness.state_mut().document.change_view(|view| (view.axis, view.secs, view.hz) = (axis, secs, hz));
    settle(harness);
}

#[test]
fn a_box_between_two_ruler_values_has_those_values_at_any_scale_axis_and_zoom() {
    if !has_gpu() {
        return;
    }
    for scale in [1.0f32, 2.0] {
        let mut harness = harness_of(sound(1, 3.0), false, [480.0, 300.0], scale);
        harness.state_mut().tools.pick(Tool::SelectBox);
        for axis in [Axis::Linear, Axis::Log, Axis::Mel] {
            let floor = if axis == Axis::Log { 20.0 } else { 0.0 };
            for (secs, hz, low, high) in [
                ([0.0, 3.0], [floor, 8000.0], [0.5, 300.0], [2.25, 5000.0]),
                ([1.0, 1.2], [900.0, 1300.0], [1.05, 950.0], [1.15, 1200.0]),
            ] {
                set_view(&mut harness, axis, secs, hz);
                let viewport = harness.state().canvas.viewport().unwrap();
                // Pointers stand on whole pixels of the screen.
                let snap = |at: Pos2| (at * scale).round() / scale;
                let places = [place(&viewport, low[0], low[1]), place(&viewport, high[0], high[1])].map(snap);
                send(&mut harness, &drag(&places, PointerButton::Primary, PLAIN));
                let selection = harness.state().document.selection().cloned().unwrap();
                let (_, Shape::Rectangle { secs, hz, .. }) = &selection.shapes[0] else { panic!("a rectangle") };
                let (secs, hz) = (secs.unwrap(), hz.unwrap());
                let pixel = 1.0 / f64::from(scale);
                for (found, [wanted_secs, wanted_hz]) in [([secs[0], hz[0]], low), ([secs[1], hz[1]], high)] {
                    let x = |secs| viewport.x_from_secs(secs);
                    let y = |hz| viewport.y_from_hz(hz);
                    let what = format!("{axis:?} at {scale}: {found:?}");
                    assert!((x(found[0]) - x(wanted_secs)).abs() <= pixel, "{what}");
                    assert!((y(found[1]) - y(wanted_hz)).abs() <= pixel, "{what}");
                }
                // The outline is drawn there, too: across a column inside the box, white lies at both edges.
                harness.event(egui::Event::PointerGone);
                settle(&mut harness);
                let image = harness.render().unwrap();
                let middle = (place(&viewport, low[0], low[1]).x + place(&viewport, high[0], high[1]).x) / 2.0;
                for hz in [low[1], high[1]] {
                    let y = viewport.y_from_hz(hz) as f32;
                    let is_light = |dx: i32, dy: i32| {
                        let [x, y] = [middle * scale + dx as f32, y * scale + dy as f32].map(|at| at.round() as u32);
                        image.get_pixel(x, y).0[..3].iter().all(|&byte| byte > 120)
                    };
                    // Within two pixels, somewhere along a dash and the gap after it.
                    let seen = (0..12 * scale as i32).any(|dx| (-2..=2).any(|dy| is_light(dx, dy)));
                    assert!(seen, "{axis:?} at {scale}: no edge at {hz} Hz");
                }
            }
        }
    }
}

#[test]
fn dragging_a_ruler_moves_the_view_and_keeps_its_width_in_the_axis_units() {
    if !has_gpu() {
        return;
    }
    let mut harness = harness(sound(1, 3.0));
    for axis in [Axis::Linear, Axis::Log, Axis::Mel, Axis::Bark] {
        set_view(&mut harness, axis, [1.0, 2.0], [400.0, 3000.0]);
        let rects = harness.state().canvas.rects().unwrap();
        let viewport = harness.state().canvas.viewport().unwrap();
        let start = pos2(rects.hz_ruler.center().x, rects.hz_ruler.center().y);
        let under = viewport.hz_from_y(f64::from(start.y));
        let to = start + vec2(2.0, 50.0);
        send(&mut harness, &drag(&[start, start + vec2(1.0, 20.0), to], PointerButton::Primary, PLAIN));
        let view = view_of(&harness);
        let units = |hz: f64| axis.units_from_hz(hz);
        let width = units(view.hz[1]) - units(view.hz[0]);
        assert!((width / (units(3000.0) - units(400.0)) - 1.0).abs() < 1e-9, "{axis:?}: {view:?}");
        let now = harness.state().canvas.viewport().unwrap();
        assert!((now.y_from_hz(under) - f64::from(to.y)).abs() < 0.01, "{axis:?}: what was held follows");
        assert_eq!(view.secs, [1.0, 2.0]);
        let start = rects.time_ruler.center();
        let under = viewport.secs_from_x(f64::from(start.x));
        let to = start + vec2(-60.0, 4.0);
        send(&mut harness, &drag(&[start, start - vec2(20.0, 0.0), to], PointerButton::Primary, PLAIN));
        let view = view_of(&harness);
        assert!((view.secs[1] - view.secs[0] - 1.0).abs() < 1e-9);
        let now = harness.state().canvas.viewport().unwrap();
        assert!((now.x_from_secs(under) - f64::from(to.x)).abs() < 0.01);
        assert_eq!(harness.state().document.cursor_secs(), 0.0, "a drag leaves the cursor");
    }
}

#[test]
fn drags_across_a_ruler_zoom_and_the_right_button_fills_the_view_with_a_range() {
    if !has_gpu() {
        return;
    }
    let mut harness = harness(sound(1, 3.0));
    set_view(&mut harness, Axis::Log, [0.0, 3.0], [20.0, 8000.0]);
    let rects = harness.state().canvas.rects().unwrap();
    let viewport = harness.state().canvas.viewport().unwrap();
    // Down from the time ruler by 60 points: twice as near, the place pressed stays.
    let start = pos2(viewport.x_from_secs(1.0) as f32, rects.time_ruler.center().y);
    send(
        &mut harness,
        &drag(&[start, start + vec2(1.0, 30.0), start + vec2(0.0, 60.0)], PointerButton::Primary, PLAIN),
    );
    let view = view_of(&harness);
    assert!((view.secs[1] - view.secs[0] - 1.5).abs() < 1e-6, "{view:?}");
    let now = harness.state().canvas.viewport().unwrap();
    assert!((now.x_from_secs(1.0) - f64::from(start.x)).abs() < 0.1);
    // To the right from the frequency ruler: twice as near in octaves.
    let start = pos2(rects.hz_ruler.center().x, viewport.y_from_hz(400.0) as f32);
    send(
        &mut harness,
        &drag(&[start, start + vec2(30.0, 1.0), start + vec2(60.0, 0.0)], PointerButton::Primary, PLAIN),
    );
    let view = view_of(&harness);
    assert!(((view.hz[1] / view.hz[0]).log2() * 2.0 - 400f64.log2()).abs() < 1e-6, "{view:?}");
    // The range dragged over, by the right button or with Shift.
    for (which, keys) in [(PointerButton::Secondary, PLAIN), (PointerButton::Primary, Modifiers::SHIFT)] {
        set_view(&mut harness, Axis::Log, [0.0, 3.0], [20.0, 8000.0]);
        let y = rects.time_ruler.center().y;
        let [a, b] = [0.6, 2.1].map(|secs| pos2(viewport.x_from_secs(secs) as f32, y));
        send(&mut harness, &drag(&[b, a], which, keys));
        let x = rects.hz_ruler.center().x;
        let [a, b] = [200.0, 2000.0].map(|hz| pos2(x, viewport.y_from_hz(hz) as f32));
        send(&mut harness, &drag(&[a, b], which, keys));
        let view = view_of(&harness);
        let pixel = 3.0 / viewport.size[0];
        assert!((view.secs[0] - 0.6).abs() < pixel && (view.secs[1] - 2.1).abs() < pixel, "{view:?}");
        assert!((view.hz[0] / 200.0 - 1.0).abs() < 0.02 && (view.hz[1] / 2000.0 - 1.0).abs() < 0.02, "{view:?}");
    }
}

#[test]
fn a_click_on_the_time_ruler_puts_the_cursor_and_ctrl_scrubs() {
    if !has_gpu() {
        return;
    }
    let mut harness = harness(sound(1, 3.0));
    settle(&mut harness);
    let rects = harness.state().canvas.rects().unwrap();
    let viewport = harness.state().canvas.viewport().unwrap();
    let at = |secs: f64| pos2(viewport.x_from_secs(secs) as f32, rects.time_ruler.center().y);
    send(&mut harness, &drag(&[at(1.5), at(1.5)], PointerButton::Primary, PLAIN));
    assert!((harness.state().document.cursor_secs() - 1.5).abs() < viewport.secs_per_pixel());
    assert_eq!(harness.state().last.scrub_secs, None);
    let mut events = drag(&[at(0.5), at(2.0)], PointerButton::Primary, Modifiers::CTRL);
    let release = events.pop().unwrap();
    send(&mut harness, &events);
    assert!((harness.state().last.scrub_secs.unwrap() - 2.0).abs() < viewport.secs_per_pixel());
    assert!((harness.state().document.cursor_secs() - 2.0).abs() < viewport.secs_per_pixel());
    assert_eq!(view_of(&harness).secs, [0.0, 3.0]);
    send(&mut harness, &[release]);
    send(&mut harness, &[egui::Event::PointerMoved(at(1.0))]);
    assert_eq!(harness.state().last.scrub_secs, None, "released");
}

#[test]
fn the_piano_beside_a_log_axis_has_its_keys_where_the_notes_are() {
    if !has_gpu() {
        return;
    }
    let mut harness = harness(sound(1, 2.0));
    set_view(&mut harness, Axis::Log, [0.0, 2.0], [220.0, 880.0]);
    let rects = harness.state().canvas.rects().unwrap();
    let viewport = harness.state().canvas.viewport().unwrap();
    let keys = rects.piano.unwrap();
    assert_eq!((keys.right(), keys.left()), (rects.picture.left(), rects.hz_ruler.right()));
    let image = harness.render().unwrap();
    let pixel = |hz: f64, x: f32| {
        let rgba = image.get_pixel(x as u32, viewport.y_from_hz(hz).round() as u32).0;
        egui::Color32::from_rgb(rgba[0], rgba[1], rgba[2])
    };
    // A scale from A3 to A5, by the intervals of a piano.
    for midi in 58..=80 {
        let hz = 440.0 * ((f64::from(midi) - 69.0) / 12.0).exp2();
        let is_black = [1, 3, 6, 8, 10].contains(&(midi % 12));
        let wanted = if is_black { theme::DARK.key_black } else { theme::DARK.key_white };
        assert_eq!(pixel(hz, keys.right() - 4.0), wanted, "{midi}");
    }
    // Names stand on the white keys; there is no piano where octaves are not equally high.
    let names = part(&mut harness, egui::Rect::from_min_max(keys.min, pos2(keys.left() + 12.0, keys.bottom())));
    let ink = theme::DARK.key_text;
    assert!(names.rgb.chunks(3).filter(|pixel| *pixel == [ink.r(), ink.g(), ink.b()]).count() > 10);
    set_view(&mut harness, Axis::Linear, [0.0, 2.0], [220.0, 880.0]);
    assert_eq!(harness.state().canvas.rects().unwrap().piano, None);
}

#[test]
fn the_colour_bar_moves_whole_and_by_its_ends() {
    if !has_gpu() {
        return;
    }
    let mut harness = harness(sound(1, 2.0));
    settle(&mut harness);
    let bar = harness.state().canvas.rects().unwrap().colour_bar;
    let at = |db: f32| pos2(bar.left() + 7.0, bar.bottom() - 8.0 - (db + 120.0) / 126.0 * (bar.height() - 16.0));
    send(&mut harness, &drag(&[at(-100.0), at(-80.0)], PointerButton::Primary, PLAIN));
    let [dark, bright] = view_of(&harness).range_db;
    assert!((dark + 80.0).abs() < 0.5 && bright == 0.0, "{dark} {bright}");
    send(&mut harness, &drag(&[at(-40.0), at(-55.0)], PointerButton::Primary, PLAIN));
    let [moved_dark, moved_bright] = view_of(&harness).range_db;
    assert!((moved_dark - dark + 15.0).abs() < 0.5 && (moved_bright + 15.0).abs() < 0.5);
    // An end cannot pass the other.
    send(&mut harness, &drag(&[at(moved_bright), at(-120.0)], PointerButton::Primary, PLAIN));
    let [dark, bright] = view_of(&harness).range_db;
    assert!(bright - dark >= 5.9, "{dark} {bright}");
    // The View panel takes more than the bar shows: what lies beyond it is dragged, too.
    for range_db in [[-160.0, 0.0], [5.0, 24.0], [-160.0, -150.0]] {
        for way in [[-60.0, -40.0], [6.0, -20.0], [-120.0, -100.0]] {
            harness.state_mut().document.change_view(|view| view.range_db = range_db);
            settle(&mut harness);
            send(&mut harness, &drag(&way.map(at), PointerButton::Primary, PLAIN));
            let [dark, bright] = view_of(&harness).range_db;
            assert!(dark >= -160.0 && bright <= 24.0 && bright - dark >= 5.9, "{range_db:?} {way:?}: {dark} {bright}");
        }
    }
}

/// A tone of -6 dB for two seconds, then one of -46 dB, over noise of about -90 dB.
fn loud_and_soft() -> Snapshot {
    let n = 2 * RATE as usize;
    let tone = |amplitude| signals::tone(n, f64::from(RATE), 1000.0, amplitude);
    let mut samples = tone(0.5);
    samples.extend(tone(0.005));
    let noise = signals::noise(samples.len(), 3e-4, 7);
    samples.iter_mut().zip(noise).for_each(|(sample, noise)| *sample += noise);
    Snapshot::new(Source::from_channels(vec![samples], RATE).unwrap())
}

#[test]
fn an_unlocked_range_follows_what_is_seen_and_a_locked_one_stays() {
    if !has_gpu() {
        return;
    }
    let mut harness = harness(loud_and_soft());
    settle(&mut harness);
    assert!(view_of(&harness).range_locked);
    harness.get_by_label("Lock range").click();
    harness.event(egui::Event::PointerGone);
    settle(&mut harness);
    assert!(!view_of(&harness).range_locked);
    let [dark, bright] = view_of(&harness).range_db;
    assert!((-7.0..=-4.0).contains(&bright), "the loud tone is the brightest: {bright}");
    assert!(dark < -80.0, "{dark}");
    set_view(&mut harness, Axis::Log, [2.5, 3.5], [20.0, 8000.0]);
    let soft = view_of(&harness).range_db;
    assert!((-47.0..=-44.0).contains(&soft[1]), "{soft:?}");
    harness.get_by_label("Lock range").click();
    settle(&mut harness);
    set_view(&mut harness, Axis::Log, [0.0, 4.0], [20.0, 8000.0]);
    assert_eq!(view_of(&harness).range_db, soft, "locked");
    // Once, though it is locked.
    harness.state_mut().canvas.fit_range();
    settle(&mut harness);
    let view = view_of(&harness);
    assert!(view.range_locked && (view.range_db[1] - bright).abs() < 0.1, "{view:?}");
}

#[test]
fn the_dashes_of_a_selection_walk_and_come_to_rest() {
    if !has_gpu() {
        return;
    }
    let mut harness = harness(sound(1, 3.0));
    let selection = Selection::rectangle(Some([1.0, 2.0]), Some([500.0, 2000.0]), [0.0, 0.0], Axis::Linear);
    harness.state_mut().document.select(Some(selection));
    settle(&mut harness);
    let touch = egui::Event::PointerMoved(pos2(3.0, 3.0));
    send(&mut harness, std::slice::from_ref(&touch));
    let first = pixels(&mut harness);
    send(&mut harness, &[touch]);
    let second = pixels(&mut harness);
    assert!(differing(&first, &second, 30) > 50, "they walk");
    // No input for longer than they walk: a still window.
    for _ in 0..60 {
        harness.step();
    }
    let rest = pixels(&mut harness);
    for _ in 0..3 {
        harness.step();
    }
    assert_eq!(differing(&rest, &pixels(&mut harness), 0), 0, "they rest");
}

#[test]
fn the_clones_source_is_marked_and_goes_along_with_the_stroke() {
    if !has_gpu() {
        return;
    }
    let mut harness = harness(sound(1, 3.0));
    harness.state_mut().tools.pick(Tool::CLONE);
    settle(&mut harness);
    let viewport = harness.state().canvas.viewport().unwrap();
    let source = place(&viewport, 0.6, 2000.0);
    let unmarked = pixels(&mut harness);
    send(&mut harness, &drag(&[source, source], PointerButton::Primary, Modifiers::CTRL));
    leave(&mut harness);
    let marked = pixels(&mut harness);
    assert!(differing(&unmarked, &marked, 30) > 50, "a ring");
    let start = place(&viewport, 1.5, 500.0);
    let end = start + vec2(40.0, 15.0);
    send(&mut harness, &down_and_along(&[start, start + vec2(10.0, 3.0), end]));
    let now = harness.state().canvas.clone_source_now().unwrap();
    let now = place(&viewport, now.secs, now.hz);
    assert!((now - (source + (end - start))).length() < 0.5, "{now:?}");
    // The cross in its middle is white.
    let image = harness.render().unwrap();
    let at = [now.x, now.y].map(|at| at.round() as u32);
    let light = (-1i64..=1).flat_map(|dx| (-1i64..=1).map(move |dy| (dx, dy))).any(|(dx, dy)| {
        let pixel = image.get_pixel((i64::from(at[0]) + dx) as u32, (i64::from(at[1]) + dy) as u32).0;
        pixel[..3].iter().all(|&byte| byte > 180)
    });
    assert!(light);
    harness.state_mut().cancel_stroke();
}
