//! Cards take what comes from keyboard and pointer while they are open; and what the studio says, and where it fits.

use crate::support::studio::{Bench, CTRL, Drawing, NONE, SHIFT, clip, has_gpu};
use egui_kittest::kittest::{NodeT, Queryable};
use sonobrush::document::brushes::Brush;
use sonobrush::workbench::Picked;
use sonobrush::workbench::Severity;
use sonobrush::workbench::commands::{Command, FileCommand, WindowCommand};
use sonobrush::workbench::{ChannelView, Tool};

fn n_steps(bench: &Bench) -> usize {
    bench.studio().document().unwrap().history().entries().len()
}

fn position(bench: &Bench) -> usize {
    bench.studio().document().unwrap().history().position()
}

/// A press, a way and a release, over the lower half of the canvas.
fn drag(bench: &mut Bench) {
    let rect = bench.studio().canvas_rect();
    let at = |part: f32| egui::pos2(rect.left() + rect.width() * part, rect.top() + rect.height() * 0.75);
    let button = |pos, pressed| egui::Event::PointerButton {
        pos,
        button: egui::PointerButton::Primary,
        pressed,
        modifiers: NONE,
    };
    bench.harness.event(egui::Event::PointerMoved(at(0.3)));
    bench.harness.step();
    bench.harness.event(button(at(0.3), true));
    bench.harness.step();
    for i in 1..=10 {
        bench.harness.event(egui::Event::PointerMoved(at(0.3 + 0.02 * i as f32)));
        bench.harness.step();
    }
    bench.harness.event(button(at(0.5), false));
    bench.settle();
}

#[test]
fn a_card_keeps_strokes_and_clicks_from_what_is_behind() {
    if !has_gpu() {
        return;
    }
    let mut bench = Bench::with_clip(Drawing::Wgpu, "crow_44k_mono.flac");
    bench.key(NONE, egui::Key::E);
    for command in [
        Command::File(FileCommand::Export),
        Command::File(FileCommand::OpenPath),
        Command::Window(WindowCommand::Keys),
        Command::Window(WindowCommand::Palette),
    ] {
        let ctx = bench.harness.ctx.clone();
        bench.harness.state_mut().apply(&ctx, command);
        bench.settle();
        drag(&mut bench);
        assert_eq!(n_steps(&bench), 1, "{command:?}");
        // The command finder names it too, farther right.
        let named = bench.harness.query_all_by_label("Gain brush").map(|node| node.rect().center());
        let tool = named.min_by(|a, b| a.x.total_cmp(&b.x)).unwrap();
        for pressed in [true, false] {
            let (button, modifiers) = (egui::PointerButton::Primary, NONE);
            bench.harness.event(egui::Event::PointerMoved(tool));
            bench.harness.event(egui::Event::PointerButton { pos: tool, button, pressed, modifiers });
            bench.settle();
        }
        assert_eq!(bench.tools().active(), Tool::ERASE, "{command:?}");
        bench.key(NONE, egui::Key::Escape);
        assert!(!bench.has("Close dialog"), "{command:?}");
    }
    drag(&mut bench);
    assert_eq!(n_steps(&bench), 2, "without a card the same drag paints");
}

#[test]
fn a_card_keeps_keys_from_what_is_behind() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.select(Some([0.1, 0.2]), None);
    bench.key(NONE, egui::Key::Delete);
    bench.key(CTRL, egui::Key::E);
    bench.key(NONE, egui::Key::W);
    bench.key(CTRL, egui::Key::Z);
    bench.key(NONE, egui::Key::Space);
    assert_eq!((bench.tools().active(), position(&bench)), (Tool::GAIN, 1));
    bench.key(NONE, egui::Key::Escape);
    bench.key(NONE, egui::Key::W);
    bench.key(CTRL, egui::Key::Z);
    assert_eq!((bench.tools().active(), position(&bench)), (Tool::WARP, 0));
    bench.key(NONE, egui::Key::F1);
    assert!(bench.has("Close dialog"));
    bench.key(NONE, egui::Key::F1);
    assert!(!bench.has("Close dialog"), "the same key puts the sheet away");
}

#[test]
fn a_path_can_be_typed_each_time_the_card_opens() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    for round in 0..3 {
        bench.key(CTRL | SHIFT, egui::Key::O);
        assert!(bench.harness.get_by_label("Path").accesskit_node().is_focused(), "round {round}");
        bench.harness.event(egui::Event::Text("egw".into()));
        bench.settle();
        assert_eq!(bench.harness.get_by_label("Path").value().as_deref(), Some("egw"), "round {round}");
        bench.key(NONE, egui::Key::Escape);
        assert!(!bench.has("Path"), "one Escape puts the card away");
    }
    assert_eq!(bench.tools().active(), Tool::GAIN);
}

