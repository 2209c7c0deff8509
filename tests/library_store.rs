//! `library add` and its results: nothing is analysed twice and no job is lost, however the program ends and with any
//! files in the folders.
#![allow(clippy::print_stdout, reason = "figures, and what could not be tested here, are told")]

use super::support::program::{Place, failure};
use super::support::random::Random;
use super::support::wav::{Format, Wav};
use serde_json::Value;
use sonobrush::base::{ErrorKind, Folders, Progress};
use sonobrush::library::batches::BatchOrder;
use sonobrush::library::store::{AddOrder, AddReport, LibraryLock, LibraryPlace, LibraryStore, VerifyOrder};
use sonobrush::library::watch::MarkedFolders;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

const RATE: u32 = 8_000;

/// A tone that dies away, another one for each number.
pub fn tone(number: usize, n: usize) -> Vec<i64> {
    let step = 0.05 + 0.017 * number as f64;
    (0..n).map(|at| (12_000.0 * (at as f64 * step).sin() * (-(at as f64) / 800.0).exp()) as i64).collect()
}

pub fn write(place: &Place, name: &str, samples: Vec<i64>) {
    let path = place.path(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    Wav { format: Format::Pcm(16), rate: RATE, channels: vec![samples] }.write(&path);
}

/// Different sounds of a fifth of a second.
pub fn sounds(place: &Place, folder: &str, n: usize) {
    (0..n).for_each(|number| write(place, &format!("{folder}/tone {number:03}.wav"), tone(number, 1_600)));
}

pub fn library(place: &Place, arguments: &[&str]) -> String {
    place.done(&[&["library", "--library", "l/lib.db"], arguments].concat())
}

pub fn json(place: &Place, arguments: &[&str]) -> Value {
    serde_json::from_str(&library(place, &[arguments, &["--json"]].concat())).unwrap()
}

fn add(place: &Place, folder: &str) -> [u64; 4] {
    let report = json(place, &["add", folder]);
    ["found", "analysed", "recognised", "failed"].map(|name| report[name].as_u64().unwrap())
}

fn status(place: &Place) -> [i64; 5] {
    let status = json(place, &["status"]);
    ["files", "sounds", "waiting", "running", "failed"].map(|name| status[name].as_i64().unwrap())
}

pub fn place_of(place: &Place) -> LibraryPlace {
    let folders = Folders::in_folder(&place.path("own"));
    LibraryPlace::new(&folders, Some(&place.path("l/lib.db")))
}

/// Adds a folder with one thread, telling how far it is as often as it can.
pub fn add_alone(folder: std::path::PathBuf) -> AddOrder {
    AddOrder {
        folders: vec![folder],
        jobs: 1,
        memory_bytes: None,
        only_queues: false,
        leaves_young: false,
        gives_way: false,
        status_every: Duration::from_millis(1),
        batches: BatchOrder::cpu(),
    }
}

pub fn assert_intact(place: &Place) {
    let said = library(place, &["verify", "--all"]);
    assert!(said.starts_with("intact: "), "{said}");
}

/// Works on the queue without a scan.
fn work(place: &Place) -> AddReport {
    let place = place_of(place);
    let lock = LibraryLock::try_take(&place).unwrap().unwrap();
    let store = LibraryStore::open_to_write(&place, &lock, &mut Vec::new()).unwrap();
    let order = AddOrder {
        folders: Vec::new(),
        jobs: 2,
        memory_bytes: None,
        only_queues: false,
        leaves_young: false,
        gives_way: false,
        status_every: Duration::from_secs(9),
        batches: BatchOrder::cpu(),
    };
    store.add(&order, &lock, &Progress::new(), &mut |_| ()).unwrap()
}

#[test]
fn a_folder_is_analysed_once() {
    let place = Place::new();
    sounds(&place, "in", 4);
    std::fs::copy(place.path("in/tone 000.wav"), place.path("in/copy.wav")).unwrap();
    std::fs::write(place.path("in/notes.txt"), "no sound").unwrap();
    assert_eq!(add(&place, "in"), [5, 4, 1, 0]);
    assert_eq!(status(&place), [5, 4, 0, 0, 0]);
    assert_eq!(add(&place, "in"), [5, 0, 0, 0]);
    assert_intact(&place);
    // What is stored is what is described.
    let found = json(&place, &["search", "002"]);
    let described: Value =
        serde_json::from_str(&place.done(&["library", "describe", "in/tone 002.wav", "--json"])).unwrap();
    assert_eq!(found.as_array().unwrap().len(), 1);
    for (name, value) in found[0].as_object().unwrap() {
        if let Some(expected) = described.get(name) {
            assert_eq!(value, expected, "{name}");
        }
    }
    assert!(found[0]["centroid_hz"].as_f64().unwrap() > 10.0 && found[0]["format"] == "WAV, 16 bit");
    let stats = json(&place, &["stats"]);
    let described = stats.as_array().unwrap().iter().find(|row| row["kind"] == "describe").unwrap();
    assert_eq!(
        (&described["items"], &described["failed"], &described["engine"]),
        (&4.into(), &0.into(), &"cpu".into())
    );
}

#[test]
fn moved_touched_and_changed_files_are_told_apart() {
    let place = Place::new();
    sounds(&place, "in", 3);
    assert_eq!(add(&place, "in"), [3, 3, 0, 0]);
    let id = |words: &str| json(&place, &["search", words])[0]["id"].as_i64();
    let before = id("001");
    // Moved: its row is that of the new place.
    std::fs::create_dir(place.path("in/sub")).unwrap();
    std::fs::rename(place.path("in/tone 001.wav"), place.path("in/sub/moved.wav")).unwrap();
    assert_eq!(add(&place, "in"), [3, 0, 1, 0]);
    assert_eq!((id("moved"), id("001")), (before, None));
    assert_eq!(json(&place, &["status"])["missing"], 0);
    // Touched: the same bytes, another time.
    std::fs::File::open(place.path("in/tone 000.wav")).unwrap().set_modified(std::time::UNIX_EPOCH).unwrap();
    assert_eq!(add(&place, "in"), [3, 0, 1, 0]);
    // Changed: another sound, and the old one is gone.
    write(&place, "in/tone 000.wav", tone(50, 1_601));
    assert_eq!(add(&place, "in"), [3, 1, 0, 0]);
    assert_eq!(status(&place), [3, 3, 0, 0, 0]);
    // Gone, and back again.
    std::fs::rename(place.path("in/sub/moved.wav"), place.path("away.wav")).unwrap();
    assert_eq!(add(&place, "in"), [2, 0, 0, 0]);
    assert_eq!((json(&place, &["status"])["missing"].as_i64(), id("moved")), (Some(1), None));
    std::fs::rename(place.path("away.wav"), place.path("in/sub/moved.wav")).unwrap();
    assert_eq!(add(&place, "in"), [3, 0, 0, 0]);
    assert_eq!(id("moved"), before);
    std::fs::remove_file(place.path("in/sub/moved.wav")).unwrap();
    add(&place, "in");
    assert!(library(&place, &["forget", "--missing"]).starts_with("1 file and 1 sound "));
    assert_eq!(status(&place), [2, 2, 0, 0, 0]);
    assert_intact(&place);
    assert!(library(&place, &["remove", "in"]).contains("2 files and 2 sounds "));
    assert_eq!(status(&place), [0; 5]);
    assert_intact(&place);
    assert_eq!(std::fs::read_dir(place.path("in")).unwrap().count(), 3, "nothing on the disk was touched");
}

#[test]
#[cfg(unix)]
fn scans_stay_where_they_belong() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let place = Place::new();
    for name in ["a.wav", ".hidden.wav", ".dot/b.wav", "sub/c.WAV", "out.partial/d.wav", "plain.partial/e.wav"] {
        write(&place, &format!("in/{name}"), tone(name.len(), 800));
    }
    place.write("in/out.partial/done.log", "");
    write(&place, "outside/f.wav", tone(3, 800));
    symlink(place.path("outside"), place.path("in/link")).unwrap();
    symlink(place.path("outside/f.wav"), place.path("in/link.wav")).unwrap();
    symlink(place.path("in"), place.path("in/sub/circle")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(place.path("in/pipe.wav")).status().unwrap().success());
    let found = |place: &Place| -> Vec<String> {
        let found = json(place, &["search"]);
        let name = |path: &Value| path.as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        let mut names: Vec<String> = found
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|sound| sound["paths"].as_array().unwrap().iter().map(name))
            .collect();
        names.sort();
        names
    };
    assert_eq!(add(&place, "in")[0], 3);
    assert_eq!(found(&place), ["a.wav", "c.WAV", "e.wav"]);
    // A folder inside is a part of it; one around it leaves it out.
    assert_eq!(add(&place, "in/sub")[0], 1);
    assert_eq!(json(&place, &["status"])["missing"], 0);
    assert_eq!(add(&place, ".")[0], 1);
    assert_eq!(json(&place, &["status"])["folders"].as_array().unwrap().len(), 2);
    // The user's own library lies in the state folder, which is not scanned either.
    write(&place, ".local/state/sonobrush/g.wav", tone(5, 800));
    let report: Value = serde_json::from_str(&place.done(&["library", "add", ".local/state", "--json"])).unwrap();
    assert_eq!(report["found"], 0);
    let mode = |name: &str| std::fs::metadata(place.path(name)).unwrap().permissions().mode() & 0o777;
    let own = ".local/state/sonobrush/library";
    assert_eq!([mode(own), mode(&format!("{own}/library.db"))], [0o700, 0o600]);
    assert_eq!([mode("l"), mode("l/lib.db"), mode("l/lib.db.lock")], [0o700, 0o600, 0o600]);
    // What is no folder is one line.
    for wrong in ["nowhere", "in/a.wav"] {
        let line = place.failed(&["library", "add", wrong]);
        assert!(line.contains(wrong), "{line}");
    }
    assert!(place.failed(&["library", "--library", "none.db", "status"]).contains("library add FOLDER"));
}

