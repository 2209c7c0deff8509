//! Scales: which notes a pitch snaps to.

use dsp::{NoteScale, ScaleKind};

fn hz(midi: f64) -> f64 {
    440.0 * ((midi - 69.0) / 12.0).exp2()
}

/// The notes of scales as books on harmony spell them.
const SPELLED: [(u8, ScaleKind, &str); 9] = [
    (0, ScaleKind::Major, "C D E F G A B"),
    (9, ScaleKind::NaturalMinor, "A B C D E F G"),
    (9, ScaleKind::HarmonicMinor, "A B C D E F G♯"),
    (2, ScaleKind::Dorian, "D E F G A B C"),
    (7, ScaleKind::Mixolydian, "G A B C D E F"),
    (4, ScaleKind::Phrygian, "E F G A B C D"),
    (5, ScaleKind::Lydian, "F G A B C D E"),
    (0, ScaleKind::MajorPentatonic, "C D E G A"),
    (9, ScaleKind::Blues, "A C D D♯ E G"),
];

#[test]
fn a_scale_has_the_notes_that_it_is_spelled_with_in_every_octave() {
    const NAMES: [&str; 12] = ["C", "C♯", "D", "D♯", "E", "F", "F♯", "G", "G♯", "A", "A♯", "B"];
    for (key, kind, spelled) in SPELLED {
        let scale = NoteScale { key, kind };
        for midi in 0..128 {
            let name = NAMES[midi as usize % 12];
            assert_eq!(scale.has(midi), spelled.split(' ').any(|note| note == name), "{name} of {kind:?}");
        }
    }
    for kind in ScaleKind::ALL {
        assert!(kind.semitones().windows(2).all(|pair| pair[0] < pair[1]) && kind.semitones()[0] == 0, "{kind:?}");
    }
}

#[test]
fn a_pitch_goes_to_the_nearest_note_of_the_scale_and_of_no_other() {
    let major = NoteScale { key: 0, kind: ScaleKind::Major };
    // Slightly below and above C♯4, between B4 and C5, and others.
    for (pitch, wanted) in [(60.9, 60), (61.1, 62), (65.9, 65), (71.4, 71), (71.6, 72), (63.0, 62)] {
        assert_eq!(major.nearest(hz(pitch)).unwrap().midi, wanted, "{pitch}");
    }
    let all = NoteScale::default();
    assert_eq!(all.nearest(hz(61.1)).unwrap().midi, 61, "all notes");
    let pentatonic = NoteScale { key: 0, kind: ScaleKind::MinorPentatonic };
    assert_eq!(pentatonic.nearest(hz(61.4)).unwrap().midi, 60);
    assert!(major.nearest(0.0).is_none() && major.nearest(f64::NAN).is_none());
    assert_eq!(NoteScale { key: 200, kind: ScaleKind::Major }.within_limits().key, 8);
}
