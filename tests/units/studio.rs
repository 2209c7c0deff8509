//! Keys, typed numbers, and the geometry of canvas and overview.

use egui::{Event, Modifiers, PointerButton, Rect, pos2, vec2};
use sonobrush::dsp::transforms::rows::RowsParams;
use sonobrush::dsp::{Axis, Cells, Selection, Shape, StftParams, Transform};
use sonobrush::studio::bars::overview::{window_rect, zones};
use sonobrush::studio::canvas::axes::rulers::{HEAD_ROOM, Tags, time_label_left};
use sonobrush::studio::canvas::hand::pointer::{Action, Pointer};
use sonobrush::studio::canvas::overlay::loupe::Loupe;
use sonobrush::studio::canvas::overlay::outline::{contoured, largest_around};
use sonobrush::studio::canvas::overlay::waveform::scale_of;
use sonobrush::studio::input::keys::{egui_key, matches};
use sonobrush::studio::input::typed::{hz_from_text, secs_from_text};
use sonobrush::studio::profiler::frames::{FrameMeter, FrameRate};
use sonobrush::studio::profiler::graphics::{GraphicsMemory, graphics_line, graphics_summary};
use sonobrush::view::Viewport;
use sonobrush::workbench::commands::COMMANDS;

#[test]
fn times_are_typed_as_seconds_or_as_a_clock() {
    for (text, secs) in [
        ("1.5", 1.5),
        ("1,5", 1.5),
        ("0:01.500", 1.5),
        ("1:02.5", 62.5),
        ("1:02:03.25", 3723.25),
        ("250 ms", 0.25),
        ("2 min", 120.0),
        ("3 s", 3.0),
    ] {
        assert_eq!(secs_from_text(text), Some(secs), "{text}");
    }
    for wrong in ["-1", "nan", "a:b", "1:2:3:4", "5 Hz", ""] {
        assert_eq!(secs_from_text(wrong), None, "{wrong}");
    }
}

#[test]
fn frequencies_are_typed_in_hertz_or_as_notes() {
    for (text, hz) in [
        ("440", 440.0),
        ("440 Hz", 440.0),
        ("2k", 2000.0),
        ("2.5 kHz", 2500.0),
        ("A4", 440.0),
        ("a5", 880.0),
        ("A3", 220.0),
        ("C4", 261.625_565),
        ("c#5", 554.365_262),
        ("Db5", 554.365_262),
        ("B3", 246.941_651),
        ("A4 +100 ct", 466.163_762),
        ("A4 \u{2212}100 ct", 415.304_698),
        ("C♯5 +0 ct", 554.365_262),
    ] {
        let found = hz_from_text(text).unwrap_or(f64::NAN);
        assert!((found - hz).abs() < 1e-5, "{text}: {found}");
    }
    for wrong in ["H4", "A", "2 s", "-3", "", "A44", "440 Hertzian"] {
        assert_eq!(hz_from_text(wrong), None, "{wrong}");
    }
}

#[test]
fn every_key_of_the_table_is_one_that_egui_knows_and_gives_its_command() {
    for command in COMMANDS {
        for own in command.row().keys {
            let (key, shift) = egui_key(own).unwrap_or_else(|| panic!("{own} of {command:?}"));
            let modifiers = egui::Modifiers { shift, command: own.ctrl, ctrl: own.ctrl, ..Default::default() };
            let same = COMMANDS.iter().filter(|other| other.row().context == command.row().context);
            let found = same.filter(|other| other.row().keys.iter().any(|own| matches(own, key, modifiers)));
            assert_eq!(found.copied().collect::<Vec<_>>(), [command], "{own}");
        }
    }
}

/// Half an hour and 20 kHz on 1,000 x 400 points.
fn from_afar() -> (Viewport, Rect) {
    let pane = Rect::from_min_size(pos2(50.0, 80.0), vec2(1000.0, 400.0));
    let (secs, hz) = ([0.0, 1800.0], [0.0, 20_000.0]);
    (Viewport { secs, hz, axis: Axis::Linear, origin: [50.0, 80.0], size: [1000.0, 400.0] }, pane)
}

fn n_outlines(shape: Shape) -> usize {
    let (viewport, pane) = from_afar();
    contoured(&viewport, pane, &Selection::of(shape)).0.len()
}

#[test]
fn every_thin_part_has_an_outline() {
    // Bands of half a point, 50 points apart.
    let harmonics = |secs| Shape::Harmonics {
        f0_hz: 2500.0,
        count: 7,
        width_hz: 25.0,
        secs,
        feather: [0.0; 2],
        axis: Axis::Linear,
    };
    assert_eq!(n_outlines(harmonics(Some([200.0, 900.0]))), 7);
    // Clicks of 20 ms, a hundredth of a point.
    let mut values = vec![0.0; 90_000];
    [9_000, 30_011, 61_234, 80_000].into_iter().for_each(|at: usize| values[at] = 1.0);
    let clicks = Cells {
        secs: [0.0, 1800.0],
        hz: [500.0, 19_000.0],
        axis: Axis::Linear,
        size: [90_000, 1],
        values: values.into(),
    };
    assert_eq!(n_outlines(Shape::Cells(clicks)), 4);
}

