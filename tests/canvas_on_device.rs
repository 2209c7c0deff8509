//! With the GPU engine the canvas is analysed where it is drawn: opening, zooming, painting and undoing take no FFT on
//! the CPU, and no cell is read back.

use crate::support::canvas::{App, button, down_and_along, harness_on, has_gpu, send, settle, sound, wave};
use egui_kittest::Harness;
use sonobrush::base::Progress;
use sonobrush::base::trace::{self, Recording};
use sonobrush::document::apply;
use sonobrush::gpu::ReadBack;
use sonobrush::workbench::Tool;

/// FFTs on the CPU and bytes of cells read back, while a sound is opened, looked at, painted and restored.
fn work_on_the_cpu(on_gpu: bool) -> (usize, u64) {
    let recording = Recording::start();
    let mut harness = harness_on(sound(2, 20.0), on_gpu);
    let cells_read =
        |harness: &Harness<'static, App>| harness.state().engine.gpu().map_or(0, |gpu| gpu.bytes_read(ReadBack::Cells));
    let before = cells_read(&harness);
    settle(&mut harness);
    for secs in [[4.0, 12.0], [6.0, 7.5], [0.0, 20.0], [6.0, 7.5]] {
        harness.state_mut().document.change_view(|view| view.secs = secs);
        settle(&mut harness);
    }
    harness.state_mut().tools.pick(Tool::BLUR);
    let places = wave(&harness);
    send(&mut harness, &down_and_along(&places));
    settle(&mut harness);
    harness.event(button(*places.last().unwrap(), false));
    settle(&mut harness);
    let app = harness.state_mut();
    let edit = app.finished.pop().unwrap();
    let applied = apply(app.document.history().current(), &edit, &app.engine, &Progress::new()).unwrap();
    app.document.commit(edit, applied.snapshot);
    app.busy = false;
    settle(&mut harness);
    harness.state_mut().document.step_back();
    settle(&mut harness);
    let thread = trace::thread_number();
    let events = recording.trace().events;
    let n_ffts = events.iter().filter(|event| event.thread == thread && event.name == "cpu stft").count();
    (n_ffts, cells_read(&harness) - before)
}

#[test]
fn nothing_of_the_canvas_is_transformed_on_the_cpu() {
    if !has_gpu() {
        return;
    }
    assert_eq!(work_on_the_cpu(true), (0, 0));
    // The control: the CPU engine.
    assert!(work_on_the_cpu(false).0 > 10);
}
