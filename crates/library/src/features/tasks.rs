//! The tasks of a run: each covers some files, and threads write the rows of their tasks.

use super::extract::{Extractor, FeatureFile};
use super::files::log::{DoneLog, FileDone, Outcome, TaskDone};
use super::files::manifest::{Manifest, ManifestFile};
use super::files::output::FeatureArrays;
use super::options::FeatureOptions;
use super::rows::Rows;
use super::status::{Counts, Phase, RunMeter, RunStatus};
use crate::base::{Error, ErrorKind, Progress, Result, few_notices, lock, shown_path, trace};
use crate::engine::Engine;
use crate::library::batches::{BatchCounts, BatchLimits};
use crate::library::file_work::{CRASHED, FileWork, Pace, ReservedMemory, WorkCounts, WorkSink, WorkState};
use crate::library::identity::recordings::FileHasher;
use crate::media::{OpenOptions, Opened, Source, WholeFile, WholeFileReader};
use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// Maximum size of a file that is read once for both hash and sound; larger files are read twice.
const MAX_HELD_BYTES: u64 = 8 << 20;
/// Divisor of the analysis memory that limits the samples of one file.
const SHARE_OF_FILE: u64 = 4;
/// Maximum expansion of a coded file, unless it is nearly silent: MP3 at 32 kbit/s.
const MAX_EXPANSION: u64 = 96;
/// Maximum number of results queued for the log.
const EVENT_QUEUE_LEN: usize = 64;

/// State of the thread that started a run.
pub struct Watch<'a> {
    /// Log of finished tasks.
    pub log: &'a mut DoneLog,
    /// Computes status reports.
    pub meter: RunMeter,
    /// Receives status reports.
    pub status: &'a mut dyn FnMut(&RunStatus),
    /// Interval between status reports.
    pub status_every: Duration,
    /// Time of the last status report.
    pub reported_at: Option<Instant>,
}

impl Watch<'_> {
    /// Sends a status if one is due, and always in the phases `Sync` and `Done`, which send only one.
    pub fn report(&mut self, phase: Phase, run: &Run) {
        let is_once = matches!(phase, Phase::Sync | Phase::Done);
        if is_once || self.reported_at.is_none_or(|at| at.elapsed() >= self.status_every) {
            let counts = run.counts();
            (self.status)(&self.meter.status(phase, counts, run.state(counts)));
            self.reported_at = Some(Instant::now());
        }
    }
}

/// Files to analyse: consecutive ones of a manifest.
#[derive(Clone)]
pub struct ManifestPart<'a> {
    /// The manifest.
    pub manifest: &'a Manifest,
    /// Their root folder.
    pub root: &'a Path,
    /// Indices of the files in this run.
    pub files: Range<usize>,
}

impl ManifestPart<'_> {
    /// Number of tasks.
    pub fn n_tasks(&self) -> usize {
        self.files.len().div_ceil(self.manifest.files_per_task())
    }

    /// The files of a task, by their numbers in the manifest.
    fn files_of(&self, task: usize) -> Range<usize> {
        let n_files = self.manifest.files_per_task();
        let first = self.files.start + task * n_files;
        first..(first + n_files).min(self.files.end)
    }

    /// Rows of this run, as numbered in the manifest.
    pub fn rows(&self) -> Range<u64> {
        self.manifest.first_row(self.files.start)..self.manifest.first_row(self.files.end)
    }

    /// The result of each file, in order, with its number.
    pub fn files_done<'a>(&self, done: &'a [TaskDone]) -> impl Iterator<Item = (usize, &'a FileDone)> {
        let mut tasks: Vec<&TaskDone> = done.iter().collect();
        tasks.sort_by_key(|done| done.task);
        let (first, n_files) = (self.files.start, self.manifest.files_per_task());
        let of_task = move |done: &'a TaskDone| (first + done.task * n_files..).zip(&done.files);
        tasks.into_iter().flat_map(of_task)
    }
}

