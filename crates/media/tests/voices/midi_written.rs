//! Notes written as MIDI files.

use sonobrush_media::score::{MidiNote, ReadScore, ScoreOverrides, midi_from_notes};
use support::voices::midi::{file, track};

#[test]
fn notes_are_the_bytes_of_a_midi_file() {
    let notes = [
        MidiNote { key: 69, velocity: 100, secs: [0.5, 1.0] },
        // The same key again as the first note ends, and a note of no duration that begins with the first.
        MidiNote { key: 69, velocity: 1, secs: [1.0, 1.25] },
        MidiNote { key: 21, velocity: 127, secs: [0.5, 0.5] },
    ];
    // With running status: a status byte equal to the previous one is omitted.
    let expected = track(&[
        (0, &[0xff, 0x51, 3, 0x07, 0xa1, 0x20]),
        (960, &[0x90, 69, 100]),
        (0, &[21, 127]),
        (1, &[0x80, 21, 0]),
        (959, &[69, 0]),
        (0, &[0x90, 69, 1]),
        (480, &[0x80, 69, 0]),
    ]);
    assert_eq!(midi_from_notes(&notes).unwrap(), file(0, 960, &[expected]));
    let nothing = track(&[(0, &[0xff, 0x51, 3, 0x07, 0xa1, 0x20])]);
    assert_eq!(midi_from_notes(&[]).unwrap(), file(0, 960, &[nothing]));
}

#[test]
fn what_is_written_is_read_as_the_same_notes() {
    let notes: Vec<MidiNote> = (0..200)
        .map(|n| {
            let start_secs = 0.137 * f64::from(n);
            MidiNote {
                key: 21 + (n * 7 % 88) as u8,
                velocity: 1 + (n % 127) as u8,
                secs: [start_secs, start_secs + 0.3],
            }
        })
        .collect();
    let bytes = midi_from_notes(&notes).unwrap();
    let ReadScore { score, notices } = ReadScore::from_bytes(&bytes, &ScoreOverrides::default()).unwrap();
    assert_eq!(notices, [""; 0]);
    assert_eq!(score.notes.len(), notes.len());
    for (read, note) in score.notes.iter().zip(&notes) {
        assert_eq!((read.pitch, read.velocity), (f64::from(note.key), f64::from(note.velocity) / 127.0));
        let end_secs = read.start_secs + read.duration_secs;
        assert!((read.start_secs - note.secs[0]).abs() < 3e-4 && (end_secs - note.secs[1]).abs() < 3e-4);
    }
}

#[test]
fn a_pause_beyond_any_file_is_one_sentence() {
    let late = [MidiNote { key: 60, velocity: 64, secs: [1e6, 1e6 + 1.0] }];
    let error = midi_from_notes(&late).unwrap_err();
    assert_eq!(error.to_string(), "a pause is longer than a MIDI file can have");
    let early = [MidiNote { key: 200, velocity: 0, secs: [-1.0, f64::NAN] }];
    assert!(midi_from_notes(&early).is_ok());
}
