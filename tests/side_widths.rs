//! The sides of the window are made wider and narrower, and are as wide at the next start.

use crate::support::studio::{Bench, Drawing, NONE};
use egui::{Key, pos2};
use egui_kittest::kittest::Queryable;
use sonobrush::workbench::commands::LayoutCommand;
use sonobrush::workbench::{LayoutAct, PanelSide};

fn widths(bench: &Bench) -> [f32; 2] {
    [PanelSide::Left, PanelSide::Right].map(|side| bench.studio().layout().width(side))
}

fn drag_edge(bench: &mut Bench, name: &str, by: f32) {
    let at = bench.harness.get_by_label(name).rect().center();
    let to = pos2(at.x + by, at.y + 40.0);
    bench.drag(&[at, at + egui::vec2(by / 2.0, 0.0), to]);
}

#[test]
fn sides_are_resized_by_mouse_and_keys_and_keep_their_width() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.act(LayoutCommand::Library);
    bench.settle();
    let [left, right] = widths(&bench);
    let heading = bench.harness.get_by_label("Width of the library").rect();
    drag_edge(&mut bench, "Width of the library", 80.0);
    drag_edge(&mut bench, "Width of the panels", -60.0);
    let wider = widths(&bench);
    assert!((wider[0] - left - 80.0).abs() <= 4.0 && (wider[1] - right - 60.0).abs() <= 4.0, "{wider:?}");
    let drawn = bench.harness.get_by_label("Width of the library").rect();
    assert!((drawn.right() - heading.right() - 80.0).abs() <= 4.0, "{heading:?} {drawn:?}");
    // By keys: outwards is wider.
    bench.harness.get_by_label("Width of the panels").focus();
    bench.settle();
    bench.key(NONE, Key::ArrowLeft);
    assert_eq!(widths(&bench)[1], wider[1] + 16.0);
    bench.key(NONE, Key::ArrowRight);
    assert_eq!(widths(&bench), wider);
    // No wider than two fifths of the window, and nothing that is no width.
    drag_edge(&mut bench, "Width of the library", 400.0);
    let drawn = bench.harness.get_by_label("Width of the library").rect();
    let tools = bench.harness.get_by_label("Library").rect();
    assert!(drawn.right() <= 0.4 * 1280.0 + 100.0 && tools.right() < drawn.right(), "{drawn:?} {tools:?}");
    bench.act(LayoutAct::Width(PanelSide::Right, f32::NAN));
    bench.settle();
    assert_eq!(widths(&bench)[1], wider[1]);
    // At the next start.
    let before = widths(&bench);
    let bench = bench.restarted(Drawing::None);
    assert_eq!(widths(&bench), before);
}
