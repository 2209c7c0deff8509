//! The canvas while it is zoomed, and its other pictures: channels one above the other, the loupe, the waveform.
//! Nothing short or thin is lost from far away, and no frame is blank.

use crate::support::canvas::*;
use crate::support::signals;
use egui::{Event, Modifiers, Pos2, Rect, pos2, vec2};
use egui_kittest::Harness;
use sonobrush::base::Progress;
use sonobrush::document::brushes::Gain;
use sonobrush::document::{Channels, Snapshot, apply};
use sonobrush::dsp::transforms::rows::RowsParams;
use sonobrush::dsp::{Axis, StftParams};
use sonobrush::engine::Engine;
use sonobrush::media::Source;
use sonobrush::studio::canvas::PaneAt;
use sonobrush::view::{Picture, Plane, Waveform, picture, waveform_detail};
use sonobrush::workbench::{ChannelView, Panes, Tool};

const TEN_MINUTES_SECS: f64 = 600.0;

fn mono(samples: Vec<f32>) -> Snapshot {
    Snapshot::new(Source::from_channels(vec![samples], RATE).unwrap())
}

fn wheel(notches: f32, modifiers: Modifiers) -> Event {
    Event::MouseWheel {
        unit: egui::MouseWheelUnit::Line,
        delta: vec2(0.0, notches),
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Unknown,
        modifiers,
    }
}

/// The part of the pixels that show nothing: the window's own colour, or the colour of silence.
fn blank_part(picture: &Picture, harness: &Harness<'static, App>) -> f64 {
    let background = sonobrush::studio::widgets::theme::DARK.window;
    let silence = harness.state().document.view().colormap.rgb(0.0);
    let none = [[background.r(), background.g(), background.b()], silence];
    let n = picture.rgb.chunks(3).filter(|pixel| none.iter().any(|none| none == pixel)).count();
    n as f64 / (picture.rgb.len() / 3) as f64
}

#[test]
fn ten_zooms_a_second_show_no_blank_frame() {
    if !has_gpu() {
        return;
    }
    // Noise: every cell holds something, -50 dB and more from the darkest colour.
    let n = (TEN_MINUTES_SECS * f64::from(RATE)) as usize;
    let mut harness = harness_of(mono(signals::noise(n, 0.1, 3)), false, [400.0, 240.0], 1.0);
    harness.state_mut().tools.pick(Tool::Hand);
    harness.step();
    harness.step();
    // Control of the measure: nothing has been analysed yet.
    let first = pixels(&mut harness);
    assert!(blank_part(&first, &harness) > 0.9);
    settle(&mut harness);
    let rect = harness.state().canvas.rects().unwrap().picture;
    let at = |x: f32, y: f32| rect.left_top() + rect.size() * vec2(x, y);
    let mut n_frames = 0;
    let mut zoom = |harness: &mut Harness<'static, App>, to: Pos2, notches: f32, keys: Modifiers, jobs: bool| {
        send(harness, &[Event::PointerMoved(to), wheel(notches, keys)]);
        if jobs {
            harness.state().jobs.run_until_idle();
        }
        // Frames between two zooms at 30 a second.
        for _ in 0..2 {
            harness.step();
            let part = blank_part(&pixels(harness), harness);
            assert!(part < 0.005, "frame {n_frames}: {part} is blank at {:?}", harness.state().document.view().secs);
            n_frames += 1;
        }
    };
    // Nothing is analysed in time; then everything is, now and then.
    for jobs_every in [usize::MAX, 3] {
        let mut i = 0;
        let mut next = || {
            i += 1;
            i % jobs_every == 0
        };
        for _ in 0..7 {
            zoom(&mut harness, at(0.7, 0.4), 5.0, Modifiers::NONE, next());
        }
        zoom(&mut harness, at(0.5, 0.5), 4.0, Modifiers::CTRL, next());
        for _ in 0..3 {
            zoom(&mut harness, at(0.1, 0.4), -6.0, Modifiers::NONE, next());
        }
        // Another transform in the middle of it, and to the side.
        let n_fft = if jobs_every == 3 { 256 } else { 4096 };
        harness
            .state_mut()
            .document
            .change_view(|view| view.transform = StftParams { n_fft, hop: n_fft / 4, ..StftParams::default() }.into());
        zoom(&mut harness, at(0.9, 0.4), 6.0, Modifiers::NONE, next());
        zoom(&mut harness, at(0.9, 0.4), -8.0, Modifiers::SHIFT, next());
        for _ in 0..6 {
            zoom(&mut harness, at(0.3, 0.4), -6.0, Modifiers::NONE, next());
        }
        zoom(&mut harness, at(0.5, 0.5), -6.0, Modifiers::CTRL, next());
    }
    assert!(n_frames > 70);
}

