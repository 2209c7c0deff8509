//! Libraries that cannot be written: read like any other, also while another user writes them, and changed by nothing.
#![cfg(unix)]
#![allow(clippy::print_stdout, reason = "what could not be tested here is told")]

use super::library_store::{library, place_of, sounds};
use super::support::program::{Place, failure, program};
use serde_json::Value;
use sonobrush::library::store::LibraryStore;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};

pub fn set_mode(place: &Place, name: &str, mode: u32) {
    std::fs::set_permissions(place.path(name), PermissionsExt::from_mode(mode)).unwrap();
}

/// Runs the program as a user with no rights beyond those that the files give.
pub struct Reader<'a> {
    place: &'a Place,
    is_root: bool,
}

impl Reader<'_> {
    /// `None` where root cannot become another user.
    pub fn new(place: &Place) -> Option<Reader<'_>> {
        set_mode(place, "", 0o777);
        let is_root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n");
        let can = !is_root || Command::new("setpriv").arg("--version").output().is_ok();
        if !can {
            println!("root cannot become somebody else here");
        }
        can.then_some(Reader { place, is_root })
    }

    pub fn run(&self, database: &str, arguments: &[&str]) -> Output {
        let mut command = self.place.other(if self.is_root { "setpriv".as_ref() } else { program().as_os_str() });
        if self.is_root {
            command.args(["--reuid=65534", "--clear-groups"]).arg(program());
        }
        command.args(["library", "--library", database]).args(arguments).output().unwrap()
    }

    pub fn done(&self, database: &str, arguments: &[&str]) -> String {
        let output = self.run(database, arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {said}");
        assert!(said.lines().all(|line| line.starts_with("sonobrush: note: ")), "{arguments:?}: {said}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn n_found(&self, database: &str, words: &str) -> usize {
        let found: Value = serde_json::from_str(&self.done(database, &["search", words, "--json"])).unwrap();
        found.as_array().unwrap().len()
    }
}

/// Names and bytes of the files beside the library.
pub fn files(place: &Place, folder: &str) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(place.path(folder)).unwrap().flatten();
    let mut files: Vec<(String, Vec<u8>)> = entries
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), std::fs::read(entry.path()).unwrap()))
        .collect();
    files.sort();
    files
}

#[test]
fn a_read_only_library_is_read_and_not_changed() {
    let place = Place::new();
    sounds(&place, "in", 3);
    library(&place, &["add", "in"]);
    library(&place, &["tag", "2", "mood=dark"]);
    let before = files(&place, "l");
    let Some(reader) = Reader::new(&place) else { return };
    // The folder and the file, or one of them.
    for (folder, file) in [(0o555, 0o444), (0o555, 0o666), (0o777, 0o444)] {
        set_mode(&place, "l/lib.db", file);
        set_mode(&place, "l", folder);
        assert_eq!(reader.n_found("l/lib.db", "tone dark"), 1);
        let is_first = (folder, file) == (0o555, 0o444);
        let reading: &[&[&str]] = &[
            &["status"],
            &["similar", "1"],
            &["stats"],
            &["failures"],
            &["similar", "in/tone 001.wav"],
            &["duplicates"],
            &["verify", "--all"],
        ];
        for arguments in &reading[..if is_first { reading.len() } else { 2 }] {
            reader.done("l/lib.db", arguments);
        }
        let writing: &[&[&str]] = &[
            &["add", "in"],
            &["tag", "1", "a=b"],
            &["add", "in", "--no-wait"],
            &["remove", "in"],
            &["forget", "--missing"],
            &["failures", "--retry"],
            &["verify", "--repair"],
            &["import", "none.db"],
            &["watch"],
        ];
        for arguments in &writing[..if is_first { writing.len() } else { 2 }] {
            let line = failure(&reader.run("l/lib.db", arguments));
            assert!(line.contains("read-only") && line.contains("lib.db"), "{arguments:?}: {line}");
        }
    }
    set_mode(&place, "l", 0o755);
    set_mode(&place, "l/lib.db", 0o644);
    assert!(files(&place, "l") == before, "something was written");
    // The control: it is a library like any other again.
    library(&place, &["tag", "1", "mood=bright"]);
}

#[test]
fn changes_that_a_killed_process_left_in_the_log_are_read_or_told() {
    let place = Place::new();
    sounds(&place, "in", 2);
    library(&place, &["add", "in"]);
    let Some(reader) = Reader::new(&place) else { return };
    let store = LibraryStore::open_to_edit(&place_of(&place)).unwrap();
    store.set_tag(1, "mood", Some("dark")).unwrap();
    // What a process that is killed at this moment leaves.
    std::fs::create_dir(place.path("m")).unwrap();
    for ending in ["", "-wal", "-shm"] {
        let name = format!("m/lib.db{ending}");
        std::fs::copy(place.path(&format!("l/lib.db{ending}")), place.path(&name)).unwrap();
        set_mode(&place, &name, 0o444);
    }
    set_mode(&place, "m", 0o555);
    assert_eq!(reader.n_found("m/lib.db", "dark"), 1);
    // Without SQLite's index the log cannot be read there; the file alone would be a library of another time.
    set_mode(&place, "m", 0o755);
    std::fs::remove_file(place.path("m/lib.db-shm")).unwrap();
    set_mode(&place, "m", 0o555);
    let line = failure(&reader.run("m/lib.db", &["search", "dark"]));
    assert!(line.contains("lib.db-wal") && line.contains("copy both files"), "{line}");
    // An empty log holds no changes.
    set_mode(&place, "m", 0o755);
    std::fs::remove_file(place.path("m/lib.db-wal")).unwrap();
    place.write("m/lib.db-wal", "");
    set_mode(&place, "m", 0o555);
    assert_eq!((reader.n_found("m/lib.db", "tone"), reader.n_found("m/lib.db", "dark")), (2, 0));
    set_mode(&place, "m", 0o755);
}

#[test]
fn who_may_only_read_a_library_sees_what_another_process_writes_meanwhile() {
    let place = Place::new();
    sounds(&place, "in", 2);
    library(&place, &["add", "in"]);
    let Some(reader) = Reader::new(&place) else { return };
    // SQLite gives its log the permissions of the database.
    set_mode(&place, "l/lib.db", 0o644);
    set_mode(&place, "l", 0o755);
    let store = LibraryStore::open_to_edit(&place_of(&place)).unwrap();
    for word in ["dawn", "noon", "dusk"] {
        store.set_tag(1, "hour", Some(word)).unwrap();
        assert_eq!(reader.n_found("l/lib.db", word), 1, "{word}");
    }
    drop(store);
    assert_eq!(reader.n_found("l/lib.db", "dusk"), 1);
}
