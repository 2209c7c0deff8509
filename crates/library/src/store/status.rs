//! Contents of the library and progress of the queue.

use super::database::open::LibraryStore;
use super::database::place::LibraryPlace;
use super::listed::NOT_ANALYSED;
use super::work::heartbeat::QueueWork;
use super::work::job_kind::JobKind;
use super::work::lock::LibraryLock;
use super::work::queue::{has_waiting, retry_failed};
use crate::base::{Error, Result, path_from_bytes};
use crate::library::features::StoredPath;
use serde::Serialize;

/// Number of failed files listed in a status.
const SHOWN_FAILURES: usize = 5;

/// A file that could not be analysed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FailedFile {
    /// Path of the file.
    pub path: StoredPath,
    /// Error message, one sentence.
    pub error: String,
    /// Number of attempts.
    pub attempts: i64,
}

/// Statistics of a run by kind of job and engine.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KindStats {
    /// Start of the run in nanoseconds since 1970, and its process id.
    pub run: String,
    /// The kind of job.
    pub kind: String,
    /// Engine: `cpu` or `gpu`.
    pub engine: String,
    /// Batches computed.
    pub batches: i64,
    /// Sounds and pictures in the batches.
    pub items: i64,
    /// Failed items.
    pub failed: i64,
    /// Items that the CPU took over from the GPU.
    pub fallbacks: i64,
    /// Batches halved for lack of memory.
    pub shrunk: i64,
    /// Mean milliseconds per batch.
    pub mean_batch_ms: f64,
    /// Size of the largest batch.
    pub batch_size: i64,
}

/// State of the library.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LibraryStatus {
    /// Folders of the library.
    pub folders: Vec<StoredPath>,
    /// Existing files.
    pub files: i64,
    /// Files missing at the last scan.
    pub missing: i64,
    /// Number of distinct analysed sounds and pictures.
    pub sounds: i64,
    /// Number of files waiting to be analysed.
    pub waiting: i64,
    /// Files that are being analysed.
    pub running: i64,
    /// Files that could not be analysed.
    pub failed: i64,
    /// The process that works on the queue.
    pub writer: Option<String>,
    /// Its status, if it reports one.
    pub working: Option<QueueWork>,
    /// Files per second finished by the process that works on the queue; otherwise sounds per second analysed by a
    /// thread of the last run.
    pub per_second: Option<f64>,
    /// Estimated seconds until the queue is empty, if a process works on it.
    pub eta_secs: Option<f64>,
    /// Engine of the last run: `gpu` if it was used at all.
    pub engine: String,
    /// Size of the largest batch of the last run.
    pub batch: i64,
    /// Memory of the process that works on the queue, if it reports it.
    pub memory_bytes: Option<u64>,
    /// Memory limit of that process's analysis.
    pub budget_bytes: Option<u64>,
    /// Some of the failed files, those most recently added to the library first.
    pub last_failures: Vec<FailedFile>,
}

impl LibraryStatus {
    /// Whether anything except times and memory differs.
    pub fn differs_from(&self, other: &LibraryStatus) -> bool {
        let still = |status: &LibraryStatus| LibraryStatus {
            working: status.working.as_ref().map(QueueWork::without_times),
            memory_bytes: None,
            ..status.clone()
        };
        still(self) != still(other)
    }
}

impl LibraryStore {
    /// The current state of the library.
    ///
    /// # Errors
    /// Read errors.
    pub fn status(&self) -> Result<LibraryStatus> {
        let io = |error: rusqlite::Error| self.unread(&error);
        let count = |text: &str| self.connection().query_row(text, [], |row| row.get::<_, i64>(0)).map_err(io);
        let in_state = |state: &str| {
            let text = "SELECT count(DISTINCT file) FROM job WHERE state = ?1";
            self.connection().query_row(text, [state], |row| row.get::<_, i64>(0)).map_err(io)
        };
        let writer = LibraryLock::is_held(self.place()).then(|| LibraryLock::holder(self.place()));
        let waiting = in_state("waiting")?;
        let running = in_state("running")?;
        let last = self.last_run()?;
        let working = QueueWork::read(self.place());
        let of_work = working.as_ref().and_then(|work| work.per_second).filter(|rate| *rate > 0.0);
        let per_second = of_work.or_else(|| last.as_ref().and_then(|last| last.per_second));
        let is_moving = |rate: &f64| writer.is_some() && *rate > 0.0;
        Ok(LibraryStatus {
            folders: self.folders()?.into_iter().map(|folder| StoredPath(folder.path)).collect(),
            files: count("SELECT count(*) FROM file WHERE missing_since_ns IS NULL")?,
            missing: count("SELECT count(*) FROM file WHERE missing_since_ns IS NOT NULL")?,
            sounds: count(&format!("SELECT count(*) FROM sound WHERE NOT ({NOT_ANALYSED})"))?,
            waiting,
            running,
            failed: in_state("failed")?,
            writer: writer.clone(),
            memory_bytes: working.as_ref().and_then(|work| work.memory_bytes),
            budget_bytes: working.as_ref().and_then(|work| work.budget_bytes),
            working,
            per_second,
            eta_secs: per_second.filter(is_moving).map(|rate| (waiting + running) as f64 / rate),
            engine: last.as_ref().map_or_else(|| "cpu".into(), |last| last.engine.clone()),
            batch: last.map_or(1, |last| last.batch),
            last_failures: self.failures(SHOWN_FAILURES)?,
        })
    }

