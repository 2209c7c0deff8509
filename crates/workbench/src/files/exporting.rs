//! Exports, one after another, each of its document as it is when its edits are applied.

use super::delivering::{Delivering, samples_of};
use super::paths::{name_of, with_path};
use super::questions::ExportWish;
use crate::base::{Error, ErrorKind, Progress, Result, number};
use crate::commands::FileCommand;
use crate::context::{Concern, Context};
use crate::document::{DeliveredChannels, ExportReport, Snapshot, deliver};
use crate::documents::OpenDocument;
use crate::media::Container;
use crate::notices::{Severity, about_file};
use crate::services::Job;
use crate::work::JobStatus;
use std::collections::VecDeque;
use std::path::PathBuf;

/// Exports in the order given.
#[derive(Default)]
pub struct Exporting {
    waiting: VecDeque<Waiting>,
    running: Option<Running>,
    /// Settings and path of the export that failed last: its card comes back with them.
    failed: Option<(ExportWish, PathBuf)>,
    /// What the card shows beside its choices.
    pub delivering: Delivering,
}

/// An export that waits for those before it, or for edits.
struct Waiting {
    wish: ExportWish,
    path: PathBuf,
    document: u64,
    /// Seconds of the selection as it was when the export was ordered; none: the whole sound.
    secs: Option<[f64; 2]>,
}

struct Running {
    wish: ExportWish,
    path: PathBuf,
    document: u64,
    position: usize,
    snapshot: Snapshot,
    started_secs: f64,
    job: Job<ExportReport>,
}

impl Concern for Exporting {
    fn advance(&mut self, context: &mut Context) {
        self.start_next(context);
        if let Some(answer) = self.running.as_mut().and_then(|running| running.job.poll())
            && let Some(running) = self.running.take()
        {
            self.failed = take_exported(running, answer, context);
        }
    }

    fn work(&self, _: &Context) -> Option<JobStatus> {
        let running = self.running.as_ref()?;
        Some(JobStatus { name: "Exporting", part: running.job.progress().fraction(), since_secs: running.started_secs })
    }

    fn is_busy(&self, _: &Context) -> bool {
        !self.waiting.is_empty() || self.running.is_some()
    }

    fn cancel(&mut self, _: &mut Context) -> bool {
        self.running.take().is_some() || self.waiting.pop_back().is_some()
    }
}

impl Exporting {
    /// Exports a document once its edits are applied. Where the selection alone is wanted and there is none, nothing is
    /// written: the whole sound was not asked for.
    pub fn export(&mut self, mut wish: ExportWish, path: PathBuf, context: &mut Context) {
        if wish.delivery.container.is_some() {
            // What stands at the end of the name counts.
            wish.delivery.container = Some(Container::of(&path));
        }
        let document = wish.document.or(context.documents.active_id()).unwrap_or(0);
        if wish.is_selection && context.documents.get(document).is_some_and(|document| document.selection().is_none()) {
            context.keep_all();
            let what = "nothing is selected; select the range of time to export";
            return context.fail("export", &with_path(Error::new(ErrorKind::Script, what), &path));
        }
        let selected = context.documents.get(document).and_then(OpenDocument::selected_secs);
        let secs = selected.filter(|_| wish.is_selection);
        self.waiting.push_back(Waiting { wish, path, document, secs });
    }

    /// Settings and path of the last export, if it was of this document and failed.
    pub fn failed(&mut self, document: Option<u64>) -> Option<(ExportWish, PathBuf)> {
        self.failed.take_if(|(wish, _)| wish.document.is_some() && wish.document == document)
    }

    /// Asks an export to stop; until it has, it is still being written.
    pub fn stop_writing(&mut self) {
        self.waiting.clear();
        if let Some(running) = &self.running {
            running.job.progress().cancel();
        }
    }

    fn start_next(&mut self, context: &mut Context) {
        if self.running.is_some() {
            return;
        }
        let Some(Waiting { path, document: id, .. }) = self.waiting.front() else { return };
        let Some(document) = context.documents.get(*id) else {
            let what = format!("{} was not exported because its file was closed.", name_of(path));
            self.waiting.pop_front();
            return context.tell(Severity::Warning, what, Some("Open the file again first."));
        };
        if document.edits().is_busy() {
            return;
        }
        let Some(Waiting { wish, path, document: document_id, secs }) = self.waiting.pop_front() else { return };
        let snapshot = document.history().current().clone();
        let (theirs, labels, to) = (snapshot.clone(), document.history().labels().clone(), path.clone());
        let delivery = wish.delivery.clone();
        let samples = samples_of(&snapshot, secs);
        let write = move |progress: &Progress| deliver((&theirs, &labels), samples, &to, &delivery, progress);
        let job = context.jobs.spawn("export", write);
        self.running = Some(Running {
            wish,
            path,
            document: document_id,
            position: document.history().position(),
            snapshot,
            started_secs: context.now_secs(),
            job,
        });
    }
}

/// Says how it went. Gives back what is to be tried again.
fn take_exported(
    exporting: Running,
    answer: Result<ExportReport>,
    context: &mut Context,
) -> Option<(ExportWish, PathBuf)> {
    let report = match answer {
        Ok(report) => report,
        Err(error) => {
            context.keep_all();
            context.fail("export", &with_path(error, &exporting.path));
            // The document stays open.
            let wish = ExportWish { document: Some(exporting.document), then: None, ..exporting.wish };
            return Some((wish, exporting.path));
        }
    };
    context.notices.succeed("export");
    let name = name_of(&exporting.path);
    // The first of them gives the count of clipped samples, which stands with what was exported.
    for notice in report.notices.iter().skip(usize::from(report.clipped > 0)) {
        context.tell(Severity::Warning, about_file(&name, notice), None);
    }
    let what = format!("Exported {name} ({}).", report.description);
    match report.clipped {
        0 => context.tell(Severity::Info, what, None),
        n => {
            let word = if n == 1 { "sample was" } else { "samples were" };
            let what = format!("{what} {} {word} beyond full scale and clipped.", number(n as f64, 0));
            let advice = Some("Export with a peak, lower the gain, or export as 32-bit float.");
            context.notices.offer(context.now_secs(), Severity::Warning, what, advice, FileCommand::Export);
        }
    }
    // A part of it does not make the rest safe, nor does what has lost some of it; unless that is what was asked for
    // before the file closes.
    let keeps_all = exporting.wish.then.is_some()
        || report.clipped == 0
            && !Container::of(&exporting.path).is_lossy()
            && exporting.wish.delivery.channels == DeliveredChannels::All;
    if !exporting.wish.is_selection
        && keeps_all
        && let Some(document) = context.documents.get_mut(exporting.document)
        && let Some(entry) = document.history().entries().get(exporting.position)
        && entry.snapshot.is_same(&exporting.snapshot)
    {
        document.note_export(exporting.position);
    }
    if let Some(then) = exporting.wish.then {
        context.unless_unsaved(then);
    }
    None
}
