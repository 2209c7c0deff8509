//! The end that is no choice of the user at the window: a signal, a logout, a graphics device that is gone. No question
//! is asked; what was said to be saved is saved.

use super::app::Studio;
use super::restart;
use crate::base::is_asked_to_quit;
use std::time::Duration;

/// So long an export may take to stop and to take its temporary file away.
const PATIENCE_SECS: f64 = 0.4;

impl Studio {
    /// Once a frame: closes the window if it was asked for from outside.
    pub(super) fn follow_end(&mut self, ctx: &egui::Context, now_secs: f64) {
        if self.is_quitting || !is_asked_to_quit() && !restart::is_restart_wanted() {
            return;
        }
        let since_secs = *self.ending_since_secs.get_or_insert(now_secs);
        self.files.stop_writing();
        if self.files.is_exporting() && now_secs - since_secs < PATIENCE_SECS {
            ctx.request_repaint_after(Duration::from_millis(10));
            return;
        }
        self.is_quitting = true;
        ctx.request_repaint();
    }
}
