//! The snapping key: a tap toggles snapping, holding the key inverts it temporarily.

use crate::app::Studio;
use crate::workbench::commands::ToolCommand;
use std::time::Duration;

/// Polling interval while the key is down.
const KEY_POLL_INTERVAL: Duration = Duration::from_millis(50);

impl Studio {
    /// Call before snapping is toggled: starts measuring how long its key is held.
    pub(crate) fn note_snap_key(&mut self, ctx: &egui::Context) {
        let (is_down, now_secs) = ctx.input(|input| (input.key_down(egui::Key::N), input.time));
        self.hand.snap_key.begin(is_down, now_secs);
    }

    /// Call once a frame: restores snapping when the held key is released.
    pub(crate) fn follow_snap_key(&mut self, ctx: &egui::Context) {
        let (is_down, is_drawing, now_secs) =
            ctx.input(|input| (input.key_down(egui::Key::N), input.pointer.any_down(), input.time));
        if self.hand.snap_key.follow(is_down, is_drawing, now_secs) {
            self.bench.act(ToolCommand::Snapping);
        }
        if self.hand.snap_key.is_down() {
            ctx.request_repaint_after(KEY_POLL_INTERVAL);
        }
    }
}
