//! Work that the user ordered on a document and its selection, done off the UI thread. Its answer is applied, or the user
//! is told why it was not; no answer is dropped silently.

use crate::base::Result;
use crate::documents::{Documents, OpenDocument};
use crate::dsp::Selection;
use crate::services::Job;
use crate::work::{JobStatus, Told};

/// What an order is for: a document, and its selection as it was then.
#[derive(Debug, Clone)]
pub(super) struct Target {
    document: u64,
    selection: Option<Selection>,
}

/// One order in progress.
pub(super) struct Order<T> {
    /// As the status line names it: `Finding clicks`.
    name: &'static str,
    target: Target,
    started_secs: f64,
    job: Job<T>,
}

/// An answer and the document that it is for.
pub(super) enum Answer<'a, T> {
    /// The document is still open and its selection as it was.
    Applies(&'a mut OpenDocument, T),
    /// The document was closed, or something else was selected meanwhile: the answer, and what to tell where it cannot
    /// be used any more.
    TooLate(T, Told),
}

impl Target {
    /// A document as it is now.
    pub(super) fn of(document: &OpenDocument) -> Target {
        Target { document: document.id(), selection: document.selection().cloned() }
    }
}

impl<T> Order<T> {
    /// An order whose job was started.
    pub(super) fn new(name: &'static str, target: Target, started_secs: f64, job: Job<T>) -> Order<T> {
        Order { name, target, started_secs, job }
    }

    /// Name, completed part and start, for the status line.
    pub(super) fn work(&self) -> JobStatus {
        JobStatus { name: self.name, part: self.job.progress().fraction(), since_secs: self.started_secs }
    }

    /// What was selected when it was given.
    pub(super) fn selection(&self) -> Option<&Selection> {
        self.target.selection.as_ref()
    }

    /// The answer, once, when there is one. An error is returned whatever became of the document.
    pub(super) fn poll<'a>(&mut self, documents: &'a mut Documents) -> Option<Result<Answer<'a, T>>> {
        let answer = self.job.poll()?;
        Some(answer.map(|answer| match documents.get_mut(self.target.document) {
            None => Answer::TooLate(answer, self.too_late("its file was closed", "Open the file again first.")),
            Some(document) if document.selection() != self.target.selection.as_ref() => {
                let advice = "Select again and repeat the command.";
                Answer::TooLate(answer, self.too_late("the selection changed in the meantime", advice))
            }
            Some(document) => Answer::Applies(document, answer),
        }))
    }

    fn too_late(&self, why: &str, advice: &'static str) -> Told {
        Told { is_success: false, what: format!("{} had no effect because {why}.", self.name), advice }
    }
}
