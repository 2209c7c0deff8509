//! The hand at the canvas: what it draws, where its selection by keyboard began, and the key of snapping that it holds.

use super::keys::TypedOn;
use super::typing::TypingKeyboard;
use crate::dsp::Selection;

/// What the user is doing at the canvas.
pub struct AtCanvas {
    /// Where a selection by keyboard began.
    pub anchor: Anchor,
    /// The key of snapping.
    pub snap_key: SnapKey,
    /// Letter keys that play notes.
    pub typing: TypingKeyboard,
    /// Text that goes on after a card closed.
    pub typed_on: TypedOn,
    /// Whether a stroke is being drawn.
    pub is_painting: bool,
    /// Where the canvas was drawn.
    pub canvas_rect: egui::Rect,
}

impl AtCanvas {
    /// The canvas is drawn there.
    pub fn note_canvas(&mut self, rect: egui::Rect) {
        self.canvas_rect = rect;
    }

    /// A stroke is being drawn, or none.
    pub fn set_painting(&mut self, is_painting: bool) {
        self.is_painting = is_painting;
    }
}

/// Where a selection by keyboard began, and what it led to: another selection begins another.
#[derive(Debug, Clone, Default)]
pub struct Anchor(Option<([f64; 2], Selection)>);

impl Anchor {
    /// Where the selection began that is extended now; `from` if it is a new one. Seconds and hertz.
    pub fn of(&self, selected: Option<&Selection>, from: [f64; 2]) -> [f64; 2] {
        match (&self.0, selected) {
            (Some((anchor, made)), Some(selection)) if made == selection => *anchor,
            _ => from,
        }
    }

    /// A selection was made from there.
    pub fn keep(&mut self, anchor: [f64; 2], made: Selection) {
        self.0 = Some((anchor, made));
    }
}

/// Pressed for longer than this, or drawn with meanwhile, it was held.
const HELD_SECS: f64 = 0.4;

/// Since when the key is down, and whether the pointer was pressed meanwhile.
#[derive(Debug, Clone, Copy, Default)]
pub struct SnapKey(Option<(f64, bool)>);

impl SnapKey {
    /// Snapping is toggled now; `is_down` says that its key does it.
    pub fn begin(&mut self, is_down: bool, now_secs: f64) {
        self.0 = is_down.then_some((now_secs, false));
    }

    /// Once a frame: whether the key was held and is released, so that snapping is as before again.
    pub fn follow(&mut self, is_down: bool, is_drawing: bool, now_secs: f64) -> bool {
        let Some((since_secs, has_drawn)) = &mut self.0 else { return false };
        *has_drawn |= is_drawing;
        if is_down {
            return false;
        }
        let was_held = *has_drawn || now_secs - *since_secs > HELD_SECS;
        self.0 = None;
        was_held
    }
}