/// A run in progress, shared by its threads.
pub struct Run<'a> {
    part: ManifestPart<'a>,
    open: OpenOptions,
    outputs: &'a FeatureArrays,
    engine: Engine,
    limits: BatchLimits,
    /// Tasks not yet taken by a thread.
    work: FileWork<usize>,
    n_tasks_left: usize,
    n_files_before: u64,
    n_files: AtomicU64,
    n_rows: AtomicU64,
    read_bytes: AtomicU64,
    written_bytes: AtomicU64,
    engine_use: Mutex<BatchCounts>,
}

impl<'a> Run<'a> {
    /// A run over the files of `part` on an engine, without the tasks that are `done`.
    pub fn new(
        part: ManifestPart<'a>,
        outputs: &'a FeatureArrays,
        (engine, limits): (Engine, BatchLimits),
        work: FileWork<usize>,
        done: &[TaskDone],
    ) -> Run<'a> {
        let n_tasks = part.n_tasks();
        let mut is_done = vec![false; n_tasks];
        let (mut n_files, mut n_rows) = (0, 0);
        for done in done.iter().filter(|done| done.task < n_tasks) {
            let files = part.files_of(done.task);
            is_done[done.task] = true;
            n_files += files.len() as u64;
            n_rows += part.manifest.first_row(files.end) - part.manifest.first_row(files.start);
        }
        for task in (0..n_tasks).filter(|task| !is_done[*task]) {
            work.claimed.put(task, 0).ok();
        }
        work.claimed.close();
        Run {
            n_files_before: n_files,
            n_files: AtomicU64::new(n_files),
            n_rows: AtomicU64::new(n_rows),
            part,
            open: open_options(work.memory.max_bytes()),
            outputs,
            engine,
            n_tasks_left: work.claimed.n_waiting(),
            work,
            limits,
            read_bytes: AtomicU64::new(0),
            written_bytes: AtomicU64::new(0),
            engine_use: Mutex::default(),
        }
    }
}

