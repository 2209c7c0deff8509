//! Effects of a warp on a tone, on every engine of this machine.

use base::Progress;
use document::brushes::{Brush, Warp};
use document::{Edit, Snapshot, apply};
use dsp::strokes::brush::WarpMode;
use dsp::{Axis, Point, Selection, StftParams, Stroke};
use engine::Engine;
use media::Source;
use std::ops::Range;
use support::engines::engines;
use support::measure::{largest_step, strongest_tone};
use support::signals::{busy, tone};

const RATE: f64 = 44_100.0;

fn warp(mode: WarpMode, stroke: Option<Stroke>, select: Option<Selection>) -> Edit {
    let transform = StftParams::default();
    Edit { stroke, select, ..Edit::of(Brush::Warp(Warp { mode, peak_locking: true }), transform) }
}

fn run(samples: &[f32], edit: &Edit, engine: &Engine) -> Vec<f32> {
    let before = Snapshot::new(Source::from_channels(vec![samples.to_vec()], RATE as u32).unwrap());
    let after = apply(&before, edit, engine, &Progress::new()).unwrap().snapshot;
    let mut out = vec![0.0; samples.len()];
    after.read(0, 0, &mut out).unwrap();
    out
}

fn secs(range: Range<f64>) -> Range<usize> {
    (range.start * RATE) as usize..(range.end * RATE) as usize
}

/// Whether a range plays one tone: its frequency within 2 Hz, its level within `within_db` of `level`.
fn plays(samples: &[f32], at: Range<f64>, hz: f64, level: f64, within_db: f64) -> Result<(), String> {
    let found = strongest_tone(&samples[secs(at.clone())], RATE, 700.0, 1500.0);
    let db = 20.0 * (found.level / level).log10();
    let is_it = (found.hz - hz).abs() <= 2.0 && db.abs() <= within_db;
    if is_it { Ok(()) } else { Err(format!("{at:?} s plays {:.2} Hz at {db:.2} dB", found.hz)) }
}

fn boxed(mode: WarpMode) -> Edit {
    let select = Selection::rectangle(Some([1.0, 2.0]), Some([600.0, 1600.0]), [0.05, 100.0], Axis::Linear);
    warp(mode, None, Some(select))
}

#[test]
fn a_grabbed_tone_plays_where_it_was_put() {
    let samples = tone(3 * 44_100, RATE, 1000.0, 0.5);
    for engine in engines() {
        let moved = run(&samples, &boxed(WarpMode::Grab { shift: [0.0, 200.0] }), engine);
        for start in [1.05, 1.2, 1.4, 1.6, 1.7] {
            plays(&moved, start..start + 0.25, 1200.0, 0.5, 1.0).unwrap_or_else(|e| panic!("{}: {e}", engine.name()));
        }
        plays(&moved, 1.05..1.95, 1200.0, 0.5, 1.0).unwrap();
        plays(&moved, 0.2..0.8, 1000.0, 0.5, 0.01).unwrap();
        plays(&moved, 2.2..2.8, 1000.0, 0.5, 0.01).unwrap();
        let (steps, limit) = (largest_step(&moved), 2.0 * largest_step(&samples));
        assert!(steps <= limit, "{}: a step of {steps}, {limit} at most", engine.name());

        // Control: the measure rejects a tone that has not moved, or not as far.
        assert!(plays(&samples, 1.05..1.95, 1200.0, 0.5, 1.0).is_err());
        let less = run(&samples, &boxed(WarpMode::Grab { shift: [0.0, 196.0] }), engine);
        assert!(plays(&less, 1.05..1.95, 1200.0, 0.5, 1.0).is_err());
        let mut clicked = moved.clone();
        clicked[secs(1.5..2.0).start] += 0.3;
        assert!(largest_step(&clicked) > limit);
    }
}

