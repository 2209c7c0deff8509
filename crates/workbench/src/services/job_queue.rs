//! A queue of work with its running jobs and their results.

use super::Job;
use crate::base::Result;
use std::collections::VecDeque;

/// Work processed in order. `W` describes waiting work. For running work, data `R` is kept until the result `A` of its
/// job is taken. One job runs at a time, unless the owner calls [`run`](JobQueue::run) without
/// [`take_next`](JobQueue::take_next).
///
/// - Cancelling: dropping work stops its job, and there is no result.
/// - Errors: an error is a result like any other. Waiting work continues unless the owner
///   [clears](JobQueue::clear_waiting) it.
/// - Escape: the owner [drops the latest work](JobQueue::cancel_last), or [all](JobQueue::clear) if each work builds on
///   the result of the previous one.
/// - Stale results: the owner checks whether a result still applies, using the data in `R`.
pub struct JobQueue<W, A, R = W> {
    waiting: VecDeque<W>,
    running: VecDeque<Running<A, R>>,
}

struct Running<A, R> {
    kept: R,
    since_secs: f64,
    job: Job<A>,
}

/// Work dropped before its result was taken.
#[derive(Debug, PartialEq, Eq)]
pub enum Unfinished<W, R = W> {
    /// Work that had not started.
    Waiting(W),
    /// Data kept of work whose job was running.
    Running(R),
}

impl<W, A, R> Default for JobQueue<W, A, R> {
    fn default() -> JobQueue<W, A, R> {
        JobQueue { waiting: VecDeque::new(), running: VecDeque::new() }
    }
}

impl<W, A, R> JobQueue<W, A, R> {
    /// Appends work.
    pub fn push(&mut self, work: W) {
        self.waiting.push_back(work);
    }

    /// The next work to start; `None` while a job is running.
    pub fn peek(&self) -> Option<&W> {
        self.waiting.front().filter(|_| self.running.is_empty())
    }

    /// Takes the next work to start; `None` while a job is running.
    pub fn take_next(&mut self) -> Option<W> {
        if self.running.is_empty() { self.waiting.pop_front() } else { None }
    }

    /// Registers the job of work that starts at `now_secs`.
    pub fn run(&mut self, kept: R, job: Job<A>, now_secs: f64) {
        self.running.push_back(Running { kept, since_secs: now_secs, job });
    }

    /// As [`run`](JobQueue::run), for work that the status line does not show.
    pub fn run_unseen(&mut self, kept: R, job: Job<A>) {
        self.run(kept, job, f64::INFINITY);
    }

    /// As [`run`](JobQueue::run), but first stops all running jobs.
    pub fn run_instead(&mut self, kept: R, job: Job<A>, now_secs: f64) {
        self.running.clear();
        self.run(kept, job, now_secs);
    }

    /// As [`run_instead`](JobQueue::run_instead), for work that the status line does not show.
    pub fn run_instead_unseen(&mut self, kept: R, job: Job<A>) {
        self.run_instead(kept, job, f64::INFINITY);
    }

    /// Takes a result, with the data kept of its work. If several jobs have ended, takes that of the work that started
    /// first.
    pub fn take_answer(&mut self) -> Option<(R, Result<A>)> {
        let mut polled = self.running.iter_mut().map(|running| running.job.poll()).enumerate();
        let (at, answer) = polled.find_map(|(at, answer)| Some((at, answer?)))?;
        self.running.remove(at).map(|running| (running.kept, answer))
    }

    /// Waiting work, in order.
    pub fn waiting(&self) -> impl Iterator<Item = &W> {
        self.waiting.iter()
    }

    /// Data kept of running work, in the order of starting.
    pub fn running(&self) -> impl Iterator<Item = &R> {
        self.running.iter().map(|running| &running.kept)
    }

    /// Number of running jobs.
    pub fn n_running(&self) -> usize {
        self.running.len()
    }

    /// The data of the running work that started first.
    pub fn first_mut(&mut self) -> Option<&mut R> {
        self.running.front_mut().map(|running| &mut running.kept)
    }

    /// The running work that started first: its data, its progress from 0 to 1, and its start in seconds of the clock.
    pub fn progress(&self) -> Option<(&R, f32, f64)> {
        let Running { kept, since_secs, job } = self.running.front()?;
        Some((kept, job.progress().fraction(), *since_secs))
    }

    /// Whether any work is waiting or running.
    pub fn is_busy(&self) -> bool {
        self.is_running() || !self.waiting.is_empty()
    }

    /// Whether any work is running.
    pub fn is_running(&self) -> bool {
        !self.running.is_empty()
    }

    /// Drops the latest waiting work, else the latest running work; `None` if there is no work.
    pub fn cancel_last(&mut self) -> Option<Unfinished<W, R>> {
        let waiting = self.waiting.pop_back().map(Unfinished::Waiting);
        waiting.or_else(|| self.running.pop_back().map(|running| Unfinished::Running(running.kept)))
    }

    /// For jobs that return a partial result when stopped: drops the latest waiting work, or if there is none, asks
    /// running jobs to stop; their results still arrive. False if there is no work.
    pub fn stop_last(&mut self) -> bool {
        let was_busy = self.is_busy();
        if self.waiting.pop_back().is_none() {
            self.request_stop();
        }
        was_busy
    }

    /// Drops all work; false if there was none.
    pub fn clear(&mut self) -> bool {
        let was_busy = self.is_busy();
        self.waiting.clear();
        self.running.clear();
        was_busy
    }

    /// Drops waiting work.
    pub fn clear_waiting(&mut self) {
        self.waiting.clear();
    }

    /// Drops waiting work that satisfies a predicate; false if none does.
    pub fn drop_waiting(&mut self, mut is_dropped: impl FnMut(&W) -> bool) -> bool {
        let n_before = self.waiting.len();
        self.waiting.retain(|work| !is_dropped(work));
        self.waiting.len() < n_before
    }

    /// Drops running work that satisfies a predicate; returns the data kept of it.
    pub fn drop_running(&mut self, mut is_dropped: impl FnMut(&R) -> bool) -> Vec<R> {
        let running = std::mem::take(&mut self.running).into_iter();
        let (dropped, left): (VecDeque<_>, VecDeque<_>) = running.partition(|running| is_dropped(&running.kept));
        self.running = left;
        dropped.into_iter().map(|running| running.kept).collect()
    }

    /// Asks running jobs to stop. Their results still arrive.
    pub fn request_stop(&self) {
        self.running.iter().for_each(|running| running.job.progress().cancel());
    }
}
