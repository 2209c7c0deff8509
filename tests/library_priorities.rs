//! The latest request comes first in the queue, however long the queue is.
#![allow(clippy::print_stdout, reason = "figures are told")]

use super::library_store::{add_alone, assert_intact, json, library, place_of, tone, write};
use super::support::program::Place;
use rusqlite::Connection;
use sonobrush::base::{ErrorKind, Progress};
use sonobrush::library::store::{AddOrder, LibraryLock, LibraryStore};
use std::time::{Duration, Instant};

fn database(place: &Place) -> Connection {
    Connection::open(place_of(place).database()).unwrap()
}

/// The lowest and the highest priority of what waits of files with this in their paths.
fn priorities(place: &Place, part: &str) -> (i64, i64) {
    let text = "SELECT min(priority), max(priority) FROM job JOIN file ON file.id = job.file
                WHERE state = 'waiting' AND instr(CAST(file.path AS TEXT), ?1) > 0";
    database(place).query_row(text, [part], |row| Ok((row.get(0)?, row.get(1)?))).unwrap()
}

#[test]
fn a_folder_that_is_asked_for_comes_before_what_waits() {
    let place = Place::new();
    (0..60).for_each(|number| write(&place, &format!("many/tone {number:02}.wav"), tone(number, 400)));
    (0..3).for_each(|number| write(&place, &format!("few/asked {number}.wav"), tone(100 + number, 400)));
    library(&place, &["add", "many", "--no-wait"]);
    let held = place_of(&place);
    let lock = LibraryLock::try_take(&held).unwrap().unwrap();
    let store = LibraryStore::open_to_write(&held, &lock, &mut Vec::new()).unwrap();
    let order = add_alone(place.path("few"));
    let progress = Progress::new();
    // What was claimed before the folder was scanned, and some more.
    let error = store.add(&order, &lock, &progress, &mut |report| {
        if report.done() >= 36 {
            progress.cancel();
        }
    });
    assert_eq!(error.unwrap_err().kind(), ErrorKind::Cancelled);
    let n_analysed = |name: &str| -> i64 {
        let text = "SELECT count(*) FROM file JOIN descriptor ON descriptor.sound = file.sound WHERE instr(name, ?1)";
        database(&place).query_row(text, [name], |row| row.get(0)).unwrap()
    };
    assert_eq!(n_analysed("asked"), 3);
    assert!(n_analysed("tone") < 60, "the control: it was not all done");
    drop((store, lock));
    library(&place, &["add", "many"]);
    assert_eq!((n_analysed("asked"), n_analysed("tone")), (3, 60));
    assert_intact(&place);
}

#[test]
fn what_was_asked_for_last_is_first_also_a_part_of_a_folder() {
    let place = Place::new();
    for (number, folder) in ["in", "in/sub", "in/sub", "in/subway", "other"].into_iter().enumerate() {
        write(&place, &format!("{folder}/tone {number}.wav"), tone(number, 400));
    }
    library(&place, &["add", "in", "--no-wait"]);
    assert_eq!(priorities(&place, ""), (0, 0), "nothing else waits");
    // One file was running when its process died.
    database(&place)
        .execute("UPDATE job SET priority = -10 WHERE file = (SELECT id FROM file WHERE name LIKE 'tone 2%')", [])
        .unwrap();
    library(&place, &["add", "in/sub", "--no-wait"]);
    let first = priorities(&place, "tone 1").0;
    assert!(first > 0);
    assert_eq!(priorities(&place, "tone 2"), (first - 10, first - 10), "behind the rest of its folder");
    assert_eq!((priorities(&place, "tone 0"), priorities(&place, "subway")), ((0, 0), (0, 0)));
    // New files of the next requested folder come before these, and this one after that.
    library(&place, &["add", "other", "--no-wait"]);
    let second = priorities(&place, "tone 4").0;
    assert!(second > first);
    library(&place, &["add", "in/sub", "--no-wait"]);
    assert!(priorities(&place, "tone 1").0 > second);
    assert_eq!(priorities(&place, "tone 2").0, priorities(&place, "tone 1").0 - 10);
    library(&place, &["add", "in"]);
    assert_intact(&place);
}