impl Run<'_> {
    /// Analyses on several threads, and logs and reports on this one. `done` are the tasks finished before; returns all
    /// tasks finished in the end. After cancellation no new task begins, but running ones finish.
    ///
    /// # Errors
    /// The first error of any thread; [`Cancelled`](ErrorKind::Cancelled).
    pub fn carry_out(&self, done: Vec<TaskDone>, watch: &mut Watch, progress: &Progress) -> Result<Vec<TaskDone>> {
        let (to_log, from_threads) = sync_channel(EVENT_QUEUE_LEN);
        std::thread::scope(|scope| {
            let started = (0..watch.meter.threads).try_for_each(|_| {
                let to_log = to_log.clone();
                self.work.spawn(scope, "features", move || self.analyse(&to_log, progress))
            });
            drop(to_log);
            let mut log = TaskLog { run: self, n_left: self.n_tasks_left, done, watch };
            let ran = started.and_then(|()| self.work.run(&mut log, &from_threads, progress));
            // Dropped first, so that sending threads stop.
            drop(from_threads);
            ran.map(|()| log.done)
        })
    }

    /// Its current counters.
    pub fn counts(&self) -> Counts {
        Counts {
            tasks: [self.work.claimed.n_waiting(), self.part.n_tasks()],
            files: self.n_files.load(Relaxed),
            rows: self.n_rows.load(Relaxed),
            read_bytes: self.read_bytes.load(Relaxed),
            written_bytes: self.written_bytes.load(Relaxed),
            engine_use: *lock(&self.engine_use),
        }
    }

    /// Number of files that this run has finished.
    pub fn n_files_of_run(&self) -> u64 {
        self.n_files.load(Relaxed).saturating_sub(self.n_files_before)
    }

    /// Progress common to all work on many files.
    pub fn state(&self, counts: Counts) -> WorkState {
        self.work.state(WorkCounts {
            done: counts.files,
            done_before: self.n_files_before,
            files: self.part.files.len() as u64,
            batches: counts.engine_use.batches,
            engine: self.options().engine.name(),
        })
    }

    /// Runs one thread, which takes tasks until there are none left.
    fn analyse(&self, to_log: &SyncSender<TaskDone>, progress: &Progress) {
        let extractor = Extractor::new(self.options(), &self.engine, self.limits);
        let (files, hasher) = (WholeFileReader::default(), FileHasher::default());
        let mut worker = Worker { extractor, files, hasher };
        while let Some(task) = self.work.next() {
            let done = match self.memory_for(task, progress) {
                Ok(_memory) => self.task(task, &mut worker, &self.work.stop),
                Err(cancelled) => Err(cancelled),
            };
            match done.map(|done| to_log.send(done).is_ok()) {
                Ok(true) => {}
                // The receiver is gone: the run has ended.
                Ok(false) => return,
                Err(error) => self.work.fail(error),
            }
        }
    }

    /// Reserves the memory that the largest file of a task needs, and waits until it is free.
    fn memory_for(&self, task: usize, progress: &Progress) -> Result<ReservedMemory> {
        progress.check()?;
        let files = &self.part.manifest.files[self.part.files_of(task)];
        let of_file = |file: &ManifestFile| {
            let held = if self.options().has_index { file.bytes.min(MAX_HELD_BYTES) } else { 0 };
            held + file.bytes.saturating_mul(MAX_EXPANSION).min(self.open.memory_bytes)
        };
        let largest = files.iter().map(of_file).max().unwrap_or(0);
        self.work.memory.reserve(largest.saturating_add(Extractor::block_bytes(self.options())), progress)
    }

    fn options(&self) -> &FeatureOptions {
        &self.part.manifest.options
    }

    /// Computes the segments waiting for a device, and receives their rows.
    fn flush(&self, worker: &mut Worker, waiting: &mut Waiting) -> Result<()> {
        let done = worker.extractor.flush(&mut |file, rows| waiting.add(file, rows, self));
        lock(&self.engine_use).merge(&worker.extractor.take_use());
        done.map_err(of_device)
    }

    fn task(&self, task: usize, worker: &mut Worker, progress: &Progress) -> Result<TaskDone> {
        let numbers = self.part.files_of(task);
        let began = Instant::now();
        tracing::debug!(task, files = numbers.len(), "task begins");
        let mut files = Vec::with_capacity(numbers.len());
        let mut waiting = Waiting::new(self.part.manifest.first_row(numbers.start));
        for file in numbers {
            files.push(self.file(file, worker, &mut waiting, progress)?);
            self.n_files.fetch_add(1, Relaxed);
        }
        self.flush(worker, &mut waiting)?;
        waiting.write(self)?;
        for (file, n_values) in waiting.n_largest.iter().filter(|(_, n_values)| **n_values > 0) {
            let notices = &mut files[file - self.part.files_of(task).start].notices;
            notices.push(largest_notice(*n_values));
            *notices = few_notices(notices);
        }
        tracing::debug!(task, ms = began.elapsed().as_millis(), "task done");
        Ok(TaskDone { task, files })
    }

    /// Analyses one file and adds its rows, which are silent if it cannot be read or has changed since it was listed.
    fn file(&self, number: usize, worker: &mut Worker, waiting: &mut Waiting, progress: &Progress) -> Result<FileDone> {
        progress.check()?;
        let ManifestPart { manifest, root, .. } = self.part;
        let rows = manifest.first_row(number)..manifest.first_row(number + 1);
        let file: &ManifestFile = &manifest.files[number];
        let path = root.join(&file.path.0);
        self.read_bytes.fetch_add(file.bytes, Relaxed);
        let (blake3, whole) = match manifest.options.has_index {
            true => worker.hash(&path, file.bytes, progress),
            false => (None, None),
        };
        let n_rows = rows.end - rows.start;
        let mut take = |file: usize, new: &Rows| waiting.add(file, new, self);
        let extracted = catch_unwind(AssertUnwindSafe(|| {
            let Opened { source, mut notices } = match whole {
                Some(whole) => Source::open_whole(whole, &path, &self.open, &progress.quiet()),
                None => Source::open_with(&path, &self.open, &|_| (), &progress.quiet()),
            }?;
            let found = worker.extractor.sound(&source, FeatureFile { number, n_rows }, progress, &mut take)?;
            notices.extend(source.not_finite_notice().or_else(|| source.take_notice()));
            notices.extend(found.0.notice());
            Ok::<_, Error>((found, few_notices(&notices)))
        }));
        lock(&self.engine_use).merge(&worker.extractor.take_use());
        let is_unchanged = file.is_unchanged(root);
        let error = match extracted {
            Ok(Ok(((extracted, n_there), notices))) if n_there == n_rows && is_unchanged => {
                notices.iter().for_each(|notice| tracing::warn!("{}: {notice}", shown_path(&path)));
                return Ok(FileDone { blake3, outcome: Outcome::Analysed(extracted), notices });
            }
            Ok(Ok(_)) => "changed while it was read".to_owned(),
            Ok(Err(error)) if matches!(error.kind(), ErrorKind::Cancelled | ErrorKind::DiskFull) => return Err(error),
            Ok(Err(error)) if error.is_of_gpu() => return Err(of_device(error)),
            Ok(Err(error)) if error.path().is_some_and(|at| at != path) => return Err(error),
            Ok(Err(error)) => error.message().to_owned(),
            Err(_) => {
                worker.extractor.renew();
                "crashed the decoder".to_owned()
            }
        };
        tracing::warn!("{}: {error}", shown_path(&path));
        let mut silence = Rows::default();
        worker.extractor.silence(n_rows, &mut silence);
        // Waiting segments of earlier files are computed first.
        worker.extractor.forget(number);
        self.flush(worker, waiting)?;
        waiting.go_back_to(rows.start, self)?;
        waiting.n_largest.remove(&number);
        waiting.add(number, &silence, self)?;
        Ok(FileDone { blake3: blake3.filter(|_| is_unchanged), outcome: Outcome::Failed(error), notices: Vec::new() })
    }
}