#[test]
fn a_click_of_one_sample_and_a_thin_tone_are_seen_at_any_zoom() {
    if !has_gpu() {
        return;
    }
    let n = (TEN_MINUTES_SECS * f64::from(RATE)) as usize;
    let click_secs = 433.37;
    let mut samples = signals::tone(n, f64::from(RATE), 3000.0, 1e-3);
    samples[(click_secs * f64::from(RATE)) as usize] += 0.5;
    let mut harness = harness_of(mono(samples), false, [400.0, 240.0], 1.0);
    for (times, smooth) in [1.0, 2.0, 7.3, 40.0, 900.0].into_iter().flat_map(|times| [(times, true), (times, false)]) {
        harness.state_mut().document.change_view(|view| view.smooth = smooth);
        let half = TEN_MINUTES_SECS / times / 2.0;
        let middle = click_secs.clamp(half, TEN_MINUTES_SECS - half);
        harness.state_mut().document.change_view(|view| view.secs = [middle - half, middle + half]);
        settle(&mut harness);
        let seen = pixels(&mut harness);
        let viewport = harness.state().canvas.viewport().unwrap();
        let bright = |x: usize, y: usize| seen.at(x, y).iter().map(|&byte| u32::from(byte)).sum::<u32>();
        let dark = sonobrush::view::Colormap::Viridis.rgb(0.0).iter().map(|&byte| u32::from(byte)).sum::<u32>();
        let row = |hz: f64| (viewport.y_from_hz(hz) - viewport.origin[1]) as usize;
        // The click, away from the tone: from top to bottom, at its place, and nowhere else.
        let x = (viewport.x_from_secs(click_secs) - viewport.origin[0]) as usize;
        let is_click = |x: usize| [200.0, 700.0, 6000.0].iter().all(|&hz| bright(x, row(hz)) > dark + 40);
        assert!((x.saturating_sub(1)..=x + 1).any(is_click), "the click is lost at 1/{times}");
        let frame_px = 1024.0 / f64::from(RATE) / viewport.secs_per_pixel();
        let n_click = (4..seen.size[0]).filter(|&x| is_click(x)).count();
        // On each side it fades out as far as the next frame.
        let fade_px = if smooth { 2.0 * 256.0 / f64::from(RATE) / viewport.secs_per_pixel() } else { 0.0 };
        assert!(n_click as f64 <= frame_px + fade_px + 3.0, "{n_click} columns at 1/{times}");
        // The tone: in every column.
        let y = row(3000.0);
        let has_tone = |x: usize| (y - 1..=y + 1).any(|y| bright(x, y) > dark + 40);
        let n_tone = (4..seen.size[0]).filter(|&x| has_tone(x)).count();
        assert_eq!(n_tone, seen.size[0] - 4, "the tone has holes at 1/{times}");
    }
}

#[test]
fn another_transform_shows_the_old_picture_until_its_own_is_there() {
    if !has_gpu() {
        return;
    }
    let mut harness = harness(sound(1, 3.0));
    settle(&mut harness);
    let old = pixels(&mut harness);
    for stft in [
        StftParams { n_fft: 4096, hop: 512, ..StftParams::default() },
        StftParams { n_fft: 1024, hop: 64, window: sonobrush::dsp::Window::Blackman },
    ] {
        harness.state_mut().document.change_view(|view| view.transform = stft.into());
        harness.step();
        harness.step();
        assert!(differing(&old, &pixels(&mut harness), 0) < old.size[0], "stretched in place: the same picture");
        settle(&mut harness);
        let new = pixels(&mut harness);
        assert!(differing(&old, &new, COLOUR_STEP) > old.size[0] * 5, "another picture in the end");
        harness
            .state_mut()
            .document
            .change_view(|view| view.transform = StftParams { n_fft: 1024, hop: 256, ..StftParams::default() }.into());
        settle(&mut harness);
    }
}

/// What `picture` makes of a pane.
fn computed(harness: &Harness<'static, App>, pane: &PaneAt, size: [usize; 2]) -> Picture {
    let app = harness.state();
    let spec = sonobrush::view::PictureSpec { channels: pane.channels, ..spec(app, pane.plane, size) };
    picture(app.document.history().current(), &spec, &Progress::new()).unwrap()
}

