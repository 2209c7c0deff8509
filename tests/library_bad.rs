//! Bad input to `sonobrush library` that no other test holds: rates and channels at their limits, folders that cannot
//! be read, a database that is locked, clocks that jump, and a sound of an hour.
#![allow(clippy::print_stdout, reason = "figures are told")]

use super::library_store::{add_alone, assert_intact, assert_told_of_the_disk, json, library, place_of, sounds, tone};
use super::support::program::Place;
use super::support::wav::{Format, Wav};
use sonobrush::base::Progress;
use sonobrush::library::store::{AddOrder, AddReport, LibraryLock, LibraryStore};
use std::fs::File;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, UNIX_EPOCH};

#[test]
fn rates_and_channels_at_their_limits_are_described_or_told() {
    let place = Place::new();
    std::fs::create_dir(place.path("in")).unwrap();
    let wav = |name: &str, rate: u32, channels: Vec<Vec<i64>>| {
        Wav { format: Format::Pcm(16), rate, channels }.write(&place.path(&format!("in/{name}.wav")));
    };
    wav("slow", 8, vec![tone(1, 80)]);
    wav("fast", 768_000, vec![tone(2, 76_800)]);
    wav("one", 44_100, vec![tone(3, 8_000)]);
    wav("many", 44_100, vec![tone(4, 8_000); 32]);
    wav("too many", 44_100, vec![tone(5, 800); 64]);
    let report = json(&place, &["add", "in"]);
    let counts = ["found", "analysed", "failed"].map(|name| report[name].as_i64().unwrap());
    assert_eq!(counts, [5, 3, 2], "{report}");
    let failures = json(&place, &["failures"]);
    let reason = |name: &str| {
        let failed =
            failures.as_array().unwrap().iter().find(|failure| failure["path"].as_str().unwrap().ends_with(name));
        failed.unwrap_or_else(|| panic!("{name}: {failures}"))["error"].as_str().unwrap().to_owned()
    };
    assert!(reason("slow.wav").contains("8 Hz"), "{}", reason("slow.wav"));
    assert!(reason("too many.wav").contains("64 channels"), "{}", reason("too many.wav"));
    for (name, rate, n_channels) in [("fast", 768_000, 1), ("one", 44_100, 1), ("many", 44_100, 32)] {
        let found = json(&place, &["search", name]);
        let sound = found.as_array().unwrap().iter().find(|sound| sound["channels"] == n_channels).unwrap();
        assert_eq!(sound["sample_rate"], rate, "{name}: {sound}");
        // What is null here is null of every short sound without a beat.
        for value in ["true_peak_dbtp", "centroid_hz", "flatness", "crest_db", "silence_ratio", "harmonic_ratio"] {
            assert!(sound[value].is_number(), "{name}: {value} of {sound}");
        }
        assert!(sound["centroid_hz"].as_f64().unwrap() <= 22_050.0, "{name}");
    }
    assert_intact(&place);
}

/// A folder without permission, where permissions have an effect, and one whose path is longer than the system allows.
#[test]
#[cfg(target_os = "linux")]
fn a_folder_that_cannot_be_read_is_told_and_the_rest_goes_on() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    sounds(&place, "in", 2);
    sounds(&place, "in/closed", 1);
    let closed = place.path("in/closed");
    let permit = |mode: u32| std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(mode)).unwrap();
    permit(0o000);
    let is_closed = std::fs::read_dir(&closed).is_err();
    if !is_closed {
        println!("nothing is closed to this user: permissions are not tested");
        std::fs::remove_dir_all(&closed).unwrap();
    }
    let script =
        "name=$(printf 'd%.0s' $(seq 200)); cd in; for k in $(seq 25); do mkdir $name; cd $name; done; cp \"$0\" .";
    let mut command = place.other("bash");
    let made = command.args(["-c", script]).arg(place.path("in/tone 000.wav")).status().unwrap();
    assert!(made.success());
    let report = json(&place, &["add", "in"]);
    let counts = ["found", "analysed", "failed"].map(|name| report[name].as_i64().unwrap());
    assert_eq!(counts, [2, 2, 0], "{report}");
    let notices = report["notices"].as_array().unwrap();
    assert_eq!(notices.len(), 1 + usize::from(is_closed), "{report}");
    assert!(notices.iter().all(|notice| !notice.as_str().unwrap().contains('\n')), "{report}");
    assert_intact(&place);
    if is_closed {
        permit(0o700);
        assert_eq!(json(&place, &["add", "in"])["recognised"], 1);
    }
}

