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

/// A key that is down.
#[derive(Debug, Clone, Copy)]
struct HeldKey {
    since_secs: f64,
    /// When it was seen to be down last: a frame that takes long also holds up the release, which may have come at any
    /// time since.
    seen_secs: f64,
    /// Whether the pointer was pressed meanwhile.
    has_drawn: bool,
}

/// The key of snapping, while it is down.
#[derive(Debug, Clone, Copy, Default)]
pub struct SnapKey(Option<HeldKey>);

impl SnapKey {
    /// Snapping is toggled now; `is_down` says that its key does it.
    pub fn begin(&mut self, is_down: bool, now_secs: f64) {
        self.0 = is_down.then_some(HeldKey { since_secs: now_secs, seen_secs: now_secs, has_drawn: false });
    }

    /// Whether frames must come, to see how long it is held.
    pub fn is_down(&self) -> bool {
        self.0.is_some()
    }

    /// Once a frame: whether the key was held and is released, so that snapping is as before again.
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
