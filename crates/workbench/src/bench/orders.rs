//! Orders: commands on a document that run as jobs. An order begins once all earlier edits are applied. Its result is
//! used only if the document has not changed in the meantime; otherwise a notice states the reason.

use super::context::Context;
use super::work::OrderReport;
use crate::document::Snapshot;
use crate::documents::{Documents, OpenDocument};
use crate::dsp::Selection;
use crate::services::JobQueue;

/// The reason why a result cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stale {
    /// The document was closed.
    Closed,
    /// The sound has changed.
    Sound,
    /// The selection has changed.
    Selection,
}

impl Stale {
    /// The notice about the order `name`.
    pub fn report(self, name: &str) -> OrderReport {
        let (why, advice) = match self {
            Stale::Closed => ("its file was closed", "Open the file again first."),
            Stale::Sound => ("the sound changed in the meantime", "Repeat the edit."),
            Stale::Selection => ("the selection changed in the meantime", "Select again and repeat the command."),
        };
        OrderReport { is_success: false, what: format!("{name} had no effect because {why}."), advice }
    }
}

/// The target of a result: a document, and the state that must be unchanged.
#[derive(Debug, Clone)]
pub(crate) struct JobTarget {
    name: &'static str,
    document: u64,
    sound: Option<Snapshot>,
    /// The required selection; `None` inside: no selection.
    selection: Option<Option<Selection>>,
}

impl JobTarget {
    /// Targets a document and requires nothing of its state. `name` appears in the status line: `Find clicks`.
    pub fn of(name: &'static str, document: &OpenDocument) -> JobTarget {
        JobTarget { name, document: document.id(), sound: None, selection: None }
    }

    /// Requires the document's current sound.
    pub fn with_sound(self, document: &OpenDocument) -> JobTarget {
        JobTarget { sound: Some(document.history().current().clone()), ..self }
    }

    /// Requires the document's current selection.
    pub fn with_selection(self, document: &OpenDocument) -> JobTarget {
        JobTarget { selection: Some(document.selection().cloned()), ..self }
    }

    /// The order's name in the status line.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The selection when the order was given.
    pub fn selection(&self) -> Option<&Selection> {
        self.selection.as_ref()?.as_ref()
    }

    /// The document, if it is still open and the required state is unchanged.
    ///
    /// # Errors
    /// The notice to show instead.
    pub fn find<'a>(&self, documents: &'a mut Documents) -> Result<&'a mut OpenDocument, OrderReport> {
        let Some(document) = documents.get_mut(self.document) else { return Err(Stale::Closed.report(self.name)) };
        let is_other = |sound: &Snapshot| document.edits().is_busy() || !sound.is_same(document.history().current());
        if self.sound.as_ref().is_some_and(is_other) {
            return Err(Stale::Sound.report(self.name));
        }
        if self.selection.as_ref().is_some_and(|selection| document.selection() != selection.as_ref()) {
            return Err(Stale::Selection.report(self.name));
        }
        Ok(document)
    }
}

/// Work on a document that begins once its pending edits are applied.
pub(crate) trait AfterEdits {
    /// Id of the document.
    fn document(&self) -> u64;

    /// Whether the work can begin.
    fn is_ready(&self, document: &OpenDocument) -> bool {
        !document.edits().is_busy()
    }

    /// The notice to show if the document was closed before the work began.
    fn closed_report(&self) -> Option<OrderReport> {
        None
    }
}

/// Whether saving can begin: all edits are applied, and the session has its writer, which starts in the document's
/// first frame.
pub(crate) fn can_be_saved(document: &OpenDocument) -> bool {
    !document.edits().is_busy() && document.session().writer().is_some()
}

/// Takes the next work item of a queue if it can begin now. Drops an item whose document was closed, with its notice.
pub(crate) fn next_ready<W: AfterEdits, A, R>(queue: &mut JobQueue<W, A, R>, context: &mut Context) -> Option<W> {
    let work = queue.peek()?;
    match context.documents.get(work.document()) {
        Some(document) if work.is_ready(document) => queue.take_next(),
        Some(_) => None,
        None => {
            let report = queue.take_next().and_then(|work| work.closed_report());
            context.report(report);
            None
        }
    }
}

/// Identifies the step of a document's history that a job saves or exports, so that its result can be matched later.
#[derive(Debug, Clone)]
pub(crate) struct StepAt {
    document: u64,
    position: usize,
    snapshot: Snapshot,
}

impl StepAt {
    /// The current step of a document.
    pub fn of(document: &OpenDocument) -> StepAt {
        let history = document.history();
        StepAt { document: document.id(), position: history.position(), snapshot: history.current().clone() }
    }

    /// Id of its document.
    pub fn document(&self) -> u64 {
        self.document
    }

    /// Its position in the history; `None` once another step has taken its place.
    pub fn position_in(&self, document: &OpenDocument) -> Option<usize> {
        let entry = document.history().entries().get(self.position);
        entry.filter(|entry| entry.snapshot.is_same(&self.snapshot)).map(|_| self.position)
    }
}
