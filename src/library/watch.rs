//! Keeping the library as the disk is: folders are watched, and scanned again where something happened.
//!
//! What a watch reports is a hint and no more: it marks a folder, which is scanned once nothing has happened in it for a
//! moment. Where the system cannot watch, all is scanned from time to time.

use super::store::{AddOrder, AddReport, LibraryLock, LibraryPlace, LibraryStore};
use crate::base::{Progress, Result, is_network_share, shown_path};
use notify::{ErrorKind as NotifyErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How long nothing must happen in a folder before it is scanned.
const QUIET: Duration = Duration::from_secs(1);
/// How often what cannot be watched is scanned.
const SCAN_EVERY: Duration = Duration::from_secs(60);
/// How often new folders of the library are looked for, and whether to end.
const TICK: Duration = Duration::from_millis(200);
/// Folders that are marked one by one; beyond it, all of the library's folder is scanned.
const MOST_MARKED: usize = 256;

/// How a library is watched.
#[derive(Debug, Clone)]
pub struct WatchOrder {
    /// Threads that analyse.
    pub jobs: usize,
    /// How often the status is given while it analyses.
    pub status_every: Duration,
}

/// Folders in which something happened, and when it did last.
#[derive(Debug, Default)]
pub struct MarkedFolders(BTreeMap<PathBuf, Instant>);

impl MarkedFolders {
    /// Marks a folder.
    pub fn mark(&mut self, folder: &Path, at: Instant) {
        self.0.insert(folder.to_path_buf(), at);
    }

    /// Takes the folders that have been quiet since `before`; of one inside another only the outer.
    pub fn take_quiet(&mut self, before: Instant) -> Vec<PathBuf> {
        let quiet: Vec<PathBuf> =
            self.0.iter().filter(|(_, at)| **at <= before).map(|(path, _)| path.clone()).collect();
        self.0.retain(|_, at| *at > before);
        let mut outer: Vec<PathBuf> = Vec::new();
        for path in quiet {
            // In order of paths the outer comes first.
            if !outer.iter().any(|known| path.starts_with(known)) {
                outer.push(path);
            }
        }
        outer
    }

    /// How many are marked.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether none is marked.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Watches every folder of a library, those that are added meanwhile too, until it is cancelled. The library is locked
/// only while it is written. `tell` gets what the user should know and what each run did.
///
/// # Errors
/// Those of reading and writing; being cancelled is none.
pub fn watch_library(
    place: &LibraryPlace,
    order: &WatchOrder,
    progress: &Progress,
    tell: &mut dyn FnMut(WatchNews<'_>),
) -> Result<()> {
    let (sender, events) = channel();
    let watcher = notify::recommended_watcher(move |event| drop(sender.send(event)));
    let mut watch = FolderWatch {
        watcher: watcher.ok(),
        events,
        watched: BTreeSet::new(),
        unwatched: BTreeSet::new(),
        marked: MarkedFolders::default(),
        scanned_at: Instant::now(),
    };
    loop {
        if progress.is_cancelled() {
            return Ok(());
        }
        let folders: Vec<PathBuf> =
            LibraryStore::open_to_read(place)?.folders()?.into_iter().map(|folder| folder.path).collect();
        watch.follow(&folders, tell);
        watch.listen(&folders);
        let due = watch.due(&folders);
        if due.is_empty() {
            continue;
        }
        match scan(place, order, &due, progress, tell) {
            // The next scan may find what this one left out.
            Ok(report) => report.young.iter().for_each(|folder| watch.marked.mark(folder, Instant::now())),
            Err(_) if progress.is_cancelled() => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}

/// What someone who watches is told.
#[derive(Debug)]
pub enum WatchNews<'a> {
    /// One sentence.
    Notice(String),
    /// How far a run has come.
    Status(&'a AddReport),
    /// A run ended.
    Done(&'a AddReport),
}

fn scan(
    place: &LibraryPlace,
    order: &WatchOrder,
    folders: &[PathBuf],
    progress: &Progress,
    tell: &mut dyn FnMut(WatchNews<'_>),
) -> Result<AddReport> {
    let lock = LibraryLock::take(place, &mut |_| (), progress)?;
    let mut notices = Vec::new();
    let store = LibraryStore::open_to_write(place, &lock, &mut notices)?;
    notices.into_iter().for_each(|notice| tell(WatchNews::Notice(notice)));
    let add = AddOrder {
        folders: folders.to_vec(),
        jobs: order.jobs,
        only_queues: false,
        leaves_young: true,
        status_every: order.status_every,
    };
    let report = store.add(&add, &lock, progress, &mut |report| tell(WatchNews::Status(report)))?;
    store.refresh_scale()?;
    tell(WatchNews::Done(&report));
    Ok(report)
}

struct FolderWatch {
    watcher: Option<RecommendedWatcher>,
    events: Receiver<notify::Result<Event>>,
    watched: BTreeSet<PathBuf>,
    /// Those that the system cannot watch.
    unwatched: BTreeSet<PathBuf>,
    marked: MarkedFolders,
    scanned_at: Instant,
}

impl FolderWatch {
    /// Watches folders that are new to the library; each is scanned once.
    fn follow(&mut self, folders: &[PathBuf], tell: &mut dyn FnMut(WatchNews<'_>)) {
        for folder in folders.iter().filter(|folder| folder.is_dir()) {
            if self.watched.contains(folder) || self.unwatched.contains(folder) {
                continue;
            }
            match self.begin(folder) {
                Ok(()) => {
                    self.watched.insert(folder.clone());
                }
                Err(why) => {
                    let shown = shown_path(folder);
                    let every = SCAN_EVERY.as_secs();
                    tell(WatchNews::Notice(format!("{shown} is scanned every {every} s, as {why}")));
                    self.unwatched.insert(folder.clone());
                }
            }
            self.marked.mark(folder, long_ago());
        }
    }

    fn begin(&mut self, folder: &Path) -> std::result::Result<(), String> {
        if is_network_share(folder) {
            return Err("it lies on a network share".into());
        }
        let Some(watcher) = &mut self.watcher else { return Err("the system cannot watch folders".into()) };
        watcher.watch(folder, RecursiveMode::Recursive).map_err(|error| match error.kind {
            NotifyErrorKind::MaxFilesWatch => {
                "the system watches no more folders; raise its limit with sysctl fs.inotify.max_user_watches=1048576"
                    .into()
            }
            kind => format!("the system cannot watch it ({})", notify::Error::new(kind)),
        })
    }

    /// Takes what happened within a moment.
    fn listen(&mut self, folders: &[PathBuf]) {
        let until = Instant::now() + TICK;
        loop {
            match self.events.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(Ok(event)) => self.note(&event, folders),
                // Something was lost: everything may have changed.
                Ok(Err(_)) => self.mark_all(folders),
                Err(RecvTimeoutError::Timeout) => return,
                Err(RecvTimeoutError::Disconnected) => {
                    std::thread::sleep(until.saturating_duration_since(Instant::now()));
                    return;
                }
            }
        }
    }

    fn note(&mut self, event: &Event, folders: &[PathBuf]) {
        if event.need_rescan() {
            return self.mark_all(folders);
        }
        // Our own reading is no news.
        if matches!(event.kind, EventKind::Access(_)) {
            return;
        }
        for path in &event.paths {
            let Some(root) = folders.iter().find(|root| path.starts_with(root)) else { continue };
            let folder = if self.marked.len() < MOST_MARKED { existing_folder(path, root) } else { root };
            self.marked.mark(folder, Instant::now());
        }
    }

    fn mark_all(&mut self, folders: &[PathBuf]) {
        folders.iter().for_each(|folder| self.marked.mark(folder, Instant::now()));
    }

    /// Folders that are to be scanned now.
    fn due(&mut self, folders: &[PathBuf]) -> Vec<PathBuf> {
        if self.scanned_at.elapsed() >= SCAN_EVERY {
            self.scanned_at = Instant::now();
            let unwatched: Vec<PathBuf> = folders.iter().filter(|&at| self.unwatched.contains(at)).cloned().collect();
            unwatched.iter().for_each(|folder| self.marked.mark(folder, long_ago()));
        }
        let quiet = self.marked.take_quiet(long_ago());
        // A folder that vanished meanwhile is seen from the one around it.
        let existing = |path: &PathBuf| {
            let root = folders.iter().find(|root| path.starts_with(root))?;
            Some(if path.is_dir() { path.clone() } else { existing_folder(path, root).to_path_buf() })
        };
        let found: BTreeSet<PathBuf> = quiet.iter().filter_map(existing).filter(|path| path.is_dir()).collect();
        found.into_iter().collect()
    }
}

/// The folder that holds a path, or the nearest around it that exists, up to the root.
fn existing_folder<'a>(path: &'a Path, root: &'a Path) -> &'a Path {
    let around = path.ancestors().skip(1).take_while(|folder| folder.starts_with(root));
    around.into_iter().find(|folder| folder.is_dir()).unwrap_or(root)
}

/// A moment that lies back far enough for a folder to have been quiet.
fn long_ago() -> Instant {
    let now = Instant::now();
    now.checked_sub(QUIET).unwrap_or(now)
}
