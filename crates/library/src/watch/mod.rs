//! Keeps the library in sync with the disk: watches folders, and scans them again after changes.
//!
//! Change events are only hints: they mark a folder, which is scanned once it has been quiet for a moment. If the
//! system cannot watch a folder, all of it is scanned periodically.

mod background;
mod folder_watch;
mod marked;
mod own_files;

pub use background::BackgroundWatch;
pub use folder_watch::{FolderWatch, WatchSystem};
pub use marked::MarkedFolders;

use super::batches::BatchOrder;
use super::store::{AddOrder, AddReport, LibraryLock, LibraryPlace, LibraryStore};
use crate::base::{Progress, Result};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How a library is watched.
#[derive(Debug, Clone)]
pub struct WatchOrder {
    /// Number of analysis threads.
    pub jobs: usize,
    /// Memory limit; `None`: half of the available memory.
    pub memory_bytes: Option<u64>,
    /// Interval of status reports during analysis.
    pub status_every: Duration,
    /// Engine and limits for hashing pictures.
    pub batches: BatchOrder,
}

/// Watches every folder of a library, including those added later, until cancelled. The library is locked only while it
/// is written. `on_event` receives notices and the reports of runs.
///
/// # Errors
/// Read and write errors; cancellation is not an error.
pub fn watch_library(
    place: &LibraryPlace,
    order: &WatchOrder,
    progress: &Progress,
    on_event: &mut dyn FnMut(WatchEvent<'_>),
) -> Result<()> {
    let mut watch = FolderWatch::new(place, WatchSystem::here());
    loop {
        if progress.is_cancelled() {
            return Ok(());
        }
        let folders: Vec<PathBuf> =
            LibraryStore::open_to_read(place)?.folders()?.into_iter().map(|folder| folder.path).collect();
        for folder in watch.follow(&folders, &mut |notice| on_event(WatchEvent::Notice(notice))) {
            watch.mark_quiet(&folder);
        }
        watch.listen(&folders, &mut |notice| on_event(WatchEvent::Notice(notice)));
        let due = watch.due(&folders, Instant::now());
        if due.is_empty() {
            continue;
        }
        match scan(place, order, &due, progress, on_event) {
            // Folders with files too recent for this scan are scanned again.
            Ok(report) => report.young.iter().for_each(|folder| watch.mark(folder)),
            Err(_) if progress.is_cancelled() => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}

/// An event of a watch.
#[derive(Debug)]
pub enum WatchEvent<'a> {
    /// A notice, one sentence.
    Notice(String),
    /// Progress of a run.
    Status(&'a AddReport),
    /// The final report of a run.
    Done(&'a AddReport),
}

fn scan(
    place: &LibraryPlace,
    order: &WatchOrder,
    folders: &[PathBuf],
    progress: &Progress,
    on_event: &mut dyn FnMut(WatchEvent<'_>),
) -> Result<AddReport> {
    let lock = LibraryLock::take(place, &mut |_| (), progress)?;
    let mut notices = Vec::new();
    let store = LibraryStore::open_to_write(place, &lock, &mut notices)?;
    notices.into_iter().for_each(|notice| on_event(WatchEvent::Notice(notice)));
    let add = AddOrder {
        folders: folders.to_vec(),
        jobs: order.jobs,
        memory_bytes: order.memory_bytes,
        only_queues: false,
        leaves_young: true,
        gives_way: false,
        status_every: order.status_every,
        batches: order.batches.clone(),
    };
    let mut is_reported = false;
    let report = store.add(&add, &lock, progress, &mut |report| {
        if let Some(notice) =
            report.outdated_notice().filter(|_| !std::mem::replace(&mut is_reported, report.outdated > 0))
        {
            on_event(WatchEvent::Notice(notice));
        }
        on_event(WatchEvent::Status(report));
    })?;
    store.refresh_scale()?;
    on_event(WatchEvent::Done(&report));
    Ok(report)
}
