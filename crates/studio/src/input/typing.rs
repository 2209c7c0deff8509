//! The typing keyboard: while it is on, letter keys play notes like a piano.

use crate::base::Note;
use crate::document::Edit;
use crate::document::brushes::{Brush, VoicesBrush};
use crate::dsp::{Axis, Point, Stroke};
use crate::workbench::{Tools, View};
use egui::Key;

/// Keys and their semitones above the lowest note: the middle row of letters has the white keys, the row above the
/// black ones.
const KEYS: [(Key, i32); 15] = [
    (Key::A, 0),
    (Key::W, 1),
    (Key::S, 2),
    (Key::E, 3),
    (Key::D, 4),
    (Key::F, 5),
    (Key::T, 6),
    (Key::G, 7),
    (Key::Y, 8),
    (Key::H, 9),
    (Key::U, 10),
    (Key::J, 11),
    (Key::K, 12),
    (Key::O, 13),
    (Key::L, 14),
];

/// Range of octaves that Z and X select; C4 is middle C.
const OCTAVES: [i32; 2] = [0, 8];

/// State of the typing keyboard.
#[derive(Debug, Clone, Copy)]
pub struct TypingKeyboard {
    is_on: bool,
    octave: i32,
}

impl Default for TypingKeyboard {
    fn default() -> TypingKeyboard {
        TypingKeyboard { is_on: false, octave: 4 }
    }
}

impl TypingKeyboard {
    /// Whether letters play notes.
    pub fn is_on(self) -> bool {
        self.is_on
    }

    /// Turns the typing keyboard on.
    pub fn begin(&mut self) {
        self.is_on = true;
    }

    /// Turns the typing keyboard on or off.
    pub fn toggle(&mut self) {
        self.is_on = !self.is_on;
    }

    /// Whether the typing keyboard uses a key while it is on.
    pub fn takes(key: Key) -> bool {
        matches!(key, Key::Z | Key::X) || KEYS.iter().any(|(own, _)| *own == key)
    }

    /// Text of the status line while it is on.
    pub fn words(self) -> Option<String> {
        let octave = self.octave;
        self.is_on.then(|| format!("Typing keyboard: A is C{octave}    Z X: octave    Esc: end"))
    }

    /// Call once a frame: changes the octave, and returns the MIDI numbers of the pressed keys in ascending order.
    pub fn notes(&mut self, ctx: &egui::Context) -> Vec<i32> {
        if !self.is_on || ctx.text_edit_focused() {
            return Vec::new();
        }
        let (by, down) = ctx.input(|input| {
            let is_plain = !(input.modifiers.command || input.modifiers.alt || input.modifiers.shift);
            let pressed = |key| i32::from(is_plain && input.key_pressed(key));
            // A key pressed and released within a frame sounds for that frame.
            let is_down = |key| input.key_down(key) || input.key_pressed(key);
            let down: Vec<i32> =
                KEYS.iter().filter(|(key, _)| is_plain && is_down(*key)).map(|(_, above)| *above).collect();
            (pressed(Key::X) - pressed(Key::Z), down)
        });
        self.octave = (self.octave + by).clamp(OCTAVES[0], OCTAVES[1]);
        down.into_iter().map(|above| 12 * (self.octave + 1) + above).collect()
    }
}

/// An edit that plays the lowest of `notes`: a stroke of the current brush if it is pitched, else of the voice brush.
/// `None` without notes.
pub fn played(notes: &[i32], tools: &Tools, view: &View) -> Option<Edit> {
    let lowest = notes.first()?;
    let in_progress = tools.brush().filter(Brush::is_pitched);
    let brush = in_progress.or_else(|| tools.settings().voice().map(|voice| VoicesBrush::Drawn(voice).into()))?;
    let stroke = Stroke {
        points: vec![Point { secs: 0.0, hz: Note { midi: *lowest, cents: 0.0 }.hz(), pressure: 1.0 }],
        axis: Axis::Log,
        radius: [0.01, 0.1],
        hardness: 0.5,
        strength: tools.settings().strength,
        build_up: false,
    };
    Some(Edit {
        brush,
        stroke: Some(stroke),
        select: None,
        channels: view.channels.edited(),
        transform: view.transform.clone(),
        strength: 1.0,
        consistency_steps: None,
    })
}
