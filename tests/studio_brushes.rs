//! Settings of brushes in the studio, and commands that are brushes: what they ask for is what the edit holds.

use crate::support::studio::{Bench, CTRL, Drawing, NONE, SHIFT, bits};
use sonobrush::document::brushes::{Brush, Warp};
use sonobrush::dsp::strokes::brush::WarpMode;
use sonobrush::workbench::Tool;

fn wide(tool: Tool) -> Bench {
    let mut bench = Bench::with_clip(Drawing::None, "guitar_chord_44k_stereo.flac");
    bench.harness.set_size([1920.0, 1080.0].into());
    bench.pick(tool);
    bench.settle();
    bench
}

#[test]
fn the_phase_of_a_selection_is_made_again_on_demand() {
    let mut bench = wide(Tool::GAIN);
    let original = bench.samples(0);
    bench.key(CTRL | SHIFT, egui::Key::R);
    assert_eq!(
        bench.studio().document().unwrap().history().entries().len(),
        1,
        "without a selection there is nothing to do"
    );
    bench.select(Some([1.0, 1.5]), Some([200.0, 4000.0]));
    bench.key(CTRL | SHIFT, egui::Key::R);
    assert!(bench.has("Step 1: Rebuild phase, selection"));
    let after = bench.samples(0);
    assert_ne!(bits(&after[50_000..60_000]), bits(&original[50_000..60_000]));
    assert_eq!(bits(&after[..40_000]), bits(&original[..40_000]));
    assert_eq!(bits(&after[70_000..]), bits(&original[70_000..]));
    bench.key(CTRL, egui::Key::Z);
    assert_eq!(bits(&bench.samples(0)), bits(&original));
}

#[test]
fn what_is_ticked_is_in_the_brush() {
    let mut bench = wide(Tool::BLUR);
    let brush = |bench: &mut Bench| bench.tools().brush().unwrap();
    let rebuilds = |brush: Brush| brush.phase_steps().is_some();
    assert!(!rebuilds(brush(&mut bench)));
    bench.click("Rebuild phase");
    assert!(rebuilds(brush(&mut bench)));
    bench.click("Build up");
    assert!(bench.tools().settings().build_up);
    bench.click("Reset tool");
    assert!(!rebuilds(brush(&mut bench)) && !bench.tools().settings().build_up);

    bench.key(NONE, egui::Key::W);
    let push = |peak_locking| Brush::Warp(Warp { mode: WarpMode::Push, peak_locking });
    assert_eq!(brush(&mut bench), push(true));
    assert!(!bench.has("Build up"), "a push does not build up");
    bench.click("Keep pitch");
    assert_eq!(brush(&mut bench), push(false));
    for tool in Tool::ALL.into_iter().filter(|tool| tool.is_brush()) {
        bench.pick(tool);
        // Denoising needs a noise that was learnt.
        let Some(brush) = bench.tools().brush() else {
            assert_eq!(tool, Tool::DENOISE);
            continue;
        };
        assert_eq!(brush.builds_up(), tool.builds_up(), "{tool:?}");
    }
}
