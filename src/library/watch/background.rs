//! A watch beside a window: a thread that says which folders are to be scanned.

use super::folder_watch::{FolderWatch, WatchSystem};
use crate::base::{Error, ErrorKind, Progress, Result, lock};
use crate::library::store::LibraryPlace;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// What the thread and its owner tell each other.
#[derive(Default)]
struct Told {
    folders: Vec<PathBuf>,
    /// To be scanned again once they are quiet.
    young: Vec<PathBuf>,
    due: BTreeSet<PathBuf>,
    notices: Vec<String>,
}

/// Watches folders until it is dropped. It scans nothing itself: whoever has it does, when there is time.
pub struct BackgroundWatch {
    told: Arc<Mutex<Told>>,
    stop: Progress,
}

impl BackgroundWatch {
    /// Starts the thread, for folders of this library; `wake` is called when there is something to take.
    ///
    /// # Errors
    /// [`Limit`](ErrorKind::Limit) if the system starts no thread.
    pub fn start(place: &LibraryPlace, wake: impl Fn() + Send + 'static) -> Result<BackgroundWatch> {
        let (told, stop) = (Arc::<Mutex<Told>>::default(), Progress::new());
        let (theirs, stopped, place) = (told.clone(), stop.clone(), place.clone());
        let watch = move || watch(&theirs, &place, &stopped, &wake);
        std::thread::Builder::new().name("library watch".into()).spawn(watch).map_err(|error| {
            let what = format!("the folders are not watched, as the system refused to start a thread ({error})");
            Error::new(ErrorKind::Limit, what)
        })?;
        Ok(BackgroundWatch { told, stop })
    }

    /// Watches these folders, and no others, from now on.
    pub fn follow(&self, folders: Vec<PathBuf>) {
        lock(&self.told).folders = folders;
    }

    /// These have files that were left for another scan.
    pub fn mark(&self, folders: Vec<PathBuf>) {
        lock(&self.told).young.extend(folders);
    }

    /// Takes the folders that are to be scanned, and what the user should know.
    pub fn take(&self) -> (Vec<PathBuf>, Vec<String>) {
        let mut told = lock(&self.told);
        (std::mem::take(&mut told.due).into_iter().collect(), std::mem::take(&mut told.notices))
    }
}

impl Drop for BackgroundWatch {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

fn watch(told: &Mutex<Told>, place: &LibraryPlace, stop: &Progress, wake: &dyn Fn()) {
    let mut watch = FolderWatch::new(place, WatchSystem::here());
    while !stop.is_cancelled() {
        let (folders, young) = {
            let mut told = lock(told);
            (told.folders.clone(), std::mem::take(&mut told.young))
        };
        young.iter().for_each(|folder| watch.mark(folder));
        let mut notices = Vec::new();
        // What came between its last scan and now was reported to nobody.
        for folder in watch.follow(&folders, &mut |notice| notices.push(notice)) {
            watch.mark_quiet(&folder);
        }
        watch.listen(&folders, &mut |notice| notices.push(notice));
        let due = watch.due(&folders, Instant::now());
        if !due.is_empty() || !notices.is_empty() {
            let mut told = lock(told);
            told.due.extend(due);
            told.notices.extend(notices);
            drop(told);
            wake();
        }
    }
}
