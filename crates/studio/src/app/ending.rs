//! Closing the window: by the user, or externally by a signal, a logout, or a lost graphics device. An external end
//! asks no questions; everything that was reported as saved is on disk.

use super::restart;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Time for an export to stop and to remove its temporary file.
const STOP_TIMEOUT_SECS: f64 = 0.4;

/// State of closing the window.
#[derive(Debug, Default)]
pub struct Ending {
    is_quitting: bool,
    /// Time of an external request to close.
    since_secs: Option<f64>,
    /// True once a sound was saved back over its file; decides the exit code of `--edit`.
    has_saved_back: Arc<AtomicBool>,
}

impl Ending {
    /// Sets `flag` once a sound is saved back over its file; at once if that happened before a restart.
    pub fn watch_saved_back(&mut self, flag: Arc<AtomicBool>) {
        flag.fetch_or(restart::has_saved_back_before(), Relaxed);
        self.has_saved_back = flag;
    }

    /// Notes that a sound was saved back over its file.
    pub fn note_saved_back(&mut self) {
        self.has_saved_back.store(true, Relaxed);
        restart::note_saved_back();
    }

    /// Closes the window after this frame.
    pub fn quit(&mut self) {
        self.is_quitting = true;
    }

    /// Whether the window is closing.
    pub fn is_quitting(&self) -> bool {
        self.is_quitting
    }

    /// For an external request: whether an export still has time to stop. The first call starts the timeout.
    pub fn is_patient(&mut self, now_secs: f64) -> bool {
        now_secs - *self.since_secs.get_or_insert(now_secs) < STOP_TIMEOUT_SECS
    }
}
