//! Brushes on rows with the GPU engine: what they leave to the CPU, and that their sound is the CPU engine's.

use super::painting::{edit, read, run, snapshot};
use super::{RATE, sound};
use base::Progress;
use document::brushes::{Blur, Brush, Gain, Sharpen};
use document::{Edit, PenDown, Snapshot, StrokeSession};
use dsp::transforms::rows::RowsParams;
use dsp::{Axis, Point, Selection, Stroke};
use engine::Engine;
use support::engines::cpu;
use support::gpu::gpu;
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

/// Guarantee 4, end to end: samples agree to 100 dB of the change, and nothing of it runs on the CPU. Returns the names
/// of the passes.
fn on_the_device(edit: &Edit, engine: &Engine) -> Vec<String> {
    let (before, what) = (before(), format!("{:?}, {:?}", edit.brush, edit.stroke));
    let [on_gpu, on_cpu] = [engine, &cpu()].map(|engine| run(&before, edit, engine));
    assert_eq!((on_gpu.report.engine(), &on_gpu.report.notices), ("gpu", &Vec::new()), "{what}: {:?}", on_gpu.report);
    let [original, a, b] = [&before, &on_gpu.snapshot, &on_cpu.snapshot].map(|snapshot| read(snapshot, 0));
    let agreement = |a: &[f32]| snr_db_f32(&minus(a, &original), &minus(&b, &original));
    println!("{what}: {:.1} dB of the change", agreement(&a));
    assert!(agreement(&a) >= 100.0, "{what}: {}", agreement(&a));
    let mut spoiled = a.clone();
    spoiled.rotate_right(1);
    assert!(agreement(&spoiled) < 100.0, "{what}: a sample late is noticed");
    on_gpu.report.passes.iter().map(|pass| pass.name.to_string()).collect()
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
