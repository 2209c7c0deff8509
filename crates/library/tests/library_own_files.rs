//! Which changes wake a watch.

use base::Folders;
use library::store::LibraryPlace;
use library::watch::BackgroundWatch;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use support::program::Place;

/// The folders to scan next.
fn next_due(watch: &BackgroundWatch) -> Vec<PathBuf> {
    let began = Instant::now();
    loop {
        let (due, notices) = watch.take();
        assert!(notices.is_empty(), "{notices:?}");
        if !due.is_empty() {
            return due;
        }
        assert!(began.elapsed() < Duration::from_secs(20), "nothing came");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_watch_is_not_woken_by_the_library_itself() {
    let place = Place::new();
    let folders = Folders::in_folder(&place.path("in/own"));
    for folder in [&place.path("in/sounds"), &place.path("in/.hidden"), folders.state()] {
        std::fs::create_dir_all(folder).unwrap();
    }
    // The library is opened through a link; events name the folder that the link points to.
    std::os::unix::fs::symlink(place.path("in"), place.path("link")).unwrap();
    let watch = BackgroundWatch::start(&LibraryPlace::new(&folders, Some(&place.path("link/lib.db"))), || ()).unwrap();
    let watched = std::fs::canonicalize(place.path("in")).unwrap();
    watch.follow(vec![watched.clone()]);
    assert_eq!(next_due(&watch), std::slice::from_ref(&watched), "at the start everything is news");
    // Files of the library, one of them replaced by renaming; temporary and hidden files; the program's own log.
    for name in ["lib.db", "lib.db-wal", "lib.db-shm", "lib.db.lock", "lib.db.heartbeat.new", "lib.db.tags.jsonl"] {
        place.write(&format!("in/{name}"), "x");
    }
    std::fs::rename(place.path("in/lib.db.heartbeat.new"), place.path("in/lib.db.heartbeat")).unwrap();
    std::fs::remove_file(place.path("in/lib.db-wal")).unwrap();
    place.write("in/.sonobrush-a1b2c3", "x");
    place.write("in/.hidden/a.wav", "x");
    std::fs::write(folders.state().join("sonobrush.log"), "x").unwrap();
    // Control: a new sound is reported.
    place.write("in/sounds/a.wav", "x");
    assert_eq!(next_due(&watch), [watched.join("sounds")]);
}
