//! Everything that `library verify` finds, planted one by one, and that `verify --repair` and the next `add` mend it.

use super::library_store::{json, library, place_of, sounds, tone, write};
use super::support::program::Place;
use sonobrush::base::Progress;
use sonobrush::library::store::{LibraryStore, VerifyOrder};
use sonobrush::media::FileStamp;
use std::collections::BTreeSet;
use std::fs::File;

/// What is planted in the database.
const PLANTED: [(&str, &str); 15] = [
    ("UPDATE sound SET file_hash = x'00' WHERE id = ?1", "tone 001.wav has a hash of the wrong length"),
    ("UPDATE sound SET audio_hash = x'00' WHERE id = ?1", "tone 001.wav has an audio hash of the wrong length"),
    ("UPDATE descriptor SET chroma = x'00' WHERE sound = ?1", "tone 001.wav has a chroma of the wrong length"),
    ("UPDATE descriptor SET vector = x'00' WHERE sound = ?1", "tone 001.wav has a vector of the wrong length"),
    ("UPDATE words SET words = x'000000' WHERE sound = ?1", "tone 001.wav has words of the wrong length"),
    ("UPDATE file SET sound = NULL WHERE sound = ?1", "tone 001.wav was never analysed, and no job waits for it"),
    ("DELETE FROM descriptor WHERE sound = ?1", "tone 001.wav has no description, and no job waits for it"),
    ("DELETE FROM words WHERE sound = ?1", "tone 001.wav has no words, and no job waits for them"),
    ("UPDATE sound SET ahash = NULL WHERE id = ?1", "tone 001.wav has no picture, and no job waits for it"),
    ("UPDATE sound SET audio_hash = NULL WHERE id = ?1", "tone 001.wav has no audio hash, and no job waits for it"),
    (
        "INSERT INTO sound(file_hash, kind, first_seen_ns) SELECT randomblob(32), 'picture', ?1",
        "1 sound belongs to no file",
    ),
    ("DELETE FROM text WHERE rowid = ?1", " cannot be searched for"),
    ("INSERT INTO text(rowid, name, path, tags) SELECT 4711 + ?1, 'x', 'x', ''", "the index of words has a sound 47"),
    (
        "INSERT INTO tag(sound, name, value, source) SELECT 4711 + ?1, 'a', 'b', 'user'",
        "a row of the table tag belongs to nothing",
    ),
    (
        "INSERT INTO words(sound, version, words) SELECT 4711 + ?1, 1, x''",
        "a row of the table words belongs to nothing",
    ),
];

fn problems(place: &Place) -> Vec<String> {
    let store = LibraryStore::open_to_read(&place_of(place)).unwrap();
    store.verify(VerifyOrder { hashes_all: true }, &Progress::new()).unwrap().problems
}

/// Without `--all` one file in a hundred is hashed, at least one, and others each time: in the end all of them.
#[test]
fn other_files_are_hashed_each_time() {
    const N_FILES: usize = 250;
    let place = Place::new();
    sounds(&place, "in", 1);
    library(&place, &["add", "in"]);
    let connection = rusqlite::Connection::open(place_of(&place).database()).unwrap();
    // As if all of them had other bytes now: each that is hashed is a problem.
    connection.execute("UPDATE sound SET file_hash = randomblob(32)", []).unwrap();
    let hashed = |seed: Option<u64>| -> BTreeSet<String> {
        let store = LibraryStore::open_to_read(&place_of(&place)).unwrap();
        let (order, progress) = (VerifyOrder::default(), Progress::new());
        let report = match seed {
            Some(seed) => store.verify_drawn(order, seed, &progress),
            None => store.verify(order, &progress),
        };
        let report = report.unwrap();
        let found: BTreeSet<String> =
            report.problems.into_iter().filter(|problem| problem.contains("has other bytes")).collect();
        assert_eq!(found.len(), report.hashed);
        found
    };
    assert_eq!((hashed(Some(1)).len(), hashed(None).len()), (1, 1), "of a single file");
    for number in 1..N_FILES {
        let name = format!("{number}.png");
        place.write(&format!("in/{name}"), &name);
        let stamp = FileStamp::at(&place.path(&format!("in/{name}"))).unwrap();
        let sound = "INSERT INTO sound(file_hash, kind, ahash, first_seen_ns) VALUES (randomblob(32), 'picture', 1, 1)";
        connection.execute(sound, []).unwrap();
        let file = "INSERT INTO file(folder, path, name, bytes, modified_ns, sound)
                    SELECT min(id), CAST(?1 AS BLOB), ?1, ?2, ?3, ?4 FROM folder";
        let row = rusqlite::params![name, stamp.n_bytes as i64, stamp.modified_ns, connection.last_insert_rowid()];
        connection.execute(file, row).unwrap();
    }
    assert_eq!(hashed(Some(7)), hashed(Some(7)));
    let drawn: Vec<BTreeSet<String>> = (0..40).map(|seed| hashed(Some(seed))).collect();
    assert!(drawn.iter().all(|files| files.len() == N_FILES.div_ceil(100)));
    // 96 are to be expected of 40 times 3.
    let all: BTreeSet<&String> = drawn.iter().flatten().collect();
    assert!((75..=115).contains(&all.len()), "{}", all.len());
    // Without a given seed, each run chooses another.
    let of_commands: BTreeSet<String> = (0..6).flat_map(|_| hashed(None)).collect();
    assert!(of_commands.len() > 3, "{of_commands:?}");
}

