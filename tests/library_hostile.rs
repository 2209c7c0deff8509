//! The library, features, and what should not lie in a folder of sounds: each file is a sound or a failure with one
//! sentence. And a watch that is killed at any moment.
#![allow(clippy::print_stdout, reason = "figures are told")]

use super::features::array;
use super::library_store::{assert_intact, json, library, place_of, sounds};
use super::support::bad_inputs::{make_bad_inputs, path_of};
use super::support::program::Place;
use super::support::random::Random;
use serde_json::Value;
use sonobrush::base::Progress;
use sonobrush::library::features::StoredPath;
use sonobrush::library::store::{LibraryStore, VerifyOrder};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant, SystemTime};

/// Tests one in this many bad inputs; all with `scripts/test --long`.
const ONE_IN: usize = 6;

fn is_long() -> bool {
    std::env::var_os("SONOBRUSH_LONG_TESTS").is_some()
}

/// Fills the folder `in`, and what is known of each file; of files that are left out, too.
fn hostile_files(place: &Place) -> Vec<Value> {
    let entries = make_bad_inputs(&place.path("in"));
    std::fs::remove_file(place.path("in/manifest.json")).unwrap();
    if !is_long() {
        // At least one of each group, and one in [`ONE_IN`].
        let mut groups = BTreeSet::new();
        for (at, entry) in entries.iter().enumerate() {
            let is_kept = groups.insert(entry["group"].to_string()) || at % ONE_IN == 0;
            let path = path_of(&place.path("in"), entry);
            if !is_kept && path.symlink_metadata().is_ok_and(|found| !found.is_dir()) {
                std::fs::remove_file(path).unwrap();
            }
        }
    }
    entries
}

#[test]
fn every_hostile_file_is_a_sound_or_a_failure() {
    let place = Place::new();
    let entries = hostile_files(&place);
    let began = Instant::now();
    let output = place.run(&["library", "--library", "l/lib.db", "add", "in", "--json"]);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{stderr}");
    assert!(!stderr.contains("panicked"), "{stderr}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let number = |name: &str| report[name].as_u64().unwrap();
    let (found, failed) = (number("found"), number("failed"));
    println!("{found} files in {:?}: {failed} failed", began.elapsed());
    // Nothing is left in the queue, and each file is one or the other.
    let status = LibraryStore::open_to_read(&place_of(&place)).unwrap().status().unwrap();
    assert_eq!((status.waiting, status.running), (0, 0));
    assert!(found > 20 && failed > 5 && number("analysed") > 5, "{report}");
    assert_eq!(number("analysed") + number("recognised") + failed, found, "{report}");
    assert_eq!((status.files as u64, status.failed as u64), (found, failed));
    let failures = json(&place, &["failures"]);
    for failure in failures.as_array().unwrap() {
        let error = failure["error"].as_str().unwrap();
        assert!(!error.is_empty() && !error.contains('\n') && error.len() < 500, "{failure}");
        assert!(!error.contains("decoder crash") && !error.contains("panic"), "{failure}");
    }
    // What opens by the manifest is a sound.
    let failed: BTreeMap<String, String> = failures
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|failure| Some((failure["path"].as_str()?.to_owned(), failure["error"].to_string())))
        .collect();
    for entry in entries.iter().filter(|entry| entry["expect"] == "opens" && entry["frames"].as_u64() > Some(0)) {
        let path = path_of(&place.path("in"), entry);
        let error = failed.get(&*std::fs::canonicalize(&path).unwrap_or(path).to_string_lossy());
        assert!(error.is_none(), "{}: {error:?}", entry["name"]);
    }
    assert_intact(&place);
    // The same again: what failed is not tried another time, what is known is not analysed.
    let again = json(&place, &["add", "in"]);
    assert_eq!((again["analysed"].as_u64(), again["failed"].as_u64()), (Some(0), Some(0)), "{again}");
}

