//! The profiler in the window.

use crate::support::studio::{Bench, Drawing, NONE};

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
