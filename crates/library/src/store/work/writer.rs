//! The only thread that writes to the database: files found by scans, claims, and results.

use super::heartbeat::{Heartbeat, QueueProgress};
use super::queue::{ClaimedFile, claim, fail, has_waiting, release};
use super::tally::{RunTally, run_name};
use super::workers::{FileFate, FinishedFile, HashedFile, ScanTask, WorkerMessage, Workers};
use crate::base::{Error, ErrorKind, Progress, Result, few_notices, shown_path, trace};
use crate::library::batches::BatchOrder;
use crate::library::features::StoredPath;
use crate::library::file_work::{Pace, WorkCounts, WorkSink, WorkState};
use crate::media::FileStamp;
use crate::store::database::open::LibraryStore;
use crate::store::files::{finish_scan, note_files, note_missing, queue_outdated};
use crate::store::listed::{list_ahead, unlist};
use crate::store::results::{link, sound_of_hash, write_again, write_new};
use crate::store::scan::ScanReport;
use crate::store::user_tags::UserTags;
use rusqlite::Connection;
use serde::Serialize;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

/// Maximum number of files with notices in a report.
const MAX_NOTICE_FILES: usize = 1_000;

/// An order to add folders.
#[derive(Debug, Clone)]
pub struct AddOrder {
    /// Folders, new or known.
    pub folders: Vec<PathBuf>,
    /// Number of analysis threads.
    pub jobs: usize,
    /// Memory limit; `None` means half of the available memory, which is also the maximum.
    pub memory_bytes: Option<u64>,
    /// Whether files are only queued, not analysed.
    pub only_queues: bool,
    /// Whether files that may not be completely written are left for another scan.
    pub leaves_young: bool,
    /// Whether threads run at low priority: analysis and batch threads from the start, the scan once it has found the
    /// first files, and each reader once it has read its first file.
    pub gives_way: bool,
    /// Interval of status reports.
    pub status_every: Duration,
    /// Engine and limits for hashing pictures and measuring spectra.
    pub batches: BatchOrder,
}

/// A file with notices, for example that only a part of it could be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotedSound {
    /// The file.
    pub path: StoredPath,
    /// Notices, one sentence each: at most 20, then the number of further ones.
    pub notices: Vec<String>,
}

/// Progress of a run, and its final report.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct AddReport {
    /// Seconds since the start.
    pub elapsed_secs: f64,
    /// Progress common to all work on many files.
    #[serde(skip)]
    pub state: WorkState,
    /// Files found in the folders.
    pub found: u64,
    /// Files that were waiting when the run started, plus those queued during it.
    pub queued: u64,
    /// Of these, sounds analysed by an older version of this program, which are analysed again.
    pub outdated: u64,
    /// Files whose sounds were listed before analysis.
    #[serde(skip)]
    pub listed: u64,
    /// Files that were analysed.
    pub analysed: u64,
    /// Files whose sound was known: copies, and moved or touched files.
    pub recognised: u64,
    /// Files that could not be analysed.
    pub failed: u64,
    /// Notices, one sentence each.
    pub notices: Vec<String>,
    /// New files with notices, at most a thousand; the log has all of them.
    pub noted: Vec<NotedSound>,
    /// Number of further files with notices.
    pub more_noted: u64,
    /// Folders with files that were left for another scan.
    #[serde(skip)]
    pub young: Vec<PathBuf>,
}

impl AddReport {
    /// Number of finished files.
    pub fn done(&self) -> u64 {
        self.analysed + self.recognised + self.failed
    }

    /// The notice before outdated sounds are analysed again.
    pub fn outdated_notice(&self) -> Option<String> {
        let what = match self.outdated {
            0 => return None,
            1 => "1 sound is".to_owned(),
            n => format!("{n} sounds are"),
        };
        Some(format!("{what} analysed again, since an older version of this program measured in another way"))
    }

    /// Whether the run has added a sound to the library.
    pub fn has_sounds(&self) -> bool {
        self.listed + self.analysed + self.recognised > 0
    }
}

/// State of the only thread that writes to the database during a run.
pub struct LibraryWriter<'a> {
    store: &'a LibraryStore,
    workers: &'a Workers,
    tags: UserTags,
    owner: String,
    order: &'a AddOrder,
    /// Receives status reports.
    status: &'a mut dyn FnMut(&AddReport),
    /// Time of the last status report.
    reported: Instant,
    /// Whether the report has included sounds.
    had_sounds: bool,
    heart: Heartbeat,
    scans_left: usize,
    /// Whether outdated results have been looked for and queued.
    has_outdated: bool,
    /// Priority of files found by scans.
    priority: i64,
    n_in_flight: usize,
    /// Files waiting for the result of another file with the same bytes.
    pending: HashMap<[u8; 32], Vec<ClaimedFile>>,
    tally: RunTally,
    report: AddReport,
}

