//! State of user input on the canvas: drawing, the anchor of a keyboard selection, the held snapping key.

use super::keys::PendingText;
use super::typing::TypingKeyboard;
use crate::dsp::Selection;

/// State of user input on the canvas.
pub struct CanvasInputState {
    /// Anchor of a selection by keyboard.
    pub anchor: Anchor,
    /// The snapping key.
    pub snap_key: SnapKey,
    /// The typing keyboard, whose letter keys play notes.
    pub typing: TypingKeyboard,
    /// Text typed while cards close and open.
    pub typed_on: PendingText,
    /// Whether a stroke is being drawn.
    pub is_painting: bool,
    /// Area of the canvas, in points of the window.
    pub canvas_rect: egui::Rect,
}

impl CanvasInputState {
    /// Sets the area of the canvas.
    pub fn note_canvas(&mut self, rect: egui::Rect) {
        self.canvas_rect = rect;
    }

    /// Sets whether a stroke is being drawn.
    pub fn set_painting(&mut self, is_painting: bool) {
        self.is_painting = is_painting;
    }
}

/// Anchor of a selection by keyboard, in seconds and hertz, and the resulting selection. Another selection invalidates
/// it.
#[derive(Debug, Clone, Default)]
pub struct Anchor(Option<([f64; 2], Selection)>);

impl Anchor {
    /// Anchor of the selection being extended; `from` if it was not made from an anchor.
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

/// A key pressed for longer than this, or while drawing, counts as held.
const HELD_SECS: f64 = 0.4;

/// A pressed key.
#[derive(Debug, Clone, Copy)]
struct HeldKey {
    since_secs: f64,
    /// Time at which it was last seen pressed. Not the time of release, which a slow frame reports late.
    seen_secs: f64,
    /// Whether the pointer was pressed meanwhile.
    has_drawn: bool,
}

/// The snapping key, while pressed.
#[derive(Debug, Clone, Copy, Default)]
pub struct SnapKey(Option<HeldKey>);

impl SnapKey {
    /// Call when snapping is toggled; `is_down`: its key is pressed.
    pub fn begin(&mut self, is_down: bool, now_secs: f64) {
        self.0 = is_down.then_some(HeldKey { since_secs: now_secs, seen_secs: now_secs, has_drawn: false });
    }

    /// Whether the key is down, so that frames are needed to measure for how long.
    pub fn is_down(&self) -> bool {
        self.0.is_some()
    }

    /// Call once a frame: whether a held key was released, so that snapping must be restored.
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