#[test]
fn stacked_channels_each_have_their_picture_and_their_strokes() {
    if !has_gpu() {
        return;
    }
    let mut harness = harness(sound(2, 3.0));
    harness.state_mut().document.change_view(|view| view.panes = Panes::Both);
    harness.state_mut().document.change_view(|view| view.stacked = true);
    harness.state_mut().tools.pick(Tool::ERASE);
    settle(&mut harness);
    let panes = harness.state().canvas.panes().to_vec();
    let what: Vec<_> = panes.iter().map(|pane| (pane.plane, pane.channels)).collect();
    let [left, right] = [0, 1].map(ChannelView::One);
    let wanted = [(Plane::Magnitude, left), (Plane::Magnitude, right), (Plane::Phase, left), (Plane::Phase, right)];
    assert_eq!(what, wanted);
    let shots = |harness: &mut Harness<'static, App>| {
        let image = harness.render().unwrap();
        panes.iter().map(|pane| crop(&image, pane.rect)).collect::<Vec<_>>()
    };
    let before = shots(&mut harness);
    for (pane, seen) in panes.iter().zip(&before) {
        // The name of its channel stands on it.
        let n_other = differing(seen, &computed(&harness, pane, seen.size), COLOUR_STEP);
        assert!(n_other < 400, "{pane:?}: {n_other}");
    }
    assert!(differing(&before[0], &before[1], COLOUR_STEP) > 1000, "the channels differ");
    // A stroke in the lower picture goes to the right channel, and is seen there alone.
    let middle = panes[1].rect.center();
    let places = [middle - vec2(60.0, 0.0), middle, middle + vec2(60.0, 10.0)];
    send(&mut harness, &down_and_along(&places));
    harness.event(Event::PointerGone);
    settle(&mut harness);
    let during = shots(&mut harness);
    let changed: Vec<bool> = before.iter().zip(&during).map(|(a, b)| differing(a, b, COLOUR_STEP) > 200).collect();
    assert_eq!(changed[..2], [false, true]);
    send(&mut harness, &[button(places[2], false)]);
    let edit = harness.state().finished[0].clone();
    assert_eq!(edit.channels, Channels::List(vec![1]));
    let document = &mut harness.state_mut().document;
    let applied = apply(document.history().current(), &edit, &Engine::cpu(), &Progress::new()).unwrap();
    document.commit(edit, applied.snapshot);
    harness.state_mut().busy = false;
    leave(&mut harness);
    let after = shots(&mut harness);
    assert_eq!(differing(&before[0], &after[0], 0), 0, "the left channel is as it was");
    assert!(differing(&before[1], &after[1], COLOUR_STEP) > 200);
    // Mid and side are painted as such.
    for (view, channels) in [(ChannelView::Mid, Channels::Mid), (ChannelView::Side, Channels::Side)] {
        harness.state_mut().document.change_view(|seen| seen.channels = view);
        harness.state_mut().document.change_view(|view| view.panes = Panes::Magnitude);
        settle(&mut harness);
        assert_eq!(harness.state().canvas.panes().len(), 1);
        let mut events = down_and_along(&places);
        events.push(button(places[2], false));
        send(&mut harness, &events);
        assert_eq!(harness.state().finished.last().unwrap().channels, channels);
        leave(&mut harness);
    }
}

