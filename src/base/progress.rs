//! Progress and cancelling, shared between a job and whoever waits for it.

use super::{Error, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

/// A handle on a running job: clones share one state.
#[derive(Debug, Clone, Default)]
pub struct Progress {
    /// Done, in 1/65,536.
    done: Arc<AtomicU32>,
    cancelled: Arc<AtomicBool>,
}

impl Progress {
    /// A job at its beginning.
    pub fn new() -> Progress {
        Progress::default()
    }

    /// For a part of the job whose own progress is not that of the whole: it is cancelled with it, and shows nothing.
    pub fn quiet(&self) -> Progress {
        Progress { done: Arc::default(), cancelled: self.cancelled.clone() }
    }

    /// Says that `done` of `total` is done.
    ///
    /// # Errors
    /// [`ErrorKind::Cancelled`](super::ErrorKind::Cancelled) when the job should stop.
    pub fn step(&self, done: u64, total: u64) -> Result<()> {
        let part = if total == 0 { 1.0 } else { done as f64 / total as f64 };
        self.done.store((part.clamp(0.0, 1.0) * 65536.0) as u32, Relaxed);
        self.check()
    }

    /// # Errors
    /// [`ErrorKind::Cancelled`](super::ErrorKind::Cancelled) when the job should stop.
    pub fn check(&self) -> Result<()> {
        if self.is_cancelled() { Err(Error::cancelled()) } else { Ok(()) }
    }

    /// Asks the job to stop at its next step.
    pub fn cancel(&self) {
        self.cancelled.store(true, Relaxed);
    }

    /// Whether [`cancel`](Progress::cancel) was called.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Relaxed)
    }

    /// The part that is done, 0 to 1.
    pub fn fraction(&self) -> f32 {
        self.done.load(Relaxed) as f32 / 65536.0
    }
}
