//! Background watch for the studio: a thread that reports which folders to scan, and whether unclaimed files are
//! waiting.

use super::folder_watch::{FolderWatch, WatchSystem};
use crate::base::{Error, ErrorKind, Progress, Result, lock};
use crate::library::store::{LibraryLock, LibraryPlace, LibraryStore};
use crate::media::FileStamp;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Minimum interval between checks of the queue.
const QUEUE_POLL_INTERVAL: Duration = Duration::from_secs(2);

/// State shared by the thread and its owner.
#[derive(Default)]
struct WatchState {
    folders: Vec<PathBuf>,
    /// Folders to scan again once they are quiet.
    young: Vec<PathBuf>,
    due: BTreeSet<PathBuf>,
    notices: Vec<String>,
    has_queue: bool,
}

/// Watches folders until it is dropped. It does not scan; its owner does, when there is time.
pub struct BackgroundWatch {
    news: Arc<Mutex<WatchState>>,
    stop: Progress,
}

impl BackgroundWatch {
    /// Starts the thread for a library; `wake` is called when there is something to take.
    ///
    /// # Errors
    /// [`Limit`](ErrorKind::Limit) if the system cannot start a thread.
    pub fn start(place: &LibraryPlace, wake: impl Fn() + Send + 'static) -> Result<BackgroundWatch> {
        let (news, stop) = (Arc::<Mutex<WatchState>>::default(), Progress::new());
        let (theirs, stopped, place) = (news.clone(), stop.clone(), place.clone());
        let watch = move || watch(&theirs, &place, &stopped, &wake);
        std::thread::Builder::new().name("library watch".into()).spawn(watch).map_err(|error| {
            let what = format!("the folders are not watched, as the system refused to start a thread ({error})");
            Error::new(ErrorKind::Limit, what)
        })?;
        Ok(BackgroundWatch { news, stop })
    }

    /// Sets the watched folders.
    pub fn follow(&self, folders: Vec<PathBuf>) {
        lock(&self.news).folders = folders;
    }

    /// Marks folders with files that were left for another scan.
    pub fn mark(&self, folders: Vec<PathBuf>) {
        lock(&self.news).young.extend(folders);
    }

    /// Takes the folders to scan, and notices for the user.
    pub fn take(&self) -> (Vec<PathBuf>, Vec<String>) {
        let mut news = lock(&self.news);
        (std::mem::take(&mut news.due).into_iter().collect(), std::mem::take(&mut news.notices))
    }

    /// Whether unclaimed files were found waiting in the queue since the last call.
    pub fn take_queue(&self) -> bool {
        std::mem::take(&mut lock(&self.news).has_queue)
    }
}

impl Drop for BackgroundWatch {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// Checks for a queue that no process works on, if the database has changed since the last check.
struct QueueCheck {
    looked_at: Instant,
    seen: Option<[Option<FileStamp>; 2]>,
}

impl QueueCheck {
    fn new() -> QueueCheck {
        QueueCheck { looked_at: Instant::now(), seen: None }
    }

    fn finds_one(&mut self, place: &LibraryPlace) -> bool {
        // The queue is not checked while another process works on it.
        if self.looked_at.elapsed() < QUEUE_POLL_INTERVAL || LibraryLock::is_held(place) {
            return false;
        }
        self.looked_at = Instant::now();
        if self.seen == Some(stamps_of(place)) {
            return false;
        }
        let has_queue = LibraryStore::has_free_queue(place);
        // The stamps are taken after reading, since that may checkpoint the log into the database.
        self.seen = Some(stamps_of(place));
        has_queue
    }
}

/// The stamps of a database and its log.
fn stamps_of(place: &LibraryPlace) -> [Option<FileStamp>; 2] {
    let mut log = place.database().as_os_str().to_owned();
    log.push("-wal");
    [FileStamp::at(place.database()), FileStamp::at(Path::new(&log))]
}

fn watch(news: &Mutex<WatchState>, place: &LibraryPlace, stop: &Progress, wake: &dyn Fn()) {
    let mut watch = FolderWatch::new(place, WatchSystem::here());
    let mut queue = QueueCheck::new();
    while !stop.is_cancelled() {
        let (folders, young) = {
            let mut news = lock(news);
            (news.folders.clone(), std::mem::take(&mut news.young))
        };
        young.iter().for_each(|folder| watch.mark(folder));
        let mut notices = Vec::new();
        // A newly watched folder is scanned at once, since earlier changes were not reported.
        for folder in watch.follow(&folders, &mut |notice| notices.push(notice)) {
            watch.mark_quiet(&folder);
        }
        watch.listen(&folders, &mut |notice| notices.push(notice));
        let due = watch.due(&folders, Instant::now());
        let has_queue = queue.finds_one(place);
        if !due.is_empty() || !notices.is_empty() || has_queue {
            let mut news = lock(news);
            news.due.extend(due);
            news.notices.extend(notices);
            news.has_queue |= has_queue;
            drop(news);
            wake();
        }
    }
}