#[test]
fn the_loupe_shows_the_area_around_the_pointer_at_another_size() {
    if !has_gpu() {
        return;
    }
    let mut harness = harness(sound(1, 3.0));
    harness.state_mut().tools.pick(Tool::Hand);
    settle(&mut harness);
    let pane = harness.state().canvas.panes()[0];
    let at = pane.rect.center().round();
    send(&mut harness, &[Event::PointerMoved(at)]);
    settle(&mut harness);
    let without = part(&mut harness, pane.rect);
    // 320 by 240 points about the pointer; its label and its edge aside.
    let area = Rect::from_center_size(at, vec2(320.0, 240.0)).intersect(pane.rect);
    let inner = Rect::from_min_max(area.min + vec2(4.0, 40.0), area.max - vec2(4.0, 4.0));
    let wanted = |harness: &Harness<'static, App>, n_fft: usize| {
        let app = harness.state();
        let mut spec = spec(app, Plane::Magnitude, [inner.width() as usize, inner.height() as usize]);
        spec.secs = [inner.left(), inner.right()].map(|x| pane.viewport.secs_from_x(f64::from(x)));
        spec.hz = [inner.bottom(), inner.top()].map(|y| pane.viewport.hz_from_y(f64::from(y)));
        spec.transform = StftParams { n_fft, hop: n_fft / 8, ..*spec.transform.as_stft().unwrap() }.into();
        picture(app.document.history().current(), &spec, &Progress::new()).unwrap()
    };
    harness.state_mut().canvas.toggle_loupe();
    settle(&mut harness);
    // Columns and rows of the loupe's own edge may fall to the next pixel.
    let allowed = (inner.width() * inner.height() * 0.02) as usize;
    let seen = part(&mut harness, inner);
    assert!(differing(&seen, &wanted(&harness, 4096), COLOUR_STEP) <= allowed);
    assert!(differing(&seen, &wanted(&harness, 1024), COLOUR_STEP) > 10 * allowed, "another size looks different");
    // Beside it the picture is what it was.
    let beside = Rect::from_min_max(pane.rect.min + vec2(6.0, 0.0), pos2(area.left() - 4.0, pane.rect.bottom()));
    let [now, before] = [part(&mut harness, beside), {
        let x = (beside.left() - pane.rect.left()) as usize;
        let size = [beside.width() as usize, beside.height() as usize];
        let rgb = (0..size[1]).flat_map(|y| (0..size[0]).flat_map(move |dx| [(x + dx, y)]));
        Picture { size, rgb: rgb.flat_map(|(x, y)| without.at(x, y)).collect() }
    }];
    assert_eq!(differing(&now, &before, 0), 0);
    // The wheel chooses the size and zooms nothing.
    let secs = harness.state().document.view().secs;
    send(&mut harness, &[wheel(-3.0, Modifiers::NONE)]);
    settle(&mut harness);
    assert_eq!(harness.state().document.view().secs, secs);
    let seen = part(&mut harness, inner);
    assert!(differing(&seen, &wanted(&harness, 512), COLOUR_STEP) <= allowed);
    harness.state_mut().canvas.toggle_loupe();
    settle(&mut harness);
    assert_eq!(differing(&part(&mut harness, pane.rect), &without, 0), 0);
}

#[test]
fn the_loupe_shows_other_rows_where_the_view_has_rows() {
    if !has_gpu() {
        return;
    }
    let mut harness = harness(sound(1, 3.0));
    harness.state_mut().tools.pick(Tool::Hand);
    harness.state_mut().document.change_view(|view| {
        (view.transform, view.axis, view.hz) = (RowsParams::log(12).into(), Axis::Log, [100.0, 6_000.0]);
        view.smooth = false;
    });
    settle(&mut harness);
    let pane = harness.state().canvas.panes()[0];
    let at = pane.rect.center().round();
    send(&mut harness, &[Event::PointerMoved(at)]);
    harness.state_mut().canvas.toggle_loupe();
    settle(&mut harness);
    let area = Rect::from_center_size(at, vec2(320.0, 240.0)).intersect(pane.rect);
    let inner = Rect::from_min_max(area.min + vec2(4.0, 40.0), area.max - vec2(4.0, 4.0));
    let wanted = |harness: &Harness<'static, App>, bins: u32| {
        let app = harness.state();
        let mut spec = spec(app, Plane::Magnitude, [inner.width() as usize, inner.height() as usize]);
        spec.secs = [inner.left(), inner.right()].map(|x| pane.viewport.secs_from_x(f64::from(x)));
        spec.hz = [inner.bottom(), inner.top()].map(|y| pane.viewport.hz_from_y(f64::from(y)));
        spec.transform = RowsParams::log(bins).into();
        picture(app.document.history().current(), &spec, &Progress::new()).unwrap()
    };
    let allowed = (inner.width() * inner.height() * 0.02) as usize;
    let seen = part(&mut harness, inner);
    assert!(differing(&seen, &wanted(&harness, 48), COLOUR_STEP) <= allowed);
    assert!(differing(&seen, &wanted(&harness, 12), COLOUR_STEP) > 10 * allowed, "other rows look different");
    send(&mut harness, &[wheel(-1.0, Modifiers::NONE)]);
    settle(&mut harness);
    let seen = part(&mut harness, inner);
    assert!(differing(&seen, &wanted(&harness, 24), COLOUR_STEP) <= allowed);
}