#[test]
fn enter_presses_the_default_button_whatever_had_the_keyboard_before() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.harness.get_by_label("Erase brush").focus();
    bench.settle();
    bench.key(CTRL, egui::Key::E);
    let out = bench.out("entered.wav");
    bench.fill("Path", out.to_str().unwrap());
    bench.key(NONE, egui::Key::Enter);
    assert!(bench.out("entered.wav").exists(), "{:?}", bench.notices());
}

#[test]
fn a_success_takes_down_the_error_before_it() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    let open = |bench: &mut Bench, path| {
        bench.dialogs.answer(Picked::File(path));
        bench.key(CTRL, egui::Key::O);
    };
    let readme = bench.out("README.md");
    std::fs::write(&readme, "# A text\n\nNothing to hear.\n").unwrap();
    open(&mut bench, readme);
    let notices = bench.notices();
    let [(Severity::Error, what)] = notices.as_slice() else { panic!("{notices:?}") };
    assert!(what.starts_with("Cannot open README.md: it is not audio"), "{what}");
    let source = clip("crow_44k_mono.flac");
    bench.dialogs.answer(Picked::File(source));
    bench.key(CTRL, egui::Key::E);
    bench.click("Save as\u{2026}");
    assert_eq!(bench.notices().len(), 2, "{:?}", bench.notices());
    open(&mut bench, clip("speech_16k_mono.wav"));
    let notices = bench.notices();
    let [(Severity::Error, what)] = notices.as_slice() else { panic!("{notices:?}") };
    assert!(what.starts_with("Cannot export"), "only what was done is taken down: {what}");
}

#[test]
fn a_missing_dialog_is_told_once() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    for wanted in [1, 0] {
        bench.dialogs.answer(Picked::Unavailable);
        bench.key(CTRL, egui::Key::E);
        bench.click("Save as\u{2026}");
        assert!(bench.has("Path"));
        bench.key(NONE, egui::Key::Escape);
        assert_eq!(bench.notices().len(), wanted, "{:?}", bench.notices());
        bench.clock.advance(11.0);
        bench.settle();
    }
}

#[test]
fn notices_keep_within_a_small_window() {
    let mut bench = Bench::new(Drawing::None);
    bench.harness.set_size([800.0, 560.0].into());
    for i in 0..4 {
        let name =
            format!("a_recording_with_a_long_name_that_tells_where_and_when_it_was_made_{i}_{}.wav", "x".repeat(90));
        let bad = bench.out(&name);
        std::fs::write(&bad, "x").unwrap();
        bench.open(bad);
        bench.settle();
    }
    let window = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(800.0, 560.0));
    let crosses: Vec<egui::Rect> =
        bench.harness.query_all_by_label("Close the notice").map(|node| node.rect()).collect();
    assert_eq!(crosses.len(), 2, "a low window keeps its room for the picture");
    for (i, cross) in crosses.iter().enumerate() {
        assert!(window.contains_rect(*cross), "{cross:?}");
        assert!(crosses[..i].iter().all(|other| !other.expand(8.0).intersects(*cross)), "{crosses:?}");
    }
    assert!(bench.harness.query_by_label("2 more notices").is_some());
    bench.harness.set_size([1600.0, 900.0].into());
    bench.settle();
    assert!(bench.harness.query_by_label("1 more notice").is_some());
}

#[test]
fn a_click_with_warp_says_what_to_do() {
    if !has_gpu() {
        return;
    }
    let mut bench = Bench::with_clip(Drawing::Wgpu, "crow_44k_mono.flac");
    bench.key(NONE, egui::Key::W);
    let pos = bench.studio().canvas_rect().center();
    for pressed in [true, false] {
        let (button, modifiers) = (egui::PointerButton::Primary, NONE);
        bench.harness.event(egui::Event::PointerMoved(pos));
        bench.harness.event(egui::Event::PointerButton { pos, button, pressed, modifiers });
        bench.settle();
    }
    let notices = bench.notices();
    let [(Severity::Info, what)] = notices.as_slice() else { panic!("{notices:?}") };
    assert!(what.starts_with("Drag to push sound"), "{what}");
}

#[test]
fn notices_are_sentences() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.select(Some([100.0, 101.0]), None);
    bench.key(NONE, egui::Key::Delete);
    let what = bench.notices().last().unwrap().1.clone();
    assert!(what.starts_with("This edit covers no cell") && what.ends_with('.'), "{what}");
}

#[test]
fn the_status_hints_at_what_the_tool_does() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.harness.set_size([1600.0, 1000.0].into());
    let mut hint = |tool: Tool, wanted: &str| {
        bench.pick(tool);
        bench.settle();
        assert_eq!(bench.harness.query_all_by_label_contains(wanted).count(), 1, "{tool:?}: {wanted}");
    };
    hint(Tool::GAIN, "Drag: paint    ");
    hint(Tool::SelectBox, "Drag: select    ");
    hint(Tool::Hand, "Drag: move the view    ");
}

