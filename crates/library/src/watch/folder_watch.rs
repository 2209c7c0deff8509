//! Change events of folders, and which folders to scan once they are quiet.

use super::marked::{MarkedFolders, QUIET_TIME, root_of};
use super::own_files::OwnFiles;
use crate::base::{is_network_share, path_bytes, shown_path};
use crate::library::store::LibraryPlace;
use notify::{ErrorKind as NotifyErrorKind, Event, EventKind, RecursiveMode, Watcher};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Scan interval of folders that cannot be watched.
const SCAN_INTERVAL: Duration = Duration::from_secs(60);
/// Duration of listening for events between other checks.
const TICK: Duration = Duration::from_millis(200);
/// Maximum number of individually marked folders; beyond it, the whole library folder is scanned.
const MAX_MARKED_FOLDERS: usize = 256;

/// The system's interface for watching folders.
pub struct WatchSystem {
    /// Watcher; `None` if unavailable.
    pub watcher: Option<Box<dyn Watcher>>,
    /// Change events from the watcher.
    pub events: Receiver<notify::Result<Event>>,
    /// Whether the system does not report changes in a folder, as on a network share.
    pub is_share: fn(&Path) -> bool,
}

impl WatchSystem {
    /// The interface of the system that this program runs on.
    pub fn here() -> WatchSystem {
        let (sender, events) = channel();
        let watcher = notify::recommended_watcher(move |event| drop(sender.send(event)));
        let watcher = watcher.ok().map(|watcher| Box::new(watcher) as Box<dyn Watcher>);
        WatchSystem { watcher, events, is_share: is_network_share }
    }
}

/// Watches folders as far as the system allows, and collects their changes.
pub struct FolderWatch {
    system: WatchSystem,
    watched: BTreeSet<PathBuf>,
    /// Folders that the system cannot watch, or not completely.
    unwatched: BTreeSet<PathBuf>,
    own: OwnFiles,
    marked: MarkedFolders,
    scanned_at: Instant,
}

impl FolderWatch {
    /// A watch without folders. Changes to the library's own files (its database and those beside it) and to the
    /// program's folders are ignored.
    pub fn new(place: &LibraryPlace, system: WatchSystem) -> FolderWatch {
        FolderWatch {
            system,
            watched: BTreeSet::new(),
            unwatched: BTreeSet::new(),
            own: OwnFiles::of(place),
            marked: MarkedFolders::default(),
            scanned_at: Instant::now(),
        }
    }

    /// Sets the watched folders, as far as they exist. Returns those newly watched, and passes one sentence to
    /// `on_event` for each new one that the system cannot watch.
    pub fn follow(&mut self, folders: &[PathBuf], on_event: &mut dyn FnMut(String)) -> Vec<PathBuf> {
        let is_followed = |path: &PathBuf| folders.contains(path) && path.is_dir();
        // A folder that vanished is watched again once it is back.
        let gone: Vec<PathBuf> = self.watched.iter().filter(|&path| !is_followed(path)).cloned().collect();
        for path in gone {
            self.watched.remove(&path);
            if let Some(watcher) = &mut self.system.watcher {
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
                Err(why) => self.scan_instead(folder, &why, on_event),
            }
            new.push(folder.clone());
        }
        new
    }

    /// Switches a folder to periodic scans, with a notice the first time.
    fn scan_instead(&mut self, folder: &Path, why: &str, on_event: &mut dyn FnMut(String)) {
        if self.unwatched.insert(folder.to_path_buf()) {
            on_event(format!("{} is scanned every {} s, as {why}", shown_path(folder), SCAN_INTERVAL.as_secs()));
        }
    }

    fn begin(&mut self, folder: &Path) -> std::result::Result<(), String> {
        if (self.system.is_share)(folder) {
            return Err("it lies on a network share".into());
        }
        let Some(watcher) = &mut self.system.watcher else { return Err("the system cannot watch folders".into()) };
        watcher.watch(folder, RecursiveMode::Recursive).map_err(|error| refusal(error.kind))
    }

    /// Marks a folder to be scanned as soon as possible.
    pub fn mark_quiet(&mut self, folder: &Path) {
        self.marked.mark(folder, quiet_before(Instant::now()));
    }

