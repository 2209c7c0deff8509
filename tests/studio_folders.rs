//! The folders of the library in its panel: added by the system's dialog, watched while the studio is open, taken out.

use crate::support::signals::noise;
use crate::support::studio::{Bench, Drawing};
use crate::support::wav::{Format, Wav};
use egui_kittest::kittest::{NodeT, Queryable};
use sonobrush::library::store::LibraryStore;
use sonobrush::workbench::commands::{BrowseCommand, LayoutCommand};
use sonobrush::workbench::{LibraryAct, LibraryFolder, Picked};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

/// Sounds that are written this long ago are taken as whole.
const LONG_AGO: Duration = Duration::from_secs(60);

fn write(path: &Path, seed: u64) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let samples = noise(4_000, 0.3, seed).iter().map(|sample| i64::from(sample.to_bits())).collect();
    // Moved into its place with an old modification time, as a file that is complete.
    let new = path.with_extension("new");
    Wav { format: Format::F32, rate: 16_000, channels: vec![samples] }.write(&new);
    std::fs::File::open(&new).unwrap().set_modified(SystemTime::now() - LONG_AGO).unwrap();
    std::fs::rename(new, path).unwrap();
}

fn folders(bench: &Bench) -> Vec<LibraryFolder> {
    bench.studio().workbench().browser().folders().unwrap().folders.clone()
}

fn n_listed(bench: &Bench) -> usize {
    bench.studio().workbench().browser().entries().len()
}

/// Runs frames until `n` sounds are listed.
fn wait_for(bench: &mut Bench, n: usize) {
    let until = Instant::now() + Duration::from_secs(20);
    while n_listed(bench) != n {
        assert!(Instant::now() < until, "{} sounds are listed, not {n}", n_listed(bench));
        std::thread::sleep(Duration::from_millis(20));
        bench.settle();
    }
}

#[test]
fn folders_are_added_watched_and_taken_out() {
    let mut bench = Bench::new(Drawing::None);
    write(&bench.out("drums/kick.wav"), 1);
    write(&bench.out("drums/snare.wav"), 2);
    bench.dialogs.answer(Picked::File(bench.out("drums")));
    bench.act(BrowseCommand::Folders);
    bench.settle();
    bench.click("Add folder\u{2026}");
    assert_eq!(n_listed(&bench), 2);
    let [folder] = &folders(&bench)[..] else { panic!("one folder is listed") };
    assert!(folder.is_watched && folder.n_files == 2 && folder.n_failed == 0, "{folder:?}");
    // What is new, and what is gone.
    write(&bench.out("drums/loops/break.wav"), 3);
    wait_for(&mut bench, 3);
    std::fs::remove_file(bench.out("drums/kick.wav")).unwrap();
    wait_for(&mut bench, 2);
    // What fails is named with the reason.
    std::fs::write(bench.out("damaged.wav"), "RIFF....WAVE and no more").unwrap();
    std::fs::File::open(bench.out("damaged.wav")).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
    std::fs::rename(bench.out("damaged.wav"), bench.out("drums/damaged.wav")).unwrap();
    let until = Instant::now() + Duration::from_secs(20);
    while folders(&bench)[0].n_failed == 0 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
        bench.settle();
    }
    let list = bench.studio().workbench().browser().folders().unwrap();
    assert!(list.n_failed() == 1 && list.failures[0].path.to_string().ends_with("damaged.wav"), "{list:?}");
    assert!(bench.has("1 file could not be analysed") && bench.has("Retry failed files"));
    // Not watched, and again: what came meanwhile is found.
    bench.click("Watch drums");
    bench.settle();
    assert!(!folders(&bench)[0].is_watched);
    write(&bench.out("drums/clap.wav"), 4);
    std::thread::sleep(Duration::from_millis(300));
    bench.settle();
    assert_eq!(n_listed(&bench), 2);
    bench.click("Watch drums");
    wait_for(&mut bench, 3);
    // Kept after all, and taken out.
    bench.click("Remove drums");
    bench.settle();
    bench.click("Keep");
    bench.settle();
    assert_eq!((folders(&bench).len(), n_listed(&bench)), (1, 3));
    bench.click("Remove drums");
    bench.settle();
    bench.click("Forget");
    wait_for(&mut bench, 0);
    assert_eq!((folders(&bench).len(), n_listed(&bench)), (0, 0));
    assert!(bench.out("drums/clap.wav").exists() && bench.out("drums/loops/break.wav").exists());
    // Hidden.
    bench.act(BrowseCommand::Folders);
    bench.settle();
    assert!(bench.studio().workbench().browser().folders().is_none());
}

