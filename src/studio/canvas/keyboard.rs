//! The keyboard on the canvas: its cursor is drawn and told, and presses where it stands.

use super::super::cursor;
use super::super::theme;
use super::drag::{Drag, Press};
use super::report::Gestures;
use super::{Canvas, limits, marks, shown};
use crate::view::{Viewport, grid_of};
use crate::workbench::{OpenDocument, Readout, Tool, Tools};
use egui::{EventFilter, Modifiers, PointerButton, Pos2, Rect, pos2};

impl Canvas {
    /// The canvas takes the keyboard from now on.
    pub fn take_keyboard(&mut self, ctx: &egui::Context) {
        if let Some(id) = self.id {
            ctx.memory_mut(|memory| memory.request_focus(id));
        }
        self.wants_keyboard = self.id.is_none();
    }

    /// What egui calls it; none before it was drawn.
    pub fn id(&self) -> Option<egui::Id> {
        self.id
    }

    /// Whether what is read is of the keyboard's cursor, and not of the pointer.
    pub(super) fn reads_at_cursor(&self) -> bool {
        self.has_keyboard && !self.has_lent_keyboard
    }

    /// Once a frame, with the response of the whole canvas: arrows and Escape stay here while it has the keyboard.
    pub(super) fn hold_keyboard(&mut self, ui: &egui::Ui, response: &egui::Response, has_floating: bool) {
        self.id = Some(response.id);
        let nobody_has = ui.memory(|memory| memory.focused().is_none());
        if std::mem::take(&mut self.wants_keyboard) || has_floating && nobody_has {
            response.request_focus();
            self.has_lent_keyboard = has_floating;
        }
        // Taken for what floats, it goes back when that is put down.
        if self.has_lent_keyboard && !has_floating {
            self.has_lent_keyboard = false;
            response.surrender_focus();
        }
        self.has_keyboard = response.has_focus();
        let filter = EventFilter { tab: false, horizontal_arrows: true, vertical_arrows: true, escape: true };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
    }

    /// The cursor, a ring around the canvas, and both in words for screen readers.
    pub(super) fn draw_cursor(
        &self,
        ui: &egui::Ui,
        document: &OpenDocument,
        viewport: &Viewport,
        pane: Rect,
        readout: Option<&Readout>,
    ) {
        let Some(id) = self.id else { return };
        let (secs, hz) = (document.cursor_secs, document.cursor_hz);
        let level_db = readout.filter(|_| self.has_keyboard).and_then(|readout| readout.level_db);
        ui.ctx().accesskit_node_builder(id, |node| node.set_value(cursor::words(secs, hz, level_db)));
        if self.has_keyboard {
            let at = pos2(viewport.x_from_secs(secs) as f32, viewport.y_from_hz(hz) as f32);
            marks::crosshair(&ui.painter().with_clip_rect(pane), at);
            let accent = theme::palette(ui.ctx()).accent;
            ui.painter().rect_stroke(pane.shrink(1.0), 0.0, egui::Stroke::new(2.0, accent), egui::StrokeKind::Inside);
        }
    }

    /// Where the cursor stands, and the first pane as the document's view is now.
    fn at_cursor(&self, document: &OpenDocument) -> Option<(Pos2, Viewport)> {
        let view = &document.view;
        let viewport = Viewport { secs: view.secs, hz: view.hz, axis: view.axis, ..self.viewport()? };
        let x = viewport.x_from_secs(document.cursor_secs) as f32;
        Some((pos2(x, viewport.y_from_hz(document.cursor_hz) as f32), viewport))
    }

    /// Whether the tool is down at the keyboard's cursor.
    pub fn has_key_pen(&self) -> bool {
        self.has_key_pen && self.drag.is_some()
    }

    /// A press and a release at the cursor.
    pub fn tap(&mut self, document: &OpenDocument, tools: &Tools, modifiers: Modifiers) -> Gestures {
        let mut gestures = self.key_press(document, tools, modifiers);
        if self.drag.is_some() {
            self.key_release(document, tools, &mut gestures);
        }
        self.last_tap = Some([document.cursor_secs, document.cursor_hz]);
        gestures
    }

    /// A press at the cursor, or the release of the one before.
    pub fn toggle_pen(&mut self, document: &OpenDocument, tools: &Tools, modifiers: Modifiers) -> Gestures {
        if !self.has_key_pen() {
            return self.key_press(document, tools, modifiers);
        }
        let mut gestures = Gestures::default();
        self.key_release(document, tools, &mut gestures);
        gestures
    }

    /// The tool that is down follows the cursor.
    pub fn move_pen(&mut self, document: &OpenDocument) {
        if !self.has_key_pen() {
            return;
        }
        let Some((at, viewport)) = self.at_cursor(document) else { return };
        // The view may have scrolled along.
        if let Some(Drag::Stroke(of) | Drag::Mark { viewport: of, .. } | Drag::Lasso { viewport: of, .. }) =
            &mut self.drag
        {
            *of = viewport;
        }
        let grid = grid_of(shown(document), &document.view.stft);
        self.follow(at, document, &grid, &limits(&grid), &mut Gestures::default());
    }

    fn key_press(&mut self, document: &OpenDocument, tools: &Tools, modifiers: Modifiers) -> Gestures {
        let mut gestures = Gestures { painting: self.is_painting(), ..Gestures::default() };
        let Some((at, viewport)) = self.at_cursor(document) else { return gestures };
        if self.drag.is_some() || tools.active == Tool::Hand {
            return gestures;
        }
        let grid = grid_of(shown(document), &document.view.stft);
        // Twice at one place closes a polygon, as a double click does.
        let double = self.last_tap == Some([document.cursor_secs, document.cursor_hz]);
        let press = Press { at, modifiers, double, viewport };
        self.press_in_pane(press, document, tools, &grid, &mut gestures);
        self.has_key_pen = self.drag.is_some();
        gestures.painting = self.is_painting();
        gestures.notice = gestures.notice.take().or_else(|| self.notice.take());
        gestures
    }

    fn key_release(&mut self, document: &OpenDocument, tools: &Tools, gestures: &mut Gestures) {
        let Some((at, _)) = self.at_cursor(document) else { return };
        let grid = grid_of(shown(document), &document.view.stft);
        let limits = limits(&grid);
        self.release(at, PointerButton::Primary, document, tools, &grid, &limits, gestures);
        self.has_key_pen = false;
        gestures.painting = self.is_painting();
    }
}