#[test]
#[cfg(target_os = "linux")]
fn names_may_be_anything() {
    use std::os::unix::ffi::OsStrExt;
    let place = Place::new();
    let mut deep = place.path("in");
    (0..18).for_each(|_| deep.push("d".repeat(200)));
    std::fs::create_dir_all(&deep).unwrap();
    let names = [
        &b"not \xff utf-8.wav"[..],
        b"new\nline.wav",
        b"-rf.wav",
        b"'; DROP TABLE sound; --.wav",
        b"\xf0\x9f\x8e\xb5.wav",
    ];
    let mut paths: Vec<_> = names.iter().map(|name| place.path("in").join(std::ffi::OsStr::from_bytes(name))).collect();
    paths.push(deep.join("deep.wav"));
    for (number, path) in paths.iter().enumerate() {
        Wav { format: Format::Pcm(16), rate: RATE, channels: vec![tone(number, 800)] }.write(path);
    }
    assert_eq!(add(&place, "in"), [6, 6, 0, 0]);
    assert_eq!(add(&place, "in"), [6, 0, 0, 0]);
    assert_intact(&place);
    let found = json(&place, &["search"]);
    let bytes = |sound: &Value| sound["paths"][0]["bytes"].as_str().is_some_and(|hex| hex.contains("ff"));
    assert_eq!(found.as_array().unwrap().iter().filter(|sound| bytes(sound)).count(), 1);
    // On one line each, for people.
    assert_eq!(library(&place, &["search"]).lines().count(), 6);
    assert_eq!(json(&place, &["search", "drop table"]).as_array().unwrap().len(), 1);
}