#[test]
fn a_sound_that_is_compared_before_it_is_analysed_is_the_next() {
    let place = Place::new();
    (0..4).for_each(|number| write(&place, &format!("in/tone {number}.wav"), tone(number, 1_600)));
    write(&place, "in/silence.wav", vec![0; 3_000]);
    library(&place, &["add", "in"]);
    let id = |name: &str| json(&place, &["search", name])[0]["id"].as_i64().unwrap().to_string();
    // As a version that describes sounds another way finds them.
    database(&place)
        .execute_batch(
            "INSERT INTO job(file, kind, priority, state, attempts) SELECT file.id, 'describe', -1, 'waiting', 0
               FROM file WHERE name NOT LIKE 'silence%' AND name NOT LIKE 'tone 0%';
             DELETE FROM descriptor WHERE sound IN (SELECT sound FROM file JOIN job ON job.file = file.id);",
        )
        .unwrap();
    let similar = |id: &str| place.failed(&["library", "--library", "l/lib.db", "similar", id]);
    assert!(similar(&id("3")).contains("not analysed yet; it is the next"));
    assert!(priorities(&place, "tone 3").0 > priorities(&place, "tone 1").1);
    assert!(similar(&id("2")).contains("not analysed yet; it is the next"));
    assert!(priorities(&place, "tone 2").0 > priorities(&place, "tone 3").1);
    // What waits for nothing is said to be what it is.
    assert!(similar(&id("silence")).contains("silent or a picture"));
    library(&place, &["add", "in"]);
    let found = json(&place, &["similar", &id("3")]);
    assert_eq!(found.as_array().unwrap().len(), 3, "{found}");
    assert_intact(&place);
}

/// A library with files of a folder that is gone: known ones, for which no job waits, and others for which all do.
fn with_queue(place: &Place, n_known: i64, n_waiting: i64) {
    let held = place_of(place);
    let lock = LibraryLock::try_take(&held).unwrap().unwrap();
    drop(LibraryStore::open_to_write(&held, &lock, &mut Vec::new()).unwrap());
    let n = n_known + n_waiting;
    let rows = format!(
        "BEGIN;
         INSERT INTO folder(id, path, watched) VALUES
           (1, CAST('/gone/known' AS BLOB), 0), (2, CAST('/gone/waiting' AS BLOB), 0);
         WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < {n})
         INSERT INTO file(folder, path, name, bytes, modified_ns)
           SELECT 1 + (k > {n_known}), CAST('hit ' || k || '.wav' AS BLOB), 'hit ' || k || '.wav', 1, 1 FROM n;
         INSERT INTO job(file, kind, priority, state, attempts)
           SELECT file.id, kind.column1, 0, 'waiting', 0 FROM file
           JOIN (VALUES ('hash'), ('look'), ('describe'), ('words'), ('picture')) AS kind WHERE file.folder = 2;
         COMMIT;"
    );
    database(place).execute_batch(&rows).unwrap();
}

#[test]
fn a_folder_that_is_asked_for_does_not_wait_for_a_look_at_all_that_is_known() {
    let place = Place::new();
    with_queue(&place, 20_000, 10_000);
    write(&place, "in/asked.wav", tone(1, 400));
    let began = Instant::now();
    library(&place, &["add", "in", "--no-wait"]);
    let took = began.elapsed();
    assert!(priorities(&place, "asked").0 > priorities(&place, "hit").1);
    // Each file times each job that waits would be a thousand million looks.
    assert!(took < Duration::from_secs(5), "{took:?}");
}