#[test]
fn the_largest_around_is_the_largest_of_all_in_reach() {
    let values: Vec<f32> = (0..97).map(|i| ((i * 37 % 101) as f32 * 0.7).sin()).collect();
    for reach in [0, 1, 4, 30] {
        let naive = |at: usize| {
            values[at.saturating_sub(reach)..(at + reach + 1).min(97)].iter().fold(f32::MIN, |a, b| a.max(*b))
        };
        assert_eq!(largest_around(&values, reach), (0..97).map(naive).collect::<Vec<_>>(), "{reach}");
    }
}

#[test]
fn numbers_on_the_time_ruler_keep_clear_of_head_and_tag() {
    let label = |tags: &Tags, last_right: f32| time_label_left(100.0, 40.0, tags, last_right);
    assert_eq!(label(&Tags::default(), f32::MIN), Some(103.0));
    let head = |x: f32| Tags { head_x: Some(x), ..Tags::default() };
    // Over the tick: the number moves to the head's right; over its middle: it gives way; elsewhere it stays.
    assert_eq!(label(&head(100.0), f32::MIN), Some(100.0 + HEAD_ROOM));
    assert_eq!(label(&head(120.0), f32::MIN), None);
    assert_eq!(label(&head(160.0), f32::MIN), Some(103.0));
    let pointer = Tags { pointer: Some(pos2(110.0, 0.0)), ..Tags::default() };
    assert_eq!(label(&pointer, f32::MIN), None);
    assert_eq!(label(&Tags::default(), 104.0), None);
}

#[test]
fn two_quick_clicks_are_one_double_click_and_a_third_is_not() {
    let press = |x| Event::PointerButton {
        pos: pos2(x, 5.0),
        button: PointerButton::Primary,
        pressed: true,
        modifiers: Modifiers::NONE,
    };
    let doubles = |presses: &[(f32, f64)]| -> Vec<bool> {
        let mut pointer = Pointer::default();
        let actions = presses.iter().flat_map(|&(x, secs)| pointer.actions(&[press(x)], secs)).collect::<Vec<_>>();
        actions.into_iter().map(|action| matches!(action, Action::Press { double: true, .. })).collect()
    };
    assert_eq!(doubles(&[(1.0, 0.0), (2.0, 0.2), (2.0, 0.4)]), [false, true, false]);
    assert_eq!(doubles(&[(1.0, 0.0), (2.0, 0.6)]), [false, false]);
    assert_eq!(doubles(&[(1.0, 0.0), (20.0, 0.1)]), [false, false]);
}

#[test]
fn every_event_of_a_frame_is_an_action() {
    let events: Vec<Event> = (0..111).map(|x| Event::PointerMoved(pos2(x as f32, 0.0))).collect();
    assert_eq!(Pointer::default().actions(&events, 0.0).len(), 111);
}

#[test]
fn a_held_key_takes_it_away_and_a_tap_keeps_it() {
    let mut loupe = Loupe::default();
    loupe.toggle();
    loupe.follow(true, 1.0);
    loupe.follow(true, 2.0);
    loupe.follow(false, 2.1);
    assert!(!loupe.is_on(), "held");
    loupe.toggle();
    loupe.follow(true, 3.0);
    loupe.follow(false, 3.1);
    loupe.follow(false, 9.0);
    assert!(loupe.is_on(), "tapped");
    loupe.toggle();
    loupe.follow(true, 10.0);
    loupe.follow(false, 10.1);
    assert!(!loupe.is_on(), "tapped again");
}

#[test]
fn sizes_stay_within_what_there_is() {
    const RATE: f64 = 44_100.0;
    let view = Transform::from(StftParams { n_fft: 2048, hop: 512, ..StftParams::default() });
    let stft = |loupe: &Loupe, view: &Transform| loupe.transform(view, RATE).stft().unwrap();
    let mut loupe = Loupe::default();
    assert_eq!((stft(&loupe, &view).n_fft, stft(&loupe, &view).hop), (8192, 1024));
    loupe.turn(9.0, &view, RATE);
    assert_eq!(stft(&loupe, &view).n_fft, 32_768);
    loupe.turn(-20.0, &view, RATE);
    assert_eq!(stft(&loupe, &view).n_fft, 64);
    loupe.turn(0.6, &view, RATE);
    loupe.turn(0.6, &view, RATE);
    assert_eq!(stft(&loupe, &view).n_fft, 128, "parts of notches add up");
    let long = StftParams { n_fft: 32_768, hop: 8192, ..view.stft().unwrap() };
    assert_eq!(stft(&Loupe::default(), &long.into()).n_fft, 8192);
}