#[test]
fn what_is_no_sound_is_a_failure_with_a_sentence() {
    let place = Place::new();
    sounds(&place, "in", 2);
    let whole = place.read("in/tone 000.wav");
    for (name, bytes) in [
        ("in/empty.wav", &b""[..]),
        ("in/text.wav", b"this is no sound"),
        ("in/only head.wav", &whole[..44]),
        ("in/cut head.wav", &whole[..30]),
        ("in/picture.png", b"\x89PNG\r\n\x1a\nno more"),
    ] {
        place.write(name, bytes);
    }
    place.write("in/half.wav", &whole[..whole.len() / 2]);
    write(&place, "in/one.wav", vec![1_000]);
    write(&place, "in/silence.wav", vec![0; 4_000]);
    write(&place, "in/dc.wav", vec![8_000; 4_000]);
    write(&place, "in/square.wav", (0..4_000).map(|at| if at / 20 % 2 == 0 { 32_767 } else { -32_768 }).collect());
    let floats: Vec<i64> =
        (0..4_000).map(|at| i64::from(if at % 7 == 0 { f32::NAN } else { 0.5f32 }.to_bits())).collect();
    Wav { format: Format::F32, rate: RATE, channels: vec![floats] }.write(&place.path("in/nan.wav"));
    std::fs::copy(place.path("in/tone 001.wav"), place.path("in/a test asks for a panic.wav")).unwrap();
    write(&place, "in/a test asks for a panic.wav", tone(77, 1_000));
    let found = add(&place, "in");
    assert_eq!([found[0], found[3]], [14, 6], "{:?}", json(&place, &["failures"]));
    let failures = json(&place, &["failures"]);
    let reason = |name: &str| {
        let failures = failures.as_array().unwrap();
        let failed = failures.iter().find(|failure| failure["path"].as_str().unwrap().ends_with(name));
        failed.unwrap_or_else(|| panic!("{name}"))["error"].as_str().unwrap().to_owned()
    };
    assert!(reason("text.wav").contains("is not audio that Sonobrush can open"), "{}", reason("text.wav"));
    assert!(reason("only head.wav").contains("no samples"));
    assert!(reason("panic.wav").contains("made its decoder crash"));
    assert!(reason("picture.png").contains("could not be decoded"));
    assert_eq!(failures.as_array().unwrap().iter().filter(|failure| failure["attempts"] == 1).count(), 6, "{failures}");
    // They are tried again only after a change, or on request.
    assert_eq!(add(&place, "in"), [14, 0, 0, 0]);
    std::fs::copy(place.path("in/tone 001.wav"), place.path("in/text.wav")).unwrap();
    assert_eq!(add(&place, "in"), [14, 0, 1, 0]);
    assert_eq!(json(&place, &["failures", "--retry"]).as_array().unwrap().len(), 5);
    let silent = json(&place, &["search", "silence"]);
    assert_eq!((&silent[0]["silent"], &silent[0]["centroid_hz"]), (&true.into(), &Value::Null));
    assert_intact(&place);
}

