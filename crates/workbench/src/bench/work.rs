//! Progress and results of orders.

use crate::base::length_from_secs;
use crate::services::JobQueue;

/// Elapsed time from which work is shown.
const SHOW_AFTER_SECS: f64 = 0.3;
/// Completed fraction from which the remaining time is estimated.
const TELLING_PART: f32 = 0.02;
/// Elapsed time from which the remaining time is estimated.
const TELLING_SECS: f64 = 1.0;
/// Minimum remaining time that is shown.
const MIN_LEFT_SECS: f64 = 2.0;

/// Work in progress.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JobStatus {
    /// Name in the status line: `Find clicks`.
    pub name: &'static str,
    /// Completed fraction, 0 to 1.
    pub part: f32,
    /// Start in seconds of the clock.
    pub since_secs: f64,
}

impl JobStatus {
    /// Text of the status line: `Find clicks, 40 %, 12 s left`; `None` during the first 0.3 s.
    pub fn words(&self, now_secs: f64) -> Option<String> {
        let taken_secs = now_secs - self.since_secs;
        if taken_secs < SHOW_AFTER_SECS {
            return None;
        }
        let words = format!("{}, {} %", self.name, (self.part * 100.0).floor());
        let part = f64::from(self.part);
        let left_secs = taken_secs * (1.0 - part) / part;
        let can_tell = self.part >= TELLING_PART && taken_secs >= TELLING_SECS && left_secs >= MIN_LEFT_SECS;
        Some(if can_tell { format!("{words}, {} left", length_from_secs(left_secs, 0)) } else { words })
    }

    /// Progress of the queue's oldest running job; `name` returns its name.
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
