//! Brushes on rows with the GPU engine: what they leave to the CPU, and that their sound is the CPU engine's.

use super::painting::{edit, read, run, snapshot};
use super::{RATE, sound};
use base::Progress;
use document::brushes::{Blur, Brush, CloneSource, Gain, Sharpen, Smudge, Warp};
use document::{Applied, Edit, PenDown, Snapshot, StrokeSession};
use dsp::strokes::brush::WarpMode;
use dsp::transforms::rows::RowsParams;
use dsp::{Axis, Point, Selection, Stroke};
use engine::Engine;
use engine::gpu::ReadBack;
use support::engines::cpu;
use support::gpu::{gpu, own_gpu};
use support::measure::snr_db_f32;

const QUIETER: Gain = Gain { gain_db: -6.0 };
const BLUR: Blur = Blur { sigma: [0.02, 0.1], sigma_axis: Axis::Log, rebuild_phase: false };
const SHARPEN: Sharpen = Sharpen { sigma: [0.02, 0.1], sigma_axis: Axis::Log, amount: 1.5 };

fn before() -> Snapshot {
    snapshot(vec![sound(30_000, 37)])
}

fn stroke(build_up: bool) -> Stroke {
    let points = [[0.25, 500.0], [0.3, 700.0], [0.4, 1_200.0]].map(|[secs, hz]| Point { secs, hz, pressure: 1.0 });
    Stroke { points: points.into(), axis: Axis::Log, radius: [0.06, 0.5], hardness: 0.7, strength: 0.8, build_up }
}

/// A brush in a box, along a stroke, and dab upon dab.
fn edits(brush: &Brush, params: &RowsParams) -> [Edit; 3] {
    let select = Selection::rectangle(Some([0.2, 0.4]), Some([300.0, 2_000.0]), [0.01, 0.1], Axis::Log);
    let on_rows = || edit(brush.clone(), params.clone());
    let drawn = |build_up| Edit { stroke: Some(stroke(build_up)), ..on_rows() };
    [Edit { select: Some(select), ..on_rows() }, drawn(false), drawn(true)]
}

fn minus(x: &[f32], y: &[f32]) -> Vec<f32> {
    x.iter().zip(y).map(|(x, y)| x - y).collect()
}

/// Guarantee 4, end to end: samples agree to 100 dB of the change. Returns what the GPU engine did.
fn agreeing(edit: &Edit, engine: &Engine) -> Applied {
    let (before, what) = (before(), format!("{:?}, {:?}", edit.brush, edit.stroke));
    let [on_gpu, on_cpu] = [engine, &cpu()].map(|engine| run(&before, edit, engine));
    let [original, a, b] = [&before, &on_gpu.snapshot, &on_cpu.snapshot].map(|snapshot| read(snapshot, 0));
    let agreement = |a: &[f32]| snr_db_f32(&minus(a, &original), &minus(&b, &original));
    println!("{what}: {:.1} dB of the change", agreement(&a));
    assert!(agreement(&a) >= 100.0, "{what}: {}", agreement(&a));
    let mut spoiled = a.clone();
    spoiled.rotate_right(1);
    assert!(agreement(&spoiled) < 100.0, "{what}: a sample late is noticed");
    on_gpu
}

/// Like [`agreeing`], and also asserts that nothing ran on the CPU and that there were no notices. Returns the names
/// of the passes.
fn on_the_device(edit: &Edit, engine: &Engine) -> Vec<String> {
    let Applied { report, .. } = agreeing(edit, engine);
    assert_eq!((report.engine(), &report.notices), ("gpu", &Vec::new()), "{:?}: {report:?}", edit.brush);
    report.passes.iter().map(|pass| pass.name.to_string()).collect()
}

/// As [`agreeing`], where the CPU does this alone, for this reason.
fn on_both(edit: &Edit, engine: &Engine, on_gpu: &str, on_cpu: &str, why: &str) {
    let Applied { report, .. } = agreeing(edit, engine);
    let of_cpu: Vec<_> =
        report.passes.iter().filter(|pass| !pass.is_on_gpu).map(|pass| (&*pass.name, pass.why)).collect();
    assert_eq!(of_cpu, [(on_cpu, Some(why))], "{:?}: {report:?}", edit.brush);
    assert!(report.passes.iter().any(|pass| pass.is_on_gpu && pass.name == on_gpu), "{:?}: {report:?}", edit.brush);
}

#[test]
fn edits_on_rows_run_on_the_device() {
    let Some(engine) = gpu().map(Engine::on) else { return };
    for params in [RowsParams::music(), RowsParams::speech()] {
        for edit in edits(&QUIETER.into(), &params).iter().take(1) {
            on_the_device(edit, &engine);
        }
    }
}

