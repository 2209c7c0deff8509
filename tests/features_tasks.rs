//! Files of one task of `features`: chosen, kept by a run that goes on, the same bytes for any number.

use super::features::{RATE, signal, write};
use super::support::feature_orders::feature_order;
use super::support::program::Place;
use serde_json::Value;
use sonobrush::base::{ErrorKind, Progress};
use sonobrush::library::features::{FeatureOrder, Phase, RunStatus, write_features};
use std::time::Duration;

fn small(place: &Place, n: usize) {
    std::fs::create_dir(place.path("in")).unwrap();
    let samples = signal(2_048);
    (0..n).for_each(|file| write(place, &format!("in/{file:03}.wav"), samples.clone(), RATE));
}

/// What a run wrote, its report aside.
fn written(place: &Place, folder: &str) -> [Vec<u8>; 3] {
    ["features.npy", "mapping.npy", "files.parquet"].map(|name| place.read(&format!("{folder}/{name}")))
}

/// Runs until everything is written and logged, and stops there.
fn stopped(place: &Place, files_per_task: Option<usize>) {
    let order = FeatureOrder { files_per_task, ..feature_order(place, Duration::ZERO) };
    let progress = Progress::new();
    let mut stop = |status: &RunStatus| {
        if status.phase == Phase::Sync {
            progress.cancel();
        }
    };
    let error = write_features(&order, &progress, &mut stop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled, "{error}");
}

fn log(place: &Place) -> Vec<String> {
    let log = String::from_utf8(place.read("out.partial/done.log")).unwrap();
    log.lines().map(str::to_owned).collect()
}

/// How many files a run that goes on computes, and what it says beside the preset's notice.
fn resumed(place: &Place, more: &[&str]) -> (u64, Vec<String>) {
    let arguments = [&["features", "in", "-o", "out", "--resume", "--json"][..], more].concat();
    let (printed, notices) = place.done_with_notices(&arguments);
    let report: Value = serde_json::from_str(&printed).unwrap();
    assert!(written(place, "out") == written(place, "whole"), "{more:?}");
    std::fs::remove_dir_all(place.path("out")).unwrap();
    let notices = notices.into_iter().filter(|notice| notice.contains("files a task")).collect();
    (report["stats"][0]["files"].as_u64().unwrap(), notices)
}

#[test]
fn a_run_that_goes_on_keeps_the_files_of_a_task() {
    let place = Place::new();
    small(&place, 70);
    place.done(&["features", "in", "-o", "whole"]);
    for (n_files, n_tasks) in [(1, 70), (8, 9), (1_024, 1)] {
        stopped(&place, Some(n_files));
        let lines = log(&place);
        assert!(lines[0].starts_with(&format!("{{\"files_per_task\":{n_files}}} ")), "{}", lines[0]);
        assert_eq!(lines.len(), 1 + n_tasks, "{n_files}");
        let started: Value = serde_json::from_slice(&place.read("out.partial/begun.json")).unwrap();
        assert_eq!(started["files_per_task"], n_files);
        // The last task is repeated: of 70 files in eights, six.
        let n_last = (70 - 1) % n_files as u64 + 1;
        assert_eq!(resumed(&place, &[]), (n_last, Vec::new()), "{n_files}");
    }
    // Another number does not count, and a notice says so.
    stopped(&place, Some(8));
    let (n_computed, notices) = resumed(&place, &["--files-per-task", "16"]);
    assert_eq!((n_computed, notices.len()), (6, 1), "{notices:?}");
    // A log of an older version has no head, and its manifest says nothing: 64.
    stopped(&place, None);
    let lines = log(&place);
    assert!(lines[0].contains("64") && lines.len() == 3, "{lines:?}");
    place.write("out.partial/done.log", lines[1..].join("\n") + "\n");
    let started = String::from_utf8(place.read("out.partial/begun.json")).unwrap();
    let older: String =
        started.lines().filter(|line| !line.contains("files_per_task")).map(|line| format!("{line}\n")).collect();
    assert!(older.len() < started.len());
    place.write("out.partial/begun.json", older);
    assert_eq!(resumed(&place, &["--files-per-task", "16"]).0, 6);
}

#[test]
fn shards_take_the_files_of_a_task_from_the_manifest() {
    let place = Place::new();
    small(&place, 20);
    place.done(&["features", "in", "-o", "whole"]);
    let manifest = |name: &str| -> Value { serde_json::from_slice(&place.read(name)).unwrap() };
    place.done(&["features", "--list", "in", "-o", "m.json"]);
    assert_eq!(manifest("m.json")["files_per_task"], 64);
    place.done(&["features", "--list", "in", "-o", "three.json", "--files-per-task", "3"]);
    assert_eq!(manifest("three.json")["files_per_task"], 3);
    let shard = |index: &str| {
        let arguments = ["features", "--shard", index, "--manifest", "three.json", "-o", "shards"];
        let output = place.run(&[&arguments[..], &["--status-every", "0.001"]].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && said.contains("| batch 3 |"), "{said}");
    };
    shard("0/2");
    shard("1/2");
    place.done(&["features", "--merge", "shards", "-o", "merged"]);
    assert!(written(&place, "merged") == written(&place, "whole"));
    // A manifest of an older version is the same manifest: its shards are done.
    let text = String::from_utf8(place.read("m.json")).unwrap();
    place.write("older.json", text.replace(",\"files_per_task\":64", "").replace("\"files_per_task\":64,", ""));
    assert!(manifest("older.json").get("files_per_task").is_none());
    place.done(&["features", "--shard", "0/1", "--manifest", "older.json", "-o", "old"]);
    let usage = |n: &str| {
        let output = place.run(&["features", "in", "-o", "none", "--files-per-task", n]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && said.contains("1 to 1"), "{n}: {said}");
    };
    ["0", "1025", "many"].into_iter().for_each(usage);
    place.write("wrong.json", text.replace("\"files_per_task\":64", "\"files_per_task\":0"));
    let said = place.failed(&["features", "--shard", "0/1", "--manifest", "wrong.json", "-o", "wrong"]);
    assert!(said.contains("a task of 0 files"), "{said}");
}
