//! With the GPU engine the canvas is analysed where it is drawn: opening, zooming, painting and undoing take no FFT on
//! the CPU, and no cell is read back.

use crate::support::canvas::{App, button, down_and_along, harness_on, has_gpu, send, settle, sound, wave};
use egui_kittest::Harness;
use sonobrush::base::Progress;
use sonobrush::base::trace::{self, Event, Lane, Recording, Trace};
use sonobrush::document::apply;
use sonobrush::dsp::transforms::rows::RowsParams;
use sonobrush::dsp::{StftParams, Transform};
use sonobrush::gpu::ReadBack;
use sonobrush::workbench::Tool;

/// Jobs that look at few frames, or prepare the first stroke: what is left to the CPU.
const LEFT_TO_THE_CPU: [&str; 4] = ["warm", "landmarks", "readout", "range"];

/// A sound, and the transform it is seen through.
struct Seen {
    transform: Transform,
    n_channels: usize,
    secs: f64,
}

/// Work of one part of a session on the CPU.
#[derive(Debug, Clone, Default, PartialEq)]
struct CpuWork {
    /// Spans around each FFT of the canvas.
    ffts: Vec<Vec<String>>,
    cell_bytes_read: u64,
}

/// Spans around each FFT on the CPU by this thread, without those of jobs that are left to it.
fn ffts_of(trace: &Trace) -> Vec<Vec<String>> {
    let thread = trace::thread_number();
    let own: Vec<_> = trace.events.iter().filter(|event| event.thread == thread && event.lane == Lane::Cpu).collect();
    let around = |fft: &Event| {
        let (start, end) = (fft.start_nanos, fft.start_nanos + fft.nanos);
        let holds = |other: &&&Event| other.start_nanos <= start && other.start_nanos + other.nanos >= end;
        own.iter().filter(holds).map(|other| other.name.to_string()).collect::<Vec<_>>()
    };
    let is_fft = |event: &&&Event| ["cpu stft", "cpu rows"].contains(&&*event.name);
    let ffts = own.iter().filter(is_fft).map(|fft| around(fft));
    ffts.filter(|spans| !spans.iter().any(|span| LEFT_TO_THE_CPU.contains(&span.as_str()))).collect()
}

/// What the CPU does in each part of a session: a sound is opened, looked at, painted, released and restored.
fn work_on_the_cpu(on_gpu: bool, seen: &Seen) -> Vec<(&'static str, CpuWork)> {
    let mut harness = harness_on(sound(seen.n_channels, seen.secs), on_gpu);
    harness.state_mut().document.change_view(|view| view.transform = seen.transform.clone());
    let recording = Recording::start();
    let counts = |harness: &Harness<'static, App>| CpuWork {
        ffts: ffts_of(&recording.trace()),
        cell_bytes_read: harness.state().engine.gpu().map_or(0, |gpu| gpu.bytes_read(ReadBack::Cells)),
    };
    // The preparation of the first stroke paints one.
    settle(&mut harness);
    let prepared = harness.state().engine.gpu().map_or(0, |gpu| gpu.bytes_read(ReadBack::Cells));
    let mut work = Vec::new();
    let mut before = CpuWork { cell_bytes_read: prepared, ..CpuWork::default() };
    let mut note = |part: &'static str, harness: &mut Harness<'static, App>| {
        settle(harness);
        let now = counts(harness);
        let ffts = now.ffts[before.ffts.len()..].to_vec();
        work.push((part, CpuWork { ffts, cell_bytes_read: now.cell_bytes_read - before.cell_bytes_read }));
        before = now;
    };
    note("open", &mut harness);
    for parts in [[0.2, 0.6], [0.3, 0.375], [0.0, 1.0], [0.3, 0.375]] {
        harness.state_mut().document.change_view(|view| view.secs = parts.map(|part| part * seen.secs));
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

fn assert_on_the_device(seen: &Seen) {
    if !has_gpu() {
        return;
    }
    let on_device = work_on_the_cpu(true, seen);
    assert!(on_device.iter().all(|(_, work)| *work == CpuWork::default()), "{on_device:?}");
    // The control: the CPU engine.
    let on_cpu = work_on_the_cpu(false, seen);
    let works = |part: &str| on_cpu.iter().any(|(name, work)| *name == part && !work.ffts.is_empty());
    assert!(works("open") && works("release"), "{on_cpu:?}");
}

#[test]
fn nothing_of_an_stft_is_transformed_on_the_cpu() {
    let transform = StftParams { n_fft: 1024, hop: 256, ..StftParams::default() }.into();
    assert_on_the_device(&Seen { transform, n_channels: 2, secs: 20.0 });
}

/// Long enough to be sketched before it is analysed.
#[test]
fn nothing_of_a_long_sound_is_transformed_on_the_cpu() {
    let transform = StftParams { n_fft: 1024, hop: 256, ..StftParams::default() }.into();
    assert_on_the_device(&Seen { transform, n_channels: 1, secs: 100.0 });
}

#[test]
fn nothing_of_rows_is_transformed_on_the_cpu() {
    assert_on_the_device(&Seen { transform: RowsParams::log(24).into(), n_channels: 1, secs: 2.0 });
}