#[test]
fn a_grab_down_and_on_a_log_axis_plays_where_it_was_put() {
    let samples = tone(3 * 44_100, RATE, 1000.0, 0.5);
    let down = boxed(WarpMode::Grab { shift: [0.0, -150.0] });
    let mut octaves = boxed(WarpMode::Grab { shift: [0.0, 0.25] });
    octaves.select = Some(Selection::rectangle(Some([1.0, 2.0]), Some([600.0, 1600.0]), [0.05, 0.1], Axis::Log));
    for engine in engines() {
        // On a log axis, the bins of the tone's peak move by different amounts in hertz, which makes it weaker.
        for (edit, hz, within_db) in [(&down, 850.0, 1.5), (&octaves, 1000.0 * 0.25f64.exp2(), 6.0)] {
            let moved = run(&samples, edit, engine);
            plays(&moved, 1.1..1.9, hz, 0.5, within_db).unwrap_or_else(|e| panic!("{} {hz}: {e}", engine.name()));
            assert!(largest_step(&moved) <= 2.0 * largest_step(&samples));
        }
    }
}

fn push(hz: [f64; 2]) -> Edit {
    let points = hz.map(|hz| Point { secs: 1.5, hz, pressure: 1.0 }).to_vec();
    let stroke =
        Stroke { points, axis: Axis::Linear, radius: [0.5, 200.0], hardness: 0.5, strength: 1.0, build_up: false };
    warp(WarpMode::Push, Some(stroke), None)
}

#[test]
fn a_pushed_tone_follows_the_hand() {
    let samples = tone(3 * 44_100, RATE, 1000.0, 0.5);
    for engine in engines() {
        let moved = run(&samples, &push([1000.0, 1200.0]), engine);
        for (start, end) in [(1.4, 1.6), (1.35, 1.5), (1.5, 1.65)] {
            plays(&moved, start..end, 1200.0, 0.5, 5.0).unwrap_or_else(|e| panic!("{}: {e}", engine.name()));
        }
        plays(&moved, 0.2..0.8, 1000.0, 0.5, 0.01).unwrap();
        plays(&moved, 2.2..2.8, 1000.0, 0.5, 0.01).unwrap();
        // A push over half the distance moves the tone half as far.
        let half = run(&samples, &push([1000.0, 1100.0]), engine);
        plays(&half, 1.4..1.6, 1100.0, 0.5, 5.0).unwrap_or_else(|e| panic!("{}: {e}", engine.name()));
        assert!(plays(&half, 1.4..1.6, 1200.0, 0.5, 5.0).is_err());
    }
}

#[test]
fn a_push_depends_on_its_line_not_on_how_many_points_drew_it() {
    let samples = busy(3 * 44_100, RATE, 5);
    let whole = push([1000.0, 1200.0]);
    let mut many = whole.clone();
    let points = (0..=40).map(|i| Point { secs: 1.5, hz: 1000.0 + 5.0 * f64::from(i), pressure: 1.0 }).collect();
    many.stroke.as_mut().unwrap().points = points;
    let [a, b] = [run(&samples, &whole, &Engine::cpu()), run(&samples, &many, &Engine::cpu())];
    let change: Vec<f32> = a.iter().zip(&samples).map(|(y, x)| y - x).collect();
    let other: Vec<f32> = b.iter().zip(&samples).map(|(y, x)| y - x).collect();
    let snr = support::measure::snr_db_f32(&other, &change);
    assert!(snr > 90.0, "{snr} dB of the change");
}

#[test]
fn a_grab_by_nothing_gives_the_sound_back() {
    let samples = busy(2 * 44_100, RATE, 6);
    for engine in engines() {
        let same = run(&samples, &boxed(WarpMode::Grab { shift: [0.0, 0.0] }), engine);
        let snr = support::measure::snr_db_f32(&same, &samples);
        assert!(snr > 120.0, "{}: {snr} dB", engine.name());
    }
}

#[test]
fn a_grab_in_time_moves_a_click() {
    let mut samples = vec![0.0; 2 * 44_100];
    samples[44_100] = 0.8;
    let select = Selection::rectangle(Some([0.5, 1.5]), None, [0.0; 2], Axis::Linear);
    // Five hops of 512 samples.
    let edit = warp(WarpMode::Grab { shift: [2560.0 / RATE, 0.0] }, None, Some(select));
    for engine in engines() {
        let moved = run(&samples, &edit, engine);
        let loudest = (0..moved.len()).max_by(|&a, &b| moved[a].abs().total_cmp(&moved[b].abs())).unwrap();
        assert_eq!(loudest, 44_100 + 2560, "{}", engine.name());
        assert!(moved[loudest] > 0.7 && moved[44_100].abs() < 0.01);
    }
}
