//! A run over many files: from the inputs to a folder that is whole.

use super::files::{FoundFiles, InputFile, find_files};
use super::log::{DoneLog, Outcome, TaskDone};
use super::options::FeatureOptions;
use super::output::{FeatureArrays, partial_folder, put_in_place, remove};
use super::samples::n_samples_at;
use super::status::{Phase, RunMeter, RunStatus, Totals};
use super::tasks::{Run, TASK_FILES, Watch};
use crate::base::{Error, ErrorKind, Progress, Result, path_bytes, path_from_bytes, shown_path, write_atomic};
use crate::dsp::mel::MelBank;
use crate::media::{OpenOptions, Source};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The version of what `features.json` says.
const VERSION: u32 = 1;

/// What to write.
#[derive(Debug, Clone)]
pub struct FeatureOrder {
    /// Files and folders.
    pub inputs: Vec<PathBuf>,
    /// The folder to make.
    pub output: PathBuf,
    /// What features are made of.
    pub options: FeatureOptions,
    /// Threads that analyse, at least 1.
    pub jobs: usize,
    /// Goes on where an earlier run of the same order stopped.
    pub is_resumed: bool,
    /// Replaces a folder that is there.
    pub replaces: bool,
    /// How often `status` is called.
    pub status_every: Duration,
}

/// A file whose rows hold silence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// Its number, from 0.
    pub file: usize,
    /// Its path, as text on one line.
    pub path: String,
    /// Why, one sentence.
    pub error: String,
}

/// What a run wrote: `features.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FeatureReport {
    /// Of this report.
    pub version: u32,
    /// Of the program.
    pub program: &'static str,
    /// What the features are made of.
    pub options: FeatureOptions,
    /// `[rows, mels, frames]`.
    pub shape: [u64; 3],
    /// All files.
    pub files: usize,
    /// Files that were filled with zeros at their end.
    pub padded: usize,
    /// Files that were cut.
    pub cut: usize,
    /// Files whose rows hold silence.
    pub failures: Vec<Failure>,
    /// One sentence each.
    pub notices: Vec<String>,
    /// `cpu`.
    pub engine: &'static str,
    /// Of this run; less than all where it was resumed.
    pub seconds: f64,
}

/// What a partial folder was begun with.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Begun {
    version: u32,
    options: FeatureOptions,
    /// Path in bytes, size, time.
    files: Vec<(Vec<u8>, u64, i64)>,
    /// The first row of each file, and the number of rows.
    first_rows: Vec<u64>,
}

impl Begun {
    fn files(&self) -> impl Iterator<Item = InputFile> + '_ {
        self.files.iter().map(|(path, n_bytes, modified_ns)| InputFile {
            path: path_from_bytes(path),
            n_bytes: *n_bytes,
            modified_ns: *modified_ns,
        })
    }
}

/// Writes the features of many files into a folder: `features.npy`, `mapping.npy` and `features.json`. The folder is
/// there, whole, or not at all; `status` is called while it is made, from this thread.
///
/// # Errors
/// One sentence, with what to do. A file that cannot be read is no error: its rows hold silence, and the report says
/// why. What was written stays in `OUT.partial` for a run with `is_resumed`.
pub fn write_features(
    order: &FeatureOrder,
    progress: &Progress,
    status: &mut dyn FnMut(&RunStatus),
) -> Result<FeatureReport> {
    let options = order.options.clone().validated()?;
    refuse_existing(order)?;
    let FoundFiles { files, mut notices } = find_files(&order.inputs)?;
    let open = OpenOptions::default();
    let first_rows = first_rows(&options, &files, &open, progress)?;
    let n_rows = first_rows.last().copied().unwrap_or(0);
    let partial = partial_folder(&order.output);
    let files_begun = files.iter().map(|file| (path_bytes(&file.path).into_owned(), file.n_bytes, file.modified_ns));
    let begun = Begun { version: VERSION, options: options.clone(), files: files_begun.collect(), first_rows };
    let (log, done) = begin(order, &partial, &begun)?;
    let outputs = FeatureArrays::open(&partial, &options, n_rows, order.is_resumed)?;
    let run = Run::new(&options, open, &files, &begun.first_rows, &outputs, &done);
    let threads = order.jobs.max(1);
    let totals =
        Totals { tasks: files.len().div_ceil(TASK_FILES), files: files.len() as u64, batch: TASK_FILES, threads };
    let meter = RunMeter::new(run.counts().files);
    let mut watch = Watch { log, meter, totals, status, status_every: order.status_every, reported_at: None };
    let done = run.carry_out(done, &mut watch, progress).map_err(|error| match error.kind() {
        ErrorKind::Cancelled => {
            let sentence = "was interrupted; run the same command with --resume to go on";
            Error::new(ErrorKind::Cancelled, sentence).at(&order.output)
        }
        _ => error,
    })?;
    watch.report(Phase::Sync, run.counts());
    outputs.sync(true)?;
    notices.extend(notice_of_empty_rows(&options));
    let report = report_of(&options, &files, n_rows, &done, notices, watch.meter.elapsed_secs());
    write_json(&partial.join("features.json"), &report)?;
    remove(&partial.join(LOG_NAME))?;
    remove(&partial.join(BEGUN_NAME))?;
    put_in_place(&partial, &order.output)?;
    watch.report(Phase::Done, run.counts());
    Ok(report)
}

const LOG_NAME: &str = "done.log";
const BEGUN_NAME: &str = "begun.json";

