//! Points of a pitch line, which a stroke can follow.

use base::Progress;
use document::{Channels, PitchLine, Snapshot, find_pitch_line};
use media::Source;
use std::f64::consts::TAU;

/// A voice of five partials that glides up by an octave a second, silent from 1 to 1.5 s.
fn line() -> PitchLine {
    let sample = |at: usize| {
        let secs = at as f64 / 16_000.0;
        let turns = 150.0 * (secs.exp2() - 1.0) / 2f64.ln();
        let voice: f64 = (1..=5).map(|k| 0.15 * (TAU * turns * f64::from(k)).sin() / f64::from(k)).sum();
        if (1.0..1.5).contains(&secs) { 0.0 } else { voice as f32 }
    };
    let sound = Source::from_channels(vec![(0..32_000).map(sample).collect()], 16_000).unwrap();
    find_pitch_line(&Snapshot::new(sound), &Channels::All, &Progress::new()).unwrap()
}

fn cents_off(secs: f64, hz: f64) -> f64 {
    (1_200.0 * (hz / (150.0 * secs.exp2())).log2()).abs()
}

#[test]
fn the_pitch_is_known_at_any_time_of_a_note_and_nowhere_else() {
    let line = line();
    for k in 0..800 {
        let secs = 0.1 + 0.001 * f64::from(k);
        let hz = line.hz_at(secs).unwrap();
        assert!(cents_off(secs, hz) < 30.0, "{hz} Hz at {secs} s");
    }
    for secs in [-1.0, -0.001, 1.2, 2.5, 1e12, f64::INFINITY, f64::NAN] {
        assert_eq!(line.hz_at(secs), None, "{secs}");
    }
    let [start, end] = line.note_secs(0.5).unwrap();
    assert!(start < 0.05 && (end - 1.0).abs() < 0.05, "{start} to {end} s");
    let [start, end] = line.note_secs(1.7).unwrap();
    assert!((start - 1.5).abs() < 0.05 && end > 1.9, "{start} to {end} s");
    assert!([1.25, -3.0, 9.0, f64::NAN].iter().all(|secs| line.note_secs(*secs).is_none()));
}

#[test]
fn points_between_two_times_are_in_order_without_those_of_silence() {
    let line = line();
    let forth = line.between(0.503, 0.85);
    assert_eq!(forth.len(), 22, "every 16 ms from 0.512 to 0.848 s");
    assert!(forth.iter().all(|[secs, hz]| cents_off(*secs, *hz) < 30.0 && line.hz_at(*secs) == Some(*hz)));
    assert!(forth.is_sorted_by(|a, b| a[0] < b[0]) && forth[0][0] > 0.503 && forth[21][0] < 0.85);
    let back = line.between(0.85, 0.503);
    assert!(back.iter().eq(forth.iter().rev()));
    assert!(line.between(1.1, 1.4).is_empty() && line.between(0.512, 0.528).is_empty(), "both times are excluded");
    assert!(line.between(0.9, 1.6).iter().all(|[secs, _]| !(1.05..1.45).contains(secs)));
    assert!(line.between(f64::NAN, 1.0).is_empty() && line.between(5.0, 9.0).is_empty());
}
