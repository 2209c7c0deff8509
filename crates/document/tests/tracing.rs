//! Contents of a trace: spans of the CPU nested as they ran, passes of the GPU between submission and completion.

use base::Progress;
use base::trace::{self, Lane, Recording};
use document::brushes::{Blur, Brush};
use document::{Edit, Snapshot, apply};
use dsp::{Axis, Selection, StftParams};
use engine::Engine;
use media::Source;
use serde_json::Value;
use support::gpu::gpu;
use support::traces::check_chrome;

fn sound() -> Snapshot {
    let samples = (0..44_100).map(|n| (f64::from(n) * 0.06).sin() as f32 * 0.3).collect();
    Snapshot::new(Source::from_channels(vec![samples], 44_100).unwrap())
}

fn blur() -> Edit {
    Edit {
        select: Some(Selection::rectangle(Some([0.3, 0.6]), Some([200.0, 2000.0]), [0.0, 0.0], Axis::Linear)),
        ..Edit::of(
            Brush::Blur(Blur { sigma: [0.02, 60.0], sigma_axis: Axis::Linear, rebuild_phase: false }),
            StftParams::default(),
        )
    }
}

#[test]
fn spans_nest_as_they_ran() {
    let recording = Recording::start();
    {
        let _outer = trace::span("the outer span of this test");
        for _ in 0..3 {
            let _inner = trace::span("the inner span of this test");
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
    }
    let trace = recording.trace();
    drop(recording);
    {
        let _late = trace::span("nobody hears the span of this test");
    }
    let totals = trace.totals();
    let of = |name: &str| totals.iter().find(|total| total.name.contains(name)).unwrap().clone();
    let (outer, inner) = (of("the outer span"), of("the inner span"));
    assert_eq!((outer.n, inner.n), (1, 3));
    assert!(outer.total_ms >= inner.total_ms && inner.total_ms >= 6.0, "{outer:?} {inner:?}");
    assert!((outer.self_ms - (outer.total_ms - inner.total_ms)).abs() < 1e-6, "{outer:?} {inner:?}");
    assert!(!totals.iter().any(|total| total.name.starts_with("nobody")), "a dropped recording hears nothing");
    assert!(totals.windows(2).all(|pair| pair[0].total_ms >= pair[1].total_ms), "by total time");
}

#[test]
fn the_latest_are_kept() {
    let recording = Recording::of_latest(4);
    for _ in 0..9 {
        let _span = trace::span("one of many");
    }
    let trace = recording.trace();
    assert!(trace.events.len() == 4 && trace.n_left_out >= 5, "{trace:?}");
}

/// A trace contains the passes of an edit on the GPU with plausible durations; a device without timestamps has none.
#[test]
fn an_edit_on_the_gpu_tells_its_passes() {
    let Some(gpu) = gpu() else { return };
    let recording = Recording::start();
    apply(&sound(), &blur(), &Engine::on(gpu.clone()), &Progress::new()).unwrap();
    gpu.finish();
    let trace = recording.trace();
    let named = |name: &str, lane: Lane| trace.events.iter().filter(|e| e.lane == lane && e.name == name).count();
    assert!(named("apply", Lane::Cpu) >= 1 && named("blur", Lane::Cpu) >= 1);
    assert!(trace.events.iter().any(|event| event.lane == Lane::GpuWork));
    if !gpu.has_timestamps() {
        assert!(!trace.events.iter().any(|event| event.lane == Lane::GpuPass));
        return;
    }
    for pass in ["blur", "overlap_add", "stft_unpack"] {
        assert!(named(pass, Lane::GpuPass) >= 1, "no pass \"{pass}\" in {:?}", trace.totals());
    }
    let passes = trace.events.iter().filter(|event| event.lane == Lane::GpuPass);
    assert!(passes.clone().all(|pass| pass.nanos < 60_000_000_000), "ticks are taken for nanoseconds");
}

#[test]
fn a_trace_file_is_what_viewers_load() {
    let recording = Recording::start();
    apply(&sound(), &blur(), &Engine::cpu(), &Progress::new()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.json");
    recording.trace().write(&path).unwrap();
    let file: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    check_chrome(&file);
    let events = file["traceEvents"].as_array().unwrap();
    assert!(events.iter().any(|event| event["name"] == "apply"));
}