/// Features of them: each has its rows, those of silence where it cannot be read, and then a sentence.
#[test]
fn every_hostile_file_has_its_rows_of_features() {
    const FILE_BYTES: usize = 237 * 64;
    let place = Place::new();
    let entries = hostile_files(&place);
    let began = Instant::now();
    place.done(&["features", "--list", "in", "-o", "m.json"]);
    let manifest: Value = serde_json::from_slice(&place.read("m.json")).unwrap();
    let path = |value: &Value| serde_json::from_value::<StoredPath>(value.clone()).unwrap().0;
    let root = path(&manifest["root"]);
    let listed = manifest["files"].as_array().unwrap();
    let number_of: BTreeMap<PathBuf, usize> =
        listed.iter().enumerate().map(|(number, file)| (root.join(path(&file["path"])), number)).collect();
    let output = place.run(&["features", "in", "-o", "out", "--json"]);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && !stderr.contains("panicked"), "{stderr}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let failures = report["failures"].as_array().unwrap();
    println!("{} files in {:?}: {} failed", listed.len(), began.elapsed(), failures.len());
    let mut failed = BTreeMap::new();
    for failure in failures {
        let error = failure["error"].as_str().unwrap();
        assert!(!error.is_empty() && !error.contains('\n') && error.len() < 500, "{failure}");
        assert!(!error.contains("crashed") && !error.contains("changed while"), "{failure}");
        failed.insert(failure["file"].as_u64().unwrap() as usize, error);
    }
    assert!(listed.len() > 20 && failed.len() > 5 && failed.len() + 5 < listed.len(), "{report}");
    assert_eq!((&report["files"], &report["shape"][0]), (&listed.len().into(), &(listed.len() * 237).into()));
    let (_, features) = array(&place.path("out/features.npy"));
    assert_eq!(features.len(), listed.len() * FILE_BYTES);
    // -100 dB, as 16-bit float.
    let is_silent = |number: usize| {
        features[number * FILE_BYTES..][..FILE_BYTES].chunks_exact(2).all(|value| value == [0x40, 0xd6])
    };
    assert!(failed.keys().all(|number| is_silent(*number)));
    let n_audible = (0..listed.len()).filter(|number| !is_silent(*number)).count();
    assert!(n_audible > 5 && n_audible + failed.len() <= listed.len(), "{n_audible} are heard");
    // What opens by the manifest is no failure, and what is an error is one.
    for entry in &entries {
        let Some(number) = number_of.get(&path_of(&root, entry)) else { continue };
        let error = failed.get(number);
        match entry["expect"].as_str() {
            Some("opens") if entry["frames"].as_u64() > Some(0) => {
                assert!(error.is_none(), "{}: {error:?}", entry["name"]);
            }
            // Root may read what others may not.
            Some("error") if entry["accept_frames"].is_null() && entry["name"] != "no_permission.wav" => {
                assert!(error.is_some(), "{} opens", entry["name"]);
            }
            _ => {}
        }
    }
    assert!(place.done(&["features", "--verify", "out"]).contains("intact"));
}

#[test]
fn a_watch_killed_at_any_moment_loses_no_job() {
    let n_kills = if is_long() { 200 } else { 20 };
    let place = Place::new();
    sounds(&place, "in", 40);
    for entry in std::fs::read_dir(place.path("in")).unwrap() {
        let file = std::fs::File::open(entry.unwrap().path()).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(60)).unwrap();
    }
    let status = || LibraryStore::open_to_read(&place_of(&place)).unwrap().status().unwrap();
    let watch = || {
        let arguments = ["library", "--library", "l/lib.db", "watch", "--jobs", "2"];
        place.command(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let mut random = Random::new(61);
    let (mut whole, mut n_partly) = (Duration::ZERO, 0);
    for round in 0..=n_kills {
        if round % 3 == 0 {
            std::fs::remove_dir_all(place.path("l")).ok();
            library(&place, &["add", "in", "--no-wait"]);
        }
        let began = Instant::now();
        let mut child = watch();
        if round == 0 {
            // Once to its end, to know how long it takes.
            while status().sounds < 40 {
                assert!(began.elapsed() < Duration::from_secs(60), "{:?}", status());
                std::thread::sleep(Duration::from_millis(5));
            }
            whole = began.elapsed();
        } else if round % 2 == 0 {
            // By how far it is, as how long it takes depends on who else works.
            let n_sounds = random.between(1.0, 20.0) as i64;
            while status().sounds < n_sounds && began.elapsed() < 4 * whole {
                std::thread::sleep(Duration::from_millis(2));
            }
        } else {
            std::thread::sleep(Duration::from_millis(150) + whole.mul_f64(random.between(0.0, 0.4)));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let store = LibraryStore::open_to_read(&place_of(&place)).unwrap();
        let report = store.verify(VerifyOrder { hashes_all: true }, &Progress::new()).unwrap();
        assert!(report.is_clean(), "round {round}: {:?}", report.problems);
        let now = status();
        assert_eq!(now.files, 40, "round {round}");
        assert_eq!(now.waiting + now.running + now.sounds, 40, "round {round}: {now:?}");
        n_partly += usize::from((1..40).contains(&now.sounds));
    }
    println!("{n_kills} kills of a watch that takes {whole:?}: {n_partly} amid");
    assert!(n_partly >= n_kills / 5, "too few were killed while it worked: {n_partly}");
    library(&place, &["add", "in"]);
    let now = status();
    assert_eq!((now.sounds, now.waiting, now.running, now.failed), (40, 0, 0, 0));
    assert_intact(&place);
}
