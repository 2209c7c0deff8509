//! The keyboard at the canvas: whether it is here, whether the tool is down at its cursor, where it pressed last.

use egui::{EventFilter, Id, Response, Ui};

/// The keyboard at the canvas.
#[derive(Default)]
pub struct Keyboard {
    /// As egui knows the canvas, once it was drawn.
    id: Option<Id>,
    has_focus: bool,
    /// To be taken as soon as the canvas is drawn.
    wants_focus: bool,
    /// It is here only as long as something floats.
    is_lent: bool,
    /// The tool is down at the cursor: the pointer does not move it.
    has_pen: bool,
    /// Where it pressed last: seconds and hertz.
    last_tap: Option<[f64; 2]>,
}

impl Keyboard {
    /// What egui calls the canvas; none before it was drawn.
    pub fn id(&self) -> Option<Id> {
        self.id
    }

    /// Whether the canvas has the keyboard.
    pub fn has_focus(&self) -> bool {
        self.has_focus
    }

    /// Whether what is read is at the keyboard's cursor, and not at the pointer.
    pub fn reads_at_cursor(&self) -> bool {
        self.has_focus && !self.is_lent
    }

    /// The canvas takes the keyboard from now on.
    pub fn take(&mut self, ctx: &egui::Context) {
        if let Some(id) = self.id {
            ctx.memory_mut(|memory| memory.request_focus(id));
        }
        self.wants_focus = self.id.is_none();
    }

    /// Once a frame, with the response of the whole canvas: arrows and Escape stay here while it has the keyboard.
    pub fn hold(&mut self, ui: &Ui, response: &Response, has_floating: bool) {
        self.id = Some(response.id);
        // A press on the canvas ends what a widget was about: the next keys are commands.
        let is_pressed = response.is_pointer_button_down_on() && ui.input(|input| input.pointer.any_pressed());
        if is_pressed && !response.has_focus() {
            ui.memory_mut(|memory| memory.focused().into_iter().for_each(|id| memory.surrender_focus(id)));
        }
        let nobody_has = ui.memory(|memory| memory.focused().is_none());
        if std::mem::take(&mut self.wants_focus) || has_floating && nobody_has {
            response.request_focus();
            self.is_lent = has_floating;
        }
        // Taken for what floats, it goes back when that is placed.
        if self.is_lent && !has_floating {
            self.is_lent = false;
            response.surrender_focus();
        }
        self.has_focus = response.has_focus();
        let filter = EventFilter { tab: false, horizontal_arrows: true, vertical_arrows: true, escape: true };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
    }

    /// Whether the tool was put down at the cursor and not lifted since.
    pub fn has_pen(&self) -> bool {
        self.has_pen
    }

    /// The tool is down at the cursor, or lifted.
    pub fn set_pen(&mut self, is_down: bool) {
        self.has_pen = is_down;
    }

    /// Whether it pressed at this place last: twice at one place is a double click.
    pub fn has_tapped(&self, place: [f64; 2]) -> bool {
        self.last_tap == Some(place)
    }

    /// It pressed at this place, in seconds and hertz.
    pub fn note_tap(&mut self, place: [f64; 2]) {
        self.last_tap = Some(place);
    }
}
