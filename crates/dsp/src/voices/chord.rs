//! Names of pitches and symbols of chords.

/// Semitones of the letters above C.
const NOTE_LETTERS: [(char, i32); 7] = [('C', 0), ('D', 2), ('E', 4), ('F', 5), ('G', 7), ('A', 9), ('B', 11)];

/// Qualities and their tones, in semitones above the root.
const QUALITIES: [(&str, &[i32]); 22] = [
    ("", &[0, 4, 7]),
    ("m", &[0, 3, 7]),
    ("dim", &[0, 3, 6]),
    ("aug", &[0, 4, 8]),
    ("sus2", &[0, 2, 7]),
    ("sus4", &[0, 5, 7]),
    ("5", &[0, 7]),
    ("6", &[0, 4, 7, 9]),
    ("m6", &[0, 3, 7, 9]),
    ("7", &[0, 4, 7, 10]),
    ("maj7", &[0, 4, 7, 11]),
    ("m7", &[0, 3, 7, 10]),
    ("mmaj7", &[0, 3, 7, 11]),
    ("dim7", &[0, 3, 6, 9]),
    ("m7b5", &[0, 3, 6, 10]),
    ("9", &[0, 4, 7, 10, 14]),
    ("maj9", &[0, 4, 7, 11, 14]),
    ("m9", &[0, 3, 7, 10, 14]),
    ("add9", &[0, 4, 7, 14]),
    ("7sus4", &[0, 5, 7, 10]),
    ("11", &[0, 7, 10, 14, 17]),
    ("13", &[0, 4, 10, 14, 21]),
];

/// A chord from its symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chord {
    /// Pitch class of the root: 0 is C, 11 B.
    pub root: i32,
    /// Tones in semitones from the root, ascending; a bass is below 0.
    pub semitones: Vec<i32>,
}

impl Chord {
    /// Reads a symbol: root, quality, and a bass after a slash, which is placed below the root; `None` for an unknown
    /// symbol.
    pub fn from_symbol(symbol: &str) -> Option<Chord> {
        let (body, bass) = symbol.split_once('/').map_or((symbol, None), |(body, bass)| (body, Some(bass)));
        let (root, quality) = pitch_class(body)?;
        let (_, tones) = QUALITIES.iter().find(|(name, _)| *name == quality)?;
        let mut semitones = tones.to_vec();
        if let Some(bass) = bass {
            let (class, "") = pitch_class(bass)? else { return None };
            // From 1 to 12 semitones below.
            let below = (root - class - 1).rem_euclid(12) + 1;
            semitones.insert(0, -below);
        }
        Some(Chord { root, semitones })
    }

    /// The MIDI number of the root in an octave; octave 4 begins with middle C, 60.
    pub fn root_midi(&self, octave: i32) -> i32 {
        12 * (octave + 1) + self.root
    }
}

/// The MIDI number of a name such as `C4` (60), `F#3`, `Bb-1`; `None` for anything else.
pub fn midi_from_name(name: &str) -> Option<i32> {
    let (class, octave) = letter_class(name)?;
    let digits = octave.strip_prefix('-').unwrap_or(octave);
    let is_plain = (1..=2).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit());
    let octave: i32 = octave.parse().ok().filter(|_| is_plain)?;
    Some(12 * (octave + 1) + class)
}

/// The semitones above C of a letter with up to two accidentals (`Cb` is -1), and the rest of the text.
fn letter_class(text: &str) -> Option<(i32, &str)> {
    let letter = text.chars().next()?;
    let (_, class) = NOTE_LETTERS.iter().find(|(known, _)| *known == letter)?;
    let rest = &text[1..];
    let plain = rest.trim_start_matches(['#', 'b']);
    let accidentals = &rest[..rest.len() - plain.len()];
    if accidentals.len() > 2 {
        return None;
    }
    let shift: i32 = accidentals.chars().map(|accidental| if accidental == '#' { 1 } else { -1 }).sum();
    Some((class + shift, plain))
}

fn pitch_class(text: &str) -> Option<(i32, &str)> {
    letter_class(text).map(|(class, rest)| (class.rem_euclid(12), rest))
}
