//! Exports documents in the order requested, each once the pending edits of its document are applied.

use super::export_card::{ExportCardState, samples_of};
use super::options::PartsOptions;
use super::part_export::{PartExport, PartsExported};
use super::paths::{name_of, with_path};
use super::questions::ExportOptions;
use crate::base::{Error, ErrorKind, Progress, Result, number};
use crate::bench::context::{Concern, Context};
use crate::bench::notices::{Severity, about_file};
use crate::bench::orders::{AfterEdits, StepAt, next_ready};
use crate::bench::work::{JobStatus, OrderReport};
use crate::commands::FileCommand;
use crate::document::{DeliveredChannels, ExportReport, deliver};
use crate::documents::OpenDocument;
use crate::media::Container;
use crate::services::JobQueue;
use std::path::PathBuf;

/// Exports documents, one after another.
#[derive(Default)]
pub struct Exporter {
    queue: JobQueue<QueuedExport, Exported, (QueuedExport, StepAt)>,
    /// Settings and path of the last failed export, restored to its card.
    failed: Option<(ExportOptions, PathBuf)>,
    /// Settings of the last failed export by label.
    failed_parts: Option<Box<PartsOptions>>,
    /// The state of the export card.
    pub delivering: ExportCardState,
}

/// An export that waits for earlier exports or for pending edits.
enum QueuedExport {
    File(FileExport),
    Parts(PartExport),
}

/// The result of an export.
enum Exported {
    File(ExportReport),
    Parts(PartsExported),
}

/// An export of one file.
struct FileExport {
    options: ExportOptions,
    path: PathBuf,
    document: u64,
    /// Range of the selection when the export was requested, in seconds; `None`: the whole sound.
    secs: Option<[f64; 2]>,
}

impl AfterEdits for QueuedExport {
    fn document(&self) -> u64 {
        match self {
            QueuedExport::File(file) => file.document,
            QueuedExport::Parts(parts) => parts.options.document,
        }
    }

    fn closed_report(&self) -> Option<OrderReport> {
        let path = match self {
            QueuedExport::File(file) => &file.path,
            QueuedExport::Parts(parts) => &parts.folder,
        };
        let what = format!("{} was not exported because its file was closed.", name_of(path));
        Some(OrderReport { is_success: false, what, advice: "Open the file again first." })
    }
}

impl Concern for Exporter {
    fn advance(&mut self, context: &mut Context) {
        self.start_next(context);
        match self.queue.take_answer() {
            Some(((QueuedExport::File(file), step), Ok(Exported::File(report)))) => {
                self.failed = take_exported((file, step), Ok(report), context);
            }
            Some(((QueuedExport::File(file), step), Err(error))) => {
                self.failed = take_exported((file, step), Err(error), context);
            }
            Some(((QueuedExport::Parts(parts), _), Ok(Exported::Parts(done)))) => {
                self.failed_parts = parts.take(Ok(done), context);
            }
            Some(((QueuedExport::Parts(parts), _), Err(error))) => self.failed_parts = parts.take(Err(error), context),
            Some((_, Ok(Exported::File(_) | Exported::Parts(_)))) => {
                tracing::error!("the answer of an export is that of another kind");
            }
            None => {}
        }
    }

    fn work(&self, _: &Context) -> Option<JobStatus> {
        JobStatus::of(&self.queue, |_| "Exporting")
    }

    fn is_busy(&self, _: &Context) -> bool {
        self.queue.is_busy()
    }

    fn cancel(&mut self, _: &mut Context) -> bool {
        let is_of_parts = self.queue.running().any(|(wanted, _)| matches!(wanted, QueuedExport::Parts(_)));
        // An export of many files is stopped rather than dropped, so that its result tells how many were written.
        if is_of_parts { self.queue.stop_last() } else { self.queue.cancel_last().is_some() }
    }
}

impl Exporter {
    /// Exports a document once its pending edits are applied. Without a selection, an export of the selection fails
    /// rather than writing the whole sound.
    pub fn export(&mut self, mut options: ExportOptions, path: PathBuf, context: &mut Context) {
        if options.delivery.container.is_some() {
            // The extension of the path overrides the format of the settings.
            options.delivery.container = Some(Container::of(&path));
        }
        let document = options.document.or(context.documents.active_id()).unwrap_or(0);
        if options.is_selection
            && context.documents.get(document).is_some_and(|document| document.selection().is_none())
        {
            context.keep_all();
            let what = "nothing is selected; select the range of time to export";
            return context.fail("export", &with_path(Error::new(ErrorKind::Script, what), &path));
        }
        let selected = context.documents.get(document).and_then(OpenDocument::selected_secs);
        let secs = selected.filter(|_| options.is_selection);
        self.queue.push(QueuedExport::File(FileExport { options, path, document, secs }));
    }

