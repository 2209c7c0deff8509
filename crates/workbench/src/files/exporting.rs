//! Exports, one after another, each of its document as it is when its edits are applied.

use super::delivering::{Delivering, samples_of};
use super::paths::{name_of, with_path};
use super::questions::ExportWish;
use crate::base::{Error, ErrorKind, Progress, Result, number};
use crate::commands::FileCommand;
use crate::context::{Concern, Context};
use crate::document::{DeliveredChannels, ExportReport, deliver};
use crate::documents::OpenDocument;
use crate::media::Container;
use crate::notices::{Severity, about_file};
use crate::orders::{AfterEdits, StepAt, next_ready};
use crate::services::JobQueue;
use crate::work::{JobStatus, Told};
use std::path::PathBuf;

/// Exports in the order given.
#[derive(Default)]
pub struct Exporting {
    queue: JobQueue<Waiting, ExportReport, (Waiting, StepAt)>,
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

impl AfterEdits for Waiting {
    fn document(&self) -> u64 {
        self.document
    }

    fn told_closed(&self) -> Option<Told> {
        let what = format!("{} was not exported because its file was closed.", name_of(&self.path));
        Some(Told { is_success: false, what, advice: "Open the file again first." })
    }
}

impl Concern for Exporting {
    fn advance(&mut self, context: &mut Context) {
        self.start_next(context);
        if let Some((exported, answer)) = self.queue.take_answer() {
            self.failed = take_exported(exported, answer, context);
        }
    }

    fn work(&self, _: &Context) -> Option<JobStatus> {
        JobStatus::of(&self.queue, |_| "Exporting")
    }

    fn is_busy(&self, _: &Context) -> bool {
        self.queue.is_busy()
    }

    fn cancel(&mut self, _: &mut Context) -> bool {
        self.queue.cancel_last().is_some()
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
        self.queue.push(Waiting { wish, path, document, secs });
    }

    /// Settings and path of the last export, if it was of this document and failed.
    pub fn failed(&mut self, document: Option<u64>) -> Option<(ExportWish, PathBuf)> {
        self.failed.take_if(|(wish, _)| wish.document.is_some() && wish.document == document)
    }

    /// Asks an export to stop; until it has, it is still being written.
    pub fn stop_writing(&mut self) {
        self.queue.clear_waiting();
        self.queue.ask_to_stop();
    }

    fn start_next(&mut self, context: &mut Context) {
        let Some(next) = next_ready(&mut self.queue, context) else { return };
        let Some(document) = context.documents.get(next.document) else { return };
        let (theirs, labels) = (document.history().current().clone(), document.history().labels().clone());
        let (to, delivery, samples) = (next.path.clone(), next.wish.delivery.clone(), samples_of(&theirs, next.secs));
        let write = move |progress: &Progress| deliver((&theirs, &labels), samples, &to, &delivery, progress);
        let job = context.jobs.spawn("export", write);
        self.queue.run((next, StepAt::of(document)), job, context.now_secs());
    }
}

/// Says how it went. Gives back what is to be tried again.
fn take_exported(
    (exported, step): (Waiting, StepAt),
    answer: Result<ExportReport>,
    context: &mut Context,
) -> Option<(ExportWish, PathBuf)> {
    let report = match answer {
        Ok(report) => report,
        Err(error) => {
            context.keep_all();
            context.fail("export", &with_path(error, &exported.path));
            // The document stays open.
            let wish = ExportWish { document: Some(exported.document), then: None, ..exported.wish };
            return Some((wish, exported.path));
        }
    };
    context.notices.succeed("export");
    let name = name_of(&exported.path);
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
    let keeps_all = exported.wish.then.is_some()
        || report.clipped == 0
            && !Container::of(&exported.path).is_lossy()
            && exported.wish.delivery.channels == DeliveredChannels::All;
    if !exported.wish.is_selection
        && keeps_all
        && let Some(document) = context.documents.get_mut(exported.document)
        && let Some(position) = step.position_in(document)
    {
        document.note_export(position);
    }
    if let Some(then) = exported.wish.then {
        context.unless_unsaved(then);
    }
    None
}
