//! The lane of notices: it hides nothing of the picture, keeps still under a stroke, and each notice leaves as it should.

use crate::support::studio::{Bench, Drawing, NONE, has_gpu};
use egui::{Key, PointerButton, Rect};
use egui_kittest::kittest::Queryable;
use sonobrush::workbench::{NoticeAct, Severity, Tool};

fn tell(bench: &mut Bench, severity: Severity, what: &str) {
    bench.act(NoticeAct::Tell { severity, what: what.into(), advice: None });
    bench.settle();
}

fn crosses(bench: &Bench) -> Vec<Rect> {
    bench.harness.query_all_by_label("Close the notice").map(|node| node.rect()).collect()
}

#[test]
fn notices_stand_below_the_picture_in_any_window() {
    if !has_gpu() {
        return;
    }
    let mut bench = Bench::with_clip(Drawing::Wgpu, "crow_44k_mono.flac");
    let long = "A sentence that is as long as those about files in folders with long names, or longer. ".repeat(3);
    for (size, wanted) in [([1600.0, 1000.0], 3), ([1280.0, 800.0], 3), ([1024.0, 640.0], 2), ([640.0, 400.0], 1)] {
        bench.harness.set_size(size.into());
        bench.settle();
        let before = bench.studio().picture_rect().unwrap();
        for i in ["one", "two", "three"] {
            tell(&mut bench, Severity::Error, &format!("{i}: {long}"));
        }
        let (picture, found) = (bench.studio().picture_rect().unwrap(), crosses(&bench));
        assert_eq!(found.len(), wanted, "{size:?}");
        assert!(picture.height() >= 60.0, "{size:?}: {picture:?} is left");
        for cross in &found {
            assert!(cross.top() >= picture.bottom() && cross.bottom() <= size[1] - 79.0, "{size:?}: {cross:?}");
            assert!(cross.right() <= size[0]);
        }
        for notice in bench.studio().notices().all().iter().map(|notice| notice.id).collect::<Vec<u64>>() {
            bench.act(NoticeAct::Close(notice));
        }
        bench.settle();
        assert_eq!(bench.studio().picture_rect().unwrap(), before, "the room is given back");
    }
}

#[test]
fn the_picture_keeps_still_under_a_stroke() {
    if !has_gpu() {
        return;
    }
    let mut bench = Bench::with_clip(Drawing::Wgpu, "crow_44k_mono.flac");
    bench.pick(Tool::GAIN);
    bench.settle();
    let picture = bench.studio().picture_rect().unwrap();
    let button =
        |pos, pressed| egui::Event::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers: NONE };
    let (from, to) = (picture.center(), picture.center() + egui::vec2(60.0, 0.0));
    bench.harness.event(egui::Event::PointerMoved(from));
    bench.harness.step();
    bench.harness.event(button(from, true));
    bench.harness.step();
    bench.act(NoticeAct::warning("something that came meanwhile"));
    bench.harness.event(egui::Event::PointerMoved(to));
    for _ in 0..3 {
        bench.harness.step();
    }
    assert_eq!(bench.studio().picture_rect().unwrap(), picture);
    assert!(crosses(&bench).is_empty());
    bench.harness.event(button(to, false));
    bench.settle();
    assert_eq!(crosses(&bench).len(), 1, "it is told after the stroke");
    assert!(bench.studio().picture_rect().unwrap().bottom() < picture.bottom());
}

#[test]
fn what_was_done_leaves_first_and_errors_stay() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    tell(&mut bench, Severity::Error, "Cannot do this.");
    tell(&mut bench, Severity::Warning, "Mind that.");
    tell(&mut bench, Severity::Info, "Copied.");
    let left = |bench: &mut Bench, secs: f64| {
        bench.clock.advance(secs);
        bench.settle();
        bench.notices().into_iter().map(|(severity, _)| severity).collect::<Vec<_>>()
    };
    assert_eq!(left(&mut bench, 5.9).len(), 3);
    assert_eq!(left(&mut bench, 0.2), [Severity::Error, Severity::Warning]);
    assert_eq!(left(&mut bench, 4.0), [Severity::Error]);
    assert_eq!(left(&mut bench, 3600.0), [Severity::Error]);
}

#[test]
fn all_notices_are_closed_by_name() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    for i in ["one", "two", "three", "four"] {
        tell(&mut bench, Severity::Error, i);
    }
    bench.click("Find a command\u{2026}");
    bench.harness.get_by_label("Command to find").type_text("close all notices");
    bench.settle();
    bench.key(NONE, Key::Enter);
    assert!(bench.notices().is_empty());
}

#[test]
fn a_notice_leaves_the_keyboard_with_the_canvas() {
    if !has_gpu() {
        return;
    }
    let mut bench = Bench::with_clip(Drawing::Wgpu, "crow_44k_mono.flac");
    bench.key(egui::Modifiers::COMMAND, Key::K);
    let at = |bench: &Bench| bench.studio().document().unwrap().cursor_secs();
    let before = at(&bench);
    tell(&mut bench, Severity::Error, "Something came meanwhile.");
    bench.key(NONE, Key::ArrowRight);
    assert!(at(&bench) > before, "the arrow moves the cursor, not the view");
}