/// How long the first `n_sounds` sounds of a folder take with `n_waiting` files queued behind them.
fn time_of_first(n_sounds: usize, n_waiting: i64) -> Duration {
    let place = Place::new();
    with_queue(&place, 0, n_waiting);
    (0..n_sounds).for_each(|number| write(&place, &format!("in/asked {number}.wav"), tone(number, 400)));
    let held = place_of(&place);
    let lock = LibraryLock::try_take(&held).unwrap().unwrap();
    let store = LibraryStore::open_to_write(&held, &lock, &mut Vec::new()).unwrap();
    let progress = Progress::new();
    let (began, mut took) = (Instant::now(), None);
    let ended = store.add(&add_alone(place.path("in")), &lock, &progress, &mut |report| {
        if report.analysed >= n_sounds as u64 && took.is_none() {
            took = Some(began.elapsed());
            progress.cancel();
        }
    });
    assert!(ended.is_err_and(|error| error.kind() == ErrorKind::Cancelled), "the queue was done before it was stopped");
    took.unwrap()
}

#[test]
fn a_claim_does_not_read_all_that_waits() {
    if std::env::var_os("SONOBRUSH_LONG_TESTS").is_none() {
        return;
    }
    let [few, many] = [500, 200_000].map(|n_waiting| time_of_first(100, n_waiting));
    println!("100 sounds before 500 files that wait: {few:.2?}, before 200,000: {many:.2?}");
    assert!(many < 3 * few + Duration::from_millis(500), "{few:?}, {many:?}");
}

#[test]
fn what_an_older_version_described_is_looked_for_once_nothing_else_waits() {
    let place = Place::new();
    (0..3).for_each(|number| write(&place, &format!("in/tone {number}.wav"), tone(number, 400)));
    library(&place, &["add", "in"]);
    database(&place).execute("UPDATE descriptor SET version = 0", []).unwrap();
    write(&place, "other/new.wav", tone(9, 400));
    let held = place_of(&place);
    let lock = LibraryLock::try_take(&held).unwrap().unwrap();
    let store = LibraryStore::open_to_write(&held, &lock, &mut Vec::new()).unwrap();
    let mut queued = Vec::new();
    let order = AddOrder { status_every: Duration::ZERO, ..add_alone(place.path("other")) };
    let mut said = None;
    let report = store.add(&order, &lock, &Progress::new(), &mut |report| {
        if report.analysed == 1 {
            queued.push(report.queued);
        }
        // How many are described again is said before the first of them is.
        if said.is_none() && report.outdated > 0 {
            said = Some((report.outdated, report.analysed));
        }
    });
    let report = report.unwrap();
    assert_eq!(queued.first(), Some(&1), "they were queued before the folder was done");
    assert_eq!((report.queued, report.analysed), (4, 4));
    assert_eq!(said, Some((3, 1)));
    let outdated = "SELECT count(*) FROM descriptor WHERE version < 2";
    assert_eq!(database(&place).query_row(outdated, [], |row| row.get::<_, i64>(0)).unwrap(), 0);
    drop((store, lock));
    // Only queued, they wait for the next run.
    database(&place).execute("UPDATE descriptor SET version = 0", []).unwrap();
    assert_eq!(json(&place, &["add", "in", "--no-wait"])["queued"], 4);
    assert_eq!(json(&place, &["add", "in"])["analysed"], 4);
    assert_intact(&place);
    // The program says so as well, where there are any.
    let again = || {
        place.done_with_notices(&["library", "add", "in", "--library", place_of(&place).database().to_str().unwrap()])
    };
    let (_, notices) = again();
    assert!(notices.is_empty(), "{notices:?}");
    database(&place).execute("UPDATE words SET version = 1", []).unwrap();
    database(&place).execute("UPDATE descriptor SET version = 1 WHERE sound < 3", []).unwrap();
    let (_, notices) = again();
    let expected = "sounds are analysed again, since an older version of this program measured in another way";
    assert!(notices.iter().filter(|notice| notice.contains(expected)).count() == 1, "{notices:?}");
}
