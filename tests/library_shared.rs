//! A library that several processes have open at once.

use super::library_store::{json, library, place_of, sounds};
use super::support::program::Place;
use sonobrush::library::store::{LibraryLock, LibraryStore};
use std::time::Duration;

/// How many sounds a search in a process of its own finds.
fn n_found(place: &Place, words: &str) -> usize {
    json(place, &["search", words]).as_array().unwrap().len()
}

#[test]
fn a_second_look_at_an_open_library_does_not_take_its_log_away() {
    let place = Place::new();
    sounds(&place, "in", 2);
    library(&place, &["add", "in"]);
    let held = place_of(&place);
    let store = LibraryStore::open_to_edit(&held).unwrap();
    store.set_tag(1, "mood", Some("bright")).unwrap();
    // As each thread of a run does.
    drop(LibraryStore::open_to_read(&held).unwrap());
    assert_eq!(n_found(&place, "bright"), 1);
    assert!(place.path("l/lib.db-wal").exists(), "another process took itself for the last one");
    // What is written after that is seen by others, and there after this process.
    store.set_tag(1, "mood", Some("dark")).unwrap();
    assert_eq!((n_found(&place, "bright"), n_found(&place, "dark")), (0, 1));
    drop(store);
    assert_eq!(n_found(&place, "dark"), 1);
    assert!(!place.path("l/lib.db-wal").exists(), "the last one takes the log in");
}

#[test]
fn a_process_that_looks_whether_another_works_is_not_taken_for_it() {
    let place = Place::new();
    sounds(&place, "in", 1);
    library(&place, &["add", "in"]);
    let held = place_of(&place);
    // What `status` does for a moment.
    let look = std::fs::File::open(place.path("l/lib.db.lock")).unwrap();
    look.lock_shared().unwrap();
    assert!(!LibraryLock::is_held(&held));
    let ends = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(5));
        drop(look);
    });
    let lock = LibraryLock::try_take(&held).unwrap();
    assert!(lock.is_some(), "a look was taken for work");
    ends.join().unwrap();
    // The control: who works is seen, and keeps its right.
    assert!(LibraryLock::is_held(&held) && LibraryLock::try_take(&held).unwrap().is_none());
    drop(lock);
    assert!(!LibraryLock::is_held(&held));
}
