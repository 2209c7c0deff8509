//! With the GPU engine the canvas is analysed where it is drawn: opening, zooming, painting and undoing take no FFT on
//! the CPU, and no cell is read back.

use crate::support::canvas::{App, button, down_and_along, harness_on, has_gpu, send, settle, sound, wave};
use egui_kittest::Harness;
use sonobrush::base::Progress;
use sonobrush::base::trace::{self, Recording};
use sonobrush::document::apply;
use sonobrush::gpu::ReadBack;
use sonobrush::workbench::Tool;

/// FFTs on the CPU and bytes of cells read back in each part of a session: a sound is opened, looked at, painted, released
/// and restored.
fn work_on_the_cpu(on_gpu: bool) -> Vec<(&'static str, usize, u64)> {
    let mut harness = harness_on(sound(2, 20.0), on_gpu);
    let recording = Recording::start();
    let thread = trace::thread_number();
    let counts = |harness: &Harness<'static, App>| {
        let gpu = harness.state().engine.gpu();
        let events = recording.trace().events;
        let ffts = events.iter().filter(|event| event.thread == thread && event.name == "cpu stft");
        (ffts.count(), gpu.map_or(0, |gpu| gpu.bytes_read(ReadBack::Cells)))
    };
    let mut work = Vec::new();
    let mut before = counts(&harness);
    let mut note = |part: &'static str, harness: &mut Harness<'static, App>| {
        settle(harness);
        let now = counts(harness);
        work.push((part, now.0 - before.0, now.1 - before.1));
        before = now;
    };
    note("open", &mut harness);
    for secs in [[4.0, 12.0], [6.0, 7.5], [0.0, 20.0], [6.0, 7.5]] {
        harness.state_mut().document.change_view(|view| view.secs = secs);
        note("zoom", &mut harness);
    }
    harness.state_mut().tools.pick(Tool::BLUR);
    let places = wave(&harness);
    send(&mut harness, &down_and_along(&places));
    note("paint", &mut harness);
    harness.event(button(*places.last().unwrap(), false));
    note("lift the pen", &mut harness);
    let app = harness.state_mut();
    let edit = app.finished.pop().unwrap();
    let applied = apply(app.document.history().current(), &edit, &app.engine, &Progress::new()).unwrap();
    app.document.commit(edit, applied.snapshot);
    app.busy = false;
    note("release", &mut harness);
    harness.state_mut().document.step_back();
    note("undo", &mut harness);
    work
}

#[test]
fn nothing_of_the_canvas_is_transformed_on_the_cpu() {
    if !has_gpu() {
        return;
    }
    let on_device = work_on_the_cpu(true);
    assert!(on_device.iter().all(|(_, n_ffts, n_bytes)| (*n_ffts, *n_bytes) == (0, 0)), "{on_device:?}");
    // The control: the CPU engine.
    let on_cpu = work_on_the_cpu(false);
    assert!(on_cpu.iter().all(|(part, n_ffts, _)| *n_ffts > 0 || *part == "lift the pen"), "{on_cpu:?}");
}
