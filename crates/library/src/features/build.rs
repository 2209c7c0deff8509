//! Fills a partial folder: the rows of some files of a manifest, the index and the report.

use super::extract::Extracted;
use super::files::claim::Claim;
use super::files::disk::FileSeal;
use super::files::index::{IndexRow, write_index};
use super::files::log::{DoneLog, FileDone, Outcome, TaskDone};
use super::files::manifest::{FILES_PER_TASK, ManifestFile};
use super::files::output::{ArrayLayout, FeatureArrays};
use super::files::report::{
    EngineStats, Failure, FeatureReport, INDEX_NAME, NoticedFile, REPORT_NAME, ShardNote, VERSION,
    notice_of_empty_rows, processor_features, write_json,
};
use super::options::{FeatureEngine, FeatureOptions};
use super::status::{Phase, RunMeter, RunStatus};
use super::tasks::{ManifestPart, Run, Watch};
use crate::base::{EngineChoice, PROGRAM_VERSION, Progress, Result, path_bytes};
use crate::engine::Engine;
use crate::library::batches::BatchLimits;
use crate::library::file_work::{FileWork, MemoryBudget};
use crate::library::identity::recordings::FileHasher;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

/// Options for running any features job.
#[derive(Debug, Clone)]
pub struct FeatureWork {
    /// Number of analysis threads, at least 1.
    pub jobs: usize,
    /// Whether an existing output is replaced.
    pub replaces: bool,
    /// Memory limit; `None` means half of the available memory, which is also the maximum.
    pub memory_bytes: Option<u64>,
    /// Interval between calls of `status`.
    pub status_every: Duration,
    /// The adapter, by number or part of its name, if the GPU computes.
    pub adapter: Option<String>,
    /// Size limits of its batches.
    pub limits: BatchLimits,
}

impl FeatureWork {
    /// The engine that options name.
    ///
    /// # Errors
    /// If the options name the GPU and there is no graphics adapter.
    pub(super) fn engine_for(&self, options: &FeatureOptions) -> Result<Engine> {
        match options.engine {
            FeatureEngine::Cpu => Ok(Engine::cpu()),
            FeatureEngine::Gpu => Ok(Engine::choose(EngineChoice::Gpu, self.adapter.as_deref())?.engine),
        }
    }
}

/// Fills a partial folder.
pub struct Build<'a> {
    /// The files.
    pub part: ManifestPart<'a>,
    /// Whether tasks in the log are kept.
    pub is_resumed: bool,
    /// Options for running.
    pub work: &'a FeatureWork,
    /// The engine that the manifest's options name.
    pub engine: Engine,
    /// Shard entry of the report.
    pub shard: Option<ShardNote>,
}

