//! How often a file is tried that cannot be read, and one that cannot be decoded.

use super::library_store::{assert_intact, json, sounds, tone, write};
use super::support::program::Place;
use std::fs::{File, create_dir, remove_dir};
use std::time::UNIX_EPOCH;

/// Files that were analysed and that failed.
fn add(place: &Place) -> [i64; 2] {
    let report = json(place, &["add", "in"]);
    ["analysed", "failed"].map(|name| report[name].as_i64().unwrap())
}

/// The files that failed, and how often they were tried.
fn attempts(place: &Place) -> Vec<(String, i64)> {
    let failures = json(place, &["failures"]);
    let of = |failure: &serde_json::Value| {
        let name = failure["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        (name, failure["attempts"].as_i64().unwrap())
    };
    let mut all: Vec<(String, i64)> = failures.as_array().unwrap().iter().map(of).collect();
    all.sort();
    all
}

#[test]
fn errors_of_reading_are_tried_three_times_and_others_once() {
    let place = Place::new();
    sounds(&place, "in", 2);
    write(&place, "in/away.wav", tone(5, 800));
    place.write("in/broken.wav", "no sound");
    // As long as this is there, the file beside it cannot be read.
    let unreadable = place.path("in/away.unreadable");
    create_dir(&unreadable).unwrap();
    let both = vec![("away.wav".to_owned(), 3), ("broken.wav".to_owned(), 1)];
    assert_eq!((add(&place), attempts(&place)), ([2, 2], both.clone()));
    // They stay failures as long as they stay as they are, readable or not.
    assert_eq!((add(&place), attempts(&place)), ([0, 0], both.clone()));
    remove_dir(&unreadable).unwrap();
    assert_eq!((add(&place), attempts(&place)), ([0, 0], both.clone()));
    // A changed file is tried again, as often.
    let touch = |at| File::options().write(true).open(place.path("in/away.wav")).unwrap().set_modified(at).unwrap();
    create_dir(&unreadable).unwrap();
    touch(UNIX_EPOCH);
    place.write("in/broken.wav", "still no sound");
    assert_eq!((add(&place), attempts(&place)), ([0, 2], both.clone()));
    remove_dir(&unreadable).unwrap();
    touch(UNIX_EPOCH + std::time::Duration::from_secs(1));
    assert_eq!((add(&place), attempts(&place)), ([1, 0], both[1..].to_vec()));
    write(&place, "in/broken.wav", tone(6, 800));
    assert_eq!((add(&place), attempts(&place)), ([1, 0], Vec::new()));
    assert_intact(&place);
}
