//! Libraries of another version of the tables: an older one gets its new columns in one transaction and loses nothing,
//! a newer one is refused and stays as it is.
//!
//! `golden/library_of_20` was made by commit 1d031be in an empty home folder:
//!
//!     sonobrush library --library lib.db add /sounds        tones 0 to 19 of `library_store`, of 1,600 samples,
//!                                                           in /sounds/drums (even numbers) and /sounds/pads
//!     sonobrush library --library lib.db tag ID NAME=VALUE  1, 5 and 9 mood=dark, 12 mood=bright, 7 rating=five and
//!                                                           note=a café
//!
//! The sounds are not there: tests that need them make them again.
#![cfg(unix)]
#![allow(clippy::print_stdout, reason = "what a machine lacks, and where the kills hit")]

use super::library_readonly::{Reader, files, set_mode};
use super::library_store::{assert_intact, json, library, place_of, tone, write};
use super::support::program::{Place, failure, has_program, program};
use rusqlite::types::Value as SqlValue;
use rusqlite::{Connection, OpenFlags};
use serde_json::Value;
use sonobrush::base::path_bytes;
use sonobrush::library::store::LibraryStore;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

/// Of all sounds of the golden library, in nanoseconds since 1970.
const MODIFIED: Duration = Duration::from_secs(1_700_000_000);
/// What version 1 knows of a library, in the order of its rows.
const TABLES: [&str; 7] = ["folder", "sound", "file", "words", "tag", "job", "stats"];

/// The golden library, with its folder where sounds can be made.
fn golden() -> Place {
    let place = Place::new();
    std::fs::create_dir(place.path("l")).unwrap();
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/library_of_20");
    for name in ["lib.db", "lib.db.tags.jsonl"] {
        std::fs::copy(golden.join(name), place.path("l").join(name)).unwrap();
    }
    std::fs::create_dir(place.path("in")).unwrap();
    let folder = std::fs::canonicalize(place.path("in")).unwrap();
    let connection = Connection::open(place.path("l/lib.db")).unwrap();
    connection.execute("UPDATE folder SET path = ?1", [path_bytes(&folder).as_ref()]).unwrap();
    drop(connection);
    assert_eq!(version(&place), 1);
    place
}

/// The sounds of the golden library.
fn make_sounds(place: &Place) {
    for number in 0..20 {
        let name = format!("in/{}/tone {number:03}.wav", ["drums", "pads"][number % 2]);
        write(place, &name, tone(number, 1_600));
        let file = std::fs::File::options().write(true).open(place.path(&name)).unwrap();
        file.set_modified(UNIX_EPOCH + MODIFIED).unwrap();
    }
}

