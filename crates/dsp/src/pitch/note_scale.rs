//! Scales of notes to which drawn pitches snap.

use crate::base::Note;
use serde::{Deserialize, Serialize};

/// A kind of scale: its notes within an octave, relative to the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "each is called what musicians call it")]
pub enum ScaleKind {
    #[default]
    Chromatic,
    Major,
    NaturalMinor,
    HarmonicMinor,
    MelodicMinor,
    MajorPentatonic,
    MinorPentatonic,
    Blues,
    Dorian,
    Phrygian,
    Lydian,
    Mixolydian,
    Locrian,
    WholeTone,
}

impl ScaleKind {
    /// All kinds, in menu order.
    pub const ALL: [ScaleKind; 14] = [
        ScaleKind::Chromatic,
        ScaleKind::Major,
        ScaleKind::NaturalMinor,
        ScaleKind::HarmonicMinor,
        ScaleKind::MelodicMinor,
        ScaleKind::MajorPentatonic,
        ScaleKind::MinorPentatonic,
        ScaleKind::Blues,
        ScaleKind::Dorian,
        ScaleKind::Phrygian,
        ScaleKind::Lydian,
        ScaleKind::Mixolydian,
        ScaleKind::Locrian,
        ScaleKind::WholeTone,
    ];

    /// Semitones above the key, ascending from 0.
    pub fn semitones(self) -> &'static [i32] {
        match self {
            ScaleKind::Chromatic => &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
            ScaleKind::Major => &[0, 2, 4, 5, 7, 9, 11],
            ScaleKind::NaturalMinor => &[0, 2, 3, 5, 7, 8, 10],
            ScaleKind::HarmonicMinor => &[0, 2, 3, 5, 7, 8, 11],
            ScaleKind::MelodicMinor => &[0, 2, 3, 5, 7, 9, 11],
            ScaleKind::MajorPentatonic => &[0, 2, 4, 7, 9],
            ScaleKind::MinorPentatonic => &[0, 3, 5, 7, 10],
            ScaleKind::Blues => &[0, 3, 5, 6, 7, 10],
            ScaleKind::Dorian => &[0, 2, 3, 5, 7, 9, 10],
            ScaleKind::Phrygian => &[0, 1, 3, 5, 7, 8, 10],
            ScaleKind::Lydian => &[0, 2, 4, 6, 7, 9, 11],
            ScaleKind::Mixolydian => &[0, 2, 4, 5, 7, 9, 10],
            ScaleKind::Locrian => &[0, 1, 3, 5, 6, 8, 10],
            ScaleKind::WholeTone => &[0, 2, 4, 6, 8, 10],
        }
    }

    /// Name for display.
    pub fn label(self) -> &'static str {
        match self {
            ScaleKind::Chromatic => "Chromatic",
            ScaleKind::Major => "Major",
            ScaleKind::NaturalMinor => "Natural minor",
            ScaleKind::HarmonicMinor => "Harmonic minor",
            ScaleKind::MelodicMinor => "Melodic minor",
            ScaleKind::MajorPentatonic => "Major pentatonic",
            ScaleKind::MinorPentatonic => "Minor pentatonic",
            ScaleKind::Blues => "Blues",
            ScaleKind::Dorian => "Dorian",
            ScaleKind::Phrygian => "Phrygian",
            ScaleKind::Lydian => "Lydian",
            ScaleKind::Mixolydian => "Mixolydian",
            ScaleKind::Locrian => "Locrian",
            ScaleKind::WholeTone => "Whole tone",
        }
    }
}

/// A scale in a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct NoteScale {
    /// The key in semitones above C, 0 to 11.
    pub key: u8,
    /// The kind of scale.
    pub kind: ScaleKind,
}

impl NoteScale {
    /// Whether a note, given by its MIDI number, belongs to the scale.
    pub fn has(self, midi: i32) -> bool {
        self.kind.semitones().contains(&(midi - i32::from(self.key)).rem_euclid(12))
    }

    /// The note of the scale nearest to a frequency, with 0 cents; the lower of two equally near notes. `None` at 0 Hz
    /// and below.
    pub fn nearest(self, hz: f64) -> Option<Note> {
        let near = Note::from_hz(hz)?;
        let pitch = f64::from(near.midi) + near.cents / 100.0;
        let off = |midi: i32| (f64::from(midi) - pitch).abs();
        let all = (near.midi - 6..=near.midi + 6).filter(|&midi| self.has(midi));
        let midi = all.min_by(|&a, &b| off(a).total_cmp(&off(b)))?;
        Some(Note { midi, cents: 0.0 })
    }

    /// The scale with its key reduced to 0 to 11.
    #[must_use]
    pub fn within_limits(self) -> NoteScale {
        NoteScale { key: self.key % 12, ..self }
    }
}
