//! The end of the window: by the user's choice, or from outside by a signal, a logout, a graphics device that is gone.
//! From outside no question is asked; what was said to be saved is saved.

use super::restart;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Time for an export to stop and to remove its temporary file.
const PATIENCE_SECS: f64 = 0.4;

/// Whether the window ends.
#[derive(Debug, Default)]
pub struct Ending {
    is_quitting: bool,
    /// Since when it is asked to from outside.
    since_secs: Option<f64>,
    /// Set once a sound was saved back; decides the exit code of `--edit`.
    has_saved_back: Arc<AtomicBool>,
}

impl Ending {
    /// Sets this flag once a sound was saved back.
    pub fn tell_saved_back(&mut self, flag: Arc<AtomicBool>) {
        flag.fetch_or(restart::has_saved_back_before(), Relaxed);
        self.has_saved_back = flag;
    }

    /// A sound was saved back.
    pub fn note_saved_back(&mut self) {
        self.has_saved_back.store(true, Relaxed);
        restart::note_saved_back();
    }

    /// The window closes.
    pub fn quit(&mut self) {
        self.is_quitting = true;
    }

    /// Whether the window closes.
    pub fn is_quitting(&self) -> bool {
        self.is_quitting
    }

    /// It is asked to from outside: whether an export may still take its time to stop.
    pub fn is_patient(&mut self, now_secs: f64) -> bool {
        now_secs - *self.since_secs.get_or_insert(now_secs) < PATIENCE_SECS
    }
}