    /// Whether files are waiting in the queue of a writable library while no process is working on it. False for an
    /// unreadable library.
    pub fn has_free_queue(place: &LibraryPlace) -> bool {
        let waits = || {
            let store = LibraryStore::open_to_read(place)?;
            let waits = has_waiting(store.connection()).map_err(|error| store.unread(&error))?;
            Ok(waits && !LibraryLock::is_held(place) && place.check_writable().is_ok())
        };
        waits().unwrap_or_else(|error: Error| {
            tracing::debug!(%error, "the queue was not looked at");
            false
        })
    }

    /// Total seconds of sound, counting each sound once.
    ///
    /// # Errors
    /// Read errors.
    pub fn sound_secs(&self) -> Result<f64> {
        let text = "SELECT coalesce(sum(duration_secs), 0.0) FROM sound";
        self.connection().query_row(text, [], |row| row.get(0)).map_err(|error| self.unread(&error))
    }

    /// Number of distinct sounds and pictures.
    ///
    /// # Errors
    /// Read errors.
    pub fn n_sounds(&self) -> Result<u64> {
        let n = self.connection().query_row("SELECT count(*) FROM sound", [], |row| row.get::<_, i64>(0));
        n.map(i64::unsigned_abs).map_err(|error| self.unread(&error))
    }

    /// At most `max` files that could not be analysed, those most recently added to the library first.
    ///
    /// # Errors
    /// Read errors.
    pub fn failures(&self, max: usize) -> Result<Vec<FailedFile>> {
        let list = || {
            let mut select = self.connection().prepare(
                "SELECT folder.path, file.path, min(error), max(attempts) FROM job JOIN file ON file.id = job.file
                 JOIN folder ON folder.id = file.folder WHERE state = 'failed'
                 GROUP BY file.id ORDER BY file.id DESC LIMIT ?1",
            )?;
            let row = |row: &rusqlite::Row<'_>| {
                let [folder, path]: [Vec<u8>; 2] = [row.get(0)?, row.get(1)?];
                let path = StoredPath(path_from_bytes(&folder).join(path_from_bytes(&path)));
                let error: Option<String> = row.get(2)?;
                Ok(FailedFile { path, error: error.unwrap_or_default(), attempts: row.get(3)? })
            };
            select.query_map([i64::try_from(max).unwrap_or(i64::MAX)], row)?.collect::<rusqlite::Result<Vec<_>>>()
        };
        list().map_err(|error| self.unread(&error))
    }

    /// Requeues all failed files for the next `add`. Returns their number.
    ///
    /// # Errors
    /// Write errors.
    pub fn retry_failures(&self) -> Result<usize> {
        self.in_transaction(|connection| retry_failed(connection).map_err(|error| self.unwritten(&error)))
    }

    /// Statistics of each run, in order.
    ///
    /// # Errors
    /// Read errors.
    pub fn stats(&self) -> Result<Vec<KindStats>> {
        let list = || {
            let mut select = self.connection().prepare(
                "SELECT run, kind, engine, batches, items, failed, fallbacks, shrunk,
                   busy_ms / max(batches, 1), largest_batch FROM stats ORDER BY run, kind, engine",
            )?;
            let row = |row: &rusqlite::Row<'_>| {
                Ok(KindStats {
                    run: row.get(0)?,
                    kind: row.get(1)?,
                    engine: row.get(2)?,
                    batches: row.get(3)?,
                    items: row.get(4)?,
                    failed: row.get(5)?,
                    fallbacks: row.get(6)?,
                    shrunk: row.get(7)?,
                    mean_batch_ms: row.get(8)?,
                    batch_size: row.get(9)?,
                })
            };
            select.query_map([], row)?.collect::<rusqlite::Result<Vec<_>>>()
        };
        list().map_err(|error| self.unread(&error))
    }

    fn last_run(&self) -> Result<Option<LastRun>> {
        let mut stats = self.stats()?;
        // Commands that hash or compare are recorded as runs, too, but analyse nothing.
        stats.retain(|stats| JobKind::of_name(&stats.kind).is_some());
        let Some(last) = stats.last() else { return Ok(None) };
        let of_run: Vec<&KindStats> = stats.iter().filter(|stats| stats.run == last.run).collect();
        // Each sound has a job of every kind, so the number of sounds is the maximum over kinds, not the sum.
        let items = of_run.iter().map(|stats| stats.items).max().unwrap_or(0);
        let busy_secs: f64 = of_run.iter().map(|stats| stats.mean_batch_ms * stats.batches as f64 * 1e-3).sum();
        Ok(Some(LastRun {
            engine: if of_run.iter().any(|stats| stats.engine == "gpu") { "gpu" } else { "cpu" }.into(),
            batch: of_run.iter().map(|stats| stats.batch_size).max().unwrap_or(1),
            per_second: (busy_secs > 0.0).then(|| items as f64 / busy_secs),
        }))
    }
}

struct LastRun {
    engine: String,
    batch: i64,
    /// Items per second of a busy thread.
    per_second: Option<f64>,
}
