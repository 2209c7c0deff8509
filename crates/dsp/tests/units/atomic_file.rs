//! Files are replaced atomically, through links too, and temporary files of a killed program are removed.
#![cfg(unix)]

use base::write_atomic;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::time::Duration;

#[test]
fn a_link_to_nothing_yet_stays_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::os::unix::fs::symlink("second", at("first")).unwrap();
    std::os::unix::fs::symlink(at("file"), at("second")).unwrap();
    let text = |text: &'static [u8]| {
        move |file: &mut BufWriter<File>| {
            file.write_all(text).unwrap();
            Ok(())
        }
    };
    for content in [b"new".as_slice(), b"newer"] {
        write_atomic(&at("first"), text(content)).unwrap();
        assert_eq!(std::fs::read(at("file")).unwrap(), content);
        assert!(at("first").is_symlink() && at("second").is_symlink());
    }
}

#[test]
fn what_a_killed_program_left_is_cleared_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let made = |name: &str, age_secs: u64| {
        let file = File::create(at(name)).unwrap();
        file.set_modified(std::time::SystemTime::now() - Duration::from_secs(age_secs)).unwrap();
        file
    };
    drop(made(".sonobrush-left", 100));
    drop(made(".sonobrush-young", 1));
    drop(made("other", 100));
    let held = made(".sonobrush-held", 100);
    held.try_lock().unwrap();
    write_atomic(&at("new"), |_| Ok(())).unwrap();
    let there: Vec<bool> = [".sonobrush-left", ".sonobrush-young", "other", ".sonobrush-held", "new"]
        .map(|name| at(name).exists())
        .to_vec();
    assert_eq!(there, [false, true, true, true, true]);
}

#[test]
fn links_in_a_circle_are_an_error_and_stay() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::os::unix::fs::symlink("b", at("a")).unwrap();
    std::os::unix::fs::symlink("a", at("b")).unwrap();
    assert!(write_atomic(&at("a"), |_| Ok(())).is_err());
    assert!(at("a").is_symlink() && at("b").is_symlink());
}
