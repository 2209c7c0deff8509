//! Sounds are listed before they are analysed: an added folder appears at once, however long its analysis takes.

use super::library_store::{assert_intact, json, library, place_of, sounds, tone, write};
use super::support::program::Place;
use super::support::studio::{Bench, Drawing};
use serde_json::Value;
use sonobrush::base::{ErrorKind, Progress};
use sonobrush::library::batches::BatchOrder;
use sonobrush::library::search::{FoundSound, SoundQuery};
use sonobrush::library::store::{AddOrder, LibraryLock, LibraryStore};
use sonobrush::workbench::LibraryAct;
use sonobrush::workbench::commands::LayoutCommand;
use std::time::Duration;

/// All sounds of the library, as another connection sees them.
fn listed(place: &Place) -> Vec<FoundSound> {
    LibraryStore::open_to_read(&place_of(place)).unwrap().search(&SoundQuery::default()).unwrap()
}

/// Adds a folder until its first sound is listed; what is listed then.
fn add_until_listed(place: &Place, folder: &str) -> Vec<FoundSound> {
    let held = place_of(place);
    let lock = LibraryLock::try_take(&held).unwrap().unwrap();
    let store = LibraryStore::open_to_write(&held, &lock, &mut Vec::new()).unwrap();
    let progress = Progress::new();
    let order = AddOrder {
        folders: vec![place.path(folder)],
        jobs: 1,
        memory_bytes: None,
        only_queues: false,
        leaves_young: false,
        gives_way: false,
        status_every: Duration::from_secs(9),
        batches: BatchOrder::cpu(),
    };
    let mut seen = Vec::new();
    let error = store.add(&order, &lock, &progress, &mut |report| {
        if seen.is_empty() {
            assert!(report.listed > 0 && report.analysed == 0, "{report:?}");
            seen = listed(place);
            progress.cancel();
        }
    });
    assert_eq!(error.unwrap_err().kind(), ErrorKind::Cancelled);
    seen
}

#[test]
fn a_sound_is_listed_before_it_is_analysed() {
    let place = Place::new();
    sounds(&place, "in", 3);
    let seen = add_until_listed(&place, "in");
    assert_eq!(seen.len(), 1, "{seen:?}");
    let first = &seen[0];
    assert_eq!((&first.values["duration_secs"], &first.values["format"]), (&0.2.into(), &"WAV, 16 bit".into()));
    assert_eq!((&first.values["lufs"], &first.values["silent"]), (&Value::Null, &Value::Null));
    // It is found by its name, and opened.
    let name = first.paths[0].0.file_stem().unwrap().to_string_lossy().into_owned();
    assert_eq!(json(&place, &["search", &name])[0]["id"], first.id);
    place.done(&["image", "--library", "l/lib.db", &format!("library:{}", first.id), "-o", "first.png"]);
    // Its jobs still wait; the next run does them, and the sound keeps its number.
    let status = json(&place, &["status"]);
    assert_eq!((&status["sounds"], &status["waiting"]), (&0.into(), &3.into()), "{status}");
    assert_intact(&place);
    let report = json(&place, &["add", "in"]);
    assert_eq!((&report["analysed"], &report["recognised"]), (&3.into(), &0.into()), "{report}");
    let after = listed(&place);
    assert!(after.len() == 3 && after.iter().all(|sound| sound.values["silent"] == false), "{after:?}");
    assert!(after.iter().any(|sound| sound.id == first.id && sound.paths == first.paths));
    assert_intact(&place);
}

#[test]
fn what_was_listed_and_cannot_be_analysed_is_not_listed_any_more() {
    let place = Place::new();
    write(&place, "in/a test asks for a panic.wav", tone(77, 1_000));
    assert_eq!(add_until_listed(&place, "in").len(), 1);
    assert_eq!(json(&place, &["add", "in"])["failed"], 1);
    assert!(listed(&place).is_empty());
    assert_intact(&place);
    // A file that is gone, or was changed, before its turn came.
    write(&place, "gone/a.wav", tone(1, 1_600));
    assert_eq!(add_until_listed(&place, "gone").len(), 1);
    std::fs::remove_file(place.path("gone/a.wav")).unwrap();
    library(&place, &["add", "gone"]);
    assert!(listed(&place).is_empty());
    write(&place, "gone/a.wav", tone(1, 1_600));
    let before = add_until_listed(&place, "gone")[0].hash.clone();
    write(&place, "gone/a.wav", tone(2, 1_600));
    assert_eq!(json(&place, &["add", "gone"])["analysed"], 1);
    let after = listed(&place);
    assert!(after.len() == 1 && after[0].hash != before, "{after:?}");
    assert_intact(&place);
}

#[test]
fn the_panel_shows_what_waits_to_be_analysed() {
    let place = Place::new();
    write(&place, "in/kick.wav", tone(3, 1_600));
    add_until_listed(&place, "in");
    let mut bench = Bench::new(Drawing::None);
    // While another process writes, the studio leaves the queue alone.
    let lock = LibraryLock::try_take(&place_of(&place)).unwrap().unwrap();
    bench.act(LibraryAct::Use(place.path("l/lib.db")));
    bench.act(LayoutCommand::Library);
    bench.settle();
    assert!(bench.has("kick.wav, 0.20\u{2009}s, not analysed yet"));
    drop(lock);
    bench.act(LibraryAct::Add(vec![place.path("in")]));
    bench.settle();
    assert!(!bench.has("kick.wav, 0.20\u{2009}s, not analysed yet"));
    let browser = bench.studio().workbench().browser();
    let row = browser.row(browser.entries()[0].id).unwrap();
    assert!(row.is_analysed && row.lufs.is_some(), "{row:?}");
}
