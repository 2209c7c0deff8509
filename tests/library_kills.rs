//! Libraries and shards that are joined by a process that is killed at any moment: nothing half-done is believed, and
//! the same command again completes it.
#![allow(clippy::print_stdout, reason = "where the kills hit is told")]

use super::features::{many_sounds, written};
use super::library_store::{assert_intact, json, place_of, tone, write};
use super::support::program::Place;
use super::support::random::Random;
use sonobrush::base::Progress;
use sonobrush::library::search::{FoundSound, SoundQuery};
use sonobrush::library::store::{LibraryStore, VerifyOrder};
use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::{Duration, Instant};

fn n_rounds(short: usize, long: usize) -> usize {
    if std::env::var_os("SONOBRUSH_LONG_TESTS").is_some() { long } else { short }
}

/// Runs a command and kills it after a share of the time that it takes; whether it was still at work.
fn killed(place: &Place, arguments: &[&str], after: Duration) -> bool {
    let mut child = place.command(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(after);
    let is_at_work = child.try_wait().unwrap().is_none();
    child.kill().unwrap();
    child.wait().unwrap();
    is_at_work
}

/// What a library says of each sound, by its hash; paths are how many.
fn rows(store: &LibraryStore) -> BTreeMap<String, FoundSound> {
    let found = store.search(&SoundQuery::default()).unwrap();
    found.into_iter().map(|sound| (sound.hash.clone(), FoundSound { id: 0, ..sound })).collect()
}

#[test]
fn an_import_killed_at_any_moment_leaves_no_wrong_row_and_is_completed_by_another() {
    let place = Place::new();
    (0..24).for_each(|number| write(&place, &format!("in/{:02}.wav", number * 4 % 24 + number / 6), tone(number, 400)));
    std::fs::copy(place.path("in/03.wav"), place.path("in/a copy.wav")).unwrap();
    place.write("in/bad.wav", "no sound");
    place.done(&["features", "--list", "in", "-o", "m.json"]);
    for part in 0..3 {
        let (shard, database) = (format!("{part}/3"), format!("s{part}.db"));
        place.done(&["library", "--library", &database, "add", "--manifest", "m.json", "--shard", &shard]);
    }
    let import = ["library", "--library", "l/lib.db", "import", "s0.db", "s1.db", "s2.db"];
    let began = Instant::now();
    place.done(&import);
    let whole = began.elapsed();
    let open = || LibraryStore::open_to_read(&place_of(&place)).unwrap();
    let expected = rows(&open());
    assert_eq!(expected.len(), 24, "the control");

    let n_rounds = n_rounds(10, 200);
    let mut random = Random::new(61);
    let mut n_at_work = 0;
    for round in 0..n_rounds {
        if round % 3 == 0 {
            std::fs::remove_dir_all(place.path("l")).unwrap();
        }
        n_at_work += usize::from(killed(&place, &import, whole.mul_f64(random.between(0.1, 0.9))));
        std::fs::create_dir_all(place.path("l")).unwrap();
        if !place.path("l/lib.db").exists() {
            continue;
        }
        let store = open();
        let report = store.verify(VerifyOrder { hashes_all: true }, &Progress::new()).unwrap();
        assert!(report.is_clean(), "round {round}: {:?}", report.problems);
        for (hash, sound) in rows(&store) {
            let whole = &expected[&hash];
            // The second file of a sound may still be missing.
            assert!(sound.paths.iter().all(|path| whole.paths.contains(path)), "round {round}: {sound:?}");
            assert_eq!((&sound.values, &sound.kind), (&whole.values, &whole.kind), "round {round}");
        }
    }
    println!("{n_at_work} of {n_rounds} kills hit an import of {whole:?}");
    assert!(n_at_work >= n_rounds / 4, "too few were killed while it worked");
    place.done(&import);
    let store = open();
    assert!(rows(&store) == expected);
    let status = store.status().unwrap();
    assert_eq!((status.files, status.sounds, status.waiting, status.running, status.failed), (26, 24, 0, 0, 1));
    drop(store);
    assert_intact(&place);
    let again = json(&place, &["import", "s0.db", "s1.db", "s2.db"]);
    assert_eq!((&again["sounds"], &again["files"]), (&0.into(), &0.into()), "{again}");
}

#[test]
fn a_merge_of_shards_killed_at_any_moment_is_whole_or_absent() {
    let place = Place::new();
    many_sounds(&place, 30);
    place.done(&["features", "in", "-o", "whole"]);
    place.done(&["features", "--list", "in", "-o", "m.json"]);
    for part in 0..3 {
        place.done(&["features", "--shard", &format!("{part}/3"), "--manifest", "m.json", "-o", "shards"]);
    }
    let merge = ["features", "--merge", "shards", "-o", "out"];
    let began = Instant::now();
    place.done(&merge);
    let whole = began.elapsed();
    let expected = written(&place, "whole");
    assert!(written(&place, "out") == expected, "the control");
    let n_rounds = n_rounds(6, 200);
    let mut random = Random::new(62);
    let mut n_at_work = 0;
    for round in 0..n_rounds {
        std::fs::remove_dir_all(place.path("out")).unwrap();
        n_at_work += usize::from(killed(&place, &merge, whole.mul_f64(random.between(0.1, 0.95))));
        if !place.path("out").exists() {
            place.done(&merge);
        }
        assert!(written(&place, "out") == expected, "round {round}");
        assert!(place.done(&["features", "--verify", "out"]).contains("intact"), "round {round}");
        assert!(!place.path("out.partial").exists(), "round {round}");
    }
    println!("{n_at_work} of {n_rounds} kills hit a merge of {whole:?}");
    assert!(n_at_work >= n_rounds / 4, "too few were killed while it worked");
}
