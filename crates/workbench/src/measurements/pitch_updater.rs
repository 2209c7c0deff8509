//! Computes the pitch line of the document in front in a job while it is shown, and writes pitch lines as tables.

use crate::base::{Error, Progress, Result};
use crate::bench::context::{Concern, Context};
use crate::bench::notices::Severity;
use crate::bench::work::JobStatus;
use crate::commands::ViewCommand;
use crate::document::{PitchLine, Snapshot, find_pitch_line};
use crate::documents::OpenDocument;
use crate::files::{name_of, with_path};
use crate::services::{JobQuestion, JobQueue, Latest};
use crate::view::ChannelView;
use std::path::PathBuf;
use std::sync::Arc;

/// Names of operations in error messages; each completes "Cannot ...".
const FINDING: &str = "find the pitch";
const SAVING: &str = "save the pitch line";

/// The sound and channels of a pitch line.
#[derive(Clone)]
pub struct PitchOf {
    snapshot: Snapshot,
    channels: ChannelView,
}

impl PitchOf {
    fn of(document: &OpenDocument) -> PitchOf {
        PitchOf { snapshot: document.shown().clone(), channels: document.view().channels }
    }

    fn line(&self, progress: &Progress) -> Result<Arc<PitchLine>> {
        find_pitch_line(&self.snapshot, &self.channels.edited(), progress).map(Arc::new)
    }
}

impl JobQuestion for PitchOf {
    fn is_same(&self, other: &PitchOf) -> bool {
        self.snapshot.is_same(&other.snapshot) && self.channels == other.channels
    }
}

/// Keeps the displayed pitch line up to date, and writes tables.
#[derive(Default)]
pub struct PitchUpdater {
    line: Latest<PitchOf, Arc<PitchLine>>,
    since_secs: f64,
    /// Tables being written, by path. Their jobs start immediately and run in parallel.
    orders: JobQueue<PathBuf, ()>,
}

impl PitchUpdater {
    /// Writes the pitch line of a document's displayed channels as a table.
    pub fn save(&mut self, id: u64, path: PathBuf, context: &Context) {
        let Some(document) = context.documents.get(id) else { return };
        let (of, theirs) = (PitchOf::of(document), path.clone());
        let known = self.line.answer_to(&of).cloned();
        let job = context.jobs.spawn("pitch", move |progress| {
            let line = known.map_or_else(|| of.line(progress), Ok)?;
            line.write(&theirs)
        });
        self.orders.run(path, job, context.now_secs());
    }

    /// Computes the pitch line of the document in front while it is shown.
    fn follow(&mut self, context: &mut Context) {
        let now_secs = context.now_secs();
        let shown = context.documents.active().filter(|document| document.view().pitch_line && !document.is_reading());
        let Some(document) = shown else { return self.line.clear() };
        let requested = PitchOf::of(document);
        if self.line.ask(&requested, &context.jobs, "pitch", |of, progress| of.line(progress)) {
            self.since_secs = now_secs;
        }
        if let Some(error) = self.line.error_to(&requested).cloned() {
            return self.give_up(&error, context);
        }
        // Until the new line is known, shows the previous one if channels and length of the sound are unchanged.
        let is_in_time = |of: &PitchOf| of.snapshot.n_samples() == requested.snapshot.n_samples();
        let last = self.line.last().filter(|(of, _)| of.channels == requested.channels && is_in_time(of));
        let line = last.map(|(_, line)| line.clone());
        if let Some(document) = context.documents.active_mut() {
            document.set_pitch(line);
        }
    }

    /// Reports the error and turns the pitch line off, so that it is reported once.
    fn give_up(&mut self, error: &Error, context: &mut Context) {
        self.line.clear();
        if let Some(document) = context.documents.active_mut() {
            document.change_view(|view| view.pitch_line = false);
            document.set_pitch(None);
        }
        context.fail(FINDING, error);
    }
}

impl Concern for PitchUpdater {
    fn advance(&mut self, context: &mut Context) {
        self.follow(context);
        while let Some((path, answer)) = self.orders.take_answer() {
            match answer {
                Ok(()) => {
                    context.notices.succeed(SAVING);
                    let what = format!("Saved the pitch line as {}.", name_of(&path));
                    context.notify(Severity::Info, what, None);
                }
                Err(error) => context.fail(SAVING, &with_path(error, &path)),
            }
        }
    }

    fn work(&self, _: &Context) -> Option<JobStatus> {
        let name = "Finding the pitch";
        let shown = |part| JobStatus { name, part, since_secs: self.since_secs };
        JobStatus::of(&self.orders, |_| name).or_else(|| self.line.fraction().map(shown))
    }

    fn is_busy(&self, _: &Context) -> bool {
        self.line.is_busy() || self.orders.is_busy()
    }

    fn is_ordered(&self) -> bool {
        self.orders.is_busy()
    }

    fn cancel(&mut self, context: &mut Context) -> bool {
        if self.orders.cancel_last().is_some() {
            return true;
        }
        let was_busy = self.line.is_busy();
        if was_busy {
            self.line.clear();
            // Turns the pitch line off; otherwise it would be computed again at once.
            context.order(ViewCommand::PitchLine);
        }
        was_busy
    }
}
