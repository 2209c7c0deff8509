//! Runs a script over files in a job, one run at a time.

use super::options::{FilesRun, RunFilesOptions, RunFilesOrder};
use crate::base::{Error, ErrorKind, Folders, Progress, Result, read_small_file};
use crate::bench::context::{Concern, Context};
use crate::bench::notices::{Severity, sentence};
use crate::bench::work::JobStatus;
use crate::document::brushes::Brush;
use crate::document::labels::{NamePattern, NamedFiles};
use crate::document::session::SourceSearch;
use crate::document::{Delivery, Edit, Script};
use crate::engine::Engine;
use crate::files::Question;
use crate::library::paint_files::{PaintFilesOrder, PaintOutputs, PaintPlan, PaintScript, PaintWork, paint_files};
use crate::services::JobQueue;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// File name of the report in the output folder.
const REPORT_NAME: &str = "sonobrush-report.jsonl";
/// Interval of status reports. They are ignored, since the window shows the job's progress instead.
const STATUS_INTERVAL: Duration = Duration::from_secs(3_600);
/// Maximum size of a script, enough for hundreds of thousands of points.
const MAX_SCRIPT_BYTES: u64 = 256 << 20;

/// Runs scripts over files, one run at a time.
#[derive(Default)]
pub struct FilesRunner {
    queue: JobQueue<RunFilesOptions, RunEnd>,
}

/// The result of a run.
enum RunEnd {
    /// Nothing was written, for this reason.
    Refused(String),
    Done(FilesRun),
}

impl Concern for FilesRunner {
    fn advance(&mut self, context: &mut Context) {
        let Some((options, answer)) = self.queue.take_answer() else { return };
        match answer {
            Ok(RunEnd::Done(run)) => {
                context.notices.succeed("run on files");
                context.ask(Question::FilesRun(run));
            }
            Ok(RunEnd::Refused(why)) => {
                context.ask(Question::RunFiles(RunFilesOptions { problem: Some(sentence(&why)), ..options }));
            }
            Err(error) => context.fail("run on files", &error),
        }
    }

    fn work(&self, _: &Context) -> Option<JobStatus> {
        JobStatus::of(&self.queue, |_| "Running on files")
    }

    fn is_busy(&self, _: &Context) -> bool {
        self.queue.is_busy()
    }

    fn cancel(&mut self, context: &mut Context) -> bool {
        let is_running = self.queue.clear();
        if is_running {
            let advice = Some("What is done stays; run it again to go on.");
            context.notify(Severity::Info, "The run over files was stopped.", advice);
        }
        is_running
    }
}

impl FilesRunner {
    /// Asks the user for script and files. The default script is the edits of the document in front, if it has any.
    pub fn ask(&self, context: &mut Context) {
        let document = context.documents.active().filter(|document| !edits_of(document.history()).is_empty());
        let document = document.map(|document| document.id());
        context.ask(Question::RunFiles(RunFilesOptions {
            document,
            uses_history: document.is_some(),
            name: NamePattern::RELATIVE.into(),
            ..RunFilesOptions::default()
        }));
    }

    /// Starts a run, or shows its card again with the reason why it cannot start.
    pub fn run(&mut self, order: RunFilesOrder, context: &mut Context) {
        let refuse = |why: &str, options: RunFilesOptions, context: &mut Context| {
            context.ask(Question::RunFiles(RunFilesOptions { problem: Some(why.to_owned()), ..options }));
        };
        if self.queue.is_busy() {
            return refuse("Another run is in progress; wait for it, or stop it with Escape.", order.options, context);
        }
        let edits = match &order.script {
            Some(_) => Vec::new(),
            None => {
                let document = order.options.document.and_then(|id| context.documents.get(id));
                document.map(|document| edits_of(document.history())).unwrap_or_default()
            }
        };
        if order.script.is_none() && edits.is_empty() {
            return refuse("There is no edit to run; edit the file first, or choose a script.", order.options, context);
        }
        if order.inputs.is_empty() {
            return refuse("Name a folder, or several files, to run on.", order.options, context);
        }
        let options = order.options.clone();
        let work = PaintWork {
            // Leaves one core for the window.
            jobs: std::thread::available_parallelism().map_or(1, usize::from).saturating_sub(1).max(1),
            memory_bytes: None,
            room: context.room(),
            finding: SourceSearch::default(),
            uses_damaged: false,
        };
        let engine = context.engine.clone();
        let folders = context.folders.clone();
        let job = context
            .jobs
            .spawn("run on files", move |progress| carry_out((&order, &folders), edits, work, &engine, progress));
        self.queue.run(options, job, context.now_secs());
    }
}

/// The edits of a document up to its current step, except edits of labels.
fn edits_of(history: &crate::document::History) -> Vec<Edit> {
    let entries = &history.entries()[..=history.position()];
    let edits = entries.iter().filter_map(|entry| entry.edit.clone());
    edits.filter(|edit| !matches!(edit.brush, Brush::Labels(_))).collect()
}

fn carry_out(
    (order, folders): (&RunFilesOrder, &Folders),
    edits: Vec<Edit>,
    work: PaintWork,
    engine: &Engine,
    progress: &Progress,
) -> Result<RunEnd> {
    let planned =
        paint_order(order, folders, edits, work).and_then(|paint| Ok((PaintPlan::of(&paint, progress)?, paint)));
    let (plan, paint) = match planned {
        Ok(planned) => planned,
        Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
        Err(error) => return Ok(RunEnd::Refused(error.to_string())),
    };
    let run = paint_files(&plan, &paint, engine, progress, STATUS_INTERVAL, &mut |_| ())?;
    Ok(RunEnd::Done(FilesRun::of(order.output.clone(), &run)))
}

fn paint_order(order: &RunFilesOrder, folders: &Folders, edits: Vec<Edit>, work: PaintWork) -> Result<PaintFilesOrder> {
    let options = &order.options;
    let script = match &order.script {
        Some(path) => PaintScript::parse(&read_small_file(path, MAX_SCRIPT_BYTES)?, path, folders)?,
        None => PaintScript::parse(Script::from(edits).to_json().as_bytes(), Path::new("the history"), folders)?,
    };
    if order.output.as_os_str().is_empty() {
        return Err(Error::new(ErrorKind::Usage, "name a folder for the outputs"));
    }
    let report: PathBuf = order.output.join(REPORT_NAME);
    Ok(PaintFilesOrder {
        inputs: order.inputs.clone(),
        script,
        labels: None,
        outputs: PaintOutputs {
            folder: order.output.clone(),
            name: NamePattern::parse(&options.name, NamedFiles::Outputs)?,
            container: options.container,
            delivery: Delivery::default(),
            overwrites: options.overwrites,
        },
        report: Some(report),
        is_resumed: !options.overwrites,
        work,
    })
}
