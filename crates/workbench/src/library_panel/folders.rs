//! The folders of the library, their failed files, and the watch on folders while the studio is open.

use super::list_query::is_absent;
use crate::base::Result;
use crate::bench::context::Context;
use crate::library::store::{FailedFile, LibraryPlace, LibraryStore};
use crate::library::watch::BackgroundWatch;
use crate::services::JobQueue;
use std::path::PathBuf;

/// Maximum number of failures listed.
const MAX_FAILURES: usize = 50;

/// A folder of the library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LibraryFolder {
    /// Id of the folder.
    pub id: i64,
    /// Absolute path without symbolic links.
    pub path: PathBuf,
    /// Whether it is watched for changes while the studio is open.
    pub is_watched: bool,
    /// Number of known files.
    pub n_files: i64,
    /// Number of files that could not be analysed.
    pub n_failed: i64,
}

/// The folders and failures as last read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FolderList {
    /// Sorted by path.
    pub folders: Vec<LibraryFolder>,
    /// Files that could not be analysed, with the reason, the latest first.
    pub failures: Vec<FailedFile>,
}

impl FolderList {
    /// Number of files that could not be analysed, including those not listed.
    pub fn n_failed(&self) -> i64 {
        self.folders.iter().map(|folder| folder.n_failed).sum()
    }

    fn watched(&self) -> Vec<PathBuf> {
        let watched = self.folders.iter().filter(|folder| folder.is_watched);
        watched.map(|folder| folder.path.clone()).collect()
    }
}

/// A change to a folder of the library.
#[derive(Debug, Clone)]
pub enum FolderEdit {
    /// Turns watching on or off.
    Watch {
        /// Id of the folder.
        id: i64,
        /// Whether to watch it.
        is_watched: bool,
    },
    /// Removes the folder at this path from the library.
    Remove(PathBuf),
}

/// Result of [`LibraryFolders::advance`].
#[derive(Debug, Default)]
pub struct FolderUpdate {
    /// Folders to scan.
    pub due: Vec<PathBuf>,
    /// Whether files wait in the queue and no process works on them.
    pub has_queue: bool,
    /// Whether sounds were removed from the library.
    pub has_fewer: bool,
}

/// Result of reading the library.
struct FoundLibrary {
    list: FolderList,
    is_there: bool,
    has_queue: bool,
}

/// The folders, their pending edits, and the watch.
#[derive(Default)]
pub struct LibraryFolders {
    /// `None` before the first read.
    list: Option<FolderList>,
    is_shown: bool,
    is_looked_for: bool,
    is_at_start: bool,
    is_stale: bool,
    reading: JobQueue<(), FoundLibrary>,
    edits: JobQueue<FolderEdit, ()>,
    watch: Option<BackgroundWatch>,
    /// Ids of newly watched folders, to be scanned once for earlier changes.
    unseen: Vec<i64>,
}

impl LibraryFolders {
    /// The folders, while the panel shows them.
    pub fn shown(&self) -> Option<&FolderList> {
        self.list.as_ref().filter(|_| self.is_shown)
    }

    /// Shows or hides the folders.
    pub fn toggle(&mut self) {
        self.is_shown = !self.is_shown;
        self.is_stale = true;
    }

    /// Reads the folders again in the next frame, as the library changed.
    pub fn note_change(&mut self) {
        self.is_stale = true;
    }

    /// Has the watch report these folders again later: they had files that were still being written when scanned.
    pub fn mark(&self, folders: Vec<PathBuf>) {
        if let Some(watch) = self.watch.as_ref().filter(|_| !folders.is_empty()) {
            watch.mark(folders);
        }
    }

    /// Queues an edit, applied after earlier ones.
    pub fn edit(&mut self, edit: FolderEdit) {
        self.edits.push(edit);
    }

    /// Whether a read or write is in progress or queued; the watch does not count.
    pub fn is_busy(&self) -> bool {
        self.reading.is_busy() || self.edits.is_busy()
    }