    /// Marks a folder to be scanned once it is quiet.
    pub fn mark(&mut self, folder: &Path) {
        self.marked.mark(folder, Instant::now());
    }

    /// Handles events for 200 ms. Passes one sentence to `on_event` for each folder that can no longer be watched as a
    /// whole.
    pub fn listen(&mut self, folders: &[PathBuf], on_event: &mut dyn FnMut(String)) {
        let until = Instant::now() + TICK;
        loop {
            match self.system.events.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(Ok(event)) => self.note(&event, folders),
                Ok(Err(error)) => self.note_error(error, folders, on_event),
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
        // Reads, including our own, change nothing.
        if matches!(event.kind, EventKind::Access(_)) {
            return;
        }
        for path in &event.paths {
            let Some(root) = root_of(path, folders) else { continue };
            if self.own.has(path) || is_hidden(path, root) {
                continue;
            }
            let folder = if self.marked.len() < MAX_MARKED_FOLDERS { existing_folder(path, root) } else { root };
            self.marked.mark(folder, Instant::now());
        }
    }

    /// Handles lost events, after which anything may have changed. If the system's limit of watches is reached, the
    /// library folders affected are scanned periodically from now on.
    fn note_error(&mut self, error: notify::Error, folders: &[PathBuf], on_event: &mut dyn FnMut(String)) {
        self.mark_all(folders);
        if matches!(error.kind, NotifyErrorKind::MaxFilesWatch) {
            let why = refusal(error.kind);
            let paths = error.paths;
            let has_it = |folder: &&PathBuf| paths.is_empty() || paths.iter().any(|path| path.starts_with(folder));
            folders.iter().filter(has_it).for_each(|folder| self.scan_instead(folder, &why, on_event));
        }
    }

    fn mark_all(&mut self, folders: &[PathBuf]) {
        folders.iter().for_each(|folder| self.marked.mark(folder, Instant::now()));
    }

    /// Folders to scan now, each returned once.
    pub fn due(&mut self, folders: &[PathBuf], now: Instant) -> Vec<PathBuf> {
        if now.saturating_duration_since(self.scanned_at) >= SCAN_INTERVAL {
            self.scanned_at = now;
            let unwatched = folders.iter().filter(|folder| self.unwatched.contains(*folder));
            unwatched.for_each(|folder| self.marked.mark(folder, quiet_before(now)));
        }
        let quiet = self.marked.take_quiet(quiet_before(now), folders);
        // For a deleted folder, its nearest existing ancestor is scanned.
        let existing = |path: &PathBuf| {
            let root = root_of(path, folders)?;
            Some(if path.is_dir() { path.clone() } else { existing_folder(path, root).to_path_buf() })
        };
        let found: BTreeSet<PathBuf> = quiet.iter().filter_map(existing).filter(|path| path.is_dir()).collect();
        found.into_iter().collect()
    }
}

/// The folder of a path, or its nearest existing ancestor, up to the root.
fn existing_folder<'a>(path: &'a Path, root: &'a Path) -> &'a Path {
    let around = path.ancestors().skip(1).take_while(|folder| folder.starts_with(root));
    around.into_iter().find(|folder| folder.is_dir()).unwrap_or(root)
}

/// Whether a path contains a name that begins with a dot, which no scan enters.
fn is_hidden(path: &Path, root: &Path) -> bool {
    let inside = path.strip_prefix(root).unwrap_or(path);
    inside.iter().any(|name| path_bytes(Path::new(name)).starts_with(b"."))
}

/// The reason that the system cannot watch a folder.
fn refusal(kind: NotifyErrorKind) -> String {
    match kind {
        NotifyErrorKind::MaxFilesWatch => {
            "the system watches no more folders; raise its limit with sysctl fs.inotify.max_user_watches=1048576".into()
        }
        kind => format!("the system cannot watch it ({})", notify::Error::new(kind)),
    }
}

/// The latest time of a change for a folder to count as quiet.
fn quiet_before(now: Instant) -> Instant {
    now.checked_sub(QUIET_TIME).unwrap_or(now)
}
