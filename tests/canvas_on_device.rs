//! With the GPU engine the canvas is analysed where it is drawn: opening, zooming, playing, painting and undoing take no
//! FFT on the CPU, no cell is read back, and while the pen is down nothing at all.

use crate::support::canvas::{App, button, down_and_along, harness_on, has_gpu, send, settle, sound, wave};
use egui_kittest::Harness;
use sonobrush::base::Progress;
use sonobrush::base::trace::{self, Event, Lane, Recording, Trace};
use sonobrush::document::apply;
use sonobrush::dsp::transforms::rows::RowsParams;
use sonobrush::dsp::{StftParams, Transform};
use sonobrush::gpu::ReadBack;
use sonobrush::studio::canvas::PlaybackMarks;
use sonobrush::workbench::Tool;

/// Jobs that look at few frames, or prepare the first stroke: what is left to the CPU.
const LEFT_TO_THE_CPU: [&str; 4] = ["warm", "landmarks", "readout", "range"];

/// A sound, and the transform it is seen through.
struct Seen {
    transform: Transform,
    n_channels: usize,
    secs: f64,
    /// What it is painted with.
    tool: Tool,
}

/// Work of one part of a session on the CPU.
#[derive(Debug, Clone, Default, PartialEq)]
struct CpuWork {
    /// Spans around each FFT of the canvas.
    ffts: Vec<Vec<String>>,
    cell_bytes_read: u64,
    /// Of cells and of everything else.
    bytes_read: u64,
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
    let read = |harness: &Harness<'static, App>, kinds: &[ReadBack]| -> u64 {
        harness.state().engine.gpu().map_or(0, |gpu| kinds.iter().map(|what| gpu.bytes_read(*what)).sum())
    };
    let counts = |harness: &Harness<'static, App>| CpuWork {
        ffts: ffts_of(&recording.trace()),
        cell_bytes_read: read(harness, &[ReadBack::Cells]),
        bytes_read: read(harness, &ReadBack::ALL),
    };
    // The preparation of the first stroke paints one.
    settle(&mut harness);
    let mut work = Vec::new();
    let mut before = CpuWork { ffts: Vec::new(), ..counts(&harness) };
    let mut note = |part: &'static str, harness: &mut Harness<'static, App>| {
        settle(harness);
        let now = counts(harness);
        let ffts = now.ffts[before.ffts.len()..].to_vec();
        let cell_bytes_read = now.cell_bytes_read - before.cell_bytes_read;
        work.push((part, CpuWork { ffts, cell_bytes_read, bytes_read: now.bytes_read - before.bytes_read }));
        before = now;
    };
    note("open", &mut harness);
    let close = [0.3 * seen.secs, 0.3 * seen.secs + 1.5];
    for secs in [[0.2 * seen.secs, 0.6 * seen.secs], close, [0.0, seen.secs], close] {
        harness.state_mut().document.change_view(|view| view.secs = secs);
        note("zoom", &mut harness);
    }
    for n_played in 0..10 {
        harness.state_mut().playback.playhead_secs = Some(close[0] + 0.1 * f64::from(n_played));
        harness.step();
        harness.state().jobs.run_until_idle();
    }
    harness.state_mut().playback = PlaybackMarks::default();
    note("play", &mut harness);
    harness.state_mut().tools.pick(seen.tool);
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

/// Buffers and textures, pipelines and tables made on the device by each of three strokes, from pen-down until all of its
/// steps are shown. The sound is restored after each.
fn made_by_strokes(seen: &Seen) -> Vec<[u64; 3]> {
    let mut harness = harness_on(sound(seen.n_channels, seen.secs), true);
    harness.state_mut().document.change_view(|view| view.transform = seen.transform.clone());
    harness.state_mut().document.change_view(|view| view.secs = [0.5, 1.5]);
    harness.state_mut().tools.pick(seen.tool);
    settle(&mut harness);
    let gpu = harness.state().engine.gpu().unwrap().clone();
    let stroke = |_| {
        let made = |harness: &Harness<'static, App>| {
            [gpu.allocations_made(), gpu.pipelines_compiled(), harness.state().engine.n_tables_made()]
        };
        let before = made(&harness);
        let places = wave(&harness);
        send(&mut harness, &down_and_along(&places));
        settle(&mut harness);
        let after = made(&harness);
        assert!(harness.state_mut().cancel_stroke());
        harness.event(button(*places.last().unwrap(), false));
        settle(&mut harness);
        [0, 1, 2].map(|what| after[what] - before[what])
    };
    (0..3).map(stroke).collect()
}

#[test]
fn only_the_first_stroke_makes_anything_on_the_device() {
    if !has_gpu() {
        return;
    }
    let stft: Transform = StftParams { n_fft: 1024, hop: 256, ..StftParams::default() }.into();
    for (transform, tool) in [(stft.clone(), Tool::BLUR), (stft, Tool::GAIN), (RowsParams::music().into(), Tool::GAIN)]
    {
        let seen = Seen { transform, n_channels: 1, secs: 3.0, tool };
        let made = made_by_strokes(&seen);
        // The control: previews of tiles are made for the first.
        assert!(made[0][0] > 0, "{:?}: {made:?}", seen.transform);
        assert_eq!(made[1..], [[0; 3]; 2], "{:?}: {made:?}", seen.transform);
    }
}

fn assert_on_the_device(seen: &Seen) {
    if !has_gpu() {
        return;
    }
    let on_device = work_on_the_cpu(true, seen);
    let of = |part: &'static str| on_device.iter().filter(move |(name, _)| *name == part).map(|(_, work)| work);
    assert!(on_device.iter().all(|(_, work)| work.ffts.is_empty() && work.cell_bytes_read == 0), "{on_device:?}");
    assert!(of("paint").chain(of("play")).all(|work| work.bytes_read == 0), "{on_device:?}");
    // The control of what is counted: the release reads samples.
    assert!(of("release").any(|work| work.bytes_read > 0), "{on_device:?}");
    // The control: the CPU engine.
    let on_cpu = work_on_the_cpu(false, seen);
    let works = |part: &str| on_cpu.iter().any(|(name, work)| *name == part && !work.ffts.is_empty());
    assert!(works("open") && works("release"), "{on_cpu:?}");
}

#[test]
fn nothing_of_an_stft_is_transformed_on_the_cpu() {
    let transform = StftParams { n_fft: 1024, hop: 256, ..StftParams::default() }.into();
    assert_on_the_device(&Seen { transform, n_channels: 2, secs: 20.0, tool: Tool::BLUR });
}

/// Long enough to be sketched before it is analysed.
#[test]
fn nothing_of_a_long_sound_is_transformed_on_the_cpu() {
    let transform = StftParams { n_fft: 1024, hop: 256, ..StftParams::default() }.into();
    assert_on_the_device(&Seen { transform, n_channels: 1, secs: 240.0, tool: Tool::GAIN });
}

#[test]
fn nothing_of_rows_is_transformed_on_the_cpu() {
    for tool in [Tool::BLUR, Tool::GAIN] {
        assert_on_the_device(&Seen { transform: RowsParams::music().into(), n_channels: 1, secs: 3.0, tool });
    }
}