#[test]
fn blur_and_sharpen_run_on_the_device() {
    let Some(engine) = gpu().map(Engine::on) else { return };
    for brush in [BLUR.into(), SHARPEN.into()] {
        for edit in edits(&brush, &RowsParams::music()) {
            let passes = on_the_device(&edit, &engine);
            for needed in ["row_cells", "blur", "row_blur", "row_add"] {
                assert!(passes.iter().any(|pass| pass == needed), "{needed}: {passes:?}");
            }
        }
        // Mel bands are as wide as their rows, and blurred in their own units.
        let mut on_mels = edits(&brush, &RowsParams::mel(128))[0].clone();
        if let Brush::Blur(blur) = &mut on_mels.brush {
            (blur.sigma[1], blur.sigma_axis) = (2.0, Axis::Mel);
        }
        on_the_device(&on_mels, &engine);
    }
}

/// The sound of a stroke in progress is that of its release, to the bit, on the device, too.
#[test]
fn a_blur_on_the_device_is_heard_while_it_is_drawn() {
    let Some(engine) = gpu().map(Engine::on) else { return };
    let [_, drawn, _] = edits(&BLUR.into(), &RowsParams::music());
    let pen_down = PenDown { snapshot: before(), pending: Vec::new(), engine: engine.clone() };
    let mut session = StrokeSession::begin(pen_down, &drawn).unwrap();
    session.finish().unwrap();
    let heard = read(&session.sound(&Progress::new()).unwrap(), 0);
    let released = read(&run(&before(), &drawn, &engine).snapshot, 0);
    assert!(heard == released && heard != read(&before(), 0));
    assert!(heard.len() as f64 > 0.5 * RATE);
}

fn grab(secs: f64, octaves: f64, peak_locking: bool) -> Brush {
    Warp { mode: WarpMode::Grab { shift: [secs, octaves] }, peak_locking }.into()
}

const TURNS: &str = "turns of rows are summed in f64";

#[test]
fn a_warp_on_rows_moves_cells_on_the_device() {
    let Some(engine) = gpu().map(Engine::on) else { return };
    let push: Brush = Warp { mode: WarpMode::Push, peak_locking: true }.into();
    for params in [RowsParams::music(), RowsParams::speech()] {
        for (brush, at) in [(grab(0.0, 0.25, true), 0), (grab(0.013, 0.0, true), 0), (push.clone(), 1)] {
            on_both(&edits(&brush, &params)[at], &engine, "row_resample", "row_turns", TURNS);
        }
        // Nothing is turned where time alone moves and phases come along.
        let passes = on_the_device(&edits(&grab(0.013, 0.0, false), &params)[0], &engine);
        assert!(passes.iter().any(|pass| pass == "row_resample"), "{passes:?}");
    }
}

#[test]
fn a_clone_in_pitch_moves_cells_on_the_device() {
    let Some(engine) = gpu().map(Engine::on) else { return };
    let clone = CloneSource { offset: [0.05, 0.25] }.into();
    on_both(&edits(&clone, &RowsParams::music())[0], &engine, "row_resample", "row_turns", TURNS);
}

/// A smudge there and part of the way back, at one frequency and another.
fn smudge(hz: [f64; 2]) -> Edit {
    let point = |(secs, hz): (f64, f64)| Point { secs, hz, pressure: 1.0 };
    let points = [(0.25, hz[0]), (0.3, hz[0]), (0.27, hz[1])].map(point).into();
    Edit { stroke: Some(Stroke { points, ..stroke(false) }), ..edit(Smudge, RowsParams::music()) }
}

#[test]
fn a_smudge_in_time_runs_on_the_device() {
    let Some(engine) = gpu().map(Engine::on) else { return };
    let passes = on_the_device(&smudge([700.0, 700.0]), &engine);
    assert!(passes.iter().any(|pass| pass == "row_drag"), "{passes:?}");
    let why = "partials of each dab are found in what the dabs before it left";
    on_both(&smudge([700.0, 800.0]), &engine, "row_cells", "row_drag", why);
}

#[test]
fn cells_are_read_back_where_partials_are_turned_alone() {
    let Some(gpu) = own_gpu() else { return };
    let engine = Engine::on(gpu.clone());
    let n_read = |edit: &Edit| {
        let n_before = gpu.bytes_read(ReadBack::Cells);
        assert!(!run(&before(), edit, &engine).changed.is_empty(), "{:?}", edit.brush);
        gpu.bytes_read(ReadBack::Cells) - n_before
    };
    let in_a_box = |brush: Brush| edits(&brush, &RowsParams::music())[0].clone();
    for edit in [in_a_box(BLUR.into()), in_a_box(grab(0.013, 0.0, false)), smudge([700.0; 2])] {
        assert_eq!(n_read(&edit), 0, "{:?}", edit.brush);
    }
    assert!(n_read(&in_a_box(grab(0.0, 0.25, false))) > 0);
}