#[test]
fn a_loupe_on_rows_has_other_numbers_of_rows() {
    const RATE: f64 = 44_100.0;
    let shown = |loupe: &Loupe, rows: RowsParams| loupe.transform(&rows.into(), RATE);
    let mut loupe = Loupe::default();
    assert_eq!(shown(&loupe, RowsParams::music()), RowsParams::log(96).into());
    assert_eq!(shown(&loupe, RowsParams::mel(128)), RowsParams::mel(512).into());
    assert_eq!(shown(&loupe, RowsParams::bark(96)), RowsParams::bark(384).into());
    // Four times as many would reach too far in time, or are too many.
    let bass = RowsParams::bass();
    assert_eq!(shown(&loupe, bass.clone()), RowsParams::log(12).with_gamma_hz(0.0).into());
    assert_eq!(shown(&loupe, RowsParams::mel(256)), RowsParams::mel(64).into());
    // The wheel goes as far as there is something, from where it is.
    loupe.turn(-1.0, &RowsParams::music().into(), RATE);
    assert_eq!(shown(&loupe, RowsParams::music()), RowsParams::log(48).into());
    loupe.turn(-20.0, &RowsParams::music().into(), RATE);
    assert_eq!(shown(&loupe, RowsParams::music()), RowsParams::log(6).into());
    loupe.turn(20.0, &RowsParams::music().into(), RATE);
    assert_eq!(shown(&loupe, RowsParams::music()), RowsParams::log(96).into());
    // A list has a fixed number of rows.
    let list = RowsParams::list(&[100.0, 130.0, 170.0, 220.0, 290.0]);
    assert_eq!(shown(&loupe, list.clone()), list.into());
}

#[test]
fn the_scale_ends_at_the_step_above_the_peak() {
    assert_eq!(scale_of(1.0), 1.0);
    assert_eq!(scale_of(0.6), 1.0);
    assert_eq!(scale_of(0.5), 0.5);
    assert_eq!(scale_of(0.2), 0.25);
    assert_eq!(scale_of(1.5), 1.5);
    assert!(scale_of(0.0) > 0.0);
}

#[test]
fn every_part_of_the_box_can_be_hit_however_narrow_it_is() {
    let strip = Rect::from_x_y_ranges(100.0..=900.0, 0.0..=44.0);
    for secs in [[0.0, 10.0], [2.0, 5.0], [5.0, 5.001], [0.0, 0.01], [9.99, 10.0]] {
        let [window, left, right] = zones(strip, window_rect(strip, secs, 10.0));
        for zone in [window, left, right] {
            assert!(zone.width() >= 24.0 - 1e-3 && zone.height() >= 24.0, "{secs:?}: {zone:?}");
        }
        let free = right.left() - left.right();
        assert!(free >= 24.0 - 1e-3, "{secs:?}: {free} points move the box");
    }
}

#[test]
fn only_frames_in_a_row_make_a_rate() {
    let mut meter = FrameMeter::default();
    let frame = |meter: &mut FrameMeter, at_secs: f64| {
        meter.begin(at_secs);
        meter.end(at_secs + 0.002);
    };
    frame(&mut meter, 10.0);
    assert_eq!(meter.rate(10.1), None, "one frame");
    frame(&mut meter, 10.3);
    assert_eq!(meter.rate(10.3), None, "nothing moved between");
    (1..=20).for_each(|n| frame(&mut meter, 10.3 + f64::from(n) * 0.02));
    frame(&mut meter, 10.74);
    let rate = meter.rate(10.75).unwrap();
    // 20 gaps of 20 ms and one of 40 ms.
    assert!((rate.per_sec - 21.0 / 0.44).abs() < 1e-6, "{rate:?}");
    assert!((rate.longest_ms - 40.0).abs() < 1e-6 && (rate.ui_ms - 2.0).abs() < 1e-6, "{rate:?}");
    assert_eq!(meter.rate(11.75), None, "a second later");
}

#[test]
fn the_graphics_line_leaves_out_what_is_unknown() {
    let rate = FrameRate { per_sec: 58.3, longest_ms: 21.4, ui_ms: 2.36 };
    let mib = |n: u64| n << 20;
    let mut memory = GraphicsMemory {
        total_bytes: Some(mib(412)),
        adapter_bytes: Some(mib(12 << 10)),
        parts: vec![("tiles", mib(210)), ("kernels", mib(96))],
    };
    assert_eq!(
        graphics_line("RTX 4070, Vulkan", &memory, Some(&rate), Some(0.314)),
        "RTX 4070, Vulkan | 412 MB of 12.0 GB: tiles 210, kernels 96, other 106 | 58 frames/s, longest 21 ms | UI 2.4 ms | \
         device 31 %"
    );
    assert_eq!(graphics_summary(&memory, Some(&rate)), "58 frames/s, 412 MB of 12.0 GB");
    (memory.total_bytes, memory.adapter_bytes) = (None, None);
    assert_eq!(graphics_line("GL", &memory, None, None), "GL | 306 MB: tiles 210, kernels 96");
    assert_eq!(graphics_summary(&memory, None), "306 MB");
}
