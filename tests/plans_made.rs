//! From pen-down to release nothing is planned: FFTs, windows and weights were made before, and are shared.

use crate::support::canvas::{button, harness_on, has_gpu, settle, sound, wave};
use crate::support::strokes::every_edit;
use sonobrush::base::Progress;
use sonobrush::document::{Edit, Signal, apply, apply_live, painted_cells, warm_up};
use sonobrush::dsp::{StftParams, Stroke, Window};
use sonobrush::engine::Engine;
use sonobrush::gpu::Gpu;
use sonobrush::workbench::Tool;

/// Engines of this test alone, since what others make is counted too.
fn fresh_engines() -> Vec<Engine> {
    let gpu = has_gpu().then(|| Engine::on(Gpu::headless(None).unwrap()));
    std::iter::once(Engine::cpu()).chain(gpu).collect()
}

/// The stroke as it is after each of its points.
fn as_drawn(edit: &Edit) -> impl Iterator<Item = Edit> + '_ {
    let stroke = edit.stroke.as_ref().unwrap();
    (1..=stroke.points.len()).map(move |n| {
        let stroke = Stroke { points: stroke.points[..n].to_vec(), ..stroke.clone() };
        Edit { stroke: Some(stroke), ..edit.clone() }
    })
}

#[test]
fn no_brush_plans_anything_while_it_is_drawn_heard_and_released() {
    let sound = sound(1, 1.5);
    for engine in fresh_engines() {
        for window in [Window::Hann, Window::Kaiser] {
            let transform = StftParams { window, ..*every_edit()[0].transform.as_stft().unwrap() };
            warm_up(&transform.into(), &engine, &Progress::new()).unwrap();
            let n_made = engine.n_tables_made();
            for edit in every_edit() {
                let edit = Edit { transform: transform.into(), ..edit };
                for edit in as_drawn(&edit) {
                    painted_cells(&sound, &edit, &[Signal::Channel(0)], &engine, usize::MAX).unwrap();
                    apply_live(&sound, &edit, &engine, &Progress::new()).unwrap();
                }
                apply(&sound, &edit, &engine, &Progress::new()).unwrap();
                assert_eq!(engine.n_tables_made(), n_made, "{}, {}", edit.brush.kind(), engine.name());
            }
        }
        // Controls: a transform that nothing was made ready for is counted once, and its window and FFT are kept.
        let transform = StftParams { n_fft: 2048, hop: 512, ..*every_edit()[0].transform.as_stft().unwrap() };
        let edit = Edit { transform: transform.into(), ..every_edit()[0].clone() };
        let n_made = engine.n_tables_made();
        apply(&sound, &edit, &engine, &Progress::new()).unwrap();
        let n_after = engine.n_tables_made();
        assert!(n_after > n_made, "{}", engine.name());
        apply(&sound, &edit, &engine.clone(), &Progress::new()).unwrap();
        assert_eq!(engine.n_tables_made(), n_after, "clones share them");
    }
}

#[test]
fn the_canvas_plans_nothing_from_pen_down_to_release() {
    if !has_gpu() {
        return;
    }
    for on_gpu in [false, true] {
        for tool in [Tool::BLUR, Tool::WARP, Tool::TONE] {
            let mut harness = harness_on(sound(2, 2.0), on_gpu);
            settle(&mut harness);
            let engine = harness.state().engine.clone();
            let places = wave(&harness);
            harness.state_mut().tools.pick(tool);
            harness.event(egui::Event::PointerMoved(places[0]));
            settle(&mut harness);
            let n_made = engine.n_tables_made();
            harness.event(button(places[0], true));
            for &at in &places[1..] {
                harness.event(egui::Event::PointerMoved(at));
                harness.step();
                harness.state().jobs.run_until_idle();
            }
            harness.event(button(places[places.len() - 1], false));
            settle(&mut harness);
            let edit = harness.state().finished[0].clone();
            apply(&harness.state().document.history().current().clone(), &edit, &engine, &Progress::new()).unwrap();
            assert_eq!(engine.n_tables_made(), n_made, "{tool:?}, {}", engine.name());
            // Control: another transform is made ready in a job as soon as it is shown.
            harness
                .state_mut()
                .document
                .change_view(|view| view.transform = StftParams::of_size(4096, 4, Window::Nuttall).into());
            settle(&mut harness);
            assert!(engine.n_tables_made() > n_made, "{}", engine.name());
        }
    }
}
