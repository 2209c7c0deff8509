//! What a watch makes of what the system reports, and what it does where the system cannot watch.

use super::library_store::place_of;
use super::support::program::Place;
use notify::event::{AccessKind, CreateKind, Flag};
use notify::{Config, Error, ErrorKind, Event, EventHandler, EventKind, RecursiveMode, Watcher, WatcherKind};
use sonobrush::library::watch::{FolderWatch, WatchSystem};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

/// A system that watches every folder, except those of some names.
struct PlantedWatcher {
    requested: Rc<RefCell<Vec<PathBuf>>>,
}

impl Watcher for PlantedWatcher {
    fn new<F: EventHandler>(_: F, _: Config) -> notify::Result<PlantedWatcher> {
        Err(Error::generic("made by the test"))
    }

    fn watch(&mut self, path: &Path, _: RecursiveMode) -> notify::Result<()> {
        self.requested.borrow_mut().push(path.to_path_buf());
        match path.file_name().unwrap().to_str().unwrap() {
            "one too many" => Err(Error::new(ErrorKind::MaxFilesWatch)),
            "odd" => Err(Error::generic("no such thing")),
            _ => Ok(()),
        }
    }

    fn unwatch(&mut self, _: &Path) -> notify::Result<()> {
        Ok(())
    }

    fn kind() -> WatcherKind {
        WatcherKind::NullWatcher
    }
}

/// A watch of some folders on a system of the test's.
struct Rig {
    place: Place,
    folders: Vec<PathBuf>,
    watch: FolderWatch,
    reports: Sender<notify::Result<Event>>,
    requested: Rc<RefCell<Vec<PathBuf>>>,
    reported: Vec<String>,
}

impl Rig {
    fn new(names: &[&str], watches: bool) -> Rig {
        let place = Place::new();
        let folders: Vec<PathBuf> = names.iter().map(|name| place.path(name)).collect();
        folders.iter().for_each(|folder| std::fs::create_dir(folder).unwrap());
        let requested = Rc::<RefCell<Vec<PathBuf>>>::default();
        let watcher: Box<dyn Watcher> = Box::new(PlantedWatcher { requested: requested.clone() });
        let (reports, events) = channel();
        let is_share = |folder: &Path| folder.ends_with("share");
        let watch =
            FolderWatch::new(&place_of(&place), WatchSystem { watcher: watches.then_some(watcher), events, is_share });
        let mut rig = Rig { place, folders, watch, reports, requested, reported: Vec::new() };
        assert_eq!(rig.follow(), names, "each is new to it");
        assert!(rig.follow().is_empty());
        rig
    }

    fn follow(&mut self) -> Vec<String> {
        let reported = &mut self.reported;
        let new = self.watch.follow(&self.folders, &mut |notice| reported.push(notice));
        self.names(new)
    }

    fn report(&mut self, report: notify::Result<Event>) {
        self.reports.send(report).unwrap();
        let reported = &mut self.reported;
        self.watch.listen(&self.folders, &mut |notice| reported.push(notice));
    }

    fn report_at(&mut self, kind: EventKind, name: &str) {
        let path = self.place.path(name);
        self.report(Ok(Event::new(kind).add_path(path)));
    }

    /// What is to be scanned `secs` after `since`.
    fn due_after(&mut self, since: Instant, secs: u64) -> Vec<String> {
        let due = self.watch.due(&self.folders, since + Duration::from_secs(secs));
        self.names(due)
    }

    /// What is to be scanned once all is quiet.
    fn due_soon(&mut self) -> Vec<String> {
        self.due_after(Instant::now(), 2)
    }

    fn names(&self, paths: Vec<PathBuf>) -> Vec<String> {
        let name = |path: PathBuf| path.strip_prefix(self.place.path("")).unwrap().to_str().unwrap().to_owned();
        paths.into_iter().map(name).collect()
    }
}

const CREATED: EventKind = EventKind::Create(CreateKind::Any);

#[test]
fn what_happens_marks_its_folder_and_what_was_lost_marks_all() {
    let mut rig = Rig::new(&["a", "b"], true);
    std::fs::create_dir(rig.place.path("a/deeper")).unwrap();
    assert!(rig.due_soon().is_empty());
    rig.report_at(CREATED, "a/deeper/new.wav");
    assert!(rig.due_after(Instant::now(), 0).is_empty(), "not before it is quiet");
    assert_eq!(rig.due_soon(), ["a/deeper"]);
    assert!(rig.due_soon().is_empty(), "once");
    // What was read, is hidden or lies elsewhere is no news.
    rig.report_at(EventKind::Access(AccessKind::Any), "b/read.wav");
    rig.report_at(CREATED, "b/.hidden/new.wav");
    rig.report_at(CREATED, "c/new.wav");
    assert!(rig.due_soon().is_empty());
    // The queue of events ran over, and an error of any kind.
    rig.report(Ok(Event::new(EventKind::Other).set_flag(Flag::Rescan)));
    assert_eq!(rig.due_soon(), ["a", "b"]);
    rig.report(Err(Error::generic("something")));
    assert_eq!(rig.due_soon(), ["a", "b"]);
    // With this many folders at once, scanning each root is cheaper.
    (0..600).for_each(|number| std::fs::create_dir(rig.place.path(&format!("a/{number}"))).unwrap());
    for number in 0..600 {
        let path = rig.place.path(&format!("a/{number}/new.wav"));
        rig.reports.send(Ok(Event::new(CREATED).add_path(path))).unwrap();
    }
    rig.report_at(CREATED, "b/new.wav");
    assert_eq!(rig.due_soon(), ["a", "b"]);
    assert!(rig.reported.is_empty(), "{:?}", rig.reported);
}