impl Build<'_> {
    /// Writes everything; the folder gets its final name later.
    ///
    /// # Errors
    /// One sentence; the files written so far stay for the next run.
    pub fn carry_out(
        &self,
        claim: &mut Claim,
        progress: &Progress,
        status: &mut dyn FnMut(&RunStatus),
    ) -> Result<FeatureReport> {
        let ManifestPart { manifest, .. } = self.part;
        let folder = claim.folder.clone();
        let rows = self.part.rows();
        let are_there = self.is_resumed && FeatureArrays::are_there(&folder, &manifest.options, rows.end - rows.start);
        let done = self.believed(&mut claim.log, are_there)?;
        let outputs = FeatureArrays::open(&folder, &manifest.options, rows, are_there)?;
        let work = FileWork::new(progress, MemoryBudget::of(self.work.memory_bytes));
        let run = Run::new(self.part.clone(), &outputs, (self.engine.clone(), self.work.limits), work, &done);
        let meter = RunMeter::new(self.engine.clone(), self.work.jobs.max(1), manifest.files_per_task());
        let status_every = self.work.status_every;
        let mut watch = Watch { log: &mut claim.log, meter, status, status_every, reported_at: None };
        watch.report(Phase::Init, &run);
        let done = run.carry_out(done, &mut watch, progress)?;
        watch.report(Phase::Sync, &run);
        tracing::debug!(files = run.counts().files, rows = run.counts().rows, "analysed; syncs");
        if manifest.options.has_index {
            write_index(&folder.join(INDEX_NAME), self.index_rows(&done))?;
        }
        // The files are still in the system's cache, and can be hashed while they are synced.
        let (synced, written) = rayon::join(|| outputs.sync(true), || seals(&folder, &manifest.options, progress));
        synced?;
        let counts = run.counts();
        let stats = EngineStats::of(manifest.options.engine, run.n_files_of_run(), counts.engine_use);
        let seconds = run.state(counts).elapsed_secs;
        let report = FeatureReport { stats: vec![stats], seconds, ..self.report(&done, written?) };
        write_json(&folder.join(REPORT_NAME), &report)?;
        tracing::debug!(seconds = report.seconds, "written");
        watch.report(Phase::Done, &run);
        Ok(report)
    }

    /// The logged tasks that a resumed run keeps: all except the last; none if the arrays are missing, or if the log
    /// has a different number of files per task. Writes only these to the log, before missing arrays are created.
    fn believed(&self, log: &mut DoneLog, are_there: bool) -> Result<Vec<TaskDone>> {
        let files_per_task = self.part.manifest.files_per_task();
        let is_of_these = log.files_per_task()?.unwrap_or(FILES_PER_TASK) == files_per_task;
        let mut done = if are_there && is_of_these { log.tasks()? } else { Vec::new() };
        done.retain(|done| done.task < self.part.n_tasks());
        done.pop();
        log.restart(files_per_task, &done)?;
        tracing::debug!(tasks = self.part.n_tasks(), believed = done.len(), files_per_task, "begins");
        Ok(done)
    }

    fn index_rows(&self, done: &[TaskDone]) -> impl Iterator<Item = IndexRow> {
        let manifest = self.part.manifest;
        self.part.files_done(done).map(move |(number, done)| {
            let rows = manifest.first_row(number)..manifest.first_row(number + 1);
            index_row(number, &manifest.files[number], rows, done)
        })
    }

    fn report(&self, done: &[TaskDone], written: BTreeMap<String, FileSeal>) -> FeatureReport {
        let ManifestPart { manifest, ref files, .. } = self.part;
        let outcomes: Vec<(usize, &Outcome)> =
            self.part.files_done(done).map(|(number, done)| (number, &done.outcome)).collect();
        let count = |is: fn(&Extracted) -> bool| {
            let is_so = |outcome: &Outcome| matches!(outcome, Outcome::Analysed(extracted) if is(extracted));
            outcomes.iter().filter(|(_, outcome)| is_so(outcome)).count()
        };
        let failure = |&(file, outcome): &(usize, &Outcome)| match outcome {
            Outcome::Failed(error) => {
                Some(Failure { file, path: manifest.files[file].path.to_string(), error: error.clone() })
            }
            Outcome::Analysed(_) => None,
        };
        let noted = |(file, done): (usize, &FileDone)| {
            let path = manifest.files[file].path.to_string();
            (!done.notices.is_empty()).then(|| NoticedFile { file, path, notices: done.notices.clone() })
        };
        let [n_mels, n_frames] = manifest.options.row_shape();
        let rows = self.part.rows();
        let report = FeatureReport {
            version: VERSION,
            program: PROGRAM_VERSION.to_owned(),
            options: manifest.options.clone(),
            root: manifest.root.clone(),
            shape: [rows.end - rows.start, n_mels as u64, n_frames as u64],
            files: files.len(),
            padded: count(|extracted| extracted.is_padded),
            cut: count(|extracted| extracted.is_cut),
            failures: outcomes.iter().filter_map(failure).collect(),
            noted: self.part.files_done(done).filter_map(noted).collect(),
            notices: manifest.notices.iter().cloned().chain(notice_of_empty_rows(&manifest.options)).collect(),
            engine: manifest.options.engine.name().to_owned(),
            processor: processor_features(),
            written,
            stats: Vec::new(),
            seconds: 0.0,
            shard: self.shard.clone(),
            shards: None,
        };
        let counted = report.counted_notices();
        FeatureReport { notices: [report.notices.clone(), counted].concat(), ..report }
    }
}

fn index_row(number: usize, file: &ManifestFile, rows: Range<u64>, done: &FileDone) -> IndexRow {
    let bytes = path_bytes(&file.path.0).into_owned();
    let (path, path_bytes) =
        if std::str::from_utf8(&bytes).is_ok() { (Some(bytes), None) } else { (None, Some(bytes)) };
    let row = IndexRow {
        file: number as i64,
        path,
        path_bytes,
        bytes: file.bytes as i64,
        modified_ns: file.modified_ns,
        blake3: done.blake3.clone().map(String::into_bytes),
        first_row: rows.start as i64,
        n_rows: (rows.end - rows.start) as i64,
        notices: (!done.notices.is_empty()).then(|| done.notices.join("; ").into_bytes()),
        ..IndexRow::default()
    };
    match &done.outcome {
        Outcome::Analysed(found) => IndexRow {
            rate: Some(i64::from(found.sample_rate_hz)),
            channels: Some(found.n_channels as i64),
            samples: Some(found.n_samples as i64),
            padded: Some(found.is_padded),
            cut: Some(found.is_cut),
            ..row
        },
        Outcome::Failed(error) => IndexRow { error: Some(error.clone().into_bytes()), ..row },
    }
}

/// Lengths and hashes of the files of a folder, by name.
///
/// # Errors
/// [`Io`](crate::base::ErrorKind::Io); [`Cancelled`](crate::base::ErrorKind::Cancelled).
pub fn seals(folder: &Path, options: &FeatureOptions, progress: &Progress) -> Result<BTreeMap<String, FileSeal>> {
    let mut names: Vec<&str> = ArrayLayout::all(options, 0).iter().map(|layout| layout.name).collect();
    names.extend(options.has_index.then_some(INDEX_NAME));
    let mut hasher = FileHasher::default();
    let seal = |name: &str| Ok((name.to_owned(), FileSeal::of(&folder.join(name), &mut hasher, progress)?));
    names.into_iter().map(seal).collect()
}
