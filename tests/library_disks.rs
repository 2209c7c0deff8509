//! Disks below the folders of a library, and folders inside others.
#![allow(clippy::print_stdout, reason = "what could not be tested here is told")]

use super::library_store::{assert_intact, json, sounds, tone, write};
use super::support::program::Place;
use sonobrush::base::Progress;
use sonobrush::library::store::{ScanRules, scan_folder};
use std::fs::Metadata;
use std::path::{Path, PathBuf};

/// What is called a disk is one.
fn planted_device(folder: &Path, _: &Metadata) -> Option<u64> {
    Some(1 + folder.iter().filter(|name| *name == "disk").count() as u64)
}

/// The files found by a scan, and its notices.
fn scanned(root: &Path, left_out: Vec<PathBuf>) -> (Vec<String>, Vec<String>) {
    let rules = ScanRules { left_out, leaves_young: false, device_of: planted_device };
    let mut found = Vec::new();
    let report = scan_folder(root, Path::new(""), &rules, &Progress::new(), &mut |files| {
        found.extend(files.into_iter().map(|file| file.path.to_str().unwrap().to_owned()));
        Ok(())
    });
    found.sort();
    (found, report.unwrap().notices)
}

#[test]
fn another_file_system_below_a_folder_is_left_out_and_told() {
    let place = Place::new();
    for name in ["a.wav", "sub/b.wav", "disk/c.wav", "disk/sub/d.wav", "sub/disk/e.wav"] {
        write(&place, &format!("in/{name}"), tone(1, 100));
    }
    let root = place.path("in");
    let reported = |name: &str| {
        format!("{} is another file system and was left out; add it by its own path", root.join(name).display())
    };
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
    let both = vec![reported("disk"), reported("sub/disk")];
    assert_eq!(scanned(&root, Vec::new()), (names(&["a.wav", "sub/b.wav"]), both));
    // A disk that is also a folder of the library gives no notice.
    assert_eq!(scanned(&root, vec![root.join("disk")]), (names(&["a.wav", "sub/b.wav"]), vec![reported("sub/disk")]));
    assert_eq!(scanned(&root.join("disk"), Vec::new()), (names(&["c.wav", "sub/d.wav"]), Vec::new()));
}

/// As the notice says: a disk inside a folder of the library is added by its own path, with all that is on it.
#[test]
#[cfg(target_os = "linux")]
fn a_disk_inside_a_folder_of_the_library_can_be_added_by_its_own_path() {
    use super::library_store::place_of;
    use sonobrush::library::store::{LibraryLock, LibraryStore};
    use std::os::unix::fs::MetadataExt;
    let device = |path: &str| std::fs::metadata(path).map(|found| found.dev()).ok();
    let disk = tempfile::tempdir_in("/dev/shm").ok().filter(|_| device("/dev/shm") != device("/"));
    let Some(disk) = disk else {
        println!("there is no second file system to test with");
        return;
    };
    let place = Place::new();
    let held = place_of(&place);
    let lock = LibraryLock::try_take(&held).unwrap().unwrap();
    drop(LibraryStore::open_to_write(&held, &lock, &mut Vec::new()).unwrap());
    drop(lock);
    // The folder around it is all of the other disk.
    let connection = rusqlite::Connection::open(held.database()).unwrap();
    connection.execute("INSERT INTO folder(path, watched) VALUES (CAST('/' AS BLOB), 0)", []).unwrap();
    drop(connection);
    let path = disk.path().to_str().unwrap();
    write(&place, &format!("{path}/a.wav"), tone(1, 400));
    write(&place, &format!("{path}/sub/b.wav"), tone(2, 400));
    let report = json(&place, &["add", path]);
    assert_eq!((&report["analysed"], &report["notices"]), (&2.into(), &serde_json::json!([])), "{report}");
    let status = json(&place, &["status"]);
    assert_eq!((status["folders"].as_array().unwrap().len(), &status["files"]), (2, &2.into()), "{status}");
    // A part of it is a part of it.
    assert_eq!(json(&place, &["add", &format!("{path}/sub")])["found"], 1);
    assert_eq!(json(&place, &["status"])["files"], 2);
    assert_intact(&place);
}

#[test]
fn of_folders_inside_each_other_the_inner_one_has_its_files() {
    let place = Place::new();
    sounds(&place, "in/sub", 2);
    json(&place, &["add", "in/sub"]);
    write(&place, "in/other.wav", tone(9, 1_600));
    json(&place, &["add", "in"]);
    assert_eq!(json(&place, &["status"])["files"], 3);
    let again = json(&place, &["add", "in/sub"]);
    let counts = ["found", "analysed", "recognised"].map(|name| again[name].as_i64().unwrap());
    assert_eq!((counts, &json(&place, &["status"])["files"]), ([2, 0, 0], &3.into()), "{again}");
    assert_intact(&place);
}
