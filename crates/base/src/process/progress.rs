//! Progress and cancellation, shared between a job and its caller.

use crate::{Error, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::time::Duration;

/// Interval at which a paused job checks whether it may continue.
const PAUSE_POLL_INTERVAL: Duration = Duration::from_millis(5);

/// A handle to a running job; clones share its state.
#[derive(Debug, Clone, Default)]
pub struct Progress {
    /// Completed fraction in units of 1/65,536.
    done: Arc<AtomicU32>,
    /// The range of the job's progress that the steps cover; all of it if `None`.
    part: Option<[f64; 2]>,
    cancelled: Arc<AtomicBool>,
    held: Arc<AtomicBool>,
}

impl Progress {
    /// Progress of a new job.
    pub fn new() -> Progress {
        Progress::default()
    }

    /// A handle for a subtask: it is cancelled with the job, but its progress is not shown.
    pub fn quiet(&self) -> Progress {
        Progress { done: Arc::default(), part: None, cancelled: self.cancelled.clone(), held: self.held.clone() }
    }

    /// A handle for a part of the job: its steps run from the first fraction of the progress to the second.
    pub fn within(&self, part: [f64; 2]) -> Progress {
        let [from, to] = self.part.unwrap_or([0.0, 1.0]);
        Progress { part: Some(part.map(|at| from + (to - from) * at)), ..self.clone() }
    }

    /// A handle for work beside the job: it pauses with the job, but is cancelled separately.
    pub fn beside(&self) -> Progress {
        Progress { held: self.held.clone(), ..Progress::default() }
    }

    /// Pauses the job at its next step, or resumes it if `is_held` is false; cancelling also ends the pause. Not for
    /// jobs on the kernels' threads, which a paused job would block.
    pub fn hold(&self, is_held: bool) {
        self.held.store(is_held, Relaxed);
    }

    /// Sets the progress to `done` of `total`.
    ///
    /// # Errors
    /// [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled) when the job should stop.
    pub fn step(&self, done: u64, total: u64) -> Result<()> {
        let part = if total == 0 { 1.0 } else { done as f64 / total as f64 };
        let part = self.part.map_or(part, |[from, to]| from + (to - from) * part);
        self.done.store((part.clamp(0.0, 1.0) * 65536.0) as u32, Relaxed);
        self.check()
    }

    /// Checks for cancellation without changing the progress.
    ///
    /// # Errors
    /// [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled) when the job should stop.
    pub fn check(&self) -> Result<()> {
        while self.held.load(Relaxed) && !self.is_cancelled() {
            std::thread::sleep(PAUSE_POLL_INTERVAL);
        }
        if self.is_cancelled() { Err(Error::cancelled()) } else { Ok(()) }
    }

    /// Makes the job stop at its next step.
    pub fn cancel(&self) {
        self.cancelled.store(true, Relaxed);
    }

    /// Whether [`cancel`](Progress::cancel) was called.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Relaxed)
    }

    /// The completed fraction, 0 to 1.
    pub fn fraction(&self) -> f32 {
        self.done.load(Relaxed) as f32 / 65536.0
    }
}
