//! What `features` and `library add` have in common: the walk, the lock that others may look at, what both say of how
//! far they are, and what a trace shows of them.

use super::features::{RATE, signal, write};
use super::support::feature_orders::feature_order;
use super::support::program::Place;
use super::support::signals::busy;
use serde_json::Value;
use sonobrush::base::Progress;
use sonobrush::library::features::write_features;
use std::collections::BTreeSet;
use std::fs::File;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// Different sounds, and one in a folder that an output is being built in, as if it were a part of it.
fn sounds(place: &Place, n: usize) {
    std::fs::create_dir_all(place.path("in/below/half.partial")).unwrap();
    for file in 0..n {
        let samples = busy(9_000, RATE.into(), file as u64).iter().map(|sample| (sample * 20_000.0) as i64).collect();
        write(place, &format!("in/below/{file:03}.wav"), samples, RATE);
    }
    write(place, "in/below/half.partial/no.wav", signal(4_096), RATE);
    place.write("in/below/half.partial/done.log", "");
}

/// Names of the spans of a trace.
fn spans(place: &Place, arguments: &[&str]) -> BTreeSet<String> {
    place.done_with_notices(&[arguments, &["--trace", "t.json"]].concat());
    let trace: Value = serde_json::from_slice(&place.read("t.json")).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    events.iter().map(|event| event["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn both_leave_out_what_is_being_built_and_say_how_far_they_are() {
    let place = Place::new();
    sounds(&place, 3);
    let names = ["percent", "batches_per_sec", "per_second", "eta_secs", "memory_bytes"];
    let output = place.run(&["features", "in", "-o", "out", "--status-every", "0.001", "--json"]);
    let text = String::from_utf8(output.stderr).unwrap();
    let last = text.lines().rfind(|line| line.starts_with('{')).unwrap();
    let status: Value = serde_json::from_str(last).unwrap();
    assert_eq!((&status["files"], &status["percent"]), (&serde_json::json!([3, 3]), &100.0.into()), "{last}");
    assert!(names.iter().all(|name| status.get(name).is_some()), "{last}");
    assert!(status["batches"] == 3 && status["batches_per_sec"].as_f64() > Some(0.0), "{last}");
    assert!(status["per_second"].as_f64() > Some(0.0) && status["engine"] == "cpu", "{last}");
    assert_eq!(status["buffer_bytes"][1], status["budget_bytes"], "{last}");
    let output = place.run(&["library", "--library", "l.db", "add", "in", "--status-every", "1"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{text}");
    // The first sound is reported at once.
    let line = text.lines().find(|line| line.contains("| known ")).unwrap();
    let parts = ["files ", " | failed 0 | MEM ", "% | batches ", "/s) | buffer ", "MB | engine cpu | ", " | ETA "];
    assert!(line.starts_with('[') && parts.iter().all(|part| line.contains(part)), "{line}");
    let found: Value =
        serde_json::from_str(&place.done(&["library", "--library", "l.db", "status", "--json"])).unwrap();
    assert_eq!((&found["files"], &found["sounds"]), (&3.into(), &3.into()), "{found}");
}

#[test]
fn a_trace_shows_what_the_time_goes_to() {
    let place = Place::new();
    sounds(&place, 2);
    let of_features = spans(&place, &["features", "in", "-o", "out"]);
    for name in ["open a file", "STFT", "storing"] {
        assert!(of_features.contains(name), "{name}: {of_features:?}");
    }
    let of_library = spans(&place, &["library", "--library", "l.db", "add", "in", "--engine", "cpu"]);
    for name in ["open a file", "STFT", "tonal and percussive", "pitch", "chroma", "onsets", "words", "storing"] {
        assert!(of_library.contains(name), "{name}: {of_library:?}");
    }
}

/// A process that looks whether a run is in progress holds its lock for a moment, which is no run.
#[test]
fn a_run_begins_while_others_look_at_its_lock() {
    let place = Place::new();
    sounds(&place, 1);
    std::fs::create_dir(place.path("out.partial")).unwrap();
    place.write("out.partial/done.log", "");
    let log = File::open(place.path("out.partial/done.log")).unwrap();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Relaxed) {
                log.lock_shared().unwrap();
                std::thread::sleep(Duration::from_millis(3));
                log.unlock().unwrap();
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        let mut order = feature_order(&place, Duration::from_secs(9));
        order.is_resumed = true;
        let written = write_features(&order, &Progress::new(), &mut |_| ());
        is_over.store(true, Relaxed);
        assert_eq!(written.unwrap().files, 1);
    });
}
