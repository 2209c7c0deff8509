//! The profiler in the window.

use crate::hearing::bench_with;
use crate::support::signals::noise;
use crate::support::studio::{Bench, CTRL, Drawing, NONE};
use egui_kittest::kittest::Queryable;

#[test]
fn the_profiler_shows_spans_and_can_be_hidden() {
    let mut bench = Bench::new(Drawing::None);
    assert!(!bench.has("frame: ui"));
    bench.key(NONE, egui::Key::F12);
    bench.clock.advance(1.0);
    bench.settle();
    assert!(bench.has("frame: ui") && bench.has("Median ms"), "what frames take is listed");
    bench.key(NONE, egui::Key::F12);
    assert!(!bench.has("frame: ui"));
}

#[test]
fn graphics_and_the_engine_of_an_edit_are_in_the_status_line_on_request() {
    let mut bench = bench_with(Drawing::Wgpu, &[noise(48_000, 0.1, 1)]);
    bench.key(CTRL, egui::Key::A);
    bench.key(NONE, egui::Key::Delete);
    bench.settle();
    let engines = bench.studio().document().unwrap().edits().engines().unwrap().to_owned();
    assert!(engines.starts_with("Erase: CPU ") && engines.ends_with(" ms"), "{engines}");
    let shows = |bench: &Bench, text: &str| bench.harness.query_all_by_label_contains(text).next().is_some();
    assert!(!shows(&bench, "Erase: CPU ") && !shows(&bench, " MB"));
    bench.key(NONE, egui::Key::F12);
    bench.clock.advance(1.0);
    bench.settle();
    assert!(shows(&bench, "tiles ") && shows(&bench, "kernels "), "memory by purpose");
    bench.key(NONE, egui::Key::F12);
    bench.settle();
    assert!(!shows(&bench, "tiles "));
}
