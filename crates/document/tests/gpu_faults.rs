//! A device that runs out of memory, or is lost: every allocation fails in turn, and no edit is lost.

use base::{ErrorKind, Progress, Result};
use document::brushes::{Blur, Brush, CloneSource, Gain, ModulationFilter, Smudge, Warp};
use document::{Channels, Edit, PenDown, Snapshot, StrokeCells, StrokeSession, apply};
use dsp::strokes::brush::{Along, Butterworth, Pass, WarpMode};
use dsp::transforms::rows::RowsParams;
use dsp::{Axis, CellRect, Point, Region, Selection, StftParams, Stroke, Transform};
use engine::Engine;
use media::Source;
use support::faults::{FOREVER, allocations_of, assert_same_where_one_fails};
use support::gpu::own_gpu;
use support::is_long;
use support::snapshots::{bits, samples};

fn sound() -> Snapshot {
    let samples = (0..8000).map(|n| (f64::from(n * n) * 1e-5).sin() as f32 * 0.3).collect();
    Snapshot::new(Source::from_channels(vec![samples], 16_000).unwrap())
}

const BLUR: Blur = Blur { sigma: [0.02, 60.0], sigma_axis: Axis::Linear, rebuild_phase: false };
const PUSH: WarpMode = WarpMode::Push;

fn warp(mode: WarpMode, peak_locking: bool) -> Brush {
    Warp { mode, peak_locking }.into()
}

/// On an STFT: in a box, or along a stroke if `is_drawn`.
fn edit(brush: impl Into<Brush>, is_drawn: bool) -> Edit {
    let point = |secs: f64, hz: f64| Point { secs, hz, pressure: 1.0 };
    let stroke = Stroke {
        points: vec![point(0.20, 800.0), point(0.24, 1000.0)],
        axis: Axis::Linear,
        radius: [0.05, 400.0],
        hardness: 0.5,
        strength: 1.0,
        build_up: false,
    };
    let select = Selection::rectangle(Some([0.2, 0.3]), Some([500.0, 2000.0]), [0.0; 2], Axis::Linear);
    Edit {
        brush: brush.into(),
        stroke: is_drawn.then_some(stroke),
        select: (!is_drawn).then_some(select),
        channels: Channels::All,
        transform: StftParams { n_fft: 512, hop: 128, ..StftParams::default() }.into(),
        strength: 1.0,
        consistency_steps: Some(1),
    }
}

fn modulation_filter() -> ModulationFilter {
    let low = |cutoff: f64| Butterworth { pass: Pass::Low, cutoff: vec![cutoff], order: 2 };
    ModulationFilter { along: Along::Both, filters: vec![low(8.0), low(2.0)], rebuild_phase: false }
}

/// On few rows, from 400 Hz up, since lower rows need longer slices. Radius and blur are in octaves.
fn on_rows(brush: impl Into<Brush>, is_drawn: bool) -> Edit {
    let transform = Transform::from(RowsParams::log(12).with_fmin_hz(400.0));
    let mut edit = Edit { transform, consistency_steps: Some(0), ..edit(brush, is_drawn) };
    if let Some(stroke) = &mut edit.stroke {
        (stroke.axis, stroke.radius) = (Axis::Log, [0.05, 0.5]);
    }
    edit
}

/// The edits of which all is computed on the device.
fn edits() -> Vec<Edit> {
    vec![
        edit(BLUR, false),
        edit(modulation_filter(), false),
        edit(warp(PUSH, false), true),
        on_rows(Gain { gain_db: -12.0 }, false),
        on_rows(Blur { sigma: [0.02, 0.2], sigma_axis: Axis::Log, rebuild_phase: false }, false),
        on_rows(warp(WarpMode::Grab { shift: [0.01, 0.0] }, false), false),
    ]
}

/// The edits of which the CPU computes a part: partials and their turns.
fn shared_edits() -> Vec<Edit> {
    vec![
        edit(warp(PUSH, true), true),
        edit(warp(WarpMode::Grab { shift: [0.0, 100.0] }, true), false),
        on_rows(warp(PUSH, true), true),
        on_rows(CloneSource { offset: [0.05, 0.25] }, false),
        on_rows(Smudge, true),
    ]
}

/// Result of an edit on an engine: the final engine, the bits, and notices.
fn done(edit: &Edit, engine: &Engine) -> (&'static str, Vec<u32>, Vec<String>) {
    let applied = apply(&sound(), edit, engine, &Progress::new()).unwrap();
    (applied.report.engine(), bits(&samples(&applied.snapshot, 0)), applied.report.notices)
}

fn named(edit: &Edit) -> String {
    let form = if edit.stroke.is_some() { "a stroke" } else { "a box" };
    format!("{} along {form} on {:?}", edit.brush.kind(), edit.transform)
}