fn raw(place: &Place) -> Connection {
    Connection::open_with_flags(place.path("l/lib.db"), OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap()
}

fn version(place: &Place) -> i64 {
    raw(place).pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
}

fn select(connection: &Connection, query: &str) -> Vec<Vec<SqlValue>> {
    let mut select = connection.prepare(query).unwrap();
    let n = select.column_count();
    let row = |row: &rusqlite::Row<'_>| (0..n).map(|at| row.get(at)).collect();
    select.query_map([], row).unwrap().collect::<Result<_, _>>().unwrap()
}

/// Every row that a library of version 1 has, of descriptions the columns that it has.
fn rows(place: &Place) -> BTreeMap<&'static str, Vec<Vec<SqlValue>>> {
    let connection = raw(place);
    let mut found: BTreeMap<_, _> =
        TABLES.map(|table| (table, select(&connection, &format!("SELECT * FROM {table} ORDER BY 1, 2, 3")))).into();
    let columns = select(&connection, "SELECT name FROM pragma_table_info('descriptor') ORDER BY cid LIMIT 38");
    let names: Vec<String> = columns
        .iter()
        .map(|row| match &row[0] {
            SqlValue::Text(name) => name.clone(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!((names.first().unwrap().as_str(), names.last().unwrap().as_str()), ("sound", "vector"));
    let descriptions = format!("SELECT {} FROM descriptor ORDER BY sound", names.join(", "));
    found.insert("descriptor", select(&connection, &descriptions));
    found.insert("text", select(&connection, "SELECT rowid FROM text WHERE text MATCH 'tone' ORDER BY rowid"));
    let whole = select(&connection, "PRAGMA integrity_check");
    assert_eq!(whole, [[SqlValue::Text("ok".into())]]);
    found
}

fn ids(found: &Value) -> Vec<i64> {
    found.as_array().unwrap().iter().map(|sound| sound["id"].as_i64().unwrap()).collect()
}

/// Its sounds, without the new column, and their tags.
fn assert_read_as_before(found: &Value) {
    let sounds = found.as_array().unwrap();
    assert_eq!(sounds.len(), 20);
    for sound in sounds {
        assert!(sound["centroid_hz"].is_number() && sound["key"].is_string(), "{sound:#}");
        assert!(sound.get("bandwidth_hz").is_some_and(Value::is_null), "{sound:#}");
    }
    let tags: usize = sounds.iter().map(|sound| sound["tags"].as_array().unwrap().len()).sum();
    assert_eq!(tags, 6);
}

#[test]
fn a_library_of_version_1_is_read_as_it_is_where_it_cannot_be_written() {
    let place = golden();
    let before = files(&place, "l");
    // Reading leaves it unchanged, also for a user who may write it.
    assert_read_as_before(&json(&place, &["search", "--sort", "bandwidth_hz"]));
    assert_eq!(ids(&json(&place, &["search", "--where", "bandwidth_hz > 0 or not bandwidth_hz > 0"])), [0i64; 0]);
    assert_eq!(json(&place, &["search", "caf\u{e9}"]).as_array().unwrap().len(), 1);
    library(&place, &["export", "--csv", "-o", place.path("tables").to_str().unwrap()]);
    let table = String::from_utf8(place.read("tables/sounds.csv")).unwrap();
    assert!(table.lines().next().unwrap().contains(",centroid_hz,centroid_std_hz,bandwidth_hz,"), "{table}");
    assert!(files(&place, "l") == before);
    let Some(reader) = Reader::new(&place) else { return };
    set_mode(&place, "l/lib.db", 0o444);
    set_mode(&place, "l", 0o555);
    let found: Value = serde_json::from_str(&reader.done("l/lib.db", &["search", "--json"])).unwrap();
    assert_read_as_before(&found);
    for arguments in
        [&["similar", "7"][..], &["status"], &["duplicates"], &["stats"], &["similar", "7", "--where", "lufs < 0"]]
    {
        reader.done("l/lib.db", arguments);
    }
    let line = failure(&reader.run("l/lib.db", &["tag", "1", "a=b"]));
    assert!(line.contains("read-only"), "{line}");
    set_mode(&place, "l", 0o755);
    assert!(files(&place, "l") == before);
    // A shard of version 1 is taken in as well, and described again by the next scan.
    let said = place.done(&["library", "--library", "m.db", "import", "l/lib.db", "--json"]);
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!((&said["sounds"], &said["files"]), (&20.into(), &20.into()), "{said}");
}

#[test]
fn a_library_of_version_1_gets_its_column_and_the_next_scan_fills_it() {
    let place = golden();
    make_sounds(&place);
    let before = rows(&place);
    // Something that was typed: nothing else is changed by it.
    library(&place, &["tag", "2", "mood=new"]);
    assert_eq!(version(&place), 2);
    let mut after = rows(&place);
    let new = |row: &Vec<SqlValue>| row[2] != SqlValue::Text("new".into());
    after.get_mut("tag").unwrap().retain(new);
    assert!(after == before);
    assert_eq!(ids(&json(&place, &["search", "--where", "bandwidth_hz > 0"])), [0i64; 0]);
    // What an older program described is described again.
    let said = json(&place, &["add", "in"]);
    assert_eq!((&said["outdated"], &said["found"], &said["failed"]), (&20.into(), &20.into(), &0.into()), "{said}");
    let found = json(&place, &["search", "--sort", "bandwidth_hz"]);
    let widths: Vec<f64> =
        found.as_array().unwrap().iter().map(|sound| sound["bandwidth_hz"].as_f64().unwrap()).collect();
    assert!(widths.len() == 20 && widths.is_sorted() && widths[0] > 10.0 && widths[19] < 4_000.0, "{widths:?}");
    let middle = f64::midpoint(widths[9], widths[10]);
    assert_eq!(ids(&json(&place, &["search", "--where", &format!("bandwidth_hz > {middle}")])).len(), 10);
    assert_eq!(json(&place, &["search", "new"]).as_array().unwrap().len(), 1);
    assert_eq!(json(&place, &["search", "dark"]).as_array().unwrap().len(), 3);
    assert_eq!(json(&place, &["add", "in"])["analysed"], 0);
    assert_intact(&place);
}

#[test]
fn a_library_of_a_newer_version_is_refused_in_one_sentence_and_stays_as_it_is() {
    let place = golden();
    library(&place, &["tag", "2", "mood=new"]);
    let newer = "ALTER TABLE descriptor ADD COLUMN of_the_future REAL; PRAGMA user_version = 3;";
    raw(&place).execute_batch(newer).unwrap();
    make_sounds(&place);
    let before = files(&place, "l");
    for arguments in
        [&["search", "tone"][..], &["status"], &["add", "in"], &["tag", "1", "a=b"], &["verify", "--repair"]]
    {
        let line = place.failed(&[&["library", "--library", "l/lib.db"], arguments].concat());
        assert!(line.contains("l/lib.db") && line.contains("was made by a newer Sonobrush (format 3;"), "{line}");
        assert!(line.contains("update Sonobrush"), "{line}");
    }
    let database = |files: &[(String, Vec<u8>)]| files.iter().find(|(name, _)| name == "lib.db").cloned();
    assert!(database(&files(&place, "l")) == database(&before));
    // A column that is not ours, of a version that is: that is no library of this program.
    raw(&place).pragma_update(None, "user_version", 2).unwrap();
    let line = place.failed(&["library", "--library", "l/lib.db", "search", "tone"]);
    assert!(line.contains("its tables are not those of a library"), "{line}");
}

/// Another process migrates the library while it is being opened, again and again.
#[test]
fn a_library_that_another_process_migrates_meanwhile_is_never_taken_for_damaged() {
    let n_rounds = if std::env::var_os("SONOBRUSH_LONG_TESTS").is_some() { 60 } else { 6 };
    for _ in 0..n_rounds {
        let place = golden();
        let held = place_of(&place);
        std::thread::scope(|scope| {
            let tag = |name: &'static str| {
                let held = held.clone();
                move || LibraryStore::open_to_edit(&held).unwrap().set_tag(1, name, Some("x")).unwrap()
            };
            let reader = scope.spawn(|| {
                for _ in 0..20 {
                    let store = LibraryStore::open_to_read(&held).unwrap();
                    assert_eq!(store.search(&Default::default()).unwrap().len(), 20);
                }
            });
            let writers = [scope.spawn(tag("a")), scope.spawn(tag("b"))];
            writers.into_iter().for_each(|writer| writer.join().unwrap());
            reader.join().unwrap();
        });
        assert_eq!(version(&place), 2);
        assert_eq!(files(&place, "l").iter().filter(|(name, _)| name.contains("damaged")).count(), 0);
    }
}

/// Calls that change files.
const CALLS: &str = "write,pwrite64,ftruncate,fallocate,fsync,fdatasync,unlink";

/// The program killed at a call that changes a file, one after another: the library is one
/// version or the other and has every row.
#[cfg(target_os = "linux")]
#[test]
fn a_migration_killed_at_any_moment_loses_nothing() {
    if !has_program("strace") {
        return;
    }
    let is_long = std::env::var_os("SONOBRUSH_LONG_TESTS").is_some();
    let n_wanted = if is_long { 20 } else { 4 };
    // Opens the library to change it, and changes nothing else.
    let arguments = ["library", "--library", "l/lib.db", "forget", "--missing"];
    let traced = |place: &Place, options: &[&str]| {
        let log = place.path("strace.log");
        let mut command = place.other("strace");
        command.args(["-f", "-qq", "-y", "-o"]).arg(&log).args(options).arg(program()).args(arguments);
        command.output().unwrap();
        std::fs::read_to_string(&log).unwrap_or_default()
    };
    let place = golden();
    let log = traced(&place, &["-e", &format!("trace={CALLS}")]);
    assert_eq!(version(&place), 2, "the control: it is migrated");
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut points = Vec::new();
    for line in log.lines() {
        let (thread, call) = line.split_once(' ').unwrap_or_default();
        let Some((name, rest)) = call.trim_start().split_once('(') else { continue };
        let count = counts.entry((thread.to_owned(), name.to_owned())).or_default();
        *count += 1;
        if rest.contains("lib.db") {
            points.push((name.to_owned(), *count));
        }
    }
    println!("{} calls change the library or its log", points.len());
    assert!(points.len() >= n_wanted, "{log}");
    let mut versions = [0, 0];
    for at in 0..n_wanted {
        let (name, count) = &points[at * (points.len() - 1) / (n_wanted - 1)];
        let place = golden();
        let expected = rows(&place);
        let inject = format!("inject={name}:signal=KILL:when={count}");
        let log = traced(&place, &["-e", &format!("trace={name}"), "-e", &inject]);
        assert!(log.contains("killed by SIGKILL"), "{inject}: {log}");
        let store = LibraryStore::open_to_read(&place_of(&place)).unwrap();
        assert_eq!(store.search(&Default::default()).unwrap().len(), 20, "{inject}");
        drop(store);
        versions[version(&place) as usize - 1] += 1;
        assert!(rows(&place) == expected, "{inject}");
        // The same command again completes it.
        place.done(&arguments);
        assert_eq!(version(&place), 2, "{inject}");
        assert!(rows(&place) == expected, "{inject}");
    }
    println!("killed at {n_wanted} moments: {versions:?} were of version 1 and 2");
    assert!(versions.iter().all(|n| *n > 0), "kills before and after the commit: {versions:?}");
}