impl<'a> LibraryWriter<'a> {
    /// A writer that expects `n_scans`, whose files get `priority`.
    pub fn new(
        store: &'a LibraryStore,
        workers: &'a Workers,
        (order, status): (&'a AddOrder, &'a mut dyn FnMut(&AddReport)),
        tags: UserTags,
        (n_scans, priority): (usize, i64),
        report: AddReport,
    ) -> LibraryWriter<'a> {
        LibraryWriter {
            store,
            workers,
            tags,
            owner: std::process::id().to_string(),
            order,
            status,
            reported: Instant::now(),
            had_sounds: false,
            heart: Heartbeat::new(store.place()),
            scans_left: n_scans,
            has_outdated: false,
            priority,
            n_in_flight: 0,
            pending: HashMap::new(),
            tally: RunTally::new(run_name()),
            report,
        }
    }

    /// Writes and claims until nothing is waiting.
    ///
    /// # Errors
    /// Write errors; cancelled. Claimed files are then requeued.
    pub fn run(mut self, from_workers: &Receiver<WorkerMessage>, progress: &Progress) -> Result<AddReport> {
        let workers = self.workers;
        let ended = workers.work.run(&mut self, from_workers, progress);
        self.note_state();
        // Requeues files that are still claimed; if this fails as well, the next run does it.
        let given_back = self.store.in_transaction(|connection| {
            let io = |error: rusqlite::Error| self.store.unwritten(&error);
            connection
                .execute(
                    "UPDATE job SET state = 'waiting', owner = NULL, since_ns = NULL WHERE state = 'running'
                       AND owner = ?1",
                    [&self.owner],
                )
                .map_err(io)?;
            self.tally.write(connection).map_err(io)
        });
        ended.and(given_back).map(|()| self.report)
    }

    /// Whether anything is left to do while nothing is in progress. Outdated results come last and are not searched for
    /// earlier, so that the first sound of a new folder appears soon.
    fn has_more(&mut self) -> Result<bool> {
        let (store, only_queues) = (self.store, self.order.only_queues);
        let waits = || match only_queues {
            true => Ok(false),
            false => has_waiting(store.connection()).map_err(|error| store.unread(&error)),
        };
        if waits()? {
            return Ok(true);
        }
        if !std::mem::replace(&mut self.has_outdated, true) {
            let io = |error: rusqlite::Error| store.unwritten(&error);
            self.report.outdated = store.in_transaction(|connection| queue_outdated(connection).map_err(io))?;
            self.report.queued += self.report.outdated;
        }
        waits()
    }

    fn note_state(&mut self) {
        let (batches, engine) = (self.tally.n_batches, self.tally.engine());
        let counts =
            WorkCounts { done: self.report.done(), done_before: 0, files: self.report.queued, batches, engine };
        self.report.state = self.workers.work.state(counts);
        self.report.elapsed_secs = self.report.state.elapsed_secs;
    }

    fn apply(&mut self, connection: &Connection, message: WorkerMessage, written: &mut Vec<[u8; 32]>) -> Result<()> {
        let store = self.store;
        let io = |error: rusqlite::Error| store.unwritten(&error);
        match message {
            WorkerMessage::Scanned(folder, files) => {
                self.report.found += files.len() as u64;
                self.report.queued += note_files(connection, folder, &files, self.priority).map_err(io)?;
            }
            WorkerMessage::ScanEnded(ScanTask { folder, below, listed }, Ok(report)) => {
                self.scans_left -= 1;
                tracing::debug!(folder = %folder.path.join(&below).display(), found = self.report.found, "scanned");
                finish_scan(connection, folder.id, &below, &report).map_err(io)?;
                if below.as_os_str().is_empty() && listed.is_none() {
                    store.note_scan(folder.id).map_err(io)?;
                }
                let ScanReport { notices, young, .. } = report;
                self.report.notices.extend(notices);
                self.report.young.extend(young.iter().map(|young| folder.path.join(young)));
            }
            WorkerMessage::ScanEnded(_, Err(error)) => {
                self.scans_left -= 1;
                self.report.notices.push(error.to_string());
            }
            WorkerMessage::Opened(opened) => {
                let HashedFile { file, hash, shape, notices } = *opened;
                self.note(&file, &notices);
                let is_listed = list_ahead(connection, &file, &hash, shape.as_ref()).map_err(io)?;
                self.report.listed += u64::from(is_listed);
            }
            WorkerMessage::Batched(news) => self.tally.note_batch(&news),
            WorkerMessage::Finished(finished) => {
                let is_same = matches!(finished.fate, FileFate::Same);
                let hash = finished.hash;
                self.finish(connection, *finished, written)?;
                written.extend(hash.filter(|_| !is_same));
            }
        }
        Ok(())
    }

    /// Writes a finished file; `ended` contains the hashes finished in this transaction.
    fn finish(&mut self, connection: &Connection, finished: FinishedFile, ended: &[[u8; 32]]) -> Result<()> {
        let store = self.store;
        let io = |error: rusqlite::Error| store.unwritten(&error);
        let FinishedFile { file, hash, fate } = finished;
        self.n_in_flight -= 1;
        match (fate, hash) {
            (FileFate::Known(sound), _) => self.recognise(connection, &file, sound).map_err(io),
            (FileFate::Same, Some(hash)) => match sound_of_hash(connection, &hash).map_err(io)? {
                Some(sound) => self.recognise(connection, &file, sound).map_err(io),
                None if self.workers.is_in_flight(&hash) && !ended.contains(&hash) => {
                    self.n_in_flight += 1;
                    self.pending.entry(hash).or_default().push(file);
                    Ok(())
                }
                // The other file failed; this one is analysed in its place, and reports its own error.
                None => release(connection, file.id).map_err(io),
            },
            (FileFate::Same, None) => release(connection, file.id).map_err(io),
            (FileFate::Analysed(facts), Some(hash)) => {
                let known = sound_of_hash(connection, &hash).map_err(io)?;
                match known {
                    Some(sound) => self.recognise(connection, &file, sound).map_err(io)?,
                    None => {
                        write_new(connection, &file, &hash, &facts, &self.tags).map_err(io)?;
                        self.report.analysed += 1;
                        self.tally.note(&facts);
                    }
                }
                let sound = sound_of_hash(connection, &hash).map_err(io)?;
                for other in self.pending.remove(&hash).unwrap_or_default() {
                    self.n_in_flight -= 1;
                    match sound {
                        Some(sound) => self.recognise(connection, &other, sound).map_err(io)?,
                        None => release(connection, other.id).map_err(io)?,
                    }
                }
                Ok(())
            }
            (FileFate::Analysed(facts), None) => {
                write_again(connection, &file, &facts).map_err(io)?;
                self.report.analysed += 1;
                self.tally.note(&facts);
                Ok(())
            }
            (FileFate::Failed(error), hash) => {
                let pending = hash.and_then(|hash| self.pending.remove(&hash)).unwrap_or_default();
                for other in pending {
                    self.n_in_flight -= 1;
                    release(connection, other.id).map_err(io)?;
                }
                self.fail(connection, &file, &error).map_err(io)
            }
        }
    }

    /// Records the notices of a file.
    fn note(&mut self, file: &ClaimedFile, notices: &[String]) {
        if notices.is_empty() {
            return;
        }
        let notices = few_notices(notices);
        notices.iter().for_each(|notice| tracing::warn!("{}: {notice}", shown_path(&file.path)));
        match self.report.noted.len() {
            MAX_NOTICE_FILES.. => self.report.more_noted += 1,
            _ => self.report.noted.push(NotedSound { path: StoredPath(file.path.clone()), notices }),
        }
    }

    fn recognise(&mut self, connection: &Connection, file: &ClaimedFile, sound: i64) -> rusqlite::Result<()> {
        self.report.recognised += 1;
        link(connection, file, sound)
    }

    fn fail(&mut self, connection: &Connection, file: &ClaimedFile, error: &Error) -> rusqlite::Result<()> {
        if error.kind() == ErrorKind::Cancelled {
            return release(connection, file.id);
        }
        unlist(connection, file.id)?;
        let found = std::fs::symlink_metadata(&file.path);
        if found.as_ref().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
            return note_missing(connection, file.id);
        }
        if let (ErrorKind::SourceChanged, Ok(found)) = (error.kind(), &found) {
            // The next attempt reads the file as it is now.
            let stamp = FileStamp::of(found);
            let bytes = i64::try_from(stamp.n_bytes).unwrap_or(i64::MAX);
            let mut update = connection.prepare_cached("UPDATE file SET bytes = ?2, modified_ns = ?3 WHERE id = ?1")?;
            update.execute((file.id, bytes, stamp.modified_ns))?;
        }
        tracing::debug!(path = %file.path.display(), %error, "failed");
        let may_pass = matches!(error.kind(), ErrorKind::Io | ErrorKind::SourceChanged | ErrorKind::DiskFull);
        let reason = match error.path() {
            Some(path) if path != file.path => error.to_string(),
            _ => error.message().to_owned(),
        };
        fail(connection, file.id, &reason, may_pass)?;
        // Looked up by file rather than among all failed jobs.
        let mut failed = connection.prepare_cached("SELECT 1 FROM job WHERE file = ?1 AND +state = 'failed'")?;
        if failed.exists([file.id])? {
            self.report.failed += 1;
            self.tally.note_failure(file.kinds);
        }
        Ok(())
    }
}

