//! A device that runs out of memory, or is lost: every allocation fails in turn, and no edit is lost.

use base::{ErrorKind, Progress};
use document::brushes::{Blur, Brush, Gain, ModulationFilter, Warp};
use document::{Channels, Edit, Snapshot, apply};
use dsp::strokes::brush::{Along, Butterworth, Pass, WarpMode};
use dsp::transforms::rows::RowsParams;
use dsp::{Axis, CellRect, Point, Region, Selection, StftParams, Stroke};
use engine::Engine;
use engine::gpu::Gpu;
use media::Source;
use std::sync::Arc;
use support::gpu::gpu;
use support::snapshots::{bits, samples};

const FOREVER: u64 = u64::MAX >> 1;

/// A device used only by this test, since failures affect all its users.
fn own_gpu() -> Option<Arc<Gpu>> {
    gpu().map(|_| Gpu::headless(std::env::var("SONOBRUSH_ADAPTER").ok().as_deref()).unwrap())
}

fn sound() -> Snapshot {
    let samples = (0..8000).map(|n| (f64::from(n * n) * 1e-5).sin() as f32 * 0.3).collect();
    Snapshot::new(Source::from_channels(vec![samples], 16_000).unwrap())
}

fn edit(brush: Brush) -> Edit {
    let point = |secs: f64, hz: f64| Point { secs, hz, pressure: 1.0 };
    let is_push = matches!(brush, Brush::Warp(Warp { mode: WarpMode::Push, .. }));
    let stroke = Stroke {
        points: vec![point(0.20, 800.0), point(0.24, 1000.0)],
        axis: Axis::Linear,
        radius: [0.05, 400.0],
        hardness: 0.5,
        strength: 1.0,
        build_up: false,
    };
    Edit {
        brush,
        stroke: is_push.then_some(stroke),
        select: (!is_push)
            .then(|| Selection::rectangle(Some([0.2, 0.3]), Some([500.0, 2000.0]), [0.0; 2], Axis::Linear)),
        channels: Channels::All,
        transform: StftParams { n_fft: 512, hop: 128, ..StftParams::default() }.into(),
        strength: 1.0,
        consistency_steps: Some(1),
    }
}

fn edits() -> Vec<Edit> {
    let low = |cutoff: f64| Butterworth { pass: Pass::Low, cutoff: vec![cutoff], order: 2 };
    let modulation = Brush::ModulationFilter(ModulationFilter {
        along: Along::Both,
        filters: vec![low(8.0), low(2.0)],
        rebuild_phase: false,
    });
    let on_stft = [
        Brush::Blur(Blur { sigma: [0.02, 60.0], sigma_axis: Axis::Linear, rebuild_phase: false }),
        modulation,
        Brush::Warp(Warp { mode: WarpMode::Push, peak_locking: false }),
    ];
    // Few rows, from 400 Hz up, since lower rows need longer slices.
    let rows = RowsParams::log(12).with_fmin_hz(400.0);
    let gain = edit(Brush::Gain(Gain { gain_db: -12.0 }));
    let on_rows = Edit { transform: rows.into(), consistency_steps: Some(0), ..gain };
    on_stft.map(edit).into_iter().chain([on_rows]).collect()
}

/// Result of an edit on an engine: the final engine, the bits, and notices.
fn done(edit: &Edit, engine: &Engine) -> (&'static str, Vec<u32>, Vec<String>) {
    let applied = apply(&sound(), edit, engine, &Progress::new()).unwrap();
    (applied.report.engine(), bits(&samples(&applied.snapshot, 0)), applied.report.notices)
}

#[test]
fn one_failed_allocation_is_made_good_on_the_device() {
    let Some(gpu) = own_gpu() else { return };
    let engine = Engine::on(gpu.clone());
    for edit in edits() {
        let clean = done(&edit, &engine);
        assert_eq!(clean.0, "gpu");
        gpu.trim();
        let before = gpu.allocations();
        assert_eq!(done(&edit, &engine), clean);
        let n = gpu.allocations() - before;
        assert!(n > 8, "{n} allocations of {} are too few to mean something", edit.brush.kind());
        for k in 0..n {
            gpu.trim();
            let trimmed = gpu.fault_counts().n_trimmed;
            gpu.fail_allocations(k..k + 1);
            assert_eq!(done(&edit, &engine), clean, "allocation {k} of {n} of {}", edit.brush.kind());
            assert_eq!(gpu.fault_counts().n_trimmed, trimmed + 1, "allocation {k} did not fail");
        }
        assert_eq!(gpu.fault_counts().n_on_cpu, 0);
    }
}

