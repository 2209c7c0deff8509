//! A run over many files: several threads paint, one writes the report.

use super::line::PaintLine;
use super::needs::storage_within;
use super::order::PaintFilesOrder;
use super::plan::PaintPlan;
use super::progress::PaintProgress;
use super::report::{PaintTotals, RaisedScore, ReportFile, worst_first};
use super::sink::LineSink;
use super::worker::PaintShared;
use crate::base::{Error, NewFolders, Progress, Result};
use crate::engine::Engine;
use crate::library::file_work::{FileWork, MemoryBudget};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// Maximum number of lines queued for the report.
const EVENT_QUEUE_LEN: usize = 64;

/// Results of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct PaintRun {
    /// The line of each file with its final score, worst first.
    pub lines: Vec<(PaintLine, f64)>,
    /// The totals.
    pub totals: PaintTotals,
}

/// Executes a plan. Outputs are written atomically; a failed file becomes a line of the report and doesn't end the run.
/// `status` is called on this thread during the run.
///
/// # Errors
/// Errors that end the run: cancelled, a full disk, a lost device, or a report that cannot be written. Finished files
/// stay, so that the run can be resumed.
pub fn paint_files(
    plan: &PaintPlan,
    order: &PaintFilesOrder,
    engine: &Engine,
    progress: &Progress,
    status_every: Duration,
    status: &mut dyn FnMut(&PaintProgress),
) -> Result<PaintRun> {
    let began = Instant::now();
    let folders =
        plan.files.iter().filter_map(|planned| plan.folder.join(&planned.output).parent().map(Path::to_owned));
    let folders: BTreeSet<PathBuf> = folders.chain([plan.folder.clone()]).collect();
    let made = NewFolders::of(folders.iter().map(PathBuf::as_path));
    create(&plan.folder)?;
    let report = match &order.report {
        Some(path) => Some(ReportFile::open(path, &plan.head, plan.started.as_ref().map(|started| &started.head))?),
        None => None,
    };
    let memory = MemoryBudget::of(order.work.memory_bytes);
    let room = storage_within(&order.work.room, memory.max_bytes());
    let work = FileWork::new(progress, memory.clone());
    let shared = PaintShared { plan, order, engine, room, memory, device: Mutex::new(()) };
    let mut sink = LineSink {
        work: &work,
        report,
        engine: engine.name(),
        n_files: plan.files.len(),
        lines: Vec::new(),
        totals: PaintTotals::default(),
        status,
        status_every,
        reported_at: None,
    };
    let carried_out = carry_out(&shared, &work, &mut sink, progress).map_err(|error| at_output(error, order));
    made.remove_empty();
    carried_out?;
    let LineSink { report, lines, mut totals, .. } = sink;
    let lines = worst_first(&lines.iter().collect::<Vec<_>>());
    let is_raised = |(line, score): &&(PaintLine, f64)| *score > line.score;
    let raised =
        lines.iter().filter(is_raised).map(|(line, score)| RaisedScore { file: line.file.clone(), score: *score });
    totals.raised = raised.collect();
    totals.secs = began.elapsed().as_secs_f64();
    if let Some(mut report) = report {
        report.finish(&totals)?;
    }
    Ok(PaintRun { lines, totals })
}

fn carry_out(
    shared: &PaintShared<'_>,
    work: &FileWork<usize>,
    sink: &mut LineSink<'_>,
    progress: &Progress,
) -> Result<()> {
    for index in 0..shared.plan.files.len() {
        work.claimed.put(index, 0).ok();
    }
    work.claimed.close();
    let (to_report, from_threads) = sync_channel(EVENT_QUEUE_LEN);
    let n_threads = shared.order.work.jobs.clamp(1, shared.plan.files.len().max(1));
    std::thread::scope(|scope| {
        let started = (0..n_threads).try_for_each(|_| {
            let to_report = to_report.clone();
            work.spawn(scope, "paint", move || paint(shared, work, &to_report, progress))
        });
        drop(to_report);
        let ran = started.and_then(|()| work.run(sink, &from_threads, progress));
        // Stops threads that are still painting or sending.
        work.stop.cancel();
        drop(from_threads);
        ran
    })
}

/// Runs one thread, which takes files until there are none left.
fn paint(shared: &PaintShared<'_>, work: &FileWork<usize>, to_report: &SyncSender<PaintLine>, progress: &Progress) {
    while let Some(index) = work.next() {
        if progress.is_cancelled() {
            return;
        }
        match shared.file(&shared.plan.files[index], &work.stop) {
            Ok(line) => {
                if to_report.send(line).is_err() {
                    // The receiver is gone.
                    return;
                }
            }
            Err(error) => return work.fail(error),
        }
    }
}

fn create(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|error| Error::io(&error, "created", folder))
}

/// Adds the output folder to the error of an interrupted run.
fn at_output(error: Error, order: &PaintFilesOrder) -> Error {
    if error.path().is_some() { error } else { error.at(&order.outputs.folder) }
}
