//! Progress and results of orders.

use crate::services::JobQueue;

/// Work in progress.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JobStatus {
    /// Name in the status line: `FindJobs clicks`.
    pub name: &'static str,
    /// Completed part, 0 to 1.
    pub part: f32,
    /// Start in seconds of the clock.
    pub since_secs: f64,
}

impl JobStatus {
    /// Progress of the queue's oldest running job, named by `name`.
    pub fn of<W, A, R>(queue: &JobQueue<W, A, R>, name: impl FnOnce(&R) -> &'static str) -> Option<JobStatus> {
        let (kept, part, since_secs) = queue.progress()?;
        Some(JobStatus { name: name(kept), part, since_secs })
    }
}

/// The result of an order: what happened, and what to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderReport {
    /// Whether it succeeded.
    pub is_success: bool,
    /// What happened.
    pub what: String,
    /// What to do next; empty if there is nothing to do.
    pub advice: &'static str,
}