    /// Exports a file for each label of a document, once its pending edits are applied.
    pub fn export_parts(&mut self, options: Box<PartsOptions>, folder: PathBuf) {
        self.queue.push(QueuedExport::Parts(PartExport { options, folder }));
    }

    /// Takes settings and path of the last export, if it was of this document and failed.
    pub fn failed(&mut self, document: Option<u64>) -> Option<(ExportOptions, PathBuf)> {
        self.failed.take_if(|(options, _)| options.document.is_some() && options.document == document)
    }

    /// Takes the settings of the last export by label, if it was of this document and failed.
    pub fn failed_parts(&mut self, document: u64) -> Option<Box<PartsOptions>> {
        self.failed_parts.take_if(|options| options.document == document)
    }

    /// Drops waiting exports and requests the running one to stop; it counts as busy until it has stopped.
    pub fn stop_writing(&mut self) {
        self.queue.clear_waiting();
        self.queue.request_stop();
    }

    fn start_next(&mut self, context: &mut Context) {
        let Some(next) = next_ready(&mut self.queue, context) else { return };
        let Some(document) = context.documents.get(next.document()) else { return };
        let job = match &next {
            QueuedExport::File(FileExport { options, path, secs, .. }) => {
                let (theirs, labels) = (document.history().current().clone(), document.history().labels().clone());
                let (to, delivery, samples) = (path.clone(), options.delivery.clone(), samples_of(&theirs, *secs));
                let write = move |progress: &Progress| deliver((&theirs, &labels), samples, &to, &delivery, progress);
                context.jobs.spawn("export", move |progress| write(progress).map(Exported::File))
            }
            QueuedExport::Parts(parts) => {
                let write = parts.work(document, &context.engine);
                context.jobs.spawn("export", move |progress| write(progress).map(Exported::Parts))
            }
        };
        self.queue.run((next, StepAt::of(document)), job, context.now_secs());
    }
}

/// Reports the result. Returns settings and path of a failed export, for another try.
fn take_exported(
    (exported, step): (FileExport, StepAt),
    answer: Result<ExportReport>,
    context: &mut Context,
) -> Option<(ExportOptions, PathBuf)> {
    let report = match answer {
        Ok(report) => report,
        Err(error) => {
            context.keep_all();
            context.fail("export", &with_path(error, &exported.path));
            // A second try no longer closes the document.
            let options = ExportOptions { document: Some(exported.document), then: None, ..exported.options };
            return Some((options, exported.path));
        }
    };
    context.notices.succeed("export");
    let name = name_of(&exported.path);
    // If samples clipped, the first notice gives their number. It is skipped, as the notice below gives it, too.
    for notice in report.notices.iter().skip(usize::from(report.clipped > 0)) {
        context.notify(Severity::Warning, about_file(&name, notice), None);
    }
    let what = format!("Exported {name} ({}).", report.description);
    match report.clipped {
        0 => context.notify(Severity::Info, what, None),
        n => {
            let word = if n == 1 { "sample was" } else { "samples were" };
            let what = format!("{what} {} {word} beyond full scale and clipped.", number(n as f64, 0));
            let advice = Some("Export with a peak, lower the gain, or export as 32-bit float.");
            context.notices.offer(context.now_secs(), Severity::Warning, what, advice, FileCommand::Export);
        }
    }
    // After an export of a part or with losses, the work still counts as unsaved, unless the user exported it as a step
    // of closing.
    let keeps_all = exported.options.then.is_some()
        || report.clipped == 0
            && !Container::of(&exported.path).is_lossy()
            && exported.options.delivery.channels == DeliveredChannels::All;
    if !exported.options.is_selection
        && keeps_all
        && let Some(document) = context.documents.get_mut(exported.document)
        && let Some(position) = step.position_in(document)
    {
        document.note_export(position);
    }
    if let Some(then) = exported.options.then {
        context.unless_unsaved(then);
    }
    None
}
