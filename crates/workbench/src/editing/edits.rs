//! Edits of one document on their way into its history: one at a time, in the order given.

use super::names::brush_name;
use crate::base::Result;
use crate::document::{Applied, Edit, Snapshot};
use crate::documents::{Floating, SelectionStep};
use crate::engine::Engine;
use crate::services::{Job, Jobs};
use crate::work::JobStatus;
use std::collections::VecDeque;

/// The queue.
#[derive(Default)]
pub struct Edits {
    waiting: VecDeque<Waiting>,
    running: Option<Running>,
    /// An edit that went past the end of the sound, for which room was offered.
    pub(super) past_end: Option<PastEnd>,
}

/// An edit that has not begun.
struct Waiting {
    edit: Edit,
    /// What it places; none if it was not afloat.
    placed: Option<Box<Floating>>,
    /// What it selects; none where it selects nothing else.
    selected: Option<SelectionStep>,
}

/// The edit that is being applied.
pub(super) struct Running {
    pub edit: Edit,
    /// What it places, which floats again if it fails; none if it was not afloat.
    pub placed: Option<Box<Floating>>,
    /// What was selected with it; none where that was nothing else.
    pub selected: Option<SelectionStep>,
    /// What it is applied to.
    pub base: Snapshot,
    started_secs: f64,
    job: Job<Applied>,
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
        self.waiting.push_back(Waiting { edit, placed: None, selected });
    }

    /// Adds an edit at the end that places what floated, and what was selected with it.
    pub(super) fn push_placing(&mut self, edit: Edit, placed: Floating, selected: Option<SelectionStep>) {
        self.waiting.push_back(Waiting { edit, placed: Some(Box::new(placed)), selected });
    }

    /// Adds an edit at the end whose result on `base` may be known already; it counts if nothing comes before it.
    pub(crate) fn push_computed(&mut self, edit: Edit, base: Snapshot, computed: Option<Applied>) {
        match computed.filter(|_| !self.is_busy()) {
            Some(applied) => {
                let job = Job::answered(Ok(applied));
                self.running = Some(Running { edit, placed: None, selected: None, base, started_secs: 0.0, job });
            }
            None => self.push(edit),
        }
    }

    /// What floated and is on its way into the history.
    pub fn placing(&self) -> Option<&Floating> {
        let waiting = self.waiting.iter().map(|waiting| &waiting.placed);
        self.running.iter().map(|running| &running.placed).chain(waiting).find_map(Option::as_deref)
    }

    /// Whether any is waiting or running.
    pub fn is_busy(&self) -> bool {
        self.running.is_some() || !self.waiting.is_empty()
    }

    /// Takes the edit given last back, and returns what was selected with it; none if there is no edit.
    pub(crate) fn cancel_last(&mut self) -> Option<Cancelled> {
        let waiting = self.waiting.pop_back().map(|waiting| waiting.selected);
        let selected = waiting.or_else(|| self.running.take().map(|running| running.selected))?;
        Some(Cancelled { selected })
    }

    /// Drops all of them.
    pub fn clear(&mut self) {
        self.waiting.clear();
        self.running = None;
    }

    /// Drops those that have not begun.
    pub(super) fn clear_waiting(&mut self) {
        self.waiting.clear();
    }

    /// What is being applied.
    pub fn work(&self) -> Option<JobStatus> {
        let running = self.running.as_ref()?;
        let part = running.job.progress().fraction();
        Some(JobStatus { name: brush_name(&running.edit), part, since_secs: running.started_secs })
    }

    /// The edit that was applied, and its result.
    pub(super) fn poll(&mut self) -> Option<(Running, Result<Applied>)> {
        let answer = self.running.as_mut()?.job.poll()?;
        self.running.take().map(|running| (running, answer))
    }

    /// Starts the next edit if none is running.
    pub(super) fn start_next(&mut self, current: &Snapshot, jobs: &Jobs, engine: &Engine, now_secs: f64) {
        if self.running.is_some() {
            return;
        }
        let Some(Waiting { edit, placed, selected }) = self.waiting.pop_front() else { return };
        let (base, engine) = (current.clone(), engine.clone());
        let (job_base, job_edit) = (base.clone(), edit.clone());
        let job = jobs.spawn("edit", move |progress| crate::document::apply(&job_base, &job_edit, &engine, progress));
        self.running = Some(Running { edit, placed, selected, base, started_secs: now_secs, job });
    }
}