/// One notice, and a scan every minute: network shares, folders that the system cannot watch, and all if it watches
/// none.
#[test]
fn what_cannot_be_watched_is_told_and_scanned_every_minute() {
    for (name, watches, why) in [
        ("share", true, "it lies on a network share"),
        (
            "one too many",
            true,
            "the system watches no more folders; raise its limit with sysctl fs.inotify.max_user_watches=1048576",
        ),
        ("odd", true, "the system cannot watch it (no such thing)"),
        ("other", false, "the system cannot watch folders"),
    ] {
        let began = Instant::now();
        let mut rig = Rig::new(&["good", name], watches);
        let made = Instant::now();
        let reported = format!("{} is scanned every 60 s, as {why}", rig.folders[1].display());
        assert_eq!(rig.reported.last(), Some(&reported));
        assert_eq!(rig.reported.len(), if watches { 1 } else { 2 }, "{:?}", rig.reported);
        let n_requested = match (watches, name) {
            (false, _) => 0,
            (true, "share") => 1,
            (true, _) => 2,
        };
        assert_eq!(*rig.requested.borrow(), rig.folders[..n_requested], "a share is not asked for");
        let unwatched = if watches { vec![name] } else { vec!["good", name] };
        assert!(rig.due_after(began, 59).is_empty(), "{name}");
        assert_eq!(rig.due_after(made, 60), unwatched, "{name}");
        assert!(rig.due_after(began, 119).is_empty(), "{name}");
        assert_eq!(rig.due_after(made, 121), unwatched, "{name}");
        assert_eq!(rig.reported.len(), if watches { 1 } else { 2 }, "told once: {:?}", rig.reported);
    }
}

/// The system runs out of watches while a folder grows: new folders would go unseen, so all of it is scanned from then
/// on.
#[test]
fn a_folder_that_outgrows_the_watches_is_scanned_every_minute() {
    let mut rig = Rig::new(&["a", "b"], true);
    std::fs::create_dir(rig.place.path("a/new")).unwrap();
    let error = || Error::new(ErrorKind::MaxFilesWatch);
    let path = rig.place.path("a/new");
    rig.report(Err(error().add_path(path.clone())));
    assert_eq!(rig.due_soon(), ["a", "b"]);
    assert_eq!(rig.reported.len(), 1, "{:?}", rig.reported);
    assert!(
        rig.reported[0].contains("/a is scanned every 60 s") && rig.reported[0].contains("sysctl"),
        "{:?}",
        rig.reported
    );
    rig.report(Err(error().add_path(path)));
    rig.due_soon();
    assert_eq!(rig.reported.len(), 1, "told once: {:?}", rig.reported);
    let later = Instant::now();
    assert_eq!(rig.due_after(later, 61), ["a"]);
    // Where it is watched it is still seen at once.
    rig.report_at(CREATED, "a/seen.wav");
    assert_eq!(rig.due_after(later, 65), ["a"]);
    // The error names no folder.
    rig.report(Err(error()));
    assert!(rig.reported.len() == 2 && rig.reported[1].contains("/b is scanned every 60 s"), "{:?}", rig.reported);
}

/// A folder of the library inside another has scans of its own.
#[test]
fn a_folder_inside_another_is_marked_by_itself() {
    let mut rig = Rig::new(&["a", "a/inner"], true);
    rig.report_at(CREATED, "a/new.wav");
    rig.report_at(CREATED, "a/inner/new.wav");
    assert_eq!(rig.due_soon(), ["a", "a/inner"]);
    rig.report(Ok(Event::new(EventKind::Other).set_flag(Flag::Rescan)));
    assert_eq!(rig.due_soon(), ["a", "a/inner"]);
}

/// A disk that is taken out and comes back is new, and watched again.
#[test]
fn a_folder_that_was_away_is_watched_again() {
    let mut rig = Rig::new(&["a", "share"], true);
    for name in ["a", "share"] {
        std::fs::remove_dir(rig.place.path(name)).unwrap();
    }
    assert!(rig.follow().is_empty());
    for name in ["a", "share"] {
        std::fs::create_dir(rig.place.path(name)).unwrap();
    }
    assert_eq!(rig.follow(), ["a", "share"]);
    assert_eq!(rig.requested.borrow().len(), 2);
    assert_eq!(rig.reported.len(), 2, "{:?}", rig.reported);
}
