//! A library whose database is cut off or in use, and one that has lived through clocks that jump.

use super::library_store::{add_alone, assert_intact, json, library, place_of, tone, write};
use super::support::program::{Place, failure};
use sonobrush::base::Progress;
use sonobrush::library::store::{AddOrder, LibraryLock, LibraryStore};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Different short sounds.
fn few_sounds(place: &Place) {
    (0..3).for_each(|number| write(place, &format!("in/tone {number}.wav"), tone(number, 400)));
}

fn counts(place: &Place) -> [i64; 5] {
    let status = json(place, &["status"]);
    ["files", "sounds", "waiting", "running", "failed"].map(|name| status[name].as_i64().unwrap())
}

#[test]
fn a_database_that_is_cut_off_anywhere_is_told_and_made_again() {
    let place = Place::new();
    few_sounds(&place);
    library(&place, &["add", "in"]);
    let good = place.read("l/lib.db");
    let run = |arguments: &[&str]| place.run(&[&["library", "--library", "l/lib.db"], arguments].concat());
    // Too short to identify: it may be any file of the user, and is left alone.
    for n_bytes in [1, 71] {
        place.write("l/lib.db", &good[..n_bytes]);
        for arguments in [["search", "tone"], ["add", "in"]] {
            let line = failure(&run(&arguments));
            assert!(line.contains("choose another path"), "{n_bytes} bytes: {line}");
        }
        assert!(place.read("l/lib.db") == good[..n_bytes]);
    }
    for n_bytes in [72, 100, 4_095, 4_096, good.len() / 2, good.len() - 4_096] {
        place.write("l/lib.db", &good[..n_bytes]);
        let line = failure(&run(&["search", "tone"]));
        assert!(line.contains("damaged") && line.contains("verify --repair"), "{n_bytes} bytes: {line}");
        let report = json(&place, &["add", "in"]);
        assert_eq!(report["analysed"], 3, "{n_bytes} bytes: {report}");
        assert_eq!(counts(&place), [3, 3, 0, 0, 0]);
    }
    assert_intact(&place);
    // An empty file is none yet.
    place.write("l/lib.db", "");
    assert!(failure(&run(&["search", "tone"])).contains("does not exist yet"));
    assert_eq!(json(&place, &["add", "in"])["analysed"], 3);
    assert_intact(&place);
}

#[test]
fn a_library_that_another_program_holds_is_read_and_its_end_is_waited_for() {
    let place = Place::new();
    few_sounds(&place);
    library(&place, &["add", "in"]);
    let other = rusqlite::Connection::open(place_of(&place).database()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(json(&place, &["search", "tone"]).as_array().unwrap().len(), 3);
    assert_eq!(counts(&place), [3, 3, 0, 0, 0]);
    let arguments = ["library", "--library", "l/lib.db", "tag", "1", "mood=dark"];
    let start = || place.command(&arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut waiting = start();
    std::thread::sleep(Duration::from_millis(300));
    assert!(waiting.try_wait().unwrap().is_none(), "it does not wait");
    other.execute_batch("ROLLBACK").unwrap();
    let output = waiting.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(json(&place, &["search", "dark"]).as_array().unwrap().len(), 1);
    // Waiting ends with an error.
    if std::env::var_os("SONOBRUSH_LONG_TESTS").is_some() {
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        let line = failure(&start().wait_with_output().unwrap());
        assert!(line.contains("another program is using it"), "{line}");
        other.execute_batch("ROLLBACK").unwrap();
    }
    drop(other);
    assert_intact(&place);
}

fn set_modified(path: &Path, at: SystemTime) {
    std::fs::File::open(path).unwrap().set_modified(at).unwrap();
}

#[test]
fn files_of_the_future_and_of_long_ago_are_files_like_others() {
    let place = Place::new();
    few_sounds(&place);
    let day = Duration::from_secs(86_400);
    let times = [UNIX_EPOCH + 47_482 * day, UNIX_EPOCH, UNIX_EPOCH - 400 * day];
    for (number, at) in times.into_iter().enumerate() {
        set_modified(&place.path(&format!("in/tone {number}.wav")), at);
    }
    assert_eq!(json(&place, &["add", "in"])["analysed"], 3);
    let again = json(&place, &["add", "in"]);
    assert_eq!((&again["analysed"], &again["recognised"]), (&0.into(), &0.into()), "{again}");
    assert_intact(&place);

    // A watch leaves a file that was just written for its next scan, and not one of the future for ever.
    for (name, number) in [("young", 5), ("future", 6)] {
        write(&place, &format!("watched/{name}.wav"), tone(number, 400));
    }
    let held = place_of(&place);
    let lock = LibraryLock::try_take(&held).unwrap().unwrap();
    let store = LibraryStore::open_to_write(&held, &lock, &mut Vec::new()).unwrap();
    let order = AddOrder { leaves_young: true, ..add_alone(place.path("watched")) };
    set_modified(&place.path("watched/future.wav"), SystemTime::now() + day);
    set_modified(&place.path("watched/young.wav"), SystemTime::now());
    let report = store.add(&order, &lock, &Progress::new(), &mut |_| ()).unwrap();
    assert_eq!((report.analysed, report.young.len()), (1, 1), "{report:?}");
    drop((store, lock));
    assert_eq!(json(&place, &["search", "future"]).as_array().unwrap().len(), 1);
}

#[test]
fn times_of_a_clock_that_jumped_decide_nothing() {
    let place = Place::new();
    few_sounds(&place);
    std::fs::copy(place.path("in/tone 1.wav"), place.path("in/copy.wav")).unwrap();
    library(&place, &["add", "in"]);
    write(&place, "in/later.wav", tone(9, 400));
    library(&place, &["add", "in", "--no-wait"]);
    let seen = || {
        let mut found = json(&place, &["search"]);
        found.as_array_mut().unwrap().retain(|sound| !sound.to_string().contains("later"));
        found
    };
    let before = seen();
    // Every time that is stored, as far as it goes in either direction.
    let store = rusqlite::Connection::open(place_of(&place).database()).unwrap();
    let jump = |column: &str, odd: &str| {
        let far = "9223372036854775807";
        format!("{column} = CASE WHEN {odd} % 2 THEN {far} ELSE -{far} END")
    };
    store
        .execute_batch(&format!(
            "UPDATE folder SET {};
             UPDATE sound SET {};
             UPDATE job SET state = 'running', owner = '1', {};
             UPDATE stats SET run = '9223372036854775807-1';",
            jump("scanned_ns", "id"),
            jump("first_seen_ns", "id"),
            jump("since_ns", "file"),
        ))
        .unwrap();
    drop(store);
    assert!(seen() == before);
    library(&place, &["duplicates"]);
    assert_eq!(json(&place, &["add", "in"])["analysed"], 1, "what was running waits again");
    assert!(seen() == before);
    assert_eq!(counts(&place), [5, 4, 0, 0, 0]);
    std::fs::remove_file(place.path("in/later.wav")).unwrap();
    library(&place, &["add", "in"]);
    let connection = rusqlite::Connection::open(place_of(&place).database()).unwrap();
    let gone = "UPDATE file SET missing_since_ns = -9223372036854775807 WHERE missing_since_ns IS NOT NULL";
    assert_eq!(connection.execute(gone, []).unwrap(), 1);
    drop(connection);
    assert!(library(&place, &["forget", "--missing"]).starts_with("1 file and 1 sound "));
    assert_intact(&place);
}