/// Found, by a command that says what to do; repaired; and with what a repair queues done, as if nothing had been.
fn assert_mended(place: &Place, what: &str) {
    let found = problems(place);
    assert!(found.iter().any(|problem| problem.contains(what)), "{what}: {found:?}");
    let line = place.failed(&["library", "--library", "l/lib.db", "verify", "--all"]);
    assert!(line.contains("--repair"), "{what}: {line}");
    library(place, &["verify", "--all", "--repair"]);
    library(place, &["add", "in"]);
    assert_eq!(problems(place), [""; 0], "after {what}");
    let status = json(place, &["status"]);
    let counts = ["files", "sounds", "waiting", "running", "failed", "missing"].map(|name| status[name].as_i64());
    assert_eq!(counts, [3, 3, 0, 0, 0, 0].map(Some), "after {what}");
    // The sound is whole again, and found.
    let found = json(place, &["search", "001"]);
    assert!(found[0]["centroid_hz"].is_number() && found[0]["duration_secs"] == 0.2, "after {what}: {found}");
    assert_eq!(json(place, &["similar", "in/tone 001.wav", "-n", "1"])[0]["score"], 100.0, "after {what}");
}

#[test]
fn what_is_wrong_in_the_database_is_found_and_mended() {
    let place = Place::new();
    sounds(&place, "in", 3);
    library(&place, &["add", "in"]);
    assert_eq!(problems(&place), [""; 0]);
    for (planted, what) in PLANTED {
        let connection = rusqlite::Connection::open(place_of(&place).database()).unwrap();
        connection.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
        let of_tone = "SELECT sound FROM file WHERE name = 'tone 001.wav'";
        let sound: i64 = connection.query_row(of_tone, [], |row| row.get(0)).unwrap();
        connection.execute(planted, [sound]).unwrap();
        drop(connection);
        assert_mended(&place, what);
    }
}

/// The files are as they are: what is repaired is what the library says of them.
#[test]
fn files_that_are_no_longer_as_they_were_are_found_and_mended() {
    let place = Place::new();
    sounds(&place, "in", 3);
    library(&place, &["add", "in"]);
    let name = "in/tone 000.wav";
    let path = place.path(name);
    // Another length.
    write(&place, name, tone(70, 1_700));
    assert_mended(&place, "tone 000.wav was changed; scan its folder again");
    // Other bytes of the same length and time.
    let modified = path.metadata().unwrap().modified().unwrap();
    write(&place, name, tone(71, 1_700));
    File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
    assert_mended(&place, "tone 000.wav has other bytes than those that were analysed");
    // Another time.
    File::options().write(true).open(&path).unwrap().set_modified(std::time::UNIX_EPOCH).unwrap();
    assert_mended(&place, "tone 000.wav was changed; scan its folder again");
    // Gone: the scan knows it as missing, and as itself when it is back.
    let kept = place.read(name);
    std::fs::remove_file(&path).unwrap();
    let found = problems(&place);
    assert!(found.len() == 1 && found[0].contains("tone 000.wav is not there any more"), "{found:?}");
    library(&place, &["verify", "--repair"]);
    library(&place, &["add", "in"]);
    assert_eq!((problems(&place), &json(&place, &["status"])["missing"]), (Vec::new(), &1.into()));
    std::fs::write(&path, kept).unwrap();
    library(&place, &["add", "in"]);
    assert_eq!((problems(&place), &json(&place, &["status"])["missing"]), (Vec::new(), &0.into()));
}
