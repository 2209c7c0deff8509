//! Cost of a stroke on rows: the same in an hour as in ten seconds.

use super::RATE;
use super::painting::{edit, read, run};
use base::Progress;
use document::brushes::{Brush, Gain, Noise, Smudge, Warp};
use document::{Edit, PenDown, Snapshot, StrokeSession};
use dsp::strokes::brush::WarpMode;
use dsp::transforms::rows::RowsParams;
use dsp::{Axis, Point, Selection, StftParams, Stroke};
use media::Source;
use std::time::{Duration, Instant};
use support::engines::cpu;

/// Four seconds of noise within `secs` seconds of silence.
fn sound(secs: u64) -> Snapshot {
    let silence = Snapshot::new(Source::silence(secs * RATE as u64, RATE as u32, 1).unwrap());
    let select = Some(Selection::rectangle(Some([3.0, 7.0]), None, [0.0; 2], Axis::Linear));
    let noise = edit(Noise { level_db: -20.0, seed: 1 }, StftParams::default());
    run(&silence, &Edit { select, ..noise }, &cpu()).snapshot
}

fn point(secs: f64) -> Point {
    Point { secs, hz: 1000.0, pressure: 1.0 }
}

/// A stroke through `points`, half an octave high.
fn stroke(points: Vec<Point>) -> Option<Stroke> {
    Some(Stroke { points, axis: Axis::Log, radius: [0.05, 0.25], hardness: 0.5, strength: 1.0, build_up: false })
}

const HALF: Gain = Gain { gain_db: -6.0 };

/// The same cells and samples, and about the same time; the control is a stroke five times as long.
#[test]
fn a_stroke_costs_as_much_in_an_hour_as_in_ten_seconds() {
    let [short, long] = [sound(10), sound(3600)];
    let brushes: [Brush; 3] = [HALF.into(), Warp { mode: WarpMode::Push, peak_locking: true }.into(), Smudge.into()];
    for brush in brushes {
        let drawn = |end_secs: f64| Edit {
            stroke: stroke(vec![point(4.0), point(end_secs)]),
            ..edit(brush.clone(), RowsParams::music())
        };
        let cost = |sound: &Snapshot, end_secs: f64| {
            let applied = run(sound, &drawn(end_secs), &cpu());
            let fastest = (0..3).map(|_| {
                let began = Instant::now();
                run(sound, &drawn(end_secs), &cpu());
                began.elapsed()
            });
            let mut painted = vec![0.0; 8 * RATE as usize];
            applied.snapshot.read(0, 0, &mut painted).unwrap();
            let counted = [applied.report.touched_frames, applied.report.touched_samples];
            (counted, painted, fastest.min().unwrap_or(Duration::ZERO))
        };
        let (in_short, in_long, farther) = (cost(&short, 4.4), cost(&long, 4.4), cost(&short, 6.4));
        println!(
            "{}: {:?} in 10 s, {:?} in an hour, {:?} five times as long",
            brush.kind(),
            in_short.2,
            in_long.2,
            farther.2
        );
        assert!(in_short.0 == in_long.0 && in_short.1 == in_long.1, "{}", brush.kind());
        assert!(farther.0[1] > 3 * in_short.0[1], "the control touches more");
        assert!(in_long.2 < 5 * in_short.2 + Duration::from_millis(20), "{}", brush.kind());
    }
}

/// While drawing, each step visits the same number of cells in a sound of an hour as in one of ten seconds.
#[test]
fn a_step_of_a_stroke_costs_as_much_in_an_hour_as_in_ten_seconds() {
    let visits = |sound: Snapshot| {
        let pen_down = PenDown { snapshot: sound, pending: Vec::new(), engine: cpu() };
        let mut session =
            StrokeSession::begin(pen_down, &Edit { stroke: stroke(Vec::new()), ..edit(HALF, RowsParams::music()) })
                .unwrap();
        let at = |i: usize| point(5.0 + 0.2 * (i as f64 * 0.1).sin());
        session.extend(&(0..200).map(at).collect::<Vec<Point>>()).unwrap();
        let before = session.n_visits();
        let cells = session.extend(&[at(200)]).unwrap().unwrap();
        (session.n_visits() - before, cells.signals[0].rect().clone(), session.sound(&Progress::new()).unwrap())
    };
    let [(in_short, rect, heard), (in_long, other_rect, other_heard)] = [sound(10), sound(3600)].map(visits);
    assert!(in_short > 0 && in_short == in_long && rect == other_rect, "{in_short} {in_long}");
    let first = |sound: &Snapshot| {
        let mut samples = vec![0.0; 8 * RATE as usize];
        sound.read(0, 0, &mut samples).unwrap();
        samples
    };
    assert!(first(&heard) == first(&other_heard) && read(&heard, 0).len() == 10 * RATE as usize);
}