    /// Call once a frame: takes results, and starts reads and edits.
    ///
    /// # Errors
    /// Read and write errors of the library.
    pub fn advance(&mut self, place: &LibraryPlace, context: &mut Context) -> Result<FolderUpdate> {
        let mut news = FolderUpdate::default();
        // Folders added in earlier sessions are watched from the start. Checked once only, as it is a system call.
        if !std::mem::replace(&mut self.is_looked_for, true) {
            self.is_at_start = !is_absent(place.database());
            self.is_stale |= self.is_at_start;
        }
        let edited = self.follow_edits(place, context, &mut news);
        if self.is_stale && !self.reading.is_busy() {
            self.is_stale = false;
            let place = place.clone();
            self.reading.run_unseen((), context.jobs.spawn("library folders", move |_| read(&place)));
        }
        if let Some(((), answer)) = self.reading.take_answer() {
            match answer {
                Ok(found) => self.take(found, place, context, &mut news)?,
                // The list of sounds reports this error too.
                Err(error) if !self.is_shown => tracing::warn!(%error, "the folders of the library were not read"),
                Err(error) => return Err(error),
            }
        }
        if let Some(watch) = &self.watch {
            let (due, notices) = watch.take();
            news.due.extend(due);
            news.has_queue |= watch.take_queue();
            notices.iter().for_each(|notice| context.warn(notice));
        }
        edited.map(|()| news)
    }

    fn follow_edits(&mut self, place: &LibraryPlace, context: &Context, news: &mut FolderUpdate) -> Result<()> {
        let mut done = Ok(());
        if let Some((edit, answer)) = self.edits.take_answer() {
            self.is_stale = true;
            match (edit, &answer) {
                (FolderEdit::Watch { id, is_watched: true }, Ok(())) => self.unseen.push(id),
                (FolderEdit::Remove(_), Ok(())) => news.has_fewer = true,
                _ => {}
            }
            done = answer;
        }
        if let Some(edit) = self.edits.take_next() {
            let (place, theirs) = (place.clone(), edit.clone());
            let job = context.jobs.spawn("library folders", move |_| apply(&theirs, &place));
            self.edits.run(edit, job, context.now_secs());
        }
        done
    }

    fn take(
        &mut self,
        found: FoundLibrary,
        place: &LibraryPlace,
        context: &Context,
        news: &mut FolderUpdate,
    ) -> Result<()> {
        let FoundLibrary { list, is_there, has_queue } = found;
        news.has_queue |= has_queue;
        let watched = list.watched();
        let unseen = std::mem::take(&mut self.unseen);
        let is_due = |folder: &&LibraryFolder| folder.is_watched && unseen.contains(&folder.id);
        news.due.extend(list.folders.iter().filter(is_due).map(|folder| folder.path.clone()));
        // Watched folders may have changed while the studio was closed.
        if std::mem::take(&mut self.is_at_start) {
            news.due.extend(watched.iter().cloned());
        }
        self.list = Some(list);
        if self.watch.is_none() && is_there {
            let jobs = context.jobs.clone();
            self.watch = Some(BackgroundWatch::start(place, move || jobs.wake())?);
        }
        if let Some(watch) = &self.watch {
            watch.follow(watched);
        }
        Ok(())
    }
}

fn read(place: &LibraryPlace) -> Result<FoundLibrary> {
    if is_absent(place.database()) {
        return Ok(FoundLibrary { list: FolderList::default(), is_there: false, has_queue: false });
    }
    let store = LibraryStore::open_to_read(place)?;
    let folders = store.folder_summaries()?.into_iter().map(|summary| LibraryFolder {
        id: summary.folder.id,
        path: summary.folder.path,
        is_watched: summary.folder.is_watched,
        n_files: summary.files,
        n_failed: summary.failed,
    });
    let list = FolderList { folders: folders.collect(), failures: store.failures(MAX_FAILURES)? };
    Ok(FoundLibrary { list, is_there: true, has_queue: LibraryStore::has_free_queue(place) })
}

fn apply(edit: &FolderEdit, place: &LibraryPlace) -> Result<()> {
    let store = LibraryStore::open_to_edit(place)?;
    match edit {
        FolderEdit::Watch { id, is_watched } => store.set_watched(*id, *is_watched),
        FolderEdit::Remove(path) => store.remove_folder(path).map(drop),
    }
}
