//! Live voices: bit-identical to a rendering of their score.

use super::{note, rendered, score};
use dsp::voices::{LiveVoices, Score, Timbre};
use support::heap::heap_calls;

const RATE: f64 = 48_000.0;

/// Plays in the pieces that an output requests; before each, `hand` receives the number of samples rendered so far.
fn played(live: &mut LiveVoices, n: usize, mut hand: impl FnMut(&mut LiveVoices, usize)) -> [Vec<f32>; 2] {
    let mut out = [Vec::new(), Vec::new()];
    let mut sizes = [256, 100, 7, 256, 33, 1000].into_iter().cycle();
    while out[0].len() < n {
        hand(live, out[0].len());
        let size = sizes.next().unwrap();
        let (mut left, mut right) = (vec![f32::NAN; size], vec![f32::NAN; size]);
        live.render(&mut left, &mut right);
        out[0].extend(left);
        out[1].extend(right);
    }
    out
}

fn started(timbre: &Timbre) -> LiveVoices {
    let shared = Score { seed: 77, level_db: -9.0, ..Score::empty() };
    LiveVoices::new(&shared, timbre, RATE, true)
}

fn bits(samples: &[f32]) -> Vec<u32> {
    samples.iter().map(|sample| sample.to_bits()).collect()
}

#[test]
fn what_is_played_is_what_its_score_renders() {
    for name in Timbre::NAMES {
        let mut live = started(&Timbre::named(name).unwrap());
        // A chord; one of its tones moves twice, and gets softer; the tones end one after the other.
        let mut done = 0;
        let out = played(&mut live, 90_000, |live, at| {
            let steps = [0usize, 4_000, 12_000, 20_000, 30_000, 40_000, 45_000];
            while done < steps.len() && at >= steps[done] {
                match done {
                    0 => assert_eq!([live.begin(48.0, 1.0, 0.8).unwrap(), live.begin(55.0, 0.7, 0.8).unwrap()], [0, 1]),
                    1 => assert_eq!(live.begin(64.0, 1.0, 0.8).unwrap(), 2),
                    2 => live.steer(1, 56.5, 0.4),
                    3 => live.release(0),
                    4 => live.steer(1, 50.0, 1.0),
                    5 => live.release(1),
                    _ => live.release(2),
                }
                done += 1;
            }
        });
        assert!(live.is_silent(), "{name}");
        let score = live.score();
        assert_eq!(score.notes.len(), 3);
        assert!(score.notes[1].glide.len() == 5 && score.notes[0].glide.len() == 1);
        let offline = rendered(score, RATE, true);
        let n = offline[0].len();
        assert!(n > 45_000 && n < out[0].len(), "{name}: {n}");
        for side in [0, 1] {
            assert!(bits(&out[side][..n]) == bits(&offline[side]), "{name}");
            assert!(out[side][n..].iter().all(|sample| *sample == 0.0), "{name}: silence behind it");
        }
        // Control: a slightly different glide gives different samples.
        let mut other = score.clone();
        other.notes[1].glide[2][1] += 0.01;
        assert!(bits(&rendered(&other, RATE, true)[0]) != bits(&offline[0]), "{name}");
    }
}

#[test]
fn steering_makes_no_click() {
    let mut live = LiveVoices::new(&Score { level_db: 0.0, ..Score::empty() }, &Timbre::default(), RATE, false);
    let held = live.begin(60.0, 1.0, 1.0).unwrap();
    let mut out = vec![0.0; 48_000];
    for (step, piece) in out.chunks_mut(480).enumerate() {
        // A hundred times a second, the pitch jumps by an octave, and the pressure is loud or soft.
        live.steer(held, if step % 2 == 0 { 72.0 } else { 60.0 }, if step % 3 == 0 { 0.2 } else { 1.0 });
        live.render(piece, &mut []);
    }
    let steepest = out.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f32::max);
    // The steepest slope of a full-scale sine an octave above the note, plus that of a full level change in 4 ms.
    let max = std::f64::consts::TAU * 523.3 / RATE + 1.0 / (0.004 * RATE);
    assert!(f64::from(steepest) < max, "{steepest} of {max}");
    assert!(out.iter().fold(0.0f32, |peak, sample| peak.max(sample.abs())) > 0.9, "the control: it is loud");
}

#[test]
fn a_key_that_is_only_touched_is_heard() {
    let mut live = started(&Timbre::pluck());
    let touched = live.begin(60.0, 1.0, 0.8).unwrap();
    live.release(touched);
    let out = played(&mut live, 20_000, |_, _| {});
    assert!(live.is_silent() && out[0][..1_000].iter().any(|sample| sample.abs() > 0.01));
    assert!((0.03..0.032).contains(&live.score().notes[0].duration_secs));
    // A released note cannot be steered.
    live.steer(touched, 70.0, 1.0);
    assert_eq!(live.score().notes[0].glide, [[0.0, 60.0]]);
}

#[test]
fn more_than_can_sound_is_refused_with_its_count() {
    let mut live = started(&Timbre::pad());
    for _ in 0..170 {
        live.begin(60.0, 1.0, 0.8).unwrap();
    }
    let error = live.begin(60.0, 1.0, 0.8).unwrap_err();
    assert_eq!(error.message(), "8208 oscillators would sound at once; the limit is 8192");
    // Ended notes free their oscillators.
    (0..170).for_each(|note| live.release(note));
    let (mut left, mut right) = (vec![0.0; 48_000], vec![0.0; 48_000]);
    live.render(&mut left, &mut right);
    assert!(live.is_silent() && live.begin(60.0, 1.0, 0.8).is_ok());
}

/// The output's thread renders: it may neither wait for others nor allocate.
#[test]
fn playing_allocates_nothing_between_what_the_hand_does() {
    let mut live = started(&Timbre::pad());
    let (mut left, mut right) = (vec![0.0; 777], vec![0.0; 777]);
    let begin = heap_calls(|| {
        for k in 0..8 {
            live.begin(50.0 + f64::from(k), 1.0, 0.8).unwrap();
        }
    });
    assert!(begin > 0, "the counter bites");
    assert_eq!(heap_calls(|| (0..50).for_each(|_| live.render(&mut left, &mut right))), 0);
    (0..8).for_each(|note| live.release(note));
    assert_eq!(heap_calls(|| (0..200).for_each(|_| live.render(&mut left, &mut right))), 0);
    assert!(live.is_silent());
    // Control: this timbre is audible when its score is rendered.
    assert!(rendered(&score(Timbre::pad(), vec![note(50.0, 0.1)]), RATE, false)[0].iter().any(|sample| *sample != 0.0));
}