#[test]
fn a_database_that_another_program_locks_is_waited_for() {
    let place = Place::new();
    sounds(&place, "in", 2);
    library(&place, &["add", "in"]);
    let other = rusqlite::Connection::open(place_of(&place).database()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    // Reading needs no wait.
    assert_eq!(json(&place, &["search", "tone"]).as_array().unwrap().len(), 2);
    let mut command = place.command(&["library", "--library", "l/lib.db", "tag", "1", "mood=dark"]);
    let mut child = command.stdout(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(400));
    assert!(child.try_wait().unwrap().is_none(), "it writes while another does");
    other.execute_batch("ROLLBACK").unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(json(&place, &["search", "dark"]).as_array().unwrap().len(), 1);
}

/// Nothing is decided by the time of day: files of a day that never was, and a library whose own notes lie in the
/// future, are as others are.
#[test]
fn a_clock_that_jumps_changes_nothing() {
    const FUTURE_NS: i64 = 7_000_000_000_000_000_000;
    let place = Place::new();
    sounds(&place, "in", 4);
    let set = |name: &str, time| {
        File::options().write(true).open(place.path(name)).unwrap().set_modified(time).unwrap();
    };
    // 1970, before it, and 2106.
    set("in/tone 000.wav", UNIX_EPOCH);
    set("in/tone 001.wav", UNIX_EPOCH - Duration::from_secs(86_400));
    set("in/tone 002.wav", UNIX_EPOCH + Duration::from_secs(u64::from(u32::MAX)));
    let add = || {
        let report = json(&place, &["add", "in"]);
        ["found", "analysed", "recognised", "failed"].map(|name| report[name].as_i64().unwrap())
    };
    assert_eq!(add(), [4, 4, 0, 0]);
    assert_eq!(add(), [4, 0, 0, 0]);
    assert_intact(&place);
    // The clock was a century ahead while the library was made, and a process of then died at its work.
    let connection = rusqlite::Connection::open(place_of(&place).database()).unwrap();
    connection
        .execute_batch(&format!(
            "UPDATE sound SET first_seen_ns = {FUTURE_NS};
             UPDATE folder SET scanned_ns = {FUTURE_NS};
             UPDATE routes SET measured_ns = {FUTURE_NS};
             DELETE FROM words WHERE sound = 1;
             INSERT INTO job(file, kind, priority, state, attempts, owner, since_ns)
               SELECT id, 'words', 0, 'running', 0, 'nobody', {FUTURE_NS} FROM file WHERE sound = 1;"
        ))
        .unwrap();
    drop(connection);
    assert_eq!(json(&place, &["status"])["running"], 1);
    assert_eq!(add()[3], 0);
    let status = json(&place, &["status"]);
    let counts = ["sounds", "waiting", "running", "failed", "missing"].map(|name| status[name].as_i64().unwrap());
    assert_eq!(counts, [4, 0, 0, 0, 0], "{status}");
    assert_intact(&place);
    assert_eq!(json(&place, &["search", "tone"]).as_array().unwrap().len(), 4);
}

/// A file that another program writes while it is analysed, from memory or from the file itself, is analysed as it is
/// then.
#[test]
fn a_file_that_changes_while_it_is_analysed_is_analysed_again() {
    const RATE: u32 = 44_100;
    let place = Place::new();
    std::fs::create_dir(place.path("in")).unwrap();
    let write = |number: usize, secs: usize| {
        let samples = tone(number, secs * RATE as usize);
        Wav { format: Format::Pcm(16), rate: RATE, channels: vec![samples] }.write(&place.path("in/a.wav"));
    };
    for memory_bytes in [None, Some(16 << 20)] {
        std::fs::remove_dir_all(place.path("l")).ok();
        write(1, 6);
        let held = place_of(&place);
        let lock = LibraryLock::try_take(&held).unwrap().unwrap();
        let store = LibraryStore::open_to_write(&held, &lock, &mut Vec::new()).unwrap();
        let order = AddOrder { memory_bytes, ..add_alone(place.path("in")) };
        let progress = Progress::new();
        let mut n_done = None;
        let mut change = |report: &AddReport| {
            // It was hashed and opened, and its analysis has begun.
            if report.listed == 1 && n_done.is_none() {
                n_done = Some(report.done());
                progress.hold(true);
                write(2, 5);
                progress.hold(false);
            }
        };
        let report = store.add(&order, &lock, &progress, &mut change).unwrap();
        assert_eq!(n_done, Some(0), "it was not analysed yet");
        assert_eq!((report.listed, report.analysed, report.recognised, report.failed), (2, 1, 0, 0), "{report:?}");
        drop((store, lock));
        let found = json(&place, &["search"]);
        assert_eq!((found.as_array().unwrap().len(), found[0]["duration_secs"].as_f64()), (1, Some(5.0)), "{found}");
        // The hash is that of the bytes that are there, and nothing of the first sound is left.
        assert_intact(&place);
    }
}

/// The disk of the database and its log fills while sounds are added: one sentence, and all goes on once there is room.
#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_fills_leaves_the_library_whole() {
    const LEFT_BYTES: u64 = 96 << 10;
    let place = Place::new();
    sounds(&place, "before", 2);
    sounds(&place, "in", 40);
    let folder = place.path("l");
    std::fs::create_dir(&folder).unwrap();
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=8m", "tmpfs"]).arg(&folder).output();
    if !mounted.is_ok_and(|output| output.status.success()) {
        return println!("no disk can be made here that is full");
    }
    let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        library(&place, &["add", "before"]);
        let mut filling = File::create(place.path("l/filling")).unwrap();
        while filling.write_all(&[1; 4096]).is_ok() {}
        // Room to begin: for the log and its index, not for all that is to be written.
        let n_filled = filling.metadata().unwrap().len();
        filling.set_len(n_filled - LEFT_BYTES).unwrap();
        let line = place.failed(&["library", "--library", "l/lib.db", "add", "in"]);
        assert_told_of_the_disk(&line);
        drop(filling);
        std::fs::remove_file(place.path("l/filling")).unwrap();
        assert_intact(&place);
        // The two that were there are no other sounds than the first two that are to come.
        let added = json(&place, &["add", "in"]);
        assert_eq!((&added["found"], &added["failed"]), (&40.into(), &0.into()), "{added}");
        let status = json(&place, &["status"]);
        let counts = ["files", "sounds", "waiting", "running", "failed"].map(|name| status[name].as_i64().unwrap());
        assert_eq!(counts, [42, 40, 0, 0, 0], "{status}");
        assert_intact(&place);
    }));
    Command::new("umount").arg(&folder).status().ok();
    checked.unwrap();
}

