//! The snapshots of a document with the edit that led to each, and a position among them.

use super::{Edit, Snapshot};
use crate::base::Error;
use std::path::Path;

/// One step.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The edit that led here; none for the opened file.
    pub edit: Option<Edit>,
    /// The sound after it.
    pub snapshot: Snapshot,
    /// See [`EditReport`](super::EditReport).
    pub consistency_db: Option<f64>,
}

/// Undo and redo move the position; pushing drops what was undone.
#[derive(Debug, Clone)]
pub struct History {
    entries: Vec<Entry>,
    position: usize,
}

impl History {
    /// Only the opened file.
    pub fn new(snapshot: Snapshot) -> History {
        History { entries: vec![Entry { edit: None, snapshot, consistency_db: None }], position: 0 }
    }

    /// Builds a history from stored steps; the first is the opened file and must exist.
    pub(super) fn restored(first: Entry, steps: Vec<Entry>, position: usize) -> History {
        let mut entries = vec![first];
        entries.extend(steps);
        let position = position.min(entries.len() - 1);
        History { entries, position }
    }

    /// Keeps at most this many bytes of changed samples in memory, and the rest in an unlinked file in `folder`.
    pub fn limit(&self, budget_bytes: u64, folder: &Path) {
        self.original().store().limit(budget_bytes, folder);
    }

    /// Why more than the budget stays in memory; returned once.
    pub fn take_fault(&self) -> Option<Error> {
        self.original().store().take_fault()
    }

    /// The snapshot shown.
    pub fn current(&self) -> &Snapshot {
        &self.entries[self.position].snapshot
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

    /// Drops what was undone, and adds a step.
    pub fn push(&mut self, edit: Edit, snapshot: Snapshot) {
        self.entries.truncate(self.position + 1);
        self.entries.push(Entry { edit: Some(edit), snapshot, consistency_db: None });
        self.position += 1;
    }

    /// Records the consistency of the current step.
    pub fn note_consistency(&mut self, consistency_db: Option<f64>) {
        self.entries[self.position].consistency_db = consistency_db;
    }

    /// One step back; false at the beginning.
    pub fn undo(&mut self) -> bool {
        let moved = self.position > 0;
        self.position -= usize::from(moved);
        moved
    }

    /// One step forward; false at the end.
    pub fn redo(&mut self) -> bool {
        let moved = self.position + 1 < self.entries.len();
        self.position += usize::from(moved);
        moved
    }

    /// Moves to an entry by index, clipped to those there are.
    pub fn go_to(&mut self, position: usize) {
        self.position = position.min(self.entries.len() - 1);
    }
}
