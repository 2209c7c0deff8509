//! Keyboard state of the canvas: focus, whether the tool is down at its cursor, and its last press.

use egui::{EventFilter, Id, Response, Ui};

/// Keyboard state of the canvas.
#[derive(Default)]
pub struct Keyboard {
    /// egui id of the canvas, once it was drawn.
    id: Option<Id>,
    has_focus: bool,
    /// Whether to take the focus when the canvas is next drawn.
    wants_focus: bool,
    /// Whether to give up the focus once the floating paste is placed.
    is_lent: bool,
    /// Whether the tool is down at the cursor, so that the pointer doesn't move it.
    has_pen: bool,
    /// Position of the last press: seconds and hertz.
    last_tap: Option<[f64; 2]>,
}

impl Keyboard {
    /// egui id of the canvas; `None` before it was drawn.
    pub fn id(&self) -> Option<Id> {
        self.id
    }

    /// Whether the canvas has the keyboard.
    pub fn has_focus(&self) -> bool {
        self.has_focus
    }

    /// Whether the readout is at the keyboard's cursor rather than the pointer.
    pub fn reads_at_cursor(&self) -> bool {
        self.has_focus && !self.is_lent
    }

    /// Gives the canvas the keyboard focus.
    pub fn take(&mut self, ctx: &egui::Context) {
        if let Some(id) = self.id {
            ctx.memory_mut(|memory| memory.request_focus(id));
        }
        self.wants_focus = self.id.is_none();
    }

    /// Once a frame, with the response of the whole canvas: keeps arrows and Escape here while it has the focus.
    pub fn hold(&mut self, ui: &Ui, response: &Response, has_floating: bool) {
        self.id = Some(response.id);
        // A press on the canvas takes the focus from any widget, so that the next keys are commands.
        let is_pressed = response.is_pointer_button_down_on() && ui.input(|input| input.pointer.any_pressed());
        if is_pressed && !response.has_focus() {
            ui.memory_mut(|memory| memory.focused().into_iter().for_each(|id| memory.surrender_focus(id)));
        }
        let nobody_has = ui.memory(|memory| memory.focused().is_none());
        if std::mem::take(&mut self.wants_focus) || has_floating && nobody_has {
            response.request_focus();
            self.is_lent = has_floating;
        }
        // Focus taken for a floating paste is given back once that is placed.
        if self.is_lent && !has_floating {
            self.is_lent = false;
            response.surrender_focus();
        }
        self.has_focus = response.has_focus();
        let filter = EventFilter { tab: false, horizontal_arrows: true, vertical_arrows: true, escape: true };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
    }

    /// Whether the tool is down at the cursor.
    pub fn has_pen(&self) -> bool {
        self.has_pen
    }

    /// Sets whether the tool is down at the cursor.
    pub fn set_pen(&mut self, is_down: bool) {
        self.has_pen = is_down;
    }

    /// Whether the last press was at this position: a second one there is a double click.
    pub fn has_tapped(&self, place: [f64; 2]) -> bool {
        self.last_tap == Some(place)
    }

    /// Notes a press at this position, in seconds and hertz.
    pub fn note_tap(&mut self, place: [f64; 2]) {
        self.last_tap = Some(place);
    }
}
