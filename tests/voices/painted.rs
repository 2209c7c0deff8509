//! The brush of voices beside the commands that render and paint scores.

use crate::support::engines::cpu;
use crate::support::phrases::{NOTES, RATE, applied, edit, phrase_at, same_bits, samples, silence};
use crate::support::program::Place;
use crate::support::voices::midi::melody;
use crate::support::wav::Wav;
use sonobrush::document::brushes::{Brush, Phrase, VoicesBrush};
use sonobrush::media::score::{ReadScore, ScoreOverrides};

/// What the command renders, bit for bit, from where the edit puts it; silence before and behind.
#[test]
fn notes_on_silence_are_those_of_the_command() {
    let place = Place::new();
    place.write("score.json", format!(r#"{{"version": 1, {NOTES}}}"#));
    place.write("melody.mid", melody());
    for (file, n_channels) in [("score.json", 2), ("score.json", 1), ("melody.mid", 2)] {
        let channels = n_channels.to_string();
        place.done(&["voices", file, "-o", "out.wav", "--overwrite", "--channels", &channels]);
        let wav = Wav::read(&place.path("out.wav"));
        let score = ReadScore::open(&place.path(file), &ScoreOverrides::default()).unwrap().score;
        let first = 12_345usize;
        let brush: Brush = VoicesBrush::Phrase(Phrase::new(score, first as f64 / f64::from(RATE)).unwrap()).into();
        // As a project stores it.
        let edit = edit(&format!(r#"{{"brush": {}}}"#, brush.to_json()));
        assert_eq!(edit.brush, brush, "{file}");
        let sound = applied(&silence(8.0, n_channels), &edit, &cpu());
        assert_eq!((sound.report.engine(), sound.report.notices), ("cpu", Vec::new()));
        for (channel, expected) in wav.channels.iter().enumerate() {
            let found: Vec<i64> = samples(&sound.snapshot, channel).iter().map(|s| i64::from(s.to_bits())).collect();
            assert!(found[first..first + expected.len()] == expected[..], "{file}, channel {channel}");
            assert!(found[..first].iter().chain(&found[first + expected.len()..]).all(|bits| *bits == 0), "{file}");
        }
    }
    // The control: a sample later it is another sound.
    let [early, late] = [0.25, 0.25 + 1.0 / f64::from(RATE)]
        .map(|at| samples(&applied(&silence(2.0, 1), &phrase_at(at, ""), &cpu()).snapshot, 0));
    assert!(!same_bits(&early, &late) && same_bits(&early[..90_000], &late[1..90_001]));
}

/// By the command `paint`, on a new file, from a script.
#[test]
fn a_script_paints_notes() {
    let place = Place::new();
    let script = format!(r#"{{"version": 1, "edits": [{{"brush": {{"kind": "voices", "at": 0.25, {NOTES}}}}}]}}"#);
    place.write("s.json", script);
    place.done(&["paint", "--new", "2,48000,2", "--script", "s.json", "-o", "out.wav", "--format", "float32"]);
    let wav = Wav::read(&place.path("out.wav"));
    let sound = applied(&silence(2.0, 2), &phrase_at(0.25, ""), &cpu()).snapshot;
    for (channel, found) in wav.channels.iter().enumerate() {
        let expected: Vec<i64> = samples(&sound, channel).iter().map(|s| i64::from(s.to_bits())).collect();
        assert!(*found == expected);
    }
}