fn refuse_existing(order: &FeatureOrder) -> Result<()> {
    let refuse = |why: &str, at: &Path| Err(Error::new(ErrorKind::Io, why).at(at));
    if order.output.exists() && !order.replaces {
        return refuse("is already there; choose another name, or add --replace", &order.output);
    }
    let partial = partial_folder(&order.output);
    if partial.exists() && !order.is_resumed && !order.replaces {
        return refuse("is left of a run that stopped; add --resume to go on, or --replace to start anew", &partial);
    }
    Ok(())
}

/// The first row of each file, and the number of all rows.
fn first_rows(
    options: &FeatureOptions,
    files: &[InputFile],
    open: &OpenOptions,
    progress: &Progress,
) -> Result<Vec<u64>> {
    let mut first = 0u64;
    let mut rows = Vec::with_capacity(files.len() + 1);
    rows.push(0);
    for file in files {
        progress.check()?;
        // Whole sounds are as long as they are; one that cannot be read has the rows of the shortest.
        let n_samples = match options.samples {
            Some(_) => 0,
            None => length_of(file, options.rate_hz, open, progress),
        };
        first = first.saturating_add(options.n_rows(n_samples));
        rows.push(first);
    }
    Ok(rows)
}

fn length_of(file: &InputFile, rate_hz: u32, open: &OpenOptions, progress: &Progress) -> u64 {
    let opened = catch_unwind(AssertUnwindSafe(|| Source::open_with(&file.path, open, &|_| (), &progress.quiet())));
    opened.ok().and_then(Result::ok).map_or(0, |opened| n_samples_at(&opened.source, rate_hz))
}

/// Makes the partial folder or goes on in it: its log, and the tasks that are done.
fn begin(order: &FeatureOrder, partial: &Path, begun: &Begun) -> Result<(DoneLog, Vec<TaskDone>)> {
    let log_path = partial.join(LOG_NAME);
    if !order.is_resumed || !partial.exists() {
        remove(partial)?;
        std::fs::create_dir_all(partial).map_err(|error| Error::io(&error, "created", partial))?;
        let log = DoneLog::open(&log_path)?;
        write_json(&partial.join(BEGUN_NAME), begun)?;
        return Ok((log, Vec::new()));
    }
    let refuse = |why: &str| Err(Error::new(ErrorKind::Io, why).at(partial));
    let text = std::fs::read(partial.join(BEGUN_NAME)).unwrap_or_default();
    let Ok(before) = serde_json::from_slice::<Begun>(&text) else {
        return refuse("cannot be resumed, as it is damaged; start anew with --replace");
    };
    if before.options != begun.options {
        return refuse("was begun with other options; use the same ones, or start anew with --replace");
    }
    if before != *begun {
        let changed = before.files().zip(begun.files()).find(|(before, now)| before != now);
        let what = changed.map_or_else(
            || "files were added or removed".to_owned(),
            |(_, now)| format!("{} is not as it was", shown_path(&now.path)),
        );
        return refuse(&format!("cannot be resumed: {what}; start anew with --replace"));
    }
    let mut log = DoneLog::open(&log_path)?;
    let mut done = DoneLog::read(&log_path)?;
    done.retain(|done| done.task * TASK_FILES < begun.files.len());
    // The last one is done again: its rows may have been on their way when the log was written.
    done.pop();
    log.restart(&done)?;
    Ok((log, done))
}

/// Mels that no bin of the FFT reaches are silent in every sound, which is worth one sentence.
fn notice_of_empty_rows(options: &FeatureOptions) -> Option<String> {
    let empty = MelBank::new(&options.mel, options.n_fft, f64::from(options.rate_hz)).empty_rows();
    let rows: Vec<String> = empty.iter().map(usize::to_string).collect();
    (!rows.is_empty()).then(|| {
        format!("no FFT bin lies in mel {}: it is silent everywhere; use fewer mels or a larger FFT", rows.join(", "))
    })
}

fn report_of(
    options: &FeatureOptions,
    files: &[InputFile],
    n_rows: u64,
    done: &[TaskDone],
    notices: Vec<String>,
    seconds: f64,
) -> FeatureReport {
    let mut outcomes: Vec<(usize, &Outcome)> = done
        .iter()
        .flat_map(|done| done.files.iter().enumerate().map(|(at, outcome)| (done.task * TASK_FILES + at, outcome)))
        .collect();
    outcomes.sort_by_key(|(file, _)| *file);
    let count = |is: fn(&super::extract::Extracted) -> bool| {
        outcomes.iter().filter(|(_, outcome)| matches!(outcome, Outcome::Analysed(extracted) if is(extracted))).count()
    };
    let failures = outcomes.iter().filter_map(|(file, outcome)| match outcome {
        Outcome::Failed(error) => {
            Some(Failure { file: *file, path: shown_path(&files[*file].path), error: error.clone() })
        }
        Outcome::Analysed(_) => None,
    });
    let [n_mels, n_frames] = options.row_shape();
    FeatureReport {
        version: VERSION,
        program: env!("CARGO_PKG_VERSION"),
        options: options.clone(),
        shape: [n_rows, n_mels as u64, n_frames as u64],
        files: files.len(),
        padded: count(|extracted| extracted.is_padded),
        cut: count(|extracted| extracted.is_cut),
        failures: failures.collect(),
        notices,
        engine: "cpu",
        seconds,
    }
}

fn write_json(path: &Path, value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| Error::new(ErrorKind::Internal, format!("JSON could not be written: {error}")))?;
    write_atomic(path, |out| writeln!(out, "{text}").map_err(|error| Error::io(&error, "written", path)))
}
