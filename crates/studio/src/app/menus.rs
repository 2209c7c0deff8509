//! Menus at a position on the canvas.

use super::Studio;
use crate::studio::canvas::MenuAt;
use crate::studio::canvas_menus::MenuShown;
use crate::workbench::Acts;
use crate::workbench::commands::Facts;

impl Studio {
    /// Opens a menu on the canvas; its commands act at its position.
    pub(crate) fn open_menu(&mut self, place: MenuAt, wants_focus: bool) {
        self.sides.menus.open(place, wants_focus);
        self.pin_pointer();
    }

    /// Draws the open menu.
    pub(super) fn show_menus(&mut self, ctx: &egui::Context, facts: &Facts, acts: &mut Acts) {
        let was_open = self.sides.menus.place().is_some();
        let document = self.bench.document().filter(|_| self.card.is_none());
        let shown = document.map(|document| MenuShown { facts, tools: self.bench.tools(), document });
        self.sides.menus.ui(ctx, shown.as_ref(), acts);
        if was_open && self.sides.menus.place().is_none() {
            self.pin_pointer();
            ctx.request_repaint();
        }
    }

    /// Fixes the canvas's readout at the position of the open menu, or releases it.
    fn pin_pointer(&mut self) {
        if let Some(canvas) = &mut self.canvas {
            canvas.pin_pointer(self.sides.menus.place());
        }
    }
}
