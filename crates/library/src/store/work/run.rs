//! Works on the queue: scans, claims and writes until nothing is waiting.

use super::analysis::BatchedAnalysis;
use super::batch_thread::work_in_batches;
use super::lock::LibraryLock;
use super::priority::ask_first;
use super::queue::{n_waiting, recover};
use super::workers::{ScanTask, WorkerMessage, Workers};
use super::writer::{AddOrder, AddReport, LibraryWriter};
use crate::base::{EngineChoice, Error, ErrorKind, Progress, Result};
use crate::library::batches::BatchEngine;
use crate::library::file_work::MemoryBudget;
use crate::store::database::open::LibraryStore;
use crate::store::files::begin_scan;
use crate::store::scan::{ScanRules, device_of, scan_folder, scan_listed};
use crate::store::user_tags::UserTags;
use std::path::PathBuf;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::Scope;

/// Maximum number of reader threads; more would only wait for the disk.
const MAX_READERS: usize = 4;
/// Maximum number of messages queued for the writer.
const MAX_MESSAGES: usize = 64;

/// Files of a folder listed in a manifest.
#[derive(Debug, Clone)]
pub struct ListedFiles {
    /// The folder.
    pub root: PathBuf,
    /// Paths relative to the root.
    pub files: Vec<PathBuf>,
}

impl LibraryStore {
    /// Adds folders, or scans known ones again, and works on the queue until nothing is waiting. `status` is called on
    /// this thread during the run.
    ///
    /// # Errors
    /// If none of the folders can be read; if a chosen device cannot be used; write errors; cancelled. Finished work is
    /// kept.
    pub fn add(
        &self,
        order: &AddOrder,
        _lock: &LibraryLock,
        progress: &Progress,
        status: &mut dyn FnMut(&AddReport),
    ) -> Result<AddReport> {
        self.add_parts((&order.folders, None), order, progress, status)
    }

    /// As [`add`](LibraryStore::add) for some files of a folder; others stay unchanged.
    ///
    /// # Errors
    /// As [`add`](LibraryStore::add).
    pub fn add_listed(
        &self,
        listed: &ListedFiles,
        order: &AddOrder,
        _lock: &LibraryLock,
        progress: &Progress,
        status: &mut dyn FnMut(&AddReport),
    ) -> Result<AddReport> {
        let folders = std::slice::from_ref(&listed.root);
        self.add_parts((folders, Some(&listed.files)), order, progress, status)
    }

    /// Adds folders, or some files of one folder.
    fn add_parts(
        &self,
        (folders, listed): (&[PathBuf], Option<&[PathBuf]>),
        order: &AddOrder,
        progress: &Progress,
        status: &mut dyn FnMut(&AddReport),
    ) -> Result<AddReport> {
        let mut report = AddReport::default();
        let batches = self.batches_for(order)?;
        let mut scans = self.scans_of(folders, &mut report.notices)?;
        for task in &mut scans {
            task.listed = listed.map(|files| files.iter().map(|file| task.below.join(file)).collect());
        }
        self.work(&scans, (report, batches), order, progress, status)
    }

    /// The engine for batches; `None` if nothing is analysed, or if analysis threads do all work on the CPU.
    fn batches_for(&self, order: &AddOrder) -> Result<Option<BatchEngine>> {
        if order.only_queues || order.batches.choice == EngineChoice::Cpu {
            return Ok(None);
        }
        let engine = BatchEngine::new(&order.batches, self.known_rates()?)?;
        Ok(Some(engine.beside_threads(order.jobs)))
    }

    fn work(
        &self,
        scans: &[ScanTask],
        (mut report, batches): (AddReport, Option<BatchEngine>),
        order: &AddOrder,
        progress: &Progress,
        status: &mut dyn FnMut(&AddReport),
    ) -> Result<AddReport> {
        let io = |error: rusqlite::Error| self.unwritten(&error);
        // Changes found by a watch can wait.
        let is_requested = !scans.is_empty() && !order.leaves_young;
        let priority = self.in_transaction(|connection| {
            recover(connection).and_then(|_| begin_scan(connection)).map_err(io)?;
            let parts = scans.iter().map(|task| (task.folder.id, task.below.as_path()));
            if is_requested { ask_first(connection, parts).map_err(io) } else { Ok(0) }
        })?;
        report.queued = n_waiting(self.connection()).map_err(io)?;
        tracing::debug!(folders = scans.len(), waiting = report.queued, jobs = order.jobs, "works on the queue");
        let tags = UserTags::load(self.place())?;
        let workers = Workers::new(progress, order.gives_way, MemoryBudget::of(order.memory_bytes));
        let (to_writer, from_workers) = sync_channel(MAX_MESSAGES);
        let done = std::thread::scope(|scope| {
            let started = self
                .start_batches(scope, &workers, &to_writer, batches, report.queued)
                .and_then(|has_batches| self.start(scope, &workers, (&to_writer, has_batches), order, scans));
            drop(to_writer);
            let writer = LibraryWriter::new(self, &workers, (order, status), tags, (scans.len(), priority), report);
            let done = started.and_then(|()| writer.run(&from_workers, progress));
            workers.close();
            // Senders that still wait get an error.
            drop(from_workers);
            done
        })?;
        self.check_in_place()?;
        Ok(done)
    }

