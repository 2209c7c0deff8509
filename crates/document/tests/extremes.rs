//! Extreme settings of every brush, by script or by hand: they finish in bounded time with finite samples.

use base::{ErrorKind, Progress};
use document::{Script, Snapshot, apply, export};
use engine::Engine;
use media::{ExportFormat, Source};
use serde_json::{Value, json};
use std::sync::mpsc::channel;
use std::time::Duration;
use support::engines::engines;
use support::random::{KINDS, Place, Random, edit};
use support::signals::busy;

const RATE_HZ: u32 = 8000;
const N_SAMPLES: usize = 1500;
const PER_KIND: usize = 40;
/// Maximum time for one edit. Each takes milliseconds, but other tests run on the same cores.
const TIMEOUT: Duration = Duration::from_secs(60);

fn sounds() -> Vec<Snapshot> {
    let plain = busy(N_SAMPLES, f64::from(RATE_HZ), 3);
    // Extreme finite values, which a file of 32-bit floats may contain.
    let mut wild = plain.clone();
    for (at, sample) in [(100, f32::MAX), (101, f32::MIN), (700, 1e38), (900, 1e-45), (1200, -1e30)] {
        wild[at] = sample;
    }
    let silent = vec![0.0; N_SAMPLES];
    let all = [vec![plain.clone()], vec![plain, wild.clone()], vec![wild.clone(), wild], vec![silent]];
    all.map(|channels| Snapshot::new(Source::from_channels(channels, RATE_HZ).unwrap())).into()
}

/// Numbers of a script replaced by others that JSON can hold.
fn push_to_extremes(random: &mut Random, value: &mut Value) {
    const EXTREMES: [f64; 12] = [0.0, -0.0, 1.0, -1.0, 1e-300, 1e-9, 0.5, 1e9, -1e9, 1e300, -1e300, f64::MAX];
    match value {
        Value::Object(fields) => {
            let fields = fields.iter_mut().filter(|(name, _)| *name != "transform");
            fields.for_each(|(_, value)| push_to_extremes(random, value));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| push_to_extremes(random, item)),
        Value::Number(number) if number.is_f64() && random.once_in(4) => *value = json!(random.pick(&EXTREMES)),
        _ => {}
    }
}

/// Whether the result is finite; `None` if the edit was refused with an error. False also after a panic or a timeout.
fn outcome(sound: &Snapshot, script: &str, engine: &Engine) -> Option<bool> {
    let edit = match Script::parse(script) {
        Ok(script) => script.edits.into_iter().next().unwrap(),
        Err(error) => {
            assert_eq!((error.kind(), error.to_string().lines().count()), (ErrorKind::Script, 1), "{error}");
            return None;
        }
    };
    let (send, receive) = channel();
    let (theirs, engine) = (sound.clone(), engine.clone());
    std::thread::spawn(move || send.send(apply(&theirs, &edit, &engine, &Progress::new())).ok());
    let after = match receive.recv_timeout(TIMEOUT) {
        Ok(Ok(applied)) => applied.snapshot,
        Ok(Err(error)) if error.kind() != ErrorKind::Internal => return None,
        // It panicked, or hangs.
        _ => return Some(false),
    };
    let n = (after.n_samples() as usize).min(4 * N_SAMPLES);
    let mut samples = vec![0.0f32; n];
    Some((0..after.n_channels()).all(|channel| {
        after.read(channel, 0, &mut samples).unwrap();
        samples.iter().all(|sample| sample.is_finite())
    }))
}

#[test]
fn every_brush_with_any_values_leaves_finite_samples() {
    let sounds = sounds();
    let mut random = Random::new(number("SONOBRUSH_EXTREMES_SEED").unwrap_or(7));
    let per_kind = number("SONOBRUSH_EXTREMES").map_or(PER_KIND, |n| n as usize);
    let (mut n_applied, mut n_refused, mut wrong) = (0, 0, Vec::new());
    for kind in KINDS {
        for round in 0..per_kind {
            let sound = &sounds[random.below(sounds.len())];
            let secs = sound.n_samples() as f64 / sound.sample_rate_hz();
            let place = Place { secs, nyquist_hz: f64::from(RATE_HZ) / 2.0, n_channels: sound.n_channels() };
            let mut edit = edit(&mut random, kind, place);
            if round % 2 == 0 {
                push_to_extremes(&mut random, &mut edit);
            }
            let script = json!({"version": 1, "edits": [edit]}).to_string();
            match outcome(sound, &script, &Engine::cpu()) {
                Some(true) => n_applied += 1,
                Some(false) => wrong.push(script),
                None => n_refused += 1,
            }
        }
    }
    assert!(wrong.is_empty(), "{} panicked, hung or left what is not finite: {wrong:#?}", wrong.len());
    let n = KINDS.len() * per_kind;
    assert!(n_applied > n / 3 && n_refused > n / 20, "{n_applied} applied, {n_refused} refused");
}