#[test]
fn one_failed_allocation_is_made_good_on_the_device() {
    let Some(gpu) = own_gpu() else { return };
    let engine = Engine::on(gpu.clone());
    let original = bits(&samples(&sound(), 0));
    for (edits, is_whole) in [(edits(), true), (shared_edits(), false)] {
        for edit in edits {
            let clean = done(&edit, &engine);
            assert!(clean.1 != original && clean.2.is_empty(), "{}: {:?}", named(&edit), clean.2);
            assert!(!is_whole || clean.0 == "gpu", "{}", named(&edit));
            let step = if is_long() || clean.0 == "gpu" { 1 } else { 3 };
            assert_same_where_one_fails(&gpu, &named(&edit), step, || done(&edit, &engine));
        }
    }
}

#[test]
fn two_failed_allocations_halve_the_pieces() {
    let Some(gpu) = own_gpu() else { return };
    let engine = Engine::on(gpu.clone());
    let edit = edit(BLUR, false);
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
    for edit in edits().into_iter().chain(shared_edits()) {
        let (clean, on_cpu) = (done(&edit, &engine), done(&edit, &Engine::cpu()));
        let n = allocations_of(&gpu, || done(&edit, &engine));
        for k in (0..n).step_by(if is_long() { 1 } else { n as usize / 8 + 1 }) {
            gpu.trim();
            gpu.fail_allocations(k..FOREVER);
            let (name, sound, notices) = done(&edit, &engine);
            assert_eq!((name, &sound), ("cpu", &on_cpu.1), "{}: from allocation {k} on", named(&edit));
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
    let edit = edit(BLUR, false);
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
    let edit = edit(BLUR, false);
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

/// What a stroke shows and is heard as: the bits of its cells after each step, of its sound, and its notice.
fn drawn(edit: &Edit, engine: &Engine) -> (Vec<Vec<u32>>, Vec<u32>, Option<String>) {
    let stroke = edit.stroke.clone().unwrap();
    let begun = Edit { stroke: Some(Stroke { points: Vec::new(), ..stroke.clone() }), ..edit.clone() };
    let pen_down = PenDown { snapshot: sound(), pending: Vec::new(), engine: engine.clone() };
    let mut session = StrokeSession::begin(pen_down, &begun).unwrap();
    let n_points = stroke.points.len();
    let mut steps = Vec::new();
    for (index, point) in stroke.points.iter().enumerate() {
        let read = |cells: StrokeCells| {
            let regions = cells.signals.into_iter().map(|region| cells.engine.download(region));
            regions.collect::<Result<Vec<Region>>>()
        };
        let regions = session.step(&[*point], index + 1 == n_points, read).unwrap().unwrap_or_default();
        let values = regions.iter().flat_map(|region| region.magnitude.iter().chain(&region.phase));
        steps.push(values.map(|value| value.to_bits()).collect());
    }
    let heard = bits(&samples(&session.sound(&Progress::new()).unwrap(), 0));
    (steps, heard, session.take_failure().map(|error| error.message().to_owned()))
}

fn strokes() -> Vec<Edit> {
    let build_up = |edit: Edit| Edit { stroke: edit.stroke.map(|stroke| Stroke { build_up: true, ..stroke }), ..edit };
    let gain = Gain { gain_db: -12.0 };
    let strokes = [edit(BLUR, true), edit(gain, true), build_up(edit(gain, true)), edit(warp(PUSH, true), true)];
    strokes.into_iter().chain([on_rows(gain, true)]).collect()
}

#[test]
fn a_stroke_does_not_depend_on_a_failed_allocation() {
    let Some(gpu) = own_gpu() else { return };
    let engine = Engine::on(gpu.clone());
    for edit in strokes() {
        assert!(drawn(&edit, &engine).0.iter().any(|cells| !cells.is_empty()), "{}", named(&edit));
        assert_same_where_one_fails(&gpu, &named(&edit), 1, || drawn(&edit, &engine));
    }
}

#[test]
fn a_stroke_ends_on_the_cpu_with_a_notice_where_memory_has_ended() {
    let Some(gpu) = own_gpu() else { return };
    let engine = Engine::on(gpu.clone());
    for edit in strokes() {
        let on_cpu = drawn(&edit, &Engine::cpu());
        let n = allocations_of(&gpu, || assert_eq!(drawn(&edit, &engine).2, None));
        for k in (0..n).step_by(if is_long() { 1 } else { n as usize / 8 + 1 }) {
            gpu.trim();
            gpu.fail_allocations(k..FOREVER);
            let (_, heard, notice) = drawn(&edit, &engine);
            assert!(heard == on_cpu.1, "{}: from allocation {k} on", named(&edit));
            assert!(notice.is_some_and(|said| said.contains("out of memory")), "{}: {k}", named(&edit));
        }
        gpu.fail_allocations(0..0);
    }
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
