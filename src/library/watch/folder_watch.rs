//! What the system reports of folders: which are to be scanned once they are quiet.

use super::marked::{MarkedFolders, QUIET};
use super::own_files::OwnFiles;
use crate::base::{is_network_share, path_bytes, shown_path};
use crate::library::store::LibraryPlace;
use notify::{ErrorKind as NotifyErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How often what cannot be watched is scanned.
const SCAN_EVERY: Duration = Duration::from_secs(60);
/// How long what happens is listened to before anything else is looked at.
const TICK: Duration = Duration::from_millis(200);
/// Folders that are marked one by one; beyond it, all of the library's folder is scanned.
const MOST_MARKED: usize = 256;

/// Folders that are watched as far as the system can, and what happened in them.
pub struct FolderWatch {
    watcher: Option<RecommendedWatcher>,
    events: Receiver<notify::Result<Event>>,
    watched: BTreeSet<PathBuf>,
    /// Those that the system cannot watch.
    unwatched: BTreeSet<PathBuf>,
    own: OwnFiles,
    marked: MarkedFolders,
    scanned_at: Instant,
}

impl FolderWatch {
    /// Nothing is watched yet. What happens to files of this library is no news.
    pub fn new(place: &LibraryPlace) -> FolderWatch {
        let (sender, events) = channel();
        let watcher = notify::recommended_watcher(move |event| drop(sender.send(event)));
        FolderWatch {
            watcher: watcher.ok(),
            events,
            watched: BTreeSet::new(),
            unwatched: BTreeSet::new(),
            own: OwnFiles::of(place),
            marked: MarkedFolders::default(),
            scanned_at: Instant::now(),
        }
    }

    /// Watches these folders and no others from now on, as far as they are there; gives those that are new to it, and one
    /// sentence for each of them that the system cannot watch.
    pub fn follow(&mut self, folders: &[PathBuf], tell: &mut dyn FnMut(String)) -> Vec<PathBuf> {
        let is_followed = |path: &PathBuf| folders.contains(path) && path.is_dir();
        // One that vanished is watched anew when it is back.
        let gone: Vec<PathBuf> = self.watched.iter().filter(|&path| !is_followed(path)).cloned().collect();
        for path in gone {
            self.watched.remove(&path);
            if let Some(watcher) = &mut self.watcher {
                watcher.unwatch(&path).ok();
            }
        }
        self.unwatched.retain(is_followed);
        let mut new = Vec::new();
        for folder in folders.iter().filter(|folder| folder.is_dir()) {
            if self.watched.contains(folder) || self.unwatched.contains(folder) {
                continue;
            }
            match self.begin(folder) {
                Ok(()) => {
                    self.watched.insert(folder.clone());
                }
                Err(why) => {
                    tell(format!("{} is scanned every {} s, as {why}", shown_path(folder), SCAN_EVERY.as_secs()));
                    self.unwatched.insert(folder.clone());
                }
            }
            new.push(folder.clone());
        }
        new
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

    /// A folder is scanned as soon as may be.
    pub fn mark_quiet(&mut self, folder: &Path) {
        self.marked.mark(folder, long_ago());
    }

    /// A folder is scanned once nothing happens in it any more.
    pub fn mark(&mut self, folder: &Path) {
        self.marked.mark(folder, Instant::now());
    }

    /// Takes what happens within a moment.
    pub fn listen(&mut self, folders: &[PathBuf]) {
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
            if self.own.has(path) || is_hidden(path, root) {
                continue;
            }
            let folder = if self.marked.len() < MOST_MARKED { existing_folder(path, root) } else { root };
            self.marked.mark(folder, Instant::now());
        }
    }

    fn mark_all(&mut self, folders: &[PathBuf]) {
        folders.iter().for_each(|folder| self.marked.mark(folder, Instant::now()));
    }

    /// Folders that are to be scanned now.
    pub fn due(&mut self, folders: &[PathBuf]) -> Vec<PathBuf> {
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

/// Whether a path leads through a name that begins with a dot, which no scan enters.
fn is_hidden(path: &Path, root: &Path) -> bool {
    let inside = path.strip_prefix(root).unwrap_or(path);
    inside.iter().any(|name| path_bytes(Path::new(name)).starts_with(b"."))
}

/// A moment that lies back far enough for a folder to have been quiet.
fn long_ago() -> Instant {
    let now = Instant::now();
    now.checked_sub(QUIET).unwrap_or(now)
}