#[test]
fn files_that_change_while_they_wait_are_no_lost_jobs() {
    let place = Place::new();
    sounds(&place, "in", 4);
    let queued = json(&place, &["add", "in", "--no-wait"]);
    assert_eq!((&queued["queued"], &queued["analysed"]), (&4.into(), &0.into()));
    assert_eq!(status(&place), [4, 0, 4, 0, 0]);
    write(&place, "in/tone 000.wav", tone(90, 3_000));
    write(&place, "in/tone 001.wav", tone(91, 400));
    std::fs::remove_file(place.path("in/tone 002.wav")).unwrap();
    let report = work(&place);
    assert_eq!((report.analysed, report.failed), (3, 0));
    assert_eq!(status(&place), [3, 3, 0, 0, 0]);
    assert_intact(&place);
    assert_eq!(add(&place, "in"), [3, 0, 0, 0]);
}

#[test]
fn two_at_once_share_a_library() {
    let place = Place::new();
    sounds(&place, "a", 6);
    sounds(&place, "b", 9);
    let start = |folder: &str| {
        let arguments = ["library", "--library", "l/lib.db", "add", folder];
        place.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    for child in [start("a"), start("b"), start("a")] {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(status(&place), [15, 9, 0, 0, 0]);
    assert_intact(&place);
    let held = place_of(&place);
    let lock = LibraryLock::try_take(&held).unwrap().unwrap();
    assert!(LibraryLock::try_take(&held).unwrap().is_none());
    let line = place.failed(&["library", "--library", "l/lib.db", "add", "a", "--no-wait"]);
    assert!(line.contains(&format!("process {}", std::process::id())), "{line}");
    assert_eq!(json(&place, &["status"])["writer"], format!("process {}", std::process::id()));
    drop(lock);
    assert_eq!(json(&place, &["status"])["writer"], Value::Null);
}

/// The places of a database that a test spoils.
fn spoil(place: &Place, spoil: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = place.read("l/lib.db");
    spoil(&mut bytes);
    place.write("l/lib.db", bytes);
}

#[test]
fn a_library_that_is_damaged_newer_or_anothers_is_told() {
    let place = Place::new();
    sounds(&place, "in", 3);
    add(&place, "in");
    library(&place, &["tag", "2", "mood=dark"]);
    let good = place.read("l/lib.db");
    // Newer: refused by all, and untouched.
    spoil(&place, |bytes| bytes[60..64].copy_from_slice(&9u32.to_be_bytes()));
    let newer = place.read("l/lib.db");
    for arguments in [&["status"][..], &["add", "in"], &["tag", "1", "a=b"], &["verify", "--repair"]] {
        let line = place.failed(&[&["library", "--library", "l/lib.db"], arguments].concat());
        assert!(line.contains("newer Sonobrush"), "{line}");
    }
    assert!(place.read("l/lib.db") == newer);
    // Another program's, and what is no database.
    for other in [&b"SQLite format 3\0"[..], b"RIFF....WAVEfmt "] {
        place.write("l/lib.db", [other, &[1; 200]].concat());
        let line = place.failed(&["library", "--library", "l/lib.db", "add", "in"]);
        assert!(line.contains("choose another path"), "{line}");
        assert!(place.read("l/lib.db").starts_with(other));
    }
    // Cut in half: reading says what to do; adding sets it aside and rebuilds it, including the user's tags.
    place.write("l/lib.db", &good[..good.len() / 2]);
    let line = place.failed(&["library", "--library", "l/lib.db", "search", "tone"]);
    assert!(line.contains("verify --repair"), "{line}");
    assert_eq!(add(&place, "in"), [3, 3, 0, 0]);
    assert_eq!(json(&place, &["search", "dark"]).as_array().unwrap().len(), 1);
    let names = || -> Vec<String> {
        let entries = std::fs::read_dir(place.path("l")).unwrap().flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    };
    assert_eq!(names().iter().filter(|name| name.starts_with("lib.db.damaged-2")).count(), 1, "{:?}", names());
    // A page of zeros in the middle is found by verify, which keeps the folders.
    spoil(&place, |bytes| {
        let n = bytes.len();
        bytes[n - 3 * 4096..n - 4096].fill(0x55);
    });
    let line = place.failed(&["library", "--library", "l/lib.db", "verify"]);
    assert!(line.contains("damaged"), "{line}");
    library(&place, &["verify", "--repair"]);
    add(&place, "in");
    assert_eq!(status(&place), [3, 3, 0, 0, 0]);
    assert_intact(&place);
}

/// What no file holds, and words of sounds that are gone, are taken out.
#[test]
fn a_repair_leaves_no_orphans() {
    let place = Place::new();
    sounds(&place, "in", 2);
    add(&place, "in");
    assert_intact(&place);
    let connection = rusqlite::Connection::open(place_of(&place).database()).unwrap();
    connection
        .execute_batch(
            "INSERT INTO sound(file_hash, kind, first_seen_ns) VALUES (randomblob(32), 'picture', 1);
             INSERT INTO text(rowid, name, path, tags) SELECT max(id), 'x', 'x', '' FROM sound;
             INSERT INTO text(rowid, name, path, tags) VALUES (4711, 'x', 'x', '');",
        )
        .unwrap();
    drop(connection);
    let line = place.failed(&["library", "--library", "l/lib.db", "verify"]);
    assert!(line.contains("1 sound belongs to no file") || line.contains("4711"), "{line}");
    library(&place, &["verify", "--repair"]);
    assert_intact(&place);
    assert_eq!(status(&place)[1], 2);
}

/// Asserts that a line names the library and the disk's failure.
pub fn assert_told_of_the_disk(line: &str) {
    let reasons = [
        "the disk is full; free some space",
        "the disk takes no more of it; free some space",
        "the disk reported an error",
    ];
    let is_reported = |reason: &&str| line.contains(&format!("lib.db: could not be written: {reason}"));
    assert!(reasons.iter().any(is_reported), "{line}");
}

#[test]
fn a_library_that_cannot_be_written_is_one_line() {
    let place = Place::new();
    sounds(&place, "in", 2);
    add(&place, "in");
    let stored = place.read("l/lib.db");
    // Locked by another program for longer than anyone waits: here, not at all.
    let store = LibraryStore::open_to_edit(&place_of(&place)).unwrap();
    assert_eq!(store.set_tag(99, "a", Some("b")).unwrap_err().kind(), ErrorKind::Script);
    assert_eq!(store.set_tag(1, " ", Some("b")).unwrap_err().kind(), ErrorKind::Script);
    drop(store);
    // A file that may not grow, as on a full disk.
    sounds(&place, "in", 9);
    let mut command = place.other("bash");
    command.args(["-c", "trap - XFSZ; ulimit -f 64; exec \"$@\"", "bash"]).arg(super::support::program::program());
    let output = command.args(["library", "--library", "l/lib.db", "add", "in"]).output().unwrap();
    assert_told_of_the_disk(&failure(&output));
    // What was stored is whole, no sound is blamed, and all goes on once there is room.
    assert_intact(&place);
    let [_, n_sounds, _, _, n_failed] = status(&place);
    assert!((2..9).contains(&n_sounds) && n_failed == 0, "{:?}", status(&place));
    assert_eq!(add(&place, "in")[3], 0);
    assert_eq!(status(&place), [9, 9, 0, 0, 0]);
    assert_intact(&place);
    assert!(stored != place.read("l/lib.db"));
}

/// Hashes of all sounds with what is known of them, without numbers and times.
fn contents(place: &Place) -> Vec<String> {
    let found = json(place, &["search"]);
    let mut rows: Vec<String> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|sound| {
            let mut sound = sound.clone();
            sound["id"] = Value::Null;
            sound.to_string()
        })
        .collect();
    rows.sort();
    rows
}

#[test]
fn an_add_killed_at_any_moment_loses_no_job() {
    let is_long = std::env::var_os("SONOBRUSH_LONG_TESTS").is_some();
    let n_rounds = if is_long { 200 } else { 20 };
    let place = Place::new();
    sounds(&place, "in", 40);
    std::fs::copy(place.path("in/tone 000.wav"), place.path("in/copy.wav")).unwrap();
    place.write("in/bad.wav", "no sound");
    let began = Instant::now();
    assert_eq!(add(&place, "in"), [42, 40, 1, 1]);
    let whole = began.elapsed();
    let expected = contents(&place);
    let mut random = Random::new(16);
    let (mut n_none, mut n_partly, mut n_whole) = (0, 0, 0);
    for round in 0..n_rounds {
        if round % 5 == 0 {
            std::fs::remove_dir_all(place.path("l")).unwrap();
        }
        let arguments = ["library", "--library", "l/lib.db", "add", "in", "--jobs", "2"];
        let mut child = place.command(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(whole.mul_f64(random.between(0.0, 0.35)));
        child.kill().unwrap();
        child.wait().unwrap();
        if !Path::exists(&place.path("l/lib.db")) {
            std::fs::create_dir_all(place.path("l")).unwrap();
            n_none += 1;
            continue;
        }
        let store = LibraryStore::open_to_read(&place_of(&place)).unwrap();
        let report = store.verify(VerifyOrder { hashes_all: true }, &Progress::new()).unwrap();
        assert!(report.is_clean(), "round {round}: {:?}", report.problems);
        let status = store.status().unwrap();
        assert_eq!(
            status.failed + status.waiting + status.running + report.files as i64,
            status.files,
            "round {round}"
        );
        let is_done = status.waiting + status.running == 0 && status.files == 42;
        n_whole += usize::from(is_done);
        n_partly += usize::from(!is_done);
    }
    println!(
        "{n_rounds} kills of {whole:?}: {n_none} before there was anything, {n_partly} amid, {n_whole} when all was done"
    );
    assert!(n_partly >= n_rounds / 4, "too few were killed while it worked");
    add(&place, "in");
    assert_eq!(status(&place), [42, 40, 0, 0, 1]);
    assert!(contents(&place) == expected);
    assert_intact(&place);
}

#[test]
fn an_interrupt_ends_between_two_files() {
    let place = Place::new();
    sounds(&place, "in", 40);
    let held = place_of(&place);
    let lock = LibraryLock::try_take(&held).unwrap().unwrap();
    let store = LibraryStore::open_to_write(&held, &lock, &mut Vec::new()).unwrap();
    let progress = Progress::new();
    let order = add_alone(place.path("in"));
    let stop = |report: &AddReport| {
        if report.analysed > 0 {
            progress.cancel();
        }
    };
    let error = store.add(&order, &lock, &progress, &mut { stop }).unwrap_err();
    assert!(error.kind() == ErrorKind::Cancelled && error.message().contains("again to go on"), "{error}");
    let now = store.status().unwrap();
    assert!(now.waiting > 0 && now.running == 0 && now.waiting + now.sounds == 40, "{now:?}");
    drop((store, lock));
    assert_eq!(add(&place, "in")[0], 40);
    assert_eq!(status(&place), [40, 40, 0, 0, 0]);
}

/// Waits for something that must come true.
fn wait_for(what: &str, mut is_true: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_true() {
        assert!(began.elapsed() < Duration::from_secs(60), "{what} did not come");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_watch_follows_what_happens_in_folders() {
    let place = Place::new();
    sounds(&place, "in", 2);
    library(&place, &["add", "in"]);
    let arguments = ["library", "--library", "l/lib.db", "watch"];
    let mut child = place.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let held = place_of(&place);
    let counts = || {
        let status = LibraryStore::open_to_read(&held).unwrap().status().unwrap();
        (status.files, status.missing, status.sounds)
    };
    // Another folder is added beside it, and watched from then on.
    sounds(&place, "more", 1);
    write(&place, "more/new.wav", tone(70, 900));
    library(&place, &["add", "more"]);
    std::thread::sleep(Duration::from_millis(500));
    write(&place, "in/deeper/new.wav", tone(71, 900));
    wait_for("a file in a new folder", || counts() == (5, 0, 4));
    write(&place, "more/later.wav", tone(72, 900));
    wait_for("a file in a folder that was added later", || counts() == (6, 0, 5));
    std::fs::rename(place.path("in/deeper"), place.path("in/renamed")).unwrap();
    wait_for("a renamed folder", || json(&place, &["search", "renamed"]).as_array().unwrap().len() == 1);
    std::fs::remove_file(place.path("in/tone 000.wav")).unwrap();
    wait_for("a file that is gone", || counts().1 == 1);
    // A file that is still written waits, and is analysed whole.
    let whole = {
        write(&place, "whole.wav", tone(73, 9_000));
        place.read("whole.wav")
    };
    for part in 1..=4 {
        std::fs::write(place.path("in/growing.wav"), &whole[..whole.len() * part / 4]).unwrap();
        std::thread::sleep(Duration::from_millis(700));
    }
    wait_for("a file that grew", || counts().2 == 6);
    let found = json(&place, &["search", "growing"]);
    assert_eq!(found[0]["duration_secs"], 9_000.0 / f64::from(RATE));
    // It ends when it is asked to, silently, and left alone it writes nothing.
    let stats = json(&place, &["stats"]);
    let n_described: i64 = stats
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["kind"] == "describe")
        .map(|row| row["items"].as_i64().unwrap())
        .sum();
    assert_eq!(n_described, 6, "each sound once: {stats:#}");
    let killed = std::process::Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(killed.success() && child.wait().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_intact(&place);
}

#[test]
fn marked_folders_are_taken_once_they_are_quiet() {
    let mut marked = MarkedFolders::default();
    let now = Instant::now();
    let later = now + Duration::from_secs(5);
    for (name, at) in [("/a/b", now), ("/a", now), ("/a/b/c", now), ("/d", later), ("/ab", now), ("/d/e", now)] {
        marked.mark(Path::new(name), at);
    }
    let taken = |marked: &mut MarkedFolders, before| {
        let taken = marked.take_quiet(before, &[]);
        taken.iter().map(|path| path.to_string_lossy().into_owned()).collect::<Vec<_>>()
    };
    assert_eq!(taken(&mut marked, now), ["/a", "/ab", "/d/e"]);
    assert_eq!((taken(&mut marked, now).len(), marked.len()), (0, 1));
    assert_eq!(taken(&mut marked, later), ["/d"]);
    assert!(marked.is_empty());
    // A root inside another is not scanned with it.
    ["/a", "/a/b", "/a/b/c", "/a/bb"].into_iter().for_each(|name| marked.mark(Path::new(name), now));
    assert_eq!(marked.take_quiet(now, &["/a".into(), "/a/b".into()]), [Path::new("/a"), Path::new("/a/b")]);
}