#[test]
fn the_waveform_lies_over_the_picture_as_strongly_as_asked() {
    if !has_gpu() {
        return;
    }
    // Half a second up, half a second silent, over and over: heights that are known at any zoom.
    let n = 3 * RATE as usize;
    let samples = (0..n).map(|i| if (i / (RATE as usize / 2)).is_multiple_of(2) { 0.5 } else { 0.0 }).collect();
    let mut harness = harness(mono(samples));
    harness.state_mut().tools.pick(Tool::Hand);
    let light = |harness: &mut Harness<'static, App>, secs: f64, height: f32| {
        let pane = harness.state().canvas.panes()[0];
        let x = pane.viewport.x_from_secs(secs) as u32;
        let y = (pane.rect.center().y - height * pane.rect.height() / 2.0 * 0.95) as u32;
        let image = harness.render().unwrap();
        // A line of one point falls on one of three pixels.
        let sum = |y: u32| image.get_pixel(x, y).0[..3].iter().map(|&byte| u32::from(byte)).sum::<u32>();
        (y - 1..=y + 1).map(sum).max().unwrap()
    };
    // From afar by runs, and from near by samples: the scale ends at the peak.
    for secs in [[0.0, 3.0], [1.2, 1.7]] {
        harness.state_mut().document.change_view(|view| view.secs = secs);
        harness.state_mut().document.change_view(|view| view.waveform = 0.0);
        settle(&mut harness);
        let bare_up = light(&mut harness, 1.25, 1.0);
        harness.state_mut().document.change_view(|view| view.waveform = 1.0);
        settle(&mut harness);
        assert!(light(&mut harness, 1.25, 1.0) > 700, "{secs:?}: up");
        assert!(light(&mut harness, 1.6, 1.0) < 500, "{secs:?}: silence lies at the middle");
        assert!(light(&mut harness, 1.6, 0.0) > 700, "{secs:?}: a line");
        harness.state_mut().document.change_view(|view| view.waveform = 0.5);
        settle(&mut harness);
        let half = light(&mut harness, 1.25, 1.0);
        assert!(half > bare_up + 60 && half < 700, "{secs:?}: half as strong, {bare_up} {half}");
    }
}

#[test]
fn columns_of_a_waveform_hold_their_samples_and_follow_an_edit() {
    let n = 100_000;
    let samples = signals::noise(n, 0.3, 5);
    let snapshot = mono(samples.clone());
    let progress = Progress::new();
    let whole = Waveform::compute(&snapshot, ChannelView::All, None, &progress).unwrap();
    let rate = f64::from(RATE);
    for (secs, n_px) in [([0.0, n as f64 / rate], 100), ([1.0, 4.0], 40), ([2.0, 2.01], 60), ([2.0, 2.001], 64)] {
        let exact = whole.is_exact(secs, n_px);
        let columns = match exact {
            true => whole.columns(secs, n_px),
            false => waveform_detail(&snapshot, ChannelView::One(0), secs, n_px, &progress).unwrap(),
        };
        let per_px = (secs[1] - secs[0]) * rate / n_px as f64;
        // As wide as the runs that it is made from, at most half a column and one sample more on each side.
        let more = if exact { per_px / 2.0 + 1.0 } else { 2.0 };
        let extremes = |from: f64, to: f64| {
            let [from, to] = [from, to].map(|at| (at.max(0.0) as usize).min(n));
            // Between two samples there is no other.
            samples[from..to.max(from)].iter().fold([f32::MAX, f32::MIN], |e, &s| [e[0].min(s), e[1].max(s)])
        };
        for (x, [low, high]) in columns.into_iter().enumerate() {
            let [from, to] = [0, 1].map(|i| secs[0] * rate + per_px * (x + i) as f64);
            let (inner, outer) = (extremes(from.ceil(), to.floor()), extremes(from - more, to + more + 1.0));
            assert!(low <= inner[0] && high >= inner[1], "{secs:?} {x}: a sample is lost");
            assert!(low >= outer[0] && high <= outer[1], "{secs:?} {x}: {low} {high} is not there");
        }
    }
    // After an edit, what was read again and what was kept are what a new reading gives.
    let brush = sonobrush::document::Brush::Gain(Gain { gain_db: 6.0 });
    let edit = sonobrush::document::Edit {
        select: Some(sonobrush::dsp::Selection::rectangle(Some([2.0, 2.5]), None, [0.0, 0.0], Axis::Linear)),
        ..sonobrush::document::Edit::of(brush, StftParams::default())
    };
    let edited = apply(&snapshot, &edit, &Engine::cpu(), &progress).unwrap().snapshot;
    let recomputed = Waveform::compute(&edited, ChannelView::All, None, &progress).unwrap();
    let carried_on = Waveform::compute(&edited, ChannelView::All, Some(&whole), &progress).unwrap();
    let secs = [0.0, n as f64 / rate];
    assert_eq!(recomputed.columns(secs, 150), carried_on.columns(secs, 150));
    assert_ne!(recomputed.columns(secs, 150), whole.columns(secs, 150));
}
