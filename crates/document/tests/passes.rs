//! The report of an edit names what ran, where and why. It is checked against the trace of the device, which
//! is recorded independently.

use base::trace::{self, Lane, Recording, Trace};
use base::{Error, ErrorKind, Progress};
use document::brushes::{Blur, Brush, Gain};
use document::{Applied, Edit, EditReport, PenDown, Script, Snapshot, StrokeSession, apply};
use dsp::{Axis, CellRect, Point, Selection, StftParams, Stroke};
use engine::gpu::{Gpu, ReadBack};
use engine::{Engine, EnginePass};
use media::Source;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};
use support::engines::cpu;
use support::gpu::{gpu, own_gpu};
use support::program::skipped;
use support::signals::{noise, tone};

/// The shortest script forms of all brushes; the test `brushes_omitted` checks that no kind is missing.
const GOLDEN: &str = include_str!("../../../tests/golden/brushes_omitted.json");

const RATE: u32 = 44_100;
const N_SAMPLES: usize = 90_000;

/// Trace spans of transforms on the CPU that normally run on the device.
const FFTS_ON_CPU: [&str; 2] = ["cpu stft", "cpu rows"];

/// A clipped tone with hum and noise, so that repairs find something.
fn sound() -> Snapshot {
    let mut samples = noise(N_SAMPLES, 0.005, 3);
    for (hz, level) in [(440.0, 0.4), (50.0, 0.1), (100.0, 0.05), (150.0, 0.05)] {
        let tone = tone(N_SAMPLES, f64::from(RATE), hz, level);
        samples.iter_mut().zip(tone).for_each(|(sample, tone)| *sample += tone);
    }
    samples.iter_mut().for_each(|sample| *sample = sample.clamp(-0.4, 0.4));
    Snapshot::new(Source::from_channels(vec![samples], RATE).unwrap())
}

fn stft() -> Value {
    json!({"kind": "stft", "n_fft": 1024, "hop": 256})
}

/// Few rows, from 200 Hz up, since lower rows need longer slices.
fn rows() -> Value {
    json!({"kind": "vqt", "bins": 12, "fmin": 200.0})
}

/// Script forms of every brush kind, with the fields filled in that the shortest forms lack.
fn brushes() -> Vec<Value> {
    let clip = json!({"channels": ["AAAAAAAAgD8="], "first_sample": 0, "rate": RATE});
    let columns = json!([{"frame": 85, "bin": 25, "magnitude": "AACgQAAAgL8AAAA/", "phase": "AACAPgAAAAAAAAC/"}]);
    let golden: Vec<Value> = serde_json::from_str(GOLDEN).unwrap();
    let image = |script: &Value| script.get("image").cloned();
    let image = golden.iter().find_map(|case| image(&case["script"])).unwrap();
    let filled = |case: &Value| {
        let mut script = case["script"].clone();
        if script["kind"] == "cells" {
            return json!({"kind": "cells", "channel": 0, "rate": RATE, "columns": columns});
        }
        if script.as_object_mut().unwrap().remove("file").is_some() {
            script["image"] = image.clone();
        }
        match script["kind"].as_str().unwrap() {
            "clone" => script["offset"] = json!([0.1, -20.0]),
            "mel_bands" => script["bands"] = 40.into(),
            _ => {}
        }
        script
    };
    let more = [
        json!({"kind": "insert", "at": 1, "clip": clip}),
        json!({"kind": "labels", "remove": [3]}),
        json!({"kind": "blur", "sigma": [0.03, 50], "rebuild_phase": true}),
        json!({"kind": "warp", "mode": "push", "peak_locking": false}),
        json!({"kind": "paste", "clip": clip, "offset": [0.4, 100.0]}),
    ];
    golden.iter().map(filled).chain(more).collect()
}