/// As `every_brush_with_any_values_leaves_finite_samples`, on the GPU, and without extreme values.
#[test]
fn every_brush_leaves_finite_samples_on_every_engine() {
    let sounds = sounds();
    let mut random = Random::new(9);
    for engine in engines().iter().filter(|engine| engine.gpu().is_some()) {
        for kind in KINDS.into_iter().filter(|kind| *kind != "lengthen") {
            let place = Place { secs: 0.2, nyquist_hz: 4000.0, n_channels: 2 };
            let mut edit = edit(&mut random, kind, place);
            edit["transform"] = json!({"kind": "stft", "n_fft": 512, "hop": 128, "window": "hann"});
            let script = json!({"version": 1, "edits": [edit]}).to_string();
            let is_finite = outcome(&sounds[2], &script, engine);
            assert_ne!(is_finite, Some(false), "not finite on the {} after {script}", engine.name());
        }
    }
}

/// Regression test: such places once caused a panic in a worker thread.
#[test]
fn places_beyond_all_sound_are_no_panic() {
    let sounds = sounds();
    let transform = json!({"kind": "stft", "n_fft": 64, "hop": 32, "window": "hann"});
    let stroke =
        |points: Value, axis: &str, radius: [f64; 2]| json!({"points": points, "axis": axis, "radius": radius});
    let edits = [
        // A clone source at minus infinity hertz.
        json!({"brush": {"kind": "clone", "offset": [0.0, -3956.0]}, "transform": transform,
            "stroke": stroke(json!([[0.05, 3491.0, 1.0]]), "bark", [0.05, 0.25])}),
        json!({"brush": {"kind": "warp", "shift": [1e12, 1e9]}, "transform": transform, "select": {"time": [0.0, 0.1]}}),
        json!({"brush": {"kind": "warp", "mode": "push"}, "transform": transform,
            "stroke": stroke(json!([[0.1, 50.0, 1.0], [0.12, 90.0, 1.0]]), "linear", [1e308, 200.0])}),
        // A band edge below the range of integers, and a median longer than any index.
        json!({"brush": {"kind": "erase"}, "transform": transform, "select": {"frequency": [-1e300, 2793.0]}}),
        json!({"brush": {"kind": "harmonic_percussive", "reach": [0.1, 1e300]}, "transform": transform}),
        // A stroke beyond the last frame.
        json!({"brush": {"kind": "heal", "mode": "gap"}, "transform": transform,
            "stroke": stroke(json!([[0.2875, 3973.0, 0.1], [0.2375, 4000.0, 0.4]]), "linear", [0.004, 2000.0])}),
    ];
    for edit in edits {
        let script = json!({"version": 1, "edits": [edit]}).to_string();
        assert_ne!(outcome(&sounds[0], &script, &Engine::cpu()), Some(false), "{script}");
    }
}

/// Exports are finite in every format, even if samples reach the limits of f32.
#[test]
fn exports_of_the_largest_numbers_are_finite() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.wav");
    let script = json!({"version": 1, "edits": [{"brush": {"kind": "gain", "gain_db": 24.0}}]}).to_string();
    let edit = Script::parse(&script).unwrap().edits.remove(0);
    let louder = apply(&sounds()[2], &edit, &Engine::cpu(), &Progress::new()).unwrap();
    assert!(louder.report.notices.iter().any(|notice| notice.contains("too large")), "{:?}", louder.report.notices);
    for format in [ExportFormat::Source, ExportFormat::Pcm16, ExportFormat::Pcm32, ExportFormat::Float32] {
        export(&louder.snapshot, &path, format, None, &Progress::new()).unwrap();
        let written = Source::open(&path, &Progress::new()).unwrap();
        assert!(written.notices.is_empty(), "{:?}", written.notices);
        let mut samples = vec![0.0f32; N_SAMPLES];
        written.source.read(0, 0, &mut samples).unwrap();
        assert!(samples.iter().all(|sample| sample.is_finite()) && samples.iter().any(|sample| *sample != 0.0));
    }
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|value| value.parse().unwrap())
}
