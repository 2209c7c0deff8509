//! State of user input at the canvas: drawing, the anchor of a keyboard selection, and the held snapping key.

use super::keys::PendingText;
use super::typing::TypingKeyboard;
use crate::dsp::Selection;

/// State of user input at the canvas.
pub struct CanvasInputState {
    /// Anchor of a selection by keyboard.
    pub anchor: Anchor,
    /// The snapping key.
    pub snap_key: SnapKey,
    /// Letter keys that play notes.
    pub typing: TypingKeyboard,
    /// Text typed around the closing and opening of cards.
    pub typed_on: PendingText,
    /// Whether a stroke is being drawn.
    pub is_painting: bool,
    /// Area of the canvas.
    pub canvas_rect: egui::Rect,
}

impl CanvasInputState {
    /// Notes the area of the canvas.
    pub fn note_canvas(&mut self, rect: egui::Rect) {
        self.canvas_rect = rect;
    }

    /// Notes whether a stroke is being drawn.
    pub fn set_painting(&mut self, is_painting: bool) {
        self.is_painting = is_painting;
    }
}

/// Anchor of a selection by keyboard, and the resulting selection: a different selection ends it.
#[derive(Debug, Clone, Default)]
pub struct Anchor(Option<([f64; 2], Selection)>);

impl Anchor {
    /// Anchor of the selection being extended; `from` for a new one. Seconds and hertz.
    pub fn of(&self, selected: Option<&Selection>, from: [f64; 2]) -> [f64; 2] {
        match (&self.0, selected) {
            (Some((anchor, made)), Some(selection)) if made == selection => *anchor,
            _ => from,
        }
    }

    /// Notes a selection made from an anchor.
    pub fn keep(&mut self, anchor: [f64; 2], made: Selection) {
        self.0 = Some((anchor, made));
    }
}

/// A key pressed for longer, or while drawing, counts as held.
const HELD_SECS: f64 = 0.4;

/// A pressed key.
#[derive(Debug, Clone, Copy)]
struct HeldKey {
    since_secs: f64,
    /// When it was last seen pressed: a slow frame also delays the release, which may have come at any time since.
    seen_secs: f64,
    /// Whether the pointer was pressed in the meantime.
    has_drawn: bool,
}

/// The snapping key, while pressed.
#[derive(Debug, Clone, Copy, Default)]
pub struct SnapKey(Option<HeldKey>);

impl SnapKey {
    /// Notes that snapping is being toggled; `is_down` says that its key does it.
    pub fn begin(&mut self, is_down: bool, now_secs: f64) {
        self.0 = is_down.then_some(HeldKey { since_secs: now_secs, seen_secs: now_secs, has_drawn: false });
    }

    /// Whether frames must be drawn, to measure how long it is held.
    pub fn is_down(&self) -> bool {
        self.0.is_some()
    }

    /// Once a frame: whether the held key was released, so that snapping must be restored.
    pub fn follow(&mut self, is_down: bool, is_drawing: bool, now_secs: f64) -> bool {
        let Some(key) = &mut self.0 else { return false };
        key.has_drawn |= is_drawing;
        if is_down {
            key.seen_secs = now_secs;
            return false;
        }
        let was_held = key.has_drawn || key.seen_secs - key.since_secs > HELD_SECS;
        self.0 = None;
        was_held
    }
}