/// Edits by a brush with a stroke, in a box, over a time range and over everything, if the brush allows it. Tests use
/// the first one that is applied.
fn edits(brush: &Value, transform: &Value) -> Vec<Edit> {
    let stroke = json!({"points": [[0.4, 800.0, 1.0], [0.55, 1200.0, 1.0]], "radius": [0.08, 300.0]});
    let places = [
        json!({ "stroke": stroke }),
        json!({"select": [{"time": [0.4, 0.6], "frequency": [300.0, 2000.0]}]}),
        json!({"select": [{"time": [0.4, 0.44]}]}),
        json!({}),
    ];
    let read = |place: Value| {
        let mut edit = json!({"brush": brush, "transform": transform});
        edit.as_object_mut().unwrap().extend(place.as_object().unwrap().clone());
        let script = json!({"version": 1, "edits": [edit]}).to_string();
        Script::parse(&script).ok()?.edits.pop()
    };
    places.into_iter().filter_map(read).collect()
}

fn applied(edit: &Edit, engine: &Engine) -> Result<Applied, Error> {
    apply(&sound(), edit, engine, &Progress::new())
}

/// Work of this thread in a trace: names of the GPU passes, and the number of FFTs on the CPU.
struct TracedPasses {
    on_gpu: BTreeSet<String>,
    n_ffts_on_cpu: usize,
}

impl TracedPasses {
    fn of(trace: &Trace) -> TracedPasses {
        let own = trace.events.iter().filter(|event| event.thread == trace::thread_number());
        let on_gpu = own.clone().filter(|event| event.lane == Lane::GpuPass).map(|event| event.name.to_string());
        let ffts = own.filter(|event| event.lane == Lane::Cpu && FFTS_ON_CPU.contains(&&*event.name));
        TracedPasses { on_gpu: on_gpu.collect(), n_ffts_on_cpu: ffts.count() }
    }

    /// Contradictions between this trace and the report of an edit that ran on a GPU engine.
    fn lies(&self, report: &EditReport) -> Vec<String> {
        let names = |is_on_gpu: bool| -> BTreeSet<String> {
            let passes = report.passes.iter().filter(|pass| pass.is_on_gpu == is_on_gpu);
            passes.map(|pass| pass.name.to_string()).collect()
        };
        let (on_gpu, on_cpu) = (names(true), names(false));
        let mut lies = Vec::new();
        if on_gpu != self.on_gpu {
            lies.push(format!("the device ran {:?}, the report says {on_gpu:?}", self.on_gpu));
        }
        if self.n_ffts_on_cpu > 0 && on_cpu.is_empty() {
            lies.push(format!("{} FFTs on the CPU, and no pass there", self.n_ffts_on_cpu));
        }
        let engine = match (self.on_gpu.is_empty(), on_cpu.is_empty()) {
            (true, _) => "cpu",
            (false, true) => "gpu",
            (false, false) => "mixed",
        };
        if report.engine() != engine {
            lies.push(format!("{} is called {}", engine, report.engine()));
        }
        let unexplained = report.passes.iter().filter(|pass| pass.is_on_gpu == pass.why.is_some());
        lies.extend(unexplained.map(|pass| format!("the reason of {pass:?}")));
        lies
    }
}

