//! Changes to the settings file.

use base::{ErrorKind, Folders, LoadedSettings};
use workbench::{Jobs, SettingsChanges};

fn kept(folders: &Folders) -> Option<String> {
    LoadedSettings::load(folders, |_| None).unwrap().settings.audio_device
}

fn change(changes: &mut SettingsChanges, name: &'static str) {
    changes.push(move |settings| settings.audio_device = Some(name.into()));
}

#[test]
fn changes_are_written_in_order_one_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let (folders, jobs) = (Folders::in_folder(folder.path()), Jobs::manual());
    let mut changes = SettingsChanges::default();
    ["first", "second", "third"].into_iter().for_each(|name| change(&mut changes, name));
    for name in ["first", "second", "third"] {
        assert!(changes.is_busy());
        assert!(changes.advance(&folders, &jobs).is_none());
        assert_eq!((jobs.run_until_idle(), kept(&folders).as_deref()), (1, Some(name)));
    }
    assert!(changes.advance(&folders, &jobs).is_none() && !changes.is_busy());
}

#[test]
fn a_change_that_cannot_be_written_is_reported_once_and_later_ones_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let (folders, jobs) = (Folders::in_folder(folder.path()), Jobs::manual());
    let file = folders.settings_file();
    // A folder in place of the file.
    std::fs::create_dir_all(&file).unwrap();
    let mut changes = SettingsChanges::default();
    change(&mut changes, "first");
    change(&mut changes, "second");
    assert!(changes.advance(&folders, &jobs).is_none());
    jobs.run_until_idle();
    std::fs::remove_dir(&file).unwrap();
    assert_eq!(changes.advance(&folders, &jobs).map(|error| error.kind()), Some(ErrorKind::Io));
    jobs.run_until_idle();
    assert!(changes.advance(&folders, &jobs).is_none() && !changes.is_busy());
    assert_eq!(kept(&folders).as_deref(), Some("second"));
}
