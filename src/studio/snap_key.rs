//! The key of snapping: pressed it toggles, held it inverts for as long as it is held.

use super::app::Studio;
use crate::workbench::commands::ToolCommand;

/// Pressed for longer than this, or drawn with meanwhile, it was held.
const HELD_SECS: f64 = 0.4;

/// Since when the key is down, and whether the pointer was pressed meanwhile.
#[derive(Debug, Clone, Copy, Default)]
pub struct SnapKey(Option<(f64, bool)>);

impl Studio {
    /// Snapping is about to be toggled, perhaps by its key.
    pub(super) fn note_snap_key(&mut self, ctx: &egui::Context) {
        let (is_down, now_secs) = ctx.input(|input| (input.key_down(egui::Key::N), input.time));
        self.hand.snap_key = SnapKey(is_down.then_some((now_secs, false)));
    }

    /// Once a frame: a key that was held gives back what it found.
    pub(super) fn follow_snap_key(&mut self, ctx: &egui::Context) {
        let Some((since_secs, has_drawn)) = &mut self.hand.snap_key.0 else { return };
        let (is_down, is_drawing, now_secs) =
            ctx.input(|input| (input.key_down(egui::Key::N), input.pointer.any_down(), input.time));
        *has_drawn |= is_drawing;
        if is_down {
            return;
        }
        if *has_drawn || now_secs - *since_secs > HELD_SECS {
            self.bench.act(ToolCommand::Snapping);
        }
        self.hand.snap_key = SnapKey(None);
    }
}