/// Before anything was found there is nothing to count.
#[test]
fn the_panel_says_what_it_does_before_the_first_file_is_found() {
    let mut bench = Bench::new(Drawing::None);
    write(&bench.out("drums/kick.wav"), 1);
    bench.act(LayoutCommand::Library);
    bench.settle();
    bench.act(LibraryAct::Add(vec![bench.out("drums")]));
    (0..2).for_each(|_| bench.harness.step());
    assert!(bench.has("Looking for sounds") && !bench.has("Adding 0 of 0"));
    bench.act(BrowseCommand::Pause);
    bench.settle();
    assert!(bench.has("Paused") && !bench.has("Paused at 0 of 0"));
    bench.click("Pause adding");
    assert_eq!(n_listed(&bench), 1);
}

/// Each empty field shows a hint.
#[test]
fn the_card_of_a_folder_asks_for_a_folder() {
    let mut bench = Bench::new(Drawing::None);
    bench.act(BrowseCommand::AddFolderPath);
    bench.settle();
    let hint = bench.harness.get_by_label("Path").accesskit_node().placeholder().unwrap_or_default().to_owned();
    assert!(hint.starts_with("A folder of sounds, such as /") && !hint.contains(".wav"), "{hint}");
}

#[test]
fn what_changed_while_the_studio_was_closed_is_there_when_it_opens() {
    let mut bench = Bench::new(Drawing::None);
    write(&bench.out("pads/one.wav"), 5);
    bench.dialogs.answer(Picked::File(bench.out("pads")));
    bench.act(BrowseCommand::AddFolder);
    bench.settle();
    assert_eq!(n_listed(&bench), 1);
    let mut bench = bench.restarted(Drawing::None);
    write(&bench.out("pads/two.wav"), 6);
    bench.settle();
    if !bench.studio().layout().has_library() {
        bench.act(LayoutCommand::Library);
    }
    wait_for(&mut bench, 2);
    // The folder is gone, as a disk that is not plugged in: nothing is said, and the sounds come back with it.
    std::fs::rename(bench.out("pads"), bench.out("away")).unwrap();
    let bench = bench.restarted(Drawing::None);
    assert!(bench.notices().is_empty(), "{:?}", bench.notices());
    drop(bench);
}

#[test]
fn folders_that_the_command_line_adds_are_watched_if_it_says_so() {
    use super::library_store::{library, place_of, sounds};
    let place = super::support::program::Place::new();
    sounds(&place, "in", 1);
    sounds(&place, "in/deep", 1);
    library(&place, &["add", "in"]);
    let watched = || {
        let folders = LibraryStore::open_to_read(&place_of(&place)).unwrap().folder_summaries().unwrap();
        folders.iter().map(|summary| (summary.folder.is_watched, summary.files)).collect::<Vec<_>>()
    };
    assert_eq!(watched(), [(false, 2)]);
    let store = LibraryStore::open_to_edit(&place_of(&place)).unwrap();
    // A part of a folder is that folder, and what cannot be read is none.
    store.enrol(&place.path("in/deep"), true).unwrap();
    store.enrol(&place.path("nowhere"), true).unwrap();
    assert_eq!(watched(), [(false, 2)]);
    std::fs::create_dir(place.path("other")).unwrap();
    store.enrol(&place.path("other"), true).unwrap();
    assert_eq!(watched(), [(false, 2), (true, 0)]);
}