#[test]
fn every_setting_is_reached_in_the_least_window() {
    let mut bench = Bench::with_clip(Drawing::None, "guitar_chord_44k_stereo.flac");
    bench.set_view(|view| view.channels = ChannelView::One(0));
    bench.pick(Tool::MODULATION_FILTER);
    bench.settle();
    assert!(bench.has("Channels: L"), "it says what brushes change");
    bench.harness.set_size([800.0, 560.0].into());
    bench.settle();
    let window = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(800.0, 560.0));
    for label in ["Radius", "Reset tool", "More settings", "Channels: L"] {
        assert!(window.contains_rect(bench.harness.get_by_label(label).rect()), "{label}");
    }
    assert!(!bench.has("Order"));
    bench.click("More settings");
    for label in ["Order", "Cutoff"] {
        let field = bench.harness.query_all_by_label(label).last().unwrap();
        assert!(window.contains_rect(field.rect()), "{label}: {:?}", field.rect());
    }
    bench.key(NONE, egui::Key::Escape);
    for label in ["Time", "Frequency", "Note", "Level", "Phase"] {
        for figure in bench.harness.query_all_by_label(&format!("{label}: nothing under the pointer")) {
            assert!(window.contains_rect(figure.rect()), "{label}");
        }
    }
    bench.harness.set_size([1600.0, 1000.0].into());
    bench.settle();
    assert!(!bench.has("More settings") && bench.has("Order"));
}

#[test]
fn a_fresh_band_filter_acts_at_250_hz_painted_on_either_side() {
    let mut bench = Bench::new(Drawing::None);
    bench.pick(Tool::BAND_FILTER);
    let Some(Brush::BandFilter(low)) = bench.tools().brush() else { panic!() };
    assert!((low.response(1000.0).powi(2) - 0.5).abs() < 1e-9 && low.response(8000.0) < 0.01, "{low:?}");
    bench.set_tools(|tools| tools.band_filter.pass = sonobrush::dsp::strokes::brush::Pass::Notch);
    let Some(Brush::BandFilter(notch)) = bench.tools().brush() else { panic!() };
    assert_eq!(notch.cutoff, [500.0, 2000.0]);
}

#[test]
fn the_key_sheet_lies_in_its_card() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    for size in [[1280.0, 800.0], [800.0, 560.0]] {
        bench.harness.set_size(size.into());
        bench.settle();
        bench.key(NONE, egui::Key::F1);
        let canvas = bench.studio().canvas_rect();
        let cross = bench.harness.get_by_label("Close dialog").rect();
        let rows: Vec<egui::Rect> = bench
            .harness
            .query_all_by_label_contains(": ")
            .map(|node| node.rect())
            .filter(|r| r.width() > 150.0 && r.right() < canvas.right())
            .collect();
        let right = rows.iter().map(|row| row.right()).fold(0.0, f32::max);
        assert!(rows.len() > 8 && (cross.right() - right).abs() <= 20.0, "{cross:?} {right}");
        bench.key(NONE, egui::Key::Escape);
    }
}

/// Fast typing goes into the next dialog, not to the shortcuts.
#[test]
fn keys_typed_between_two_dialogs_are_no_shortcuts() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.select(Some([0.1, 0.2]), None);
    let before = bench.tools().active();
    // The system has no dialog: until that is known there is no card yet.
    bench.dialogs.answer(Picked::Unavailable);
    bench.harness.key_press_modifiers(CTRL, egui::Key::O);
    let keys = [egui::Key::W, egui::Key::E, egui::Key::Delete, egui::Key::Space, egui::Key::Num5];
    for key in keys {
        bench.harness.step();
        bench.harness.key_press(key);
    }
    bench.settle();
    assert!(bench.has("Path"), "{:?}", bench.notices());
    // A file that is there is looked for before the card comes back and asks.
    let there = bench.out("there.wav");
    std::fs::write(&there, "x").unwrap();
    bench.key(NONE, egui::Key::Escape);
    bench.key(CTRL, egui::Key::E);
    bench.fill("Path", there.to_str().unwrap());
    bench.harness.key_press(egui::Key::Enter);
    for key in keys {
        bench.harness.step();
        bench.harness.key_press(key);
    }
    bench.settle();
    assert!(bench.has("Replace"), "{:?}", bench.notices());
    assert_eq!((bench.tools().active(), n_steps(&bench)), (before, 1));
    assert!(!bench.studio().workbench().transport().status.playing);
    bench.key(NONE, egui::Key::Escape);
    bench.key(NONE, egui::Key::E);
    assert_eq!(bench.tools().active(), Tool::ERASE, "afterwards they are");
}
