//! Parts of voices alone: names, chances, curves, envelopes, the sine.

use super::note;
use dsp::voices::{Adsr, Chord, DrawnNotes, Score, ScoreNote, Timbre, chance, midi_from_name, sine};
use dsp::{Axis, Point, Stroke};
use std::f64::consts::TAU;

#[test]
fn named_timbres_are_within_their_limits() {
    for name in Timbre::NAMES {
        assert_eq!(Timbre::named(name).map(|timbre| timbre.problem()), Some(None), "{name}");
    }
    assert!(Timbre::named("harp").is_none());
    let wrong = Timbre { unison: 10, ..Timbre::pad() };
    assert_eq!(wrong.problem(), Some(("unison", "10 is outside 1 to 9".into())));
}

fn largest_error(f: impl Fn(u32) -> f32) -> f64 {
    let error = |k: u32| {
        let phase = k.wrapping_mul(4093);
        (f64::from(f(phase)) - (f64::from(phase) / 4_294_967_296.0 * TAU).sin()).abs()
    };
    (0..1 << 20).map(error).fold(0.0, f64::max)
}

#[test]
fn the_polynomial_is_the_sine() {
    assert!(largest_error(sine) <= 3e-7, "{}", largest_error(sine));
    assert_eq!([sine(0), sine(1 << 31)], [0.0, 0.0]);
    // Control: the comparison detects a relative error of `4 f32::EPSILON`.
    assert!(largest_error(|phase| sine(phase) * (1.0 + 4.0 * f32::EPSILON)) > 3e-7);
}

#[test]
fn every_key_counts() {
    let base = chance(&[0, 1, 2, 3]);
    assert_eq!(chance(&[]), 0);
    for other in [[1, 1, 2, 3], [0, 2, 2, 3], [0, 1, 3, 3], [0, 1, 2, 4], [3, 2, 1, 0]] {
        // Half of the bits differ, within five standard deviations.
        let n_different = (chance(&other) ^ base).count_ones();
        assert!((12..=52).contains(&n_different), "{other:?}: {n_different}");
    }
}

#[test]
fn pitches_have_their_numbers() {
    for (name, midi) in [("C4", 60), ("A4", 69), ("C#4", 61), ("Db4", 61), ("Cb4", 59), ("B#3", 60), ("C-1", 0)] {
        assert_eq!(midi_from_name(name), Some(midi), "{name}");
    }
    for name in ["", "H4", "c4", "C", "C4x", "C 4", "C+4", "C###4", "C123", "4", "\u{e9}4", "C-"] {
        assert_eq!(midi_from_name(name), None, "{name}");
    }
}

/// Every chord quality, in semitones above the root.
#[test]
fn qualities_are_their_semitones() {
    let qualities: [(&str, &[i32]); 22] = [
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
    for (root, class) in [("C", 0), ("F#", 6), ("Bb", 10)] {
        for (quality, semitones) in qualities {
            let chord = Chord::from_symbol(&format!("{root}{quality}")).unwrap();
            assert_eq!((chord.root, &chord.semitones[..]), (class, semitones), "{root}{quality}");
        }
    }
}

#[test]
fn symbols_are_their_tones() {
    let tones = |symbol: &str| Chord::from_symbol(symbol).map(|chord| (chord.root, chord.semitones));
    assert_eq!(tones("C"), Some((0, vec![0, 4, 7])));
    assert_eq!(tones("Am7/G"), Some((9, vec![-2, 0, 3, 7, 10])));
    assert_eq!(tones("C/C"), Some((0, vec![-12, 0, 4, 7])));
    assert_eq!(tones("C/E"), Some((0, vec![-8, 0, 4, 7])));
    assert_eq!(tones("Bbm7b5"), Some((10, vec![0, 3, 6, 10])));
    assert_eq!(tones("F#13"), Some((6, vec![0, 4, 10, 14, 21])));
    for symbol in ["", "X", "Cfoo", "C/", "C/Em", "C/H", "cm", "Am7/"] {
        assert_eq!(tones(symbol), None, "{symbol}");
    }
    assert_eq!(Chord::from_symbol("Am").map(|chord| chord.root_midi(4)), Some(69));
}

/// The maximum number of points of a score allows ten minutes of one tone with a constantly changing pitch, but not of
/// sixteen.
#[test]
fn a_stroke_that_is_too_long_for_its_chord_is_refused() {
    let stroke = |depth: f64| {
        let point = |k: u32| Point {
            secs: 0.02 * f64::from(k),
            hz: 400.0 * (1.0 + depth * f64::from(k % 2)),
            pressure: 0.5 + depth * f64::from(k % 2),
        };
        let points = (0..30_000).map(point).collect();
        Stroke { points, axis: Axis::Log, radius: [0.01, 0.1], hardness: 0.5, strength: 1.0, build_up: false }
    };
    let tones: Vec<f64> = (0..16).map(f64::from).collect();
    let drawn = |depth: f64, tones: &[f64]| DrawnNotes::of(&stroke(depth), tones, 1.0, 440.0, 48_000.0);
    let one = drawn(0.1, &tones[..1]).unwrap().unwrap();
    let n_points = one.notes[0].glide.len() + one.notes[0].pressure.len();
    assert!(n_points > Score::MAX_POINTS / 16 && n_points < Score::MAX_POINTS, "{n_points}");
    let refused = drawn(0.1, &tones).unwrap_err();
    assert_eq!(refused.message(), "this stroke is too long for its chord; draw a shorter stroke or choose fewer tones");
    // A stroke with constant pitch and pressure has few points, however long it is.
    assert_eq!(drawn(0.0, &tones).unwrap().unwrap().notes.len(), 16);
}

#[test]
fn a_glide_is_straight_between_points_and_steps_where_two_share_a_time() {
    let glide = vec![[0.0, 1.0], [1.0, 2.0], [1.0, 5.0], [3.0, 7.0]];
    let gliding = ScoreNote { glide, ..note(69.0, 1.0) };
    for (secs, pitch) in [(-1.0, 1.0), (0.0, 1.0), (0.5, 1.5), (1.0, 5.0), (2.0, 6.0), (3.0, 7.0), (9.0, 7.0)] {
        assert_eq!(gliding.pitch_at(secs), pitch, "{secs}");
    }
    assert_eq!((gliding.lowest_pitch(), note(69.0, 1.0).pitch_at(1.0)), (1.0, 69.0));
}

#[test]
fn envelopes_end_in_exact_zeros() {
    let adsr = Adsr { attack_secs: 0.1, decay_secs: 0.2, sustain: 0.5, release_secs: 0.3 };
    let at = |secs: f64| adsr.level_at(1.0, secs);
    assert_eq!([at(0.0), at(1.3), at(2.0)], [0.0, 0.0, 0.0]);
    assert!((at(0.05) - 0.5).abs() < 1e-12 && (at(0.1) - 1.0).abs() < 1e-12);
    assert!((at(0.3) - 0.5005).abs() < 1e-9 && at(1.29) > 0.0);
    let sudden = Adsr { release_secs: 0.0, decay_secs: 0.0, ..adsr };
    assert_eq!([sudden.level_at(1.0, 0.5), sudden.level_at(1.0, 1.0)], [0.5, 0.0]);
}
