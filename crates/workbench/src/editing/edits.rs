//! Edits of one document on their way into its history: one at a time, in the order given.

use super::names::brush_name;
use crate::base::Result;
use crate::document::{Applied, Edit, Snapshot};
use crate::documents::{Floating, SelectionStep};
use crate::engine::Engine;
use crate::services::{Job, JobQueue, Jobs, Unfinished};
use crate::work::JobStatus;

/// The queue.
#[derive(Default)]
pub struct Edits {
    queue: JobQueue<PendingEdit, Applied, RunningEdit>,
    /// An edit that went past the end of the sound, for which room was offered.
    pub(super) past_end: Option<PastEnd>,
}

/// An edit, and what comes and goes with it.
pub(super) struct PendingEdit {
    pub edit: Edit,
    /// What it places, which floats again if it fails; none if it was not afloat.
    pub placed: Option<Box<Floating>>,
    /// What was selected with it; none where that was nothing else.
    pub selected: Option<SelectionStep>,
}

/// The edit that is being applied, and what it is applied to.
pub(super) struct RunningEdit {
    pub pending: PendingEdit,
    pub base: Snapshot,
}

/// An edit that was taken back before it was in the history.
pub(crate) struct Cancelled {
    /// What was selected with it; none where that was nothing else.
    pub selected: Option<SelectionStep>,
}

/// An edit that went past the end, and how much is missing.
#[derive(Debug, Clone)]
pub(super) struct PastEnd {
    pub edit: Edit,
    pub secs: f64,
}

impl Edits {
    /// Adds an edit at the end.
    pub fn push(&mut self, edit: Edit) {
        self.push_selecting(edit, None);
    }

    /// Adds an edit at the end with which something else was selected.
    pub(super) fn push_selecting(&mut self, edit: Edit, selected: Option<SelectionStep>) {
        self.queue.push(PendingEdit { edit, placed: None, selected });
    }

    /// Adds an edit at the end that places what floated, and what was selected with it.
    pub(super) fn push_placing(&mut self, edit: Edit, placed: Floating, selected: Option<SelectionStep>) {
        self.queue.push(PendingEdit { edit, placed: Some(Box::new(placed)), selected });
    }

    /// Adds an edit at the end whose result on `base` may be known already; it counts if nothing comes before it.
    pub(crate) fn push_computed(&mut self, edit: Edit, base: Snapshot, computed: Option<Applied>) {
        match computed.filter(|_| !self.is_busy()) {
            Some(applied) => {
                let pending = PendingEdit { edit, placed: None, selected: None };
                self.queue.run_unseen(RunningEdit { pending, base }, Job::answered(Ok(applied)));
            }
            None => self.push(edit),
        }
    }

    /// What floated and is on its way into the history.
    pub fn placing(&self) -> Option<&Floating> {
        let running = self.queue.running().map(|running| &running.pending);
        running.chain(self.queue.waiting()).find_map(|pending| pending.placed.as_deref())
    }

    /// Whether any is waiting or running.
    pub fn is_busy(&self) -> bool {
        self.queue.is_busy()
    }

    /// Takes back the latest edit, and returns what was selected with it; `None` if there is no edit.
    pub(crate) fn cancel_last(&mut self) -> Option<Cancelled> {
        let pending = match self.queue.cancel_last()? {
            Unfinished::Waiting(pending) => pending,
            Unfinished::Running(running) => running.pending,
        };
        Some(Cancelled { selected: pending.selected })
    }

    /// Drops all of them.
    pub fn clear(&mut self) {
        self.queue.clear();
    }

    /// Drops those that have not begun.
    pub(super) fn clear_waiting(&mut self) {
        self.queue.clear_waiting();
    }

    /// What is being applied.
    pub fn work(&self) -> Option<JobStatus> {
        JobStatus::of(&self.queue, |running| brush_name(&running.pending.edit))
    }

    /// The edit that was applied, and its result.
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
