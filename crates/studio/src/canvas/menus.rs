//! Opens menus on the canvas.

use super::Canvas;
use super::hand::drag::MenuKind;
use super::report::MenuAt;
use crate::workbench::OpenDocument;
use egui::{Pos2, pos2};

impl Canvas {
    /// A menu at a position, with the label there.
    pub(super) fn menu_at(&self, at: Pos2, kind: MenuKind, document: &OpenDocument) -> MenuAt {
        MenuAt { at, kind, label: self.label_below(at, document) }
    }

    /// A menu at the keyboard's cursor while the canvas has the keyboard, else at the pointer, else in the middle;
    /// `None` before the first frame.
    pub fn menu_here(&self, kind: MenuKind, document: &OpenDocument) -> Option<MenuAt> {
        let pane = self.layout.panes().first()?;
        let cursor = || {
            let x = pane.viewport.x_from_secs(document.cursor_secs()) as f32;
            pane.rect.clamp(pos2(x, pane.viewport.y_from_hz(document.cursor_hz()) as f32))
        };
        let pointed = self.input.pointer.at().filter(|at| self.layout.pane_at(*at).is_some());
        let at = match self.keyboard.has_focus() {
            true => cursor(),
            false => pointed.unwrap_or(pane.rect.center()),
        };
        Some(self.menu_at(at, kind, document))
    }

    /// Fixes the readout at the position of an open menu; `None` once it is closed.
    pub fn pin_pointer(&mut self, at: Option<Pos2>) {
        self.input.pinned = at;
    }
}
