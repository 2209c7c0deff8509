//! The user's own tags outlive the database, also where a full disk cut the file that holds them.
#![cfg(unix)]

use super::library_store::{json, library, place_of, sounds};
use super::support::program::{Place, failure, program};
use serde_json::Value;
use sonobrush::library::store::LibraryStore;
use std::io::Write;

const TAGS: &str = "l/lib.db.tags.jsonl";

/// A library of two sounds, and the hash of the first.
fn place() -> (Place, String) {
    let place = Place::new();
    sounds(&place, "in", 2);
    library(&place, &["add", "in"]);
    let found = json(&place, &["search"]);
    let first = found.as_array().unwrap().iter().find(|sound| sound["id"] == 1).unwrap();
    let hash = first["hash"].as_str().unwrap().to_owned();
    (place, hash)
}

fn n_found(place: &Place, words: &str) -> usize {
    json(place, &["search", words]).as_array().unwrap().len()
}

/// The database is gone, and made again.
fn rebuilt(place: &Place) {
    for ending in ["", "-wal", "-shm"] {
        std::fs::remove_file(place.path(&format!("l/lib.db{ending}"))).ok();
    }
    library(place, &["add", "in"]);
}

fn append(place: &Place, text: &str) {
    let mut file = std::fs::File::options().append(true).create(true).open(place.path(TAGS)).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

/// A file that may not grow beyond a size, as on a full disk: of the line only a beginning finds room.
#[test]
fn a_tag_that_is_set_after_the_disk_was_full_comes_back() {
    const MAX: usize = 2 << 20;
    let (place, hash) = place();
    library(&place, &["tag", "1", "first=one"]);
    // What was there is filled up to 45 bytes before the limit, which is far above the database.
    let line = |value: &str| format!("{{\"file\":\"{hash}\",\"name\":\"pad\",\"value\":\"{value}\"}}\n");
    let n_left = MAX - 45 - place.read(TAGS).len();
    let n_lines = n_left / 1_000;
    let mut text = line(&"x".repeat(1_000 - line("").len())).repeat(n_lines - 1);
    text.push_str(&line(&"y".repeat(n_left - text.len() - line("").len())));
    append(&place, &text);
    assert_eq!(place.read(TAGS).len(), MAX - 45);
    let mut command = place.other("bash");
    command.args(["-c", "trap - XFSZ; ulimit -f 2048; exec \"$@\"", "bash"]).arg(program());
    let output = command.args(["library", "--library", "l/lib.db", "tag", "1", "lost=1"]).output().unwrap();
    assert!(failure(&output).contains("tags.jsonl: could not be written"));
    assert_eq!(place.read(TAGS).len(), MAX - 45, "nothing of the line stays");
    assert_eq!(n_found(&place, "lost"), 0);
    library(&place, &["tag", "1", "important=yes"]);
    rebuilt(&place);
    assert_eq!(["one", "yes", "lost"].map(|word| n_found(&place, word)), [1, 1, 0]);
}

/// As a version left it that did not take back what it could not write, or a crash.
#[test]
fn half_a_line_spoils_no_other() {
    let (place, hash) = place();
    library(&place, &["tag", "1", "first=one"]);
    let half = format!("{{\"file\":\"{hash}\",\"name\":\"lo");
    append(&place, &half);
    library(&place, &["tag", "1", "important=yes"]);
    let text = String::from_utf8(place.read(TAGS)).unwrap();
    assert!(text.contains(&format!("{half}\n{{\"file\"")), "{text}");
    rebuilt(&place);
    assert_eq!(["one", "yes"].map(|word| n_found(&place, word)), [1, 1]);
    // The older version wrote the next tag behind it, in one line.
    append(&place, &format!("{half}{{\"file\":\"{hash}\",\"name\":\"glued\",\"value\":\"still here\"}}\n"));
    rebuilt(&place);
    assert_eq!(["one", "yes", "still here"].map(|word| n_found(&place, word)), [1, 1, 1]);
    // A value that looks like the beginning of a line is a value.
    library(&place, &["tag", "2", "odd={\"file\":\"dusk"]);
    rebuilt(&place);
    assert_eq!(["one", "yes", "still here", "dusk"].map(|word| n_found(&place, word)), [1; 4]);
}

#[test]
fn the_last_line_of_an_editor_is_a_line() {
    let (place, hash) = place();
    append(&place, &format!("{{\"file\":\"{hash}\",\"name\":\"mood\",\"value\":\"typed\"}}"));
    library(&place, &["tag", "1", "hour=dusk"]);
    rebuilt(&place);
    assert_eq!(["typed", "dusk"].map(|word| n_found(&place, word)), [1, 1]);
    let lines: Vec<Value> =
        String::from_utf8(place.read(TAGS)).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2);
}

/// What was not set must not come back with the next library.
#[test]
fn a_tag_whose_transaction_fails_is_taken_back() {
    let (place, _) = place();
    library(&place, &["tag", "1", "first=one"]);
    let before = place.read(TAGS);
    // A file that may not grow at all: SQLite's log has no room, the tags do.
    let store = LibraryStore::open_to_edit(&place_of(&place)).unwrap();
    assert!(store.set_tag(4711, "mood", Some("dark")).is_err());
    drop(store);
    let mut command = place.other("bash");
    command.args(["-c", "trap - XFSZ; ulimit -f 1; exec \"$@\"", "bash"]).arg(program());
    let output = command.args(["library", "--library", "l/lib.db", "tag", "1", "mood=dark"]).output().unwrap();
    failure(&output);
    assert!(place.read(TAGS) == before);
    rebuilt(&place);
    assert_eq!(["one", "dark"].map(|word| n_found(&place, word)), [1, 0]);
}

/// Text of others is as visible in this file as in every other that is written.
#[test]
fn marks_that_turn_text_around_are_escaped_in_the_tags() {
    let (place, _) = place();
    let value = "dark\u{202e}gpj.exe\u{9b}31m";
    library(&place, &["tag", "1", &format!("mood={value}")]);
    let text = String::from_utf8(place.read(TAGS)).unwrap();
    assert!(text.contains("dark\\u202egpj.exe\\u009b31m\"") && !text.contains(['\u{202e}', '\u{9b}']), "{text}");
    rebuilt(&place);
    let found = json(&place, &["search", "dark"]);
    assert_eq!(found[0]["tags"][0]["value"], value, "{found:#}");
}

/// The limit of a tag counts letters, also those of several bytes.
#[test]
fn a_tag_of_a_thousand_letters_is_set() {
    let (place, _) = place();
    let store = LibraryStore::open_to_edit(&place_of(&place)).unwrap();
    store.set_tag(1, "mood", Some(&"\u{e4}".repeat(1_000))).unwrap();
    assert!(store.set_tag(1, "mood", Some(&"a".repeat(1_001))).is_err());
}
