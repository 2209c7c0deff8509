//! The snapshots of a document with their edits, and the current position.

use crate::base::{Error, Progress, Result};
use crate::brushes::Operation;
use crate::edits::time::{TimeChange, TimePlace};
use crate::engine::Plans;
use crate::labels::{LabelMove, LabelSet};
use crate::{Edit, Snapshot};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The cuts and insertions of time by an edit, in order; empty for an edit that does not change time or does not fit
/// the sound.
pub fn time_changes(sound: &Snapshot, edit: &Edit) -> Vec<TimeChange> {
    let Operation::Time(brush) = edit.brush.operation() else { return Vec::new() };
    let (plans, progress) = (Plans::default(), Progress::new());
    let place = TimePlace { sound, select: edit.select.as_ref(), plans: &plans, progress: &progress };
    brush.changes(&place).unwrap_or_default()
}

/// The labels of a sound after an edit: moved by changes of time, and changed by edits of labels.
///
/// # Errors
/// [`Script`](crate::base::ErrorKind::Script) for an edit of labels that does not fit them.
pub fn labels_after(labels: &LabelSet, sound: &Snapshot, edit: &Edit) -> Result<LabelSet> {
    match edit.brush.operation() {
        Operation::Labels(brush) => brush.labels_after(labels),
        Operation::Time(_) if !labels.is_empty() => {
            let rate_hz = sound.sample_rate_hz();
            let moves = time_changes(sound, edit);
            Ok(moves.iter().fold(labels.clone(), |labels, change| labels.moved(&LabelMove::of(change, rate_hz))))
        }
        _ => Ok(labels.clone()),
    }
}

/// A step of the history.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The edit that led here; `None` for the opened file.
    pub edit: Option<Edit>,
    /// The sound after it.
    pub snapshot: Snapshot,
    /// The labels after it.
    pub labels: LabelSet,
    /// See [`EditReport`](crate::EditReport).
    pub consistency_db: Option<f64>,
    /// Unique for all steps ever created.
    pub(crate) id: u64,
}

impl Entry {
    /// The opened file.
    pub(crate) fn first(snapshot: Snapshot, labels: LabelSet) -> Entry {
        Entry { edit: None, snapshot, labels, consistency_db: None, id: next_id() }
    }

    /// The step that follows this one.
    ///
    /// # Errors
    /// As [`labels_after`].
    pub(crate) fn next(&self, edit: Edit, snapshot: Snapshot, consistency_db: Option<f64>) -> Result<Entry> {
        let labels = labels_after(&self.labels, &self.snapshot, &edit)?;
        Ok(Entry { edit: Some(edit), snapshot, labels, consistency_db, id: next_id() })
    }

    /// Whether both are the same step.
    pub fn is_same(&self, other: &Entry) -> bool {
        self.id == other.id
    }
}

fn next_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Relaxed)
}

/// The undo history. Undo and redo move the position; pushing drops undone steps.
#[derive(Debug, Clone)]
pub struct History {
    entries: Vec<Entry>,
    position: usize,
}

impl History {
    /// A history with only the opened file.
    pub fn new(snapshot: Snapshot) -> History {
        History::labelled(snapshot, LabelSet::default())
    }

    /// A history with only the opened file and its labels.
    pub fn labelled(snapshot: Snapshot, labels: LabelSet) -> History {
        History { entries: vec![Entry::first(snapshot, labels)], position: 0 }
    }

    /// Builds a history from stored steps; the first is the opened file and must exist.
    pub(crate) fn restored(first: Entry, steps: Vec<Entry>, position: usize) -> History {
        let mut entries = vec![first];
        entries.extend(steps);
        let position = position.min(entries.len() - 1);
        History { entries, position }
    }

    /// Keeps at most this many bytes of changed samples in memory, and the rest in an unlinked file in `folder`.
    pub fn limit(&self, budget_bytes: u64, folder: &Path) {
        self.original().store().limit(budget_bytes, folder);
    }

    /// Reason that more than the budget is in memory; returned once.
    pub fn take_fault(&self) -> Option<Error> {
        self.original().store().take_fault()
    }

    /// The current snapshot.
    pub fn current(&self) -> &Snapshot {
        &self.entries[self.position].snapshot
    }

    /// The current labels.
    pub fn labels(&self) -> &LabelSet {
        &self.entries[self.position].labels
    }

    /// The id of the next new label: above every id in every step, so that none is reused.
    pub fn next_label_id(&self) -> u64 {
        self.entries.iter().map(|entry| entry.labels.next_id()).max().unwrap_or(1)
    }

    /// The opened file, without any edit.
    pub fn original(&self) -> &Snapshot {
        &self.entries[0].snapshot
    }

    /// All steps, the opened file first; those after [`position`](History::position) are undone.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Index of the current entry.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Drops undone steps, and adds one. An edit of labels that does not fit changes no labels.
    pub fn push(&mut self, edit: Edit, snapshot: Snapshot) {
        let before = &self.entries[self.position];
        let next = before.next(edit.clone(), snapshot.clone(), None);
        let next = next.unwrap_or_else(|error| {
            tracing::warn!(%error, "labels stay as they were");
            Entry { edit: Some(edit), snapshot, labels: before.labels.clone(), consistency_db: None, id: next_id() }
        });
        self.entries.truncate(self.position + 1);
        self.entries.push(next);
        self.position += 1;
    }

    /// Records the consistency of the current step.
    pub fn note_consistency(&mut self, consistency_db: Option<f64>) {
        self.entries[self.position].consistency_db = consistency_db;
    }

    /// Goes one step back; returns false at the beginning.
    pub fn undo(&mut self) -> bool {
        let moved = self.position > 0;
        self.position -= usize::from(moved);
        moved
    }

    /// Goes one step forward; returns false at the end.
    pub fn redo(&mut self) -> bool {
        let moved = self.position + 1 < self.entries.len();
        self.position += usize::from(moved);
        moved
    }

    /// Moves to an entry by index, limited to existing ones.
    pub fn go_to(&mut self, position: usize) {
        self.position = position.min(self.entries.len() - 1);
    }
}
