//! A library that several processes have open at once.

use super::library_store::{json, library, place_of, sounds};
use super::support::program::Place;
use sonobrush::library::store::LibraryStore;

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