/// Applies an edit, and returns its report and what ran; `None` if the brush refuses.
fn recorded(edit: &Edit, gpu: &Arc<Gpu>) -> Option<(EditReport, TracedPasses)> {
    let recording = Recording::start();
    let applied = match applied(edit, &Engine::on(gpu.clone())) {
        Ok(applied) => applied,
        Err(error) => {
            assert!(error.kind() != ErrorKind::Internal && !error.is_of_gpu(), "{error}");
            return None;
        }
    };
    // Polls, since another test that waits for the same device may be the one that reads the timestamps back.
    let patience = Instant::now() + Duration::from_secs(20);
    loop {
        gpu.finish();
        let ran = TracedPasses::of(&recording.trace());
        if ran.lies(&applied.report).is_empty() || Instant::now() > patience {
            return Some((applied.report, ran));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The shared device, if it has timestamps; without them, a trace contains no passes.
fn timed_gpu() -> Option<Arc<Gpu>> {
    let gpu = gpu()?;
    if !gpu.has_timestamps() {
        skipped("no timestamps on this device, so that a trace has no passes");
        return None;
    }
    Some(gpu)
}

/// Applies all brushes, checks their reports, and returns the brush kinds by engine. `but` lists the kinds that are
/// refused or find nothing in this sound.
fn all_tell_the_truth(brushes: &[Value], transform: &Value, but: &[&str]) -> BTreeMap<&'static str, BTreeSet<String>> {
    let mut engines: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let Some(gpu) = timed_gpu() else { return engines };
    let mut missing: BTreeSet<&str> = brushes.iter().map(|brush| brush["kind"].as_str().unwrap()).collect();
    for brush in brushes {
        let Some((report, ran)) = edits(brush, transform).iter().find_map(|edit| recorded(edit, &gpu)) else {
            continue;
        };
        assert_eq!(ran.lies(&report), [""; 0], "{brush} on {transform}: {report:?}");
        let kind = brush["kind"].as_str().unwrap();
        missing.remove(kind);
        engines.entry(report.engine()).or_default().insert(kind.into());
    }
    assert_eq!(missing, but.iter().copied().collect(), "brushes that were not applied");
    engines
}

/// Whether an edit of this brush kind ran on `engine`; true without a device.
fn has(engines: &BTreeMap<&str, BTreeSet<String>>, engine: &str, kind: &str) -> bool {
    engines.is_empty() || engines.get(engine).is_some_and(|kinds| kinds.contains(kind))
}

#[test]
fn reports_name_what_ran_on_an_stft() {
    let brushes = brushes();
    let kinds: BTreeSet<&str> = brushes.iter().map(|brush| brush["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, Brush::KINDS.iter().copied().collect());
    let engines = all_tell_the_truth(&brushes, &stft(), &["de_ess", "plosives"]);
    let expected =
        [("gpu", "gain"), ("gpu", "cells"), ("mixed", "warp"), ("mixed", "rebuild_phase"), ("cpu", "declip")];
    assert!(expected.iter().all(|(engine, kind)| has(&engines, engine, kind)), "{engines:?}");
}

/// Brushes on samples are left out, since they do not use the transform.
#[test]
fn reports_name_what_ran_on_rows() {
    let is_of_cells = |brush: &Value| !Brush::from_json(&brush.to_string()).unwrap().is_of_samples();
    let brushes: Vec<Value> = brushes().into_iter().filter(is_of_cells).collect();
    let engines = all_tell_the_truth(&brushes, &rows(), &["cells", "mel_bands", "picture", "rebuild_phase"]);
    let expected = [("gpu", "gain"), ("gpu", "blur"), ("gpu", "sharpen"), ("mixed", "denoise"), ("mixed", "warp")];
    assert!(expected.iter().all(|(engine, kind)| has(&engines, engine, kind)), "{engines:?}");
}

fn of_kind(kind: &str, transform: &Value) -> Edit {
    let brush = brushes().into_iter().find(|brush| brush["kind"] == kind).unwrap();
    edits(&brush, transform).swap_remove(0)
}

#[test]
fn planted_lies_are_noticed() {
    let Some(gpu) = timed_gpu() else { return };
    let check = |edit: &Edit, plant: &dyn Fn(&mut Vec<EnginePass>)| {
        let (mut report, ran) = recorded(edit, &gpu).unwrap();
        assert_eq!(ran.lies(&report), [""; 0]);
        plant(&mut report.passes);
        assert_ne!(ran.lies(&report), [""; 0], "{report:?}");
    };
    let (blur, on_rows) = (of_kind("blur", &stft()), of_kind("warp", &rows()));
    // Rebuilding phases runs its FFTs on the CPU.
    let rebuilt = of_kind("rebuild_phase", &stft());
    check(&blur, &|passes| drop(passes.pop()));
    check(&blur, &|passes| passes[0].is_on_gpu = false);
    check(&blur, &|passes| passes.push(EnginePass { name: "gain".into(), ..passes[0].clone() }));
    check(&rebuilt, &|passes| passes.retain(|pass| pass.is_on_gpu));
    check(&on_rows, &|passes| passes.iter_mut().for_each(|pass| pass.why = None));
}

#[test]
fn on_the_cpu_engine_all_is_cpu_without_a_reason() {
    for (brush, transform) in brushes().iter().zip([stft(), rows()].iter().cycle()) {
        let applied = edits(brush, transform).iter().find_map(|edit| applied(edit, &cpu()).ok());
        let Some(Applied { report, changed, .. }) = applied else { continue };
        assert_eq!(report.engine(), "cpu", "{brush}");
        let is_plain = |pass: &EnginePass| !pass.is_on_gpu && pass.why.is_none() && pass.ms.is_some();
        assert!(report.passes.iter().all(is_plain), "{brush}: {report:?}");
        assert!(!report.passes.is_empty() || changed.is_empty(), "{brush}");
    }
}

/// By default, in the window and in scripts, a warp keeps the pitch by peak locking, which runs on the CPU.
#[test]
fn the_usual_warp_is_mixed_and_says_why() {
    let Some(gpu) = gpu() else { return };
    let report = applied(&of_kind("warp", &stft()), &Engine::on(gpu)).unwrap().report;
    assert_eq!(report.engine(), "mixed");
    let lock = report.passes.iter().find(|pass| pass.name == "peak_locking").unwrap();
    assert_eq!((lock.engine(), lock.why), ("cpu", Some("phases are summed in f64")));
    assert!(lock.ms.is_some_and(|ms| ms > 0.0), "{lock:?}");
    assert!(report.passes.iter().any(|pass| pass.is_on_gpu && pass.name == "overlap_add"));
    let names: BTreeSet<_> = report.passes.iter().map(|pass| (&pass.name, pass.is_on_gpu, pass.why)).collect();
    assert_eq!(names.len(), report.passes.len(), "each pass of a place stands there once");
}

#[test]
fn what_a_selection_finds_is_a_pass() {
    let Some(gpu) = gpu() else { return };
    let wand = json!({"version": 1, "edits": [{"brush": {"kind": "erase"}, "transform": stft(),
        "select": [{"shape": "wand", "point": [0.5, 440.0], "tolerance_db": 20}]}]});
    let edit = Script::parse(&wand.to_string()).unwrap().edits.pop().unwrap();
    let report = applied(&edit, &Engine::on(gpu)).unwrap().report;
    assert_eq!((report.engine(), &*report.passes[0].name), ("mixed", "find"));
}

fn blur(stft: StftParams) -> Edit {
    let select = Selection::rectangle(Some([0.3, 0.6]), Some([200.0, 2000.0]), [0.0; 2], Axis::Linear);
    let blur = Blur { sigma: [0.02, 60.0], sigma_axis: Axis::Linear, rebuild_phase: false };
    Edit { select: Some(select), ..Edit::of(Brush::Blur(blur), stft) }
}

/// The smallest FFT size, and the largest, which takes two passes in each direction.
#[test]
fn every_size_is_on_the_device() {
    let Some(gpu) = gpu() else { return };
    for (n_fft, parts) in [(64, &[""; 1][..]), (32_768, &["_columns", "_rows"])] {
        let params = StftParams { n_fft, hop: n_fft / 4, ..StftParams::default() };
        let report = applied(&blur(params), &Engine::on(gpu.clone())).unwrap().report;
        assert_eq!((report.engine(), report.notices), ("gpu", Vec::new()), "{n_fft}");
        for name in parts.iter().flat_map(|part| ["", "_inverse"].map(|way| format!("fft_{n_fft}{part}{way}"))) {
            assert!(report.passes.iter().any(|pass| pass.name == name), "{name}: {:?}", report.passes);
        }
    }
}

/// After a device failure, the edit is computed on the CPU from the start, and the report
/// lists no pass of the device.
#[test]
fn an_edit_that_the_device_failed_at_is_on_the_cpu() {
    let Some(gpu) = own_gpu() else { return };
    let engine = Engine::on(gpu.clone());
    let clean = applied(&blur(StftParams::default()), &engine).unwrap().report;
    gpu.trim();
    let n = gpu.allocations();
    applied(&blur(StftParams::default()), &engine).unwrap();
    let n = gpu.allocations() - n;
    gpu.trim();
    // Fails from the last allocation on, when nearly all passes have run.
    gpu.fail_allocations(n - 1..u64::MAX);
    let report = applied(&blur(StftParams::default()), &engine).unwrap().report;
    assert_eq!((clean.engine(), report.engine()), ("gpu", "cpu"), "{report:?}");
    assert!(report.passes.iter().all(|pass| pass.why == Some("the device failed")), "{report:?}");
}

#[test]
fn the_device_times_its_passes_where_a_report_wants_it() {
    let Some(gpu) = own_gpu().filter(|gpu| gpu.has_timestamps()) else { return };
    let engine = Engine::on(gpu.clone());
    engine.set_times_passes(true);
    let began = Instant::now();
    let report = applied(&blur(StftParams::default()), &engine).unwrap().report;
    let max_ms = 1e3 * began.elapsed().as_secs_f64();
    let ms: Vec<f64> = report.passes.iter().map(|pass| pass.ms.unwrap()).collect();
    assert!(ms.iter().sum::<f64>() > 0.0 && ms.iter().all(|ms| (0.0..max_ms).contains(ms)), "{ms:?} of {max_ms}");
}

/// While drawing, nothing is read back; the release reads samples, flags of the changed
/// frames and sums, but no cells.
#[test]
fn a_stroke_on_an_stft_brings_no_cell_back() {
    let Some(gpu) = own_gpu() else { return };
    let engine = Engine::on(gpu.clone());
    let read = || ReadBack::ALL.map(|what| (what, gpu.bytes_read(what))).into_iter().filter(|(_, n)| *n > 0);
    let kinds = || read().map(|(what, _)| what).collect::<Vec<_>>();
    let stroke = Stroke {
        points: Vec::new(),
        axis: Axis::Linear,
        radius: [0.05, 300.0],
        hardness: 0.5,
        strength: 1.0,
        build_up: false,
    };
    for brush in [blur(StftParams::default()).brush, Brush::Gain(Gain { gain_db: -6.0 })] {
        let edit = Edit { stroke: Some(stroke.clone()), ..Edit::of(brush, StftParams::default()) };
        let pen_down = PenDown { snapshot: sound(), pending: Vec::new(), engine: engine.clone() };
        let mut session = StrokeSession::begin(pen_down, &edit).unwrap();
        let before: Vec<_> = read().collect();
        for i in 0..6 {
            let at = f64::from(i);
            session.extend(&[Point { secs: 0.4 + 0.02 * at, hz: 800.0 + 50.0 * at, pressure: 1.0 }]).unwrap();
        }
        session.finish().unwrap();
        assert_eq!(read().collect::<Vec<_>>(), before, "{:?}", edit.brush);
        session.commit(&Progress::new()).unwrap();
        assert_eq!(kinds(), [ReadBack::Samples, ReadBack::Flags, ReadBack::Sums]);
    }
    // Control: downloaded cells are counted.
    let plan = engine.plans().get(StftParams::default()).into();
    let rect = CellRect::new(0..4, 0..9);
    let samples = vec![0.1; engine.plans().get(StftParams::default()).n_samples_under(4)];
    engine.download(engine.analyse(&plan, &samples, &rect).unwrap()).unwrap();
    assert_eq!(gpu.bytes_read(ReadBack::Cells), 2 * 4 * rect.n_cells() as u64);
}