/// The log of a run, which lists tasks whose rows are on disk.
struct TaskLog<'a, 'w> {
    run: &'a Run<'a>,
    n_left: usize,
    done: Vec<TaskDone>,
    watch: &'a mut Watch<'w>,
}

impl WorkSink for TaskLog<'_, '_> {
    type Item = usize;
    type News = TaskDone;
    const PACE: Pace = Pace {
        max: usize::MAX,
        longest: Duration::from_secs(2),
        tick: Duration::from_millis(20),
        grace: Duration::from_secs(2),
    };

    /// Syncs rows first, then logs them.
    fn turn(&mut self, news: Vec<TaskDone>) -> Result<Vec<usize>> {
        if !news.is_empty() {
            let _span = trace::span("storing");
            self.run.outputs.sync(false)?;
            self.watch.log.append(&news)?;
            tracing::debug!(tasks = news.len(), "synced and logged");
            self.n_left -= news.len();
            self.done.extend(news);
        }
        Ok(Vec::new())
    }

    fn is_urgent(&self, news: &[TaskDone]) -> bool {
        news.len() >= self.n_left
    }

    fn is_over(&mut self) -> Result<bool> {
        Ok(self.n_left == 0)
    }

    fn report(&mut self, _progress: &Progress) {
        let is_draining = self.run.work.claimed.n_waiting() == 0;
        self.watch.report(if is_draining { Phase::Drain } else { Phase::Run }, self.run);
    }

    fn interrupted(&self) -> Error {
        Error::cancelled()
    }
}

