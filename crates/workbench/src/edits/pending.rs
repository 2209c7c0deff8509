//! Pending edits of one document: applied one at a time, in order.

use super::names::brush_name;
use crate::base::Result;
use crate::bench::work::JobStatus;
use crate::document::{Applied, Edit, Snapshot};
use crate::documents::{Floating, SelectionStep};
use crate::engine::Engine;
use crate::services::{Job, JobQueue, Jobs, Unfinished};

/// The queue of a document's pending edits.
#[derive(Default)]
pub struct Edits {
    queue: JobQueue<PendingEdit, Applied, RunningEdit>,
    /// An edit that went past the end of the sound, for which room was offered.
    pub(super) past_end: Option<EditPastEnd>,
    /// Where the last edit was computed.
    pub(super) engines: Option<String>,
}

/// A pending edit, with its paste and selection.
pub(super) struct PendingEdit {
    pub edit: Edit,
    /// The floating paste it places, which floats again if the edit fails; `None` for other edits.
    pub placed: Option<Box<Floating>>,
    /// The selection before and after the edit; `None` if the edit leaves the selection unchanged.
    pub selected: Option<SelectionStep>,
}

/// The edit being applied, and the sound it is applied to.
pub(super) struct RunningEdit {
    pub pending: PendingEdit,
    pub base: Snapshot,
}

/// An edit cancelled before it was in the history.
pub(crate) struct Cancelled {
    /// The selection before and after the edit; `None` if the edit left the selection unchanged.
    pub selected: Option<SelectionStep>,
}

/// An edit past the end of the sound, and the length to add for it.
#[derive(Debug, Clone)]
pub(super) struct EditPastEnd {
    pub edit: Edit,
    pub secs: f64,
}

impl Edits {
    /// Appends an edit.
    pub fn push(&mut self, edit: Edit) {
        self.push_selecting(edit, None);
    }

    /// Appends an edit that changes the selection.
    pub(super) fn push_selecting(&mut self, edit: Edit, selected: Option<SelectionStep>) {
        self.queue.push(PendingEdit { edit, placed: None, selected });
    }

    /// Appends an edit that places the floating paste, with its change of selection.
    pub(super) fn push_placing(&mut self, edit: Edit, placed: Floating, selected: Option<SelectionStep>) {
        self.queue.push(PendingEdit { edit, placed: Some(Box::new(placed)), selected });
    }

    /// Appends an edit whose result on `base` may be known already; uses that result unless other edits are pending.
    pub(crate) fn push_computed(&mut self, edit: Edit, base: Snapshot, computed: Option<Applied>) {
        match computed.filter(|_| !self.is_busy()) {
            Some(applied) => {
                let pending = PendingEdit { edit, placed: None, selected: None };
                self.queue.run_unseen(RunningEdit { pending, base }, Job::answered(Ok(applied)));
            }
            None => self.push(edit),
        }
    }

    /// The paste that a pending edit places.
    pub fn placing(&self) -> Option<&Floating> {
        let running = self.queue.running().map(|running| &running.pending);
        running.chain(self.queue.waiting()).find_map(|pending| pending.placed.as_deref())
    }

    /// Whether any edit is waiting or running.
    pub fn is_busy(&self) -> bool {
        self.queue.is_busy()
    }

    /// Cancels the latest edit, and returns its change of selection; `None` if there is no edit.
    pub(crate) fn cancel_last(&mut self) -> Option<Cancelled> {
        let pending = match self.queue.cancel_last()? {
            Unfinished::Waiting(pending) => pending,
            Unfinished::Running(running) => running.pending,
        };
        Some(Cancelled { selected: pending.selected })
    }

    /// Cancels all pending edits.
    pub fn clear(&mut self) {
        self.queue.clear();
    }

    /// Drops edits that have not started.
    pub(super) fn clear_waiting(&mut self) {
        self.queue.clear_waiting();
    }

    /// Progress of the edit being applied, for the status line.
    pub fn work(&self) -> Option<JobStatus> {
        JobStatus::of(&self.queue, |running| brush_name(&running.pending.edit))
    }

    /// Where the last edit was computed, such as `Warp: GPU 0.4 ms, CPU 4.6 ms`; `None` before the first one.
    pub fn engines(&self) -> Option<&str> {
        self.engines.as_deref()
    }

    /// Takes the finished edit and its result, if any.
    pub(super) fn take_answer(&mut self) -> Option<(RunningEdit, Result<Applied>)> {
        self.queue.take_answer()
    }

    /// Starts the next edit if none is running.
    pub(super) fn start_next(&mut self, current: &Snapshot, jobs: &Jobs, engine: &Engine, now_secs: f64) {
        let Some(pending) = self.queue.take_next() else { return };
        let (base, edit, engine) = (current.clone(), pending.edit.clone(), engine.clone());
        let theirs = base.clone();
        let job = jobs.spawn("edit", move |progress| crate::document::apply(&theirs, &edit, &engine, progress));
        self.queue.run(RunningEdit { pending, base }, job, now_secs);
    }
}