#[test]
fn two_failed_allocations_halve_the_pieces() {
    let Some(gpu) = own_gpu() else { return };
    let engine = Engine::on(gpu.clone());
    let edit = edit(Brush::Blur(Blur { sigma: [0.02, 60.0], sigma_axis: Axis::Linear, rebuild_phase: false }));
    let clean = done(&edit, &engine);
    gpu.trim();
    gpu.fail_allocations(0..2);
    assert_eq!(done(&edit, &engine), clean);
    let counts = gpu.fault_counts();
    assert_eq!((counts.n_trimmed, counts.n_halved, counts.n_on_cpu), (1, 1, 0));
}

#[test]
fn the_cpu_takes_over_where_memory_has_ended() {
    let Some(gpu) = own_gpu() else { return };
    let engine = Engine::on(gpu.clone());
    for edit in edits() {
        let (clean, on_cpu) = (done(&edit, &engine), done(&edit, &Engine::cpu()));
        gpu.trim();
        let before = gpu.allocations();
        done(&edit, &engine);
        let n = gpu.allocations() - before;
        for k in (0..n).step_by(5) {
            gpu.trim();
            gpu.fail_allocations(k..FOREVER);
            let (name, sound, notices) = done(&edit, &engine);
            assert_eq!((name, &sound), ("cpu", &on_cpu.1), "from allocation {k} on");
            assert!(notices.iter().any(|said| said.contains("out of memory") && said.contains("CPU")), "{notices:?}");
        }
        // Once there is memory again, the next edit runs on the device.
        gpu.fail_allocations(0..0);
        assert_eq!(done(&edit, &engine), clean);
    }
}

#[test]
fn without_fallback_memory_that_has_ended_is_an_error() {
    let Some(gpu) = own_gpu() else { return };
    let engine = Engine::on(gpu.clone());
    engine.set_may_fall_back(false);
    let edit = edit(Brush::Blur(Blur { sigma: [0.02, 60.0], sigma_axis: Axis::Linear, rebuild_phase: false }));
    gpu.fail_allocations(0..FOREVER);
    let error = apply(&sound(), &edit, &engine, &Progress::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::GpuMemory);
    assert!(error.message().contains("out of memory") && error.message().contains("--engine cpu"), "{error}");
    gpu.fail_allocations(0..0);
    assert_eq!(done(&edit, &engine).0, "gpu");
}

#[test]
fn a_lost_device_leaves_its_work_to_the_cpu() {
    let Some(gpu) = own_gpu() else { return };
    let engine = Engine::on(gpu.clone());
    let edit = edit(Brush::Blur(Blur { sigma: [0.02, 60.0], sigma_axis: Axis::Linear, rebuild_phase: false }));
    assert_eq!(done(&edit, &engine).0, "gpu");
    gpu.device().destroy();
    for _ in 0..2 {
        let (name, sound, notices) = done(&edit, &engine);
        assert_eq!((name, sound), ("cpu", done(&edit, &Engine::cpu()).1));
        assert!(notices.iter().any(|said| said.contains("lost")), "{notices:?}");
    }
    engine.set_may_fall_back(false);
    let error = apply(&sound(), &edit, &engine, &Progress::new()).unwrap_err();
    assert!(error.message().contains("lost") && error.message().contains("--engine cpu"), "{error}");
}

/// Buffers of sizes that are no longer used make room for those in use.
#[test]
fn a_pool_full_of_other_sizes_reuses_what_is_returned() {
    let Some(gpu) = own_gpu() else { return };
    let region = |n_frames: usize| gpu.upload(&Region::zeros(CellRect::new(0..n_frames, 0..1024))).unwrap();
    // 16 sizes from 8 to 16 MB, of two planes each: more than the pool keeps.
    let all: Vec<_> = (0..16).map(|i| region(2048 + 128 * i)).collect();
    drop(all);
    assert!(gpu.held_bytes() <= 192 << 20, "{} bytes", gpu.held_bytes());
    // Planes of 24 MB, for which no room was left: created once, then leased again.
    drop(region(6144));
    let made = gpu.buffers_created();
    for _ in 0..3 {
        drop(region(6144));
    }
    assert_eq!(gpu.buffers_created(), made);
    assert!(gpu.held_bytes() <= 192 << 20, "{} bytes", gpu.held_bytes());
}

/// Repeated edits create no new buffers, and hold less than 192 MB on the device, in addition
/// to at most 256 MB of tiles.
#[test]
fn computing_keeps_little_on_the_device() {
    let Some(gpu) = own_gpu() else { return };
    let engine = Engine::on(gpu.clone());
    for _ in 0..3 {
        edits().iter().for_each(|edit| drop(done(edit, &engine)));
    }
    let made = gpu.buffers_created();
    edits().iter().for_each(|edit| drop(done(edit, &engine)));
    assert_eq!(gpu.buffers_created(), made, "strokes after the first make no buffers");
    assert!(gpu.held_bytes() > 0 && gpu.held_bytes() < 192 << 20, "{} bytes", gpu.held_bytes());
}