impl WorkSink for LibraryWriter<'_> {
    type Item = ClaimedFile;
    type News = WorkerMessage;
    const PACE: Pace =
        Pace { max: 256, longest: Duration::from_millis(200), tick: Duration::from_millis(50), grace: Duration::ZERO };

    /// Writes results, and claims the next files, in one transaction.
    fn turn(&mut self, news: Vec<WorkerMessage>) -> Result<Vec<ClaimedFile>> {
        let store = self.store;
        // Room for files that wait for a batch, in addition to those being analysed.
        let target = 16 + 8 * self.order.jobs + 2 * self.workers.batched.max_items();
        let is_full = self.order.only_queues || self.n_in_flight > target / 2;
        if news.is_empty() && is_full {
            return Ok(Vec::new());
        }
        let _span = trace::span("storing");
        let mut written = Vec::new();
        let claimed = store.in_transaction(|connection| {
            for message in news {
                self.apply(connection, message, &mut written)?;
            }
            let io = |error: rusqlite::Error| store.unwritten(&error);
            self.tally.write(connection).map_err(io)?;
            if is_full {
                return Ok(Vec::new());
            }
            claim(connection, &self.owner, target - self.n_in_flight).map_err(io)
        })?;
        if !(written.is_empty() && claimed.is_empty()) {
            tracing::debug!(written = written.len(), claimed = claimed.len(), done = self.report.done(), "written");
        }
        // A hash stops being in flight only once its result is in the database.
        written.iter().for_each(|hash| self.workers.note_written(hash));
        self.n_in_flight += claimed.len();
        Ok(claimed)
    }

    /// Whether to write at once: idle threads cost more than a small transaction, and the user is waiting for the first
    /// sound to be listed.
    fn is_urgent(&self, news: &[WorkerMessage]) -> bool {
        let n_finished = news.iter().filter(|message| matches!(message, WorkerMessage::Finished(_))).count();
        let is_listed = || matches!(news.last(), Some(WorkerMessage::Opened(_)));
        !news.is_empty() && (n_finished >= self.n_in_flight || !self.report.has_sounds() && is_listed())
    }

    fn is_over(&mut self) -> Result<bool> {
        if self.scans_left > 0 || self.n_in_flight > 0 {
            return Ok(false);
        }
        let outdated = self.report.outdated;
        let has_more = self.has_more()?;
        if has_more && self.report.outdated > outdated {
            // Reported before the first outdated sound is analysed.
            (self.status)(&self.report);
        }
        Ok(!has_more)
    }

    fn report(&mut self, progress: &Progress) {
        let is_first = self.report.has_sounds() && !std::mem::replace(&mut self.had_sounds, true);
        let is_reported = is_first || self.reported.elapsed() >= self.order.status_every;
        if is_reported || self.heart.is_due() {
            self.note_state();
            let AddReport { queued, failed, .. } = self.report;
            self.heart.beat(QueueProgress { is_scanning: self.scans_left > 0, queued, failed }, &self.report.state);
        }
        // Report the first sound at once.
        if is_reported {
            self.reported = Instant::now();
            (self.status)(&self.report);
        }
        progress.step(self.report.done(), self.report.queued.max(1)).ok();
    }

    fn interrupted(&self) -> Error {
        interrupted(self.store.place().database())
    }
}

fn interrupted(database: &Path) -> Error {
    let sentence = "was interrupted; run the same command again to go on";
    Error::new(ErrorKind::Cancelled, sentence).at(database)
}
