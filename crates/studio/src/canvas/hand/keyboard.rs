//! The keyboard on the canvas: draws its cursor, reports its position to screen readers, and presses the tool there.

use super::drag::{Drag, Press};
use crate::canvas::overlay::marks;
use crate::canvas::report::Gestures;
use crate::canvas::{Canvas, limits};
use crate::input::cursor;
use crate::view::{Viewport, grid_of};
use crate::widgets::theme;
use crate::workbench::{OpenDocument, Readout, Tool, Tools};
use egui::{Modifiers, PointerButton, Pos2, Rect, pos2};

impl Canvas {
    /// Draws the cursor and a focus ring around the pane, and reports the cursor's time, frequency and level to screen
    /// readers.
    pub(in crate::canvas) fn draw_cursor(
        &self,
        ui: &egui::Ui,
        document: &OpenDocument,
        viewport: &Viewport,
        pane: Rect,
        readout: Option<&Readout>,
    ) {
        let Some(id) = self.keyboard.id() else { return };
        let (secs, hz) = (document.cursor_secs(), document.cursor_hz());
        let level_db = readout.filter(|_| self.keyboard.has_focus()).and_then(|readout| readout.level_db);
        ui.ctx().accesskit_node_builder(id, |node| node.set_value(cursor::words(secs, hz, level_db)));
        if self.keyboard.has_focus() {
            let at = pos2(viewport.x_from_secs(secs) as f32, viewport.y_from_hz(hz) as f32);
            marks::crosshair(&ui.painter().with_clip_rect(pane), at);
            let accent = theme::palette(ui.ctx()).accent;
            ui.painter().rect_stroke(pane.shrink(1.0), 0.0, egui::Stroke::new(2.0, accent), egui::StrokeKind::Inside);
        }
    }

    /// Position of the cursor, and the viewport of the first pane with the document's current view.
    fn at_cursor(&self, document: &OpenDocument) -> Option<(Pos2, Viewport)> {
        let view = document.view();
        let viewport = Viewport { secs: view.secs, hz: view.hz, axis: view.axis, ..self.layout.viewport()? };
        let x = viewport.x_from_secs(document.cursor_secs()) as f32;
        Some((pos2(x, viewport.y_from_hz(document.cursor_hz()) as f32), viewport))
    }

    /// Whether the tool is down at the keyboard's cursor.
    pub fn has_key_pen(&self) -> bool {
        self.keyboard.has_pen() && self.input.drag.is_some()
    }

    /// A click at the cursor.
    pub fn tap(&mut self, document: &OpenDocument, tools: &Tools, modifiers: Modifiers) -> Gestures {
        let mut gestures = self.key_press(document, tools, modifiers);
        if self.input.drag.is_some() {
            self.key_release(document, tools, &mut gestures);
        }
        self.keyboard.note_tap([document.cursor_secs(), document.cursor_hz()]);
        gestures
    }

    /// Presses the tool at the cursor, or releases it.
    pub fn toggle_pen(&mut self, document: &OpenDocument, tools: &Tools, modifiers: Modifiers) -> Gestures {
        if !self.has_key_pen() {
            return self.key_press(document, tools, modifiers);
        }
        let mut gestures = Gestures::default();
        self.key_release(document, tools, &mut gestures);
        gestures
    }

    /// Moves the pressed tool to the cursor.
    pub fn move_pen(&mut self, document: &OpenDocument) -> Gestures {
        let mut gestures = Gestures { painting: self.is_painting(), ..Gestures::default() };
        let Some((at, viewport)) = self.at_cursor(document).filter(|_| self.has_key_pen()) else { return gestures };
        // The view may have scrolled with the cursor.
        match &mut self.input.drag {
            Some(Drag::Stroke(hand)) => hand.viewport = viewport,
            Some(Drag::Mark { viewport: of, .. } | Drag::Lasso { viewport: of, .. }) => *of = viewport,
            _ => {}
        }
        let grid = grid_of(document.shown(), &document.view().transform);
        self.follow(at, document, &grid, &limits(&grid), &mut gestures);
        gestures
    }

    fn key_press(&mut self, document: &OpenDocument, tools: &Tools, modifiers: Modifiers) -> Gestures {
        let mut gestures = Gestures { painting: self.is_painting(), ..Gestures::default() };
        let Some((at, viewport)) = self.at_cursor(document) else { return gestures };
        if self.input.drag.is_some() || tools.active() == Tool::Hand {
            return gestures;
        }
        let grid = grid_of(document.shown(), &document.view().transform);
        // A second press at the same position counts as a double click, which closes a polygon.
        let double = self.keyboard.has_tapped([document.cursor_secs(), document.cursor_hz()]);
        let press = Press { at, modifiers, double, viewport };
        self.input.force = None;
        self.press_in_pane(press, document, tools, &grid, &mut gestures);
        self.keyboard.set_pen(self.input.drag.is_some());
        gestures.painting = self.is_painting();
        gestures.notice = gestures.notice.take().or_else(|| self.notice.take());
        gestures
    }

    fn key_release(&mut self, document: &OpenDocument, tools: &Tools, gestures: &mut Gestures) {
        let Some((at, _)) = self.at_cursor(document) else { return };
        let grid = grid_of(document.shown(), &document.view().transform);
        let limits = limits(&grid);
        self.release(at, PointerButton::Primary, document, tools, &grid, &limits, gestures);
        self.keyboard.set_pen(false);
        gestures.painting = self.is_painting();
    }
}
