//! Scores and timbres in JSON: their meaning, and errors with their message and place.

use super::rendered;
use dsp::voices::{Score, ScoreNote, Timbre};
use sonobrush_media::score::{ReadScore, ScoreOverrides, timbre_from_json};

fn read(text: &str) -> Result<Score, String> {
    let read = ReadScore::from_bytes(text.as_bytes(), &ScoreOverrides::default());
    read.map(|read| read.score).map_err(|error| error.message().to_owned())
}

/// A score of one note with these fields.
fn with_note(fields: &str) -> Result<Score, String> {
    read(&format!(r#"{{"version": 1, "notes": [{{{fields}}}]}}"#))
}

#[test]
fn a_score_means_what_it_says() {
    let text = "\u{feff} \n".to_owned()
        + r#"{"version": 1, "timbre": "pad", "level_db": -18, "tuning": 440, "seed": 0,
     "notes": [{"pitch": "C4", "start": 0.0, "duration": 1.5, "velocity": 0.8, "pan": 0.0, "timbre": "bell",
                "glide": [[0, "C4"], [0.5, 62.5]], "pressure": [[0, 1], [1.5, 0.2]]},
               {"chord": "Am7/G", "octave": 3, "start": 2.0, "duration": 2.0},
               {"pitch": 50.5, "chord": [0, 7], "start": 4, "duration": 1, "timbre": {"like": "bell"},
                "glide": [[0, 50], [1, 51]]}]}"#;
    let score = read(&text).unwrap();
    // A timbre with only `like` equals the timbre that it names.
    assert_eq!(score.timbres, [Timbre::pad(), Timbre::bell(), Timbre::bell()]);
    let first = ScoreNote {
        pitch: 60.0,
        start_secs: 0.0,
        duration_secs: 1.5,
        velocity: 0.8,
        pan: 0.0,
        timbre: 1,
        glide: vec![[0.0, 60.0], [0.5, 62.5]],
        pressure: vec![[0.0, 1.0], [1.5, 0.2]],
        sides: Vec::new(),
    };
    assert_eq!(score.notes[0], first);
    // A3 is 57: the bass below it, then the chord upwards.
    let pitches: Vec<f64> = score.notes[1..6].iter().map(|note| note.pitch).collect();
    assert_eq!(pitches, [55.0, 57.0, 60.0, 64.0, 67.0]);
    assert!(score.notes[1..6].iter().all(|note| note.timbre == 0 && note.velocity == 0.8 && note.start_secs == 2.0));
    assert_eq!([score.notes[6].pitch, score.notes[7].pitch], [50.5, 57.5]);
    assert_eq!(score.notes[7].glide, [[0.0, 57.0], [1.0, 58.0]]);
    assert_eq!(score.notes.len(), 8);
}

/// Tones of a chord are sorted by pitch. The order is audible, since the random phases of a pad depend on each note's
/// index.
#[test]
fn listed_tones_are_laid_low_to_high() {
    let of =
        |tones: &str| with_note(&format!(r#""pitch": 60, "chord": {tones}, "start": 0, "duration": 0.1"#)).unwrap();
    let bits = |score: &Score| -> Vec<u32> {
        rendered(score, 48_000.0, true).concat().into_iter().map(f32::to_bits).collect()
    };
    let [mixed, ordered] = ["[7, 0, 4]", "[0, 4, 7]"].map(of);
    assert_eq!(mixed.notes.iter().map(|note| note.pitch).collect::<Vec<_>>(), [60.0, 64.0, 67.0]);
    assert!(bits(&mixed) == bits(&ordered));
    // Control: another order of the notes gives other samples.
    let notes = ordered.notes.iter().rev().cloned().collect();
    assert!(bits(&Score { notes, ..ordered.clone() }) != bits(&ordered));
}

#[test]
fn what_is_typed_wins_over_the_file() {
    let text = r#"{"version": 1, "timbre": "organ", "level_db": -6,
                   "notes": [{"pitch": 60, "start": 0, "duration": 1}, {"pitch": 60, "start": 0, "duration": 1, "timbre": "pad"}]}"#;
    let overrides =
        ScoreOverrides { timbre: Some(Timbre::bell()), level_db: Some(-9.0), tuning_hz: Some(442.0), seed: Some(3) };
    let score = ReadScore::from_bytes(text.as_bytes(), &overrides).unwrap().score;
    assert_eq!((score.level_db, score.tuning_hz, score.seed), (-9.0, 442.0, 3));
    // The override replaces the timbre of the score, but not those of notes.
    assert_eq!(score.timbres, [Timbre::bell(), Timbre::pad()]);
    assert_eq!(score.notes.iter().map(|note| note.timbre).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn bad_scores_are_refused_with_their_place() {
    let note = r#""pitch": 60, "start": 0, "duration": 1"#;
    let cases = [
        (read("text"), "is neither a MIDI file nor a score in JSON; a score begins with MThd or with a brace"),
        (read("{"), "is not valid JSON: it ends before it is complete (line 1, column 1)"),
        (read("{}"), "score: version is missing"),
        (read(r#"{"version": 2}"#), "version: 2 is newer than this program supports (1); update Sonobrush"),
        (read(r#"{"version": 1}"#), "score: notes is missing"),
        (read(r#"{"version": 1, "notes": []}"#), "notes: there are no notes"),
        (read(r#"{"version": 1, "notes": [], "tempo": 1}"#), r#"score: the field "tempo" is unknown"#),
        (
            read(r#"{"version": 1, "timbre": "harp", "notes": []}"#),
            r#"timbre: the timbre "harp" is unknown; use pad, pluck, organ, bell, breath, burst_low, burst_mid, burst_high, burst_wide"#,
        ),
        (read(&format!(r#"{{"version": 1, "tuning": 0, "notes": [{{{note}}}]}}"#)), "tuning: 0 is outside 20 to 20000"),
        (
            read(&format!(r#"{{"version": 1, "seed": -1, "notes": [{{{note}}}]}}"#)),
            "seed: must be a whole number, 0 or more",
        ),
        (with_note(&format!(r#"{note}, "colour": 1"#)), r#"notes[0]: the field "colour" is unknown"#),
        (with_note(r#""pitch": 140, "start": 0, "duration": 1"#), "notes[0].pitch: 140 is outside 0 to 135.1 (20 kHz)"),
        (
            with_note(r#""pitch": -0.1, "start": 0, "duration": 1"#),
            "notes[0].pitch: -0.1 is outside 0 to 135.1 (20 kHz)",
        ),
        (
            with_note(r#""pitch": "H4", "start": 0, "duration": 1"#),
            r#"notes[0].pitch: "H4" is not a pitch; use names such as C4, F#3 and Bb5"#,
        ),
        (
            with_note(r#""pitch": 60, "start": 0, "duration": 0"#),
            "notes[0].duration: 0 is not above 0 and at most 600 seconds",
        ),
        (
            with_note(r#""pitch": 60, "start": 0, "duration": 601"#),
            "notes[0].duration: 601 is not above 0 and at most 600 seconds",
        ),
        (with_note(r#""pitch": 60, "start": -1, "duration": 1"#), "notes[0].start: -1 is outside 0 to 14400 seconds"),
        (with_note(r#""pitch": 60, "start": 14399.5, "duration": 1"#), "notes[0].start: the note ends after 4 hours"),
        (with_note(&format!(r#"{note}, "velocity": 0"#)), "notes[0].velocity: 0 is not above 0 and at most 1"),
        (with_note(&format!(r#"{note}, "velocity": 1.01"#)), "notes[0].velocity: 1.01 is not above 0 and at most 1"),
        (with_note(&format!(r#"{note}, "pan": 2"#)), "notes[0].pan: 2 is outside -1 to 1"),
        (with_note(&format!(r#"{note}, "glide": []"#)), "notes[0].glide: must have at least one point"),
        (
            with_note(&format!(r#"{note}, "glide": [[1, 60], [0, 61]]"#)),
            "notes[0].glide: times must be 0 or more and must not decrease",
        ),
        (
            with_note(&format!(r#"{note}, "glide": [[0, 60], [1, 136]]"#)),
            "notes[0].glide: 136 is outside 0 to 135.1 (20 kHz)",
        ),
        (with_note(&format!(r#"{note}, "pressure": [[0, 2.1]]"#)), "notes[0].pressure: values must be 0 to 2"),
        (with_note(&format!(r#"{note}, "sides": [[0, 1, -1]]"#)), "notes[0].sides: values must be 0 to 2"),
        (
            with_note(&format!(r#"{note}, "sides": [[0, 1]]"#)),
            "notes[0].sides[0]: must be a list of seconds, left and right",
        ),
        (with_note(r#""chord": "Xm", "start": 0, "duration": 1"#), r#"notes[0].chord: the chord "Xm" is unknown"#),
        (with_note(&format!(r#"{note}, "chord": "Am""#)), "notes[0].chord: a chord symbol has a root; leave pitch out"),
        (with_note(&format!(r#"{note}, "octave": 3"#)), "notes[0].octave: only a chord symbol takes an octave"),
        (with_note(r#""start": 0, "duration": 1"#), "notes[0]: pitch or chord is missing"),
        (with_note(r#""pitch": 60, "duration": 1"#), "notes[0]: start is missing"),
        (
            // The last tone of the chord is too high; the index counts notes of the file, not tones of chords.
            read(&format!(
                r#"{{"version": 1, "notes": [{{"chord": "C", "start": 0, "duration": 1}}, {{{note}, "chord": [0, 80]}}]}}"#
            )),
            "notes[1].pitch: 140 is outside 0 to 135.1 (20 kHz)",
        ),
    ];
    for (found, sentence) in cases {
        assert_eq!(found.unwrap_err(), sentence);
    }
    // The error message truncates a name of 1 MB.
    let long = with_note(&format!(r#""pitch": "{}", "start": 0, "duration": 1"#, "x".repeat(1 << 20))).unwrap_err();
    assert!(long.len() < 300, "{}", long.len());
    let many = format!("{{{note}}},").repeat(100_000);
    let many = read(&format!(r#"{{"version": 1, "notes": [{many}{{{note}}}]}}"#));
    assert_eq!(many.unwrap_err(), "notes: there are more than 100000 notes");
    // Each tone of a chord gets a copy of the glide, so a small file could take gigabytes of memory.
    let glide = (0..100_000).map(|i| format!("[{i},60]")).collect::<Vec<_>>().join(",");
    let tones = (0..64).map(|i| i.to_string()).collect::<Vec<_>>().join(",");
    let wide = format!(r#"{{"version": 1, "notes": [{{{note}, "chord": [{tones}], "glide": [{glide}]}}]}}"#);
    assert_eq!(read(&wide).unwrap_err(), "notes[0]: has too many points of glides, pressure and sides; use fewer");
}

#[test]
fn bad_timbres_are_refused_with_their_place() {
    let cases = [
        (
            r#"{"like": "pads"}"#,
            r#"timbre.like: the timbre "pads" is unknown; use pad, pluck, organ, bell, breath, burst_low, burst_mid, burst_high, burst_wide"#,
        ),
        (r#"{"partials": []}"#, "timbre.partials: 0 partials are outside 1 to 128"),
        (r#"{"partials": [[0, 1, 1]]}"#, "timbre.partials: the ratio 0 is outside 0 (exclusive) to 128"),
        (r#"{"partials": [[1, 0, 1]]}"#, "timbre.partials: all levels are 0"),
        (r#"{"partials": [[1]]}"#, "timbre.partials[0]: must be a list of ratio, level and life"),
        (r#"{"unison": 10}"#, "timbre.unison: 10 is outside 1 to 9"),
        (r#"{"detune": 101}"#, "timbre.detune: 101 is outside 0 to 100"),
        (r#"{"adsr": [0, 0, 1]}"#, "timbre.adsr: must be a list of 4 numbers"),
        (r#"{"adsr": [31, 0, 1, 0]}"#, "timbre.adsr: 31 is outside 0 to 30"),
        (r#"{"cutoff": [1, 2, 3, 1.5]}"#, "timbre.cutoff: the order must be a whole number from 1 to 8"),
        (r#"{"breath": 1.1}"#, "timbre.breath: 1.1 is outside 0 to 1"),
        (r#"{"glow": 1}"#, r#"timbre: the field "glow" is unknown"#),
        (
            r#"{"measured": {"f0": 100, "step": 0.01, "ratios": [1, 2], "levels": [[-10]]}}"#,
            "timbre.measured: there must be 1 to 128 ratios and a list of levels for each",
        ),
        (
            r#"{"measured": {"f0": 100, "step": 0.01, "ratios": [2, 1], "levels": [[-10], [-20]]}}"#,
            "timbre.measured: ratios must ascend and lie between 0 (exclusive) and 128",
        ),
        ("[]", "timbre: must be an object"),
    ];
    for (text, sentence) in cases {
        assert_eq!(timbre_from_json(text.as_bytes()).unwrap_err().message(), sentence);
    }
    let changed = timbre_from_json(br#"{"like": "pad", "detune": 12}"#).unwrap();
    assert_eq!(changed, Timbre { detune_cents: 12.0, ..Timbre::pad() });
}
