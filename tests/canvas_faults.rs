//! A canvas whose device has no memory left to compute with: the picture and the stroke are the same, and a notice says
//! once that the CPU computes them.

use crate::support::canvas::{
    App, COLOUR_STEP, differing, down_and_along, harness_on, has_gpu, leave, pixels, send, settle, sound, wave,
};
use crate::support::faults::FOREVER;
use egui_kittest::Harness;
use sonobrush::dsp::transforms::rows::RowsParams;
use sonobrush::dsp::{StftParams, Transform};
use sonobrush::workbench::Tool;

/// As [`settle`], but every job finds no memory on the device.
fn settle_without_memory(harness: &mut Harness<'static, App>) {
    let gpu = harness.state().engine.gpu().unwrap().clone();
    for _ in 0..200 {
        harness.step();
        gpu.fail_allocations(0..FOREVER);
        let n_run = harness.state().jobs.run_until_idle();
        gpu.fail_allocations(0..0);
        if n_run == 0 && harness.state().canvas.is_settled() && harness.state().painting.is_up_to_date() {
            return;
        }
    }
    panic!("the canvas does not settle");
}

/// The pictures of a sound before and while it is painted, and what was reported by then.
fn looked_at(
    transform: &Transform,
    settle: fn(&mut Harness<'static, App>),
) -> [(sonobrush::view::Picture, Vec<String>); 2] {
    let mut harness = harness_on(sound(2, 3.0), true);
    let app = harness.state_mut();
    app.document.change_view(|view| view.transform = transform.clone());
    app.document.change_view(|view| view.secs = [0.5, 1.5]);
    app.tools.pick(Tool::BLUR);
    app.may_fail = true;
    let seen = |harness: &mut Harness<'static, App>| {
        settle(harness);
        leave(harness);
        (pixels(harness), harness.state().reported.clone())
    };
    let opened = seen(&mut harness);
    let places = wave(&harness);
    send(&mut harness, &down_and_along(&places));
    [opened, seen(&mut harness)]
}

#[test]
fn where_memory_has_ended_the_picture_is_the_same_and_a_notice_says_so() {
    if !has_gpu() {
        return;
    }
    let stft = StftParams { n_fft: 1024, hop: 256, ..StftParams::default() };
    for transform in [stft.into(), RowsParams::music().into()] {
        let clean = looked_at(&transform, settle);
        let found = looked_at(&transform, settle_without_memory);
        for ((clean, _), (found, _)) in clean.iter().zip(&found) {
            let n_pixels = clean.size[0] * clean.size[1];
            let n_differing = differing(clean, found, COLOUR_STEP);
            assert!(n_differing * 1000 < n_pixels, "{transform:?}: {n_differing} of {n_pixels}");
        }
        // The control: a stroke is seen.
        assert!(differing(&clean[0].0, &clean[1].0, COLOUR_STEP) > 100, "{transform:?}");
        assert_eq!((&clean[1].1, found[0].1.len(), found[1].1.len()), (&Vec::new(), 1, 2), "{:?}", found[1].1);
        let words = ["what it cannot draw", "the preview of this stroke"];
        for (said, words) in found[1].1.iter().zip(words) {
            assert_eq!(*said, format!("the graphics device is out of memory; {words} is computed on the CPU"));
        }
    }
}