    /// The tasks of a scan: folders, whose rows are created if new, or parts of known ones. A folder that cannot be
    /// read becomes a notice if there are others.
    fn scans_of(&self, paths: &[PathBuf], notices: &mut Vec<String>) -> Result<Vec<ScanTask>> {
        let mut found: Vec<ScanTask> = Vec::new();
        for path in paths {
            let canonical = std::fs::canonicalize(path).and_then(|found| std::fs::read_dir(&found).map(|_| found));
            match canonical.map_err(|error| Error::io(&error, "read", path)) {
                Ok(canonical) => {
                    let folder = self.add_folder(&canonical)?;
                    let below = canonical.strip_prefix(&folder.path).unwrap_or(&canonical).to_path_buf();
                    let task = ScanTask { folder, below, listed: None };
                    if !found.contains(&task) {
                        found.push(task);
                    }
                }
                Err(error) if paths.len() == 1 => return Err(error),
                Err(error) => notices.push(error.to_string()),
            }
        }
        if found.is_empty() && !paths.is_empty() {
            return Err(Error::new(ErrorKind::Io, format!("no folder could be read; {}", notices.join("; "))));
        }
        Ok(found)
    }

    fn start<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        workers: &'scope Workers,
        (to_writer, has_batches): (&SyncSender<WorkerMessage>, bool),
        order: &AddOrder,
        scans: &[ScanTask],
    ) -> Result<()> {
        let rules = ScanRules { leaves_young: order.leaves_young, ..self.rules()? };
        let (scans, sender) = (scans.to_vec(), to_writer.clone());
        workers.work.spawn(scope, "library scan", move || scan_all(scans, &rules, workers, &sender))?;
        if order.only_queues {
            return Ok(());
        }
        for _ in 0..order.jobs.clamp(1, MAX_READERS) {
            let reader = LibraryStore::open_to_read(self.place())?;
            let sender = to_writer.clone();
            let place = self.place().clone();
            let read = move || workers.read_all(reader.connection(), &place, &sender);
            workers.work.spawn(scope, "library reader", read)?;
        }
        for number in 0..order.jobs.max(1) {
            let sender = to_writer.clone();
            let analyse = move || workers.analyse_all(number, &sender, has_batches);
            workers.work.spawn(scope, "library analysis", analyse)?;
        }
        Ok(())
    }

    /// Starts the thread for batches, if there may be a device. Returns whether it did.
    fn start_batches<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        workers: &'scope Workers,
        to_writer: &SyncSender<WorkerMessage>,
        batches: Option<BatchEngine>,
        n_expected: u64,
    ) -> Result<bool> {
        let Some(engine) = batches else { return Ok(false) };
        if engine.is_requested() {
            workers.batched.set(engine.max_items(), BatchedAnalysis { pictures: true, sounds: true });
        }
        let sender = to_writer.clone();
        let n_expected = usize::try_from(n_expected).unwrap_or(usize::MAX);
        let work = move || {
            workers.give_way();
            work_in_batches(engine, n_expected, workers, &sender);
        };
        workers.work.spawn(scope, "library batches", work)?;
        Ok(true)
    }

    /// Folders that scans do not enter.
    fn rules(&self) -> Result<ScanRules> {
        let own = self.place().own_folders().iter().filter_map(|folder| std::fs::canonicalize(folder).ok());
        let known = self.folders()?.into_iter().map(|folder| folder.path);
        Ok(ScanRules { left_out: own.chain(known).collect(), leaves_young: false, device_of })
    }
}

fn scan_all(scans: Vec<ScanTask>, rules: &ScanRules, workers: &Workers, to_writer: &SyncSender<WorkerMessage>) {
    for task in scans {
        let ScanTask { folder, below, listed } = &task;
        tracing::debug!(folder = %folder.path.join(below).display(), "scans");
        let mut take = |files| {
            let sent = to_writer.send(WorkerMessage::Scanned(folder.id, files)).map_err(|_| Error::cancelled());
            workers.give_way();
            sent
        };
        let scanned = match listed {
            Some(files) => scan_listed(&folder.path, files, &workers.work.stop, &mut take),
            None => scan_folder(&folder.path, below, rules, &workers.work.stop, &mut take),
        };
        if to_writer.send(WorkerMessage::ScanEnded(task, scanned)).is_err() {
            return;
        }
    }
}