/// Half a minute here, an hour with `SONOBRUSH_LONG_TESTS`: everything that is stored of it takes as much memory.
#[cfg(target_os = "linux")]
#[test]
fn a_sound_of_an_hour_is_described_in_bounded_memory() {
    use super::support::program::max_megabytes;
    const RATE: u32 = 22_050;
    const MAX_MEGABYTES: u64 = 300;
    let is_long = std::env::var_os("SONOBRUSH_LONG_TESTS").is_some();
    let n_blocks = if is_long { 360 } else { 3 };
    let place = Place::new();
    std::fs::create_dir(place.path("in")).unwrap();
    // Ten seconds with a stroke each second, again and again.
    let block: Vec<i64> = (0..10).flat_map(|stroke| tone(stroke, RATE as usize)).collect();
    Wav { format: Format::Pcm(16), rate: RATE, channels: vec![block] }.write(&place.path("block.wav"));
    let (mut head, data) = {
        let mut bytes = place.read("block.wav");
        let data = bytes.split_off(44);
        (bytes, data)
    };
    let n_bytes = (n_blocks * data.len()) as u32;
    head[4..8].copy_from_slice(&(36 + n_bytes).to_le_bytes());
    head[40..44].copy_from_slice(&n_bytes.to_le_bytes());
    let mut file = File::create(place.path("in/long.wav")).unwrap();
    file.write_all(&head).unwrap();
    (0..n_blocks).for_each(|_| file.write_all(&data).unwrap());
    drop(file);
    let mut command = place.command(&["library", "--library", "l/lib.db", "add", "in"]);
    let mut child = command.stdout(Stdio::null()).spawn().unwrap();
    let max = max_megabytes(&mut child);
    println!("{} s: {max} MB", 10 * n_blocks);
    assert!((1..MAX_MEGABYTES).contains(&max), "{max} MB");
    let found = json(&place, &["search", "long"]);
    assert_eq!(found[0]["duration_secs"], 10.0 * n_blocks as f64);
    assert!(found[0]["tempo_bpm"].is_number() && found[0]["lufs"].is_number(), "{found}");
    assert_intact(&place);
}