/// An error of the run's device: the engine cannot be switched, but a later attempt may succeed.
fn of_device(error: Error) -> Error {
    if !error.is_of_gpu() {
        return error;
    }
    let sentence = format!("{}; add --resume to go on, or --replace --no-gpu to start over", error.message());
    Error::new(error.kind(), sentence)
}

/// Options for opening files that share `budget_bytes`.
fn open_options(budget_bytes: u64) -> OpenOptions {
    let usual = OpenOptions::default();
    OpenOptions { memory_bytes: usual.memory_bytes.min(budget_bytes / SHARE_OF_FILE), ..usual }
}

/// The notice about values beyond the range of 16-bit floats.
fn largest_notice(n_values: u64) -> String {
    let values = if n_values == 1 { "value is" } else { "values are" };
    format!("{n_values} {values} 65,504 or more and written as that, the most of a 16-bit float; use --dtype f32")
}

/// State of one thread.
struct Worker {
    extractor: Extractor,
    files: WholeFileReader,
    hasher: FileHasher,
}

impl Worker {
    /// The hash of a file listed with `n_bytes`, `None` if it is unreadable; and its contents, if they were read as a
    /// whole.
    fn hash(&mut self, path: &Path, n_bytes: u64, progress: &Progress) -> (Option<String>, Option<WholeFile>) {
        let is_small = n_bytes <= MAX_HELD_BYTES;
        match is_small.then(|| self.files.read(path, MAX_HELD_BYTES)).flatten() {
            Some(whole) => (Some(blake3::hash(whole.bytes()).to_hex().to_string()), Some(whole)),
            None => (self.hasher.hash(path, progress).ok().map(|(hash, _)| hash.to_hex().to_string()), None),
        }
    }
}

/// Rows written together: those of many small files, or parts of a large one.
struct Waiting {
    first_row: u64,
    features: Vec<u8>,
    table: Vec<[u64; 5]>,
    /// By file, the number of values at the limit of 16-bit floats.
    n_largest: BTreeMap<usize, u64>,
}

impl Waiting {
    /// Number of bytes of rows that are written together.
    const BYTES: usize = 4 << 20;

    fn new(first_row: u64) -> Waiting {
        Waiting { first_row, features: Vec::new(), table: Vec::new(), n_largest: BTreeMap::new() }
    }

    fn next_row(&self) -> u64 {
        self.first_row + self.table.len() as u64
    }

    /// Adds rows of a file.
    fn add(&mut self, file: usize, rows: &Rows, run: &Run) -> Result<()> {
        self.features.extend_from_slice(&rows.features);
        *self.n_largest.entry(file).or_default() += run.options().n_largest(&rows.features);
        let length = run.options().short[0] as u64;
        let place = |&[long, short, start]: &[u64; 3]| [file as u64, long, short, start, start + length];
        self.table.extend(rows.places.iter().map(place));
        if self.features.len() >= Waiting::BYTES { self.write(run) } else { Ok(()) }
    }

    /// Drops the rows from `row` on; any already written will be written again.
    fn go_back_to(&mut self, row: u64, run: &Run) -> Result<()> {
        if row > self.next_row() {
            // The crash has also lost rows of earlier files.
            return Err(Error::new(ErrorKind::Internal, CRASHED));
        }
        if row < self.first_row {
            self.write(run)?;
            run.n_rows.fetch_sub(self.first_row - row, Relaxed);
            self.first_row = row;
        }
        let n_kept = (row - self.first_row) as usize;
        self.features.truncate(n_kept * run.options().row_bytes());
        self.table.truncate(n_kept);
        Ok(())
    }

    fn write(&mut self, run: &Run) -> Result<()> {
        let _span = trace::span("storing");
        let n_bytes = run.outputs.write(self.first_row, &self.features, &self.table)?;
        run.written_bytes.fetch_add(n_bytes, Relaxed);
        run.n_rows.fetch_add(self.table.len() as u64, Relaxed);
        self.first_row = self.next_row();
        self.features.clear();
        self.table.clear();
        Ok(())
    }
}
