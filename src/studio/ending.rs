//! The end of the window: by the user's choice, or from outside by a signal, a logout, a graphics device that is gone. From
//! outside no question is asked; what was said to be saved is saved.

use super::app::Studio;
use super::restart;
use crate::base::is_asked_to_quit;
use crate::workbench::FileAct;
use std::time::Duration;

/// So long an export may take to stop and to take its temporary file away.
const PATIENCE_SECS: f64 = 0.4;

/// Whether the window ends.
#[derive(Debug, Default)]
pub struct Ending {
    is_quitting: bool,
    /// Since when it is asked to from outside.
    since_secs: Option<f64>,
}

impl Ending {
    /// The window closes.
    pub fn quit(&mut self) {
        self.is_quitting = true;
    }

    /// Whether the window closes.
    pub fn is_quitting(&self) -> bool {
        self.is_quitting
    }
}

impl Studio {
    /// Once a frame: closes the window if it was asked for from outside.
    pub(super) fn follow_end(&mut self, ctx: &egui::Context) {
        if self.ending.is_quitting || !is_asked_to_quit() && !restart::is_restart_wanted() {
            return;
        }
        let now_secs = self.bench.now_secs();
        let since_secs = *self.ending.since_secs.get_or_insert(now_secs);
        self.bench.act(FileAct::StopWriting);
        if self.bench.is_exporting() && now_secs - since_secs < PATIENCE_SECS {
            ctx.request_repaint_after(Duration::from_millis(10));
            return;
        }
        self.ending.quit();
        ctx.request_repaint();
    }
}
