//! Sound pushed by a stroke: it follows the pointer, partial by partial.

use super::moved_twin::moved_by_definition;
use super::painting::{edit, read, run, snapshot};
use super::twin::TwinGroup;
use super::{RATE, is_long};
use document::Edit;
use document::brushes::Warp;
use dsp::selections::mask;
use dsp::strokes::brush::WarpMode;
use dsp::transforms::rows::{RowBank, RowGroup, RowMove, RowsParams};
use dsp::{Axis, CellRect, Grid, Point, RowsPlan, Selection, StftParams, Stroke, Transform};
use std::f64::consts::{PI, TAU};
use std::sync::Arc;
use support::engines::{cpu, engines};
use support::measure::{Tone, changed, f64s, snr_db, snr_db_f32, strongest_tone};
use support::signals::{busy, noise, tone};

const N: usize = 2 * 44_100;

fn stroke(points: &[[f64; 2]], radius: [f64; 2]) -> Stroke {
    let points = points.iter().map(|&[secs, hz]| Point { secs, hz, pressure: 1.0 }).collect();
    Stroke { points, axis: Axis::Log, radius, hardness: 0.6, strength: 1.0, build_up: false }
}

fn push(points: &[[f64; 2]], radius: [f64; 2], peak_locking: bool, transform: impl Into<Transform>) -> Edit {
    Edit { stroke: Some(stroke(points, radius)), ..edit(Warp { mode: WarpMode::Push, peak_locking }, transform) }
}

/// A tone near a frequency in the 0.37 s around a time: cents off, and dB against a level.
fn around(samples: &[f32], secs: f64, hz: f64, level: f64) -> [f64; 2] {
    let middle = (secs * RATE) as usize;
    let Tone { hz: found, level: loud } =
        strongest_tone(&samples[middle - 8_192..middle + 8_192], RATE, hz * 0.93, hz * 1.07);
    [1200.0 * (found / hz).log2(), 20.0 * (loud / level).log10()]
}

/// A tone under the brush moves as far as the pointer, fractions of a row included; outside the brush it stays.
#[test]
fn a_pushed_tone_goes_as_far_as_the_hand() {
    let scales = [
        ("log 24", RowsParams::music(), 0.7),
        ("log 48", RowsParams::log(48), 0.7),
        ("log 24, gamma 0", RowsParams::log(24).with_gamma_hz(0.0), 0.7),
        ("mel 128", RowsParams::mel(128), 2.0),
    ];
    for (name, params, limit_db) in scales.into_iter().take(if is_long() { 4 } else { 1 }) {
        for hz in [660.0, 1_234.5] {
            let samples = tone(N, RATE, hz, 0.3);
            let before = snapshot(vec![samples.clone()]);
            let pushed = |octaves: f64, engine| {
                let points = [[1.0, hz], [1.0, hz * f64::exp2(octaves)]];
                read(&run(&before, &push(&points, [0.6, 0.35], true, params.clone()), engine).snapshot, 0)
            };
            for octaves in [0.03, 0.117, -0.2] {
                for engine in engines() {
                    let after = pushed(octaves, engine);
                    let [cents, db] = around(&after, 1.0, hz * f64::exp2(octaves), 0.3);
                    println!("{name}, {hz} Hz by {octaves} octaves: {cents:+.2} cents, {db:+.2} dB");
                    assert!(cents.abs() < 1.0 && db.abs() < limit_db, "{name} {hz} {octaves}: {cents} cents, {db} dB");
                    assert!(changed(&after[..8_000], &samples[..8_000]).is_empty(), "{name}");
                }
            }
            // Controls: a push over half the distance moves the tone half as far, and the original
            // tone is far from the target.
            let target_hz = hz * f64::exp2(0.117);
            let [cents, _] = around(&pushed(0.0585, &cpu()), 1.0, target_hz, 0.3);
            assert!((cents + 1200.0 * 0.0585).abs() < 1.0, "{cents}");
            assert!(around(&samples, 1.0, target_hz, 0.3)[0].abs() > 100.0);
        }
    }
}

/// Two partials under one brush move by the same interval, and one beside it stays.
#[test]
fn partials_under_the_brush_go_together_and_others_stay() {
    let partials = [523.25, 659.26, 1_760.0];
    let samples: Vec<f32> = (0..N).map(|i| partials.iter().map(|hz| tone_at(*hz, i)).sum::<f32>()).collect();
    let before = snapshot(vec![samples.clone()]);
    let octaves = 2.0 / 12.0;
    let points = [[1.0, 588.0], [1.0, 588.0 * f64::exp2(octaves)]];
    let after = read(&run(&before, &push(&points, [0.6, 0.7], true, RowsParams::music()), &cpu()).snapshot, 0);
    for (hz, octaves) in partials.into_iter().zip([octaves, octaves, 0.0]) {
        let [cents, db] = around(&after, 1.0, hz * f64::exp2(octaves), 0.1);
        println!("{hz} Hz: {cents:+.2} cents, {db:+.2} dB");
        assert!(cents.abs() < 1.0 && db.abs() < 0.5, "{hz} Hz: {cents} cents, {db} dB");
    }
}

fn tone_at(hz: f64, i: usize) -> f32 {
    (0.1 * (TAU * hz * i as f64 / RATE).sin()) as f32
}

/// Where a push stretches time, a tone keeps its frequency if the brush is set to; otherwise it takes the phase of its
/// origin, and its pitch changes.
#[test]
fn a_tone_keeps_its_pitch_where_a_push_stretches_time() {
    let hz = 1_000.0;
    let before = snapshot(vec![tone(N, RATE, hz, 0.3)]);
    let far = [[0.8, hz], [1.0, hz]];
    let pushed = |locks| read(&run(&before, &push(&far, [0.5, 0.5], locks, RowsParams::music()), &cpu()).snapshot, 0);
    let of = |after: &[f32]| [0.5, 0.7, 0.9, 1.1, 1.3, 1.45].map(|secs| around(after, secs, hz, 0.3));
    let worst =
        |found: [[f64; 2]; 6], at: usize| found.map(|figures| figures[at].abs()).into_iter().fold(0.0, f64::max);
    let [kept, left] = [true, false].map(|locks| of(&pushed(locks)));
    println!("kept {kept:.2?}");
    println!("left {left:.2?}");
    assert!(worst(kept, 0) < 2.0 && worst(kept, 1) < 1.0, "{kept:?}");
    assert!(worst(left, 0) > 20.0 || worst(left, 1) > 3.0, "{left:?}");
}

/// As above, for a grab in time under soft edges, which are soft in frequency, too.
#[test]
fn a_tone_keeps_its_pitch_under_the_soft_edges_of_a_grab() {
    let hz = 1_000.0;
    let before = snapshot(vec![tone(N, RATE, hz, 0.3)]);
    let worst = |peak_locking| {
        let soft = Selection::rectangle(Some([0.8, 1.2]), Some([850.0, 1_050.0]), [0.3, 0.4], Axis::Log);
        let warp = Warp { mode: WarpMode::Grab { shift: [0.15, 0.0] }, peak_locking };
        let grab = Edit { select: Some(soft), ..edit(warp, RowsParams::music()) };
        let after = read(&run(&before, &grab, &cpu()).snapshot, 0);
        [0.6, 0.7, 1.0, 1.3, 1.4].map(|secs| around(&after, secs, hz, 0.3)[1].abs()).into_iter().fold(0.0, f64::max)
    };
    let (kept, left) = (worst(true), worst(false));
    println!("{kept:.2} dB, {left:.2} dB");
    assert!(kept < 0.5 && left > 3.0, "{kept} {left}");
}

/// A grab on 24 rows an octave, from 0.4 to 1.7 s, under soft edges.
fn soft_grab(octaves: f64, strength: f64) -> Edit {
    let soft = Selection::rectangle(Some([0.4, 1.7]), Some([300.0, 1_200.0]), [0.03, 0.1], Axis::Log);
    let grab = Warp { mode: WarpMode::Grab { shift: [0.0, octaves] }, peak_locking: true };
    Edit { select: Some(soft), strength, ..edit(grab, RowsParams::log(24)) }
}

/// Where a soft edge folds the map, two positions read the same tone: the fully moved image must appear, whichever of
/// the two is louder. A single mask for both left it at -80 dB.
#[test]
fn a_tone_below_a_soft_edge_arrives_where_it_is_moved() {
    let all: Vec<f64> = if is_long() { (137..=160).map(|k| 2.0 * f64::from(k)).collect() } else { vec![276.0, 278.0] };
    for hz in all {
        let before = snapshot(vec![tone(N, RATE, hz, 0.3)]);
        let after = read(&run(&before, &soft_grab(0.2, 1.0), &cpu()).snapshot, 0);
        let there = hz * 2f64.powf(0.2);
        let middle = &after[N / 2 - 16_384..N / 2 + 16_384];
        let db = 20.0 * (strongest_tone(middle, RATE, there * 0.997, there * 1.003).level / 0.3).log10();
        println!("{hz} Hz arrives at {db:+.2} dB");
        assert!(db.abs() < 2.0, "{hz} Hz: {db} dB");
    }
}

/// A grab at a strength of 0.1 equals a grab over a tenth of the distance.
#[test]
fn a_part_of_a_way_is_a_shorter_way() {
    let samples: Vec<f32> = busy(N, RATE, 5).iter().zip(tone(N, RATE, 330.0, 0.2)).map(|(a, b)| a * 0.3 + b).collect();
    let before = snapshot(vec![samples.clone()]);
    let change = |octaves, strength| -> Vec<f64> {
        let after = read(&run(&before, &soft_grab(octaves, strength), &cpu()).snapshot, 0);
        after.iter().zip(&samples).map(|(y, x)| f64::from(y - x)).collect()
    };
    let db = snr_db(&change(0.2, 0.1), &change(0.02, 1.0));
    println!("{db:.1} dB");
    assert!(db > 100.0, "{db} dB");
}

/// A burst moves in time, exact to the sample.
#[test]
fn a_pushed_burst_arrives_where_the_hand_lets_go() {
    let burst = |at: f64| -> Vec<f32> {
        let part = |i: usize| {
            let secs = i as f64 / RATE - at;
            let level = if secs.abs() < 0.04 { 0.5 + 0.5 * (PI * secs / 0.04).cos() } else { 0.0 };
            (0.3 * level * (TAU * 1_500.0 * secs).sin()) as f32
        };
        (0..N).map(part).collect()
    };
    let before = snapshot(vec![burst(0.7)]);
    let secs = 0.2;
    let drawn = push(&[[0.7, 1_500.0], [0.7 + secs, 1_500.0]], [0.4, 1.5], true, RowsParams::music());
    let after = read(&run(&before, &drawn, &cpu()).snapshot, 0);
    let db = snr_db_f32(&after, &burst(0.7 + secs));
    println!("{db:.1} dB");
    assert!(db > 40.0, "{db} dB");
    assert!(snr_db_f32(&after, &burst(0.7 + 0.95 * secs)) < 10.0, "the control is off by a hundredth of a second");
}

#[test]
fn a_push_depends_on_its_line_not_on_how_many_points_drew_it() {
    let samples = busy(N, RATE, 5);
    let before = snapshot(vec![samples.clone()]);
    let points: Vec<[f64; 2]> = (0..=40).map(|i| [1.0, 700.0 * f64::exp2(0.2 * f64::from(i) / 40.0)]).collect();
    let change = |points: &[[f64; 2]]| -> Vec<f32> {
        let after = read(&run(&before, &push(points, [0.2, 0.3], true, RowsParams::music()), &cpu()).snapshot, 0);
        after.iter().zip(&samples).map(|(y, x)| y - x).collect()
    };
    let db = snr_db_f32(&change(&points), &change(&[points[0], points[40]]));
    println!("{db:.1} dB of the change");
    assert!(db > 80.0, "{db} dB");
}

/// The sound of a push in progress equals its release, and the window shows its area.
#[test]
fn a_push_is_heard_while_it_is_drawn() {
    let sound = snapshot(vec![busy(N, RATE, 7)]);
    let drawn = push(&[[0.8, 800.0], [0.9, 900.0]], [0.2, 0.3], true, RowsParams::music());
    let pen_down = document::PenDown { snapshot: sound.clone(), pending: Vec::new(), engine: cpu() };
    let mut session = document::StrokeSession::begin(pen_down, &drawn).unwrap();
    assert!(session.finish().unwrap().unwrap().is_marked);
    let heard = session.sound(&base::Progress::new()).unwrap();
    assert!(read(&heard, 0) == read(&run(&sound, &drawn, &cpu()).snapshot, 0));
    assert!(!changed(&read(&heard, 0), &read(&sound, 0)).is_empty());
}

/// A zero push changes nothing; on an STFT and on rows the same stroke moves a tone to the same place.
#[test]
fn a_push_by_nothing_changes_nothing() {
    let samples = busy(N, RATE, 11);
    let before = snapshot(vec![samples.clone()]);
    for points in [&[[1.0, 700.0]][..], &[[1.0, 700.0], [1.0, 700.0]]] {
        let after = run(&before, &push(points, [0.2, 0.3], true, RowsParams::music()), &cpu());
        assert!(changed(&read(&after.snapshot, 0), &samples).is_empty());
        assert_eq!(after.report.touched_samples, 0);
    }
    let beyond = push(&[[1.0, 20.0], [1.0, 18.0]], [0.2, 0.1], true, RowsParams::music());
    assert!(changed(&read(&run(&before, &beyond, &cpu()).snapshot, 0), &samples).is_empty(), "below the scale");
    let hz = 660.0;
    let before = snapshot(vec![tone(N, RATE, hz, 0.3)]);
    let points = [[1.0, hz], [1.0, 720.0]];
    for (name, transform) in
        [("STFT", Transform::from(StftParams::for_rate(RATE))), ("rows", Transform::from(RowsParams::music()))]
    {
        let drawn = push(&points, [0.6, 0.35], true, transform);
        let [cents, db] = around(&read(&run(&before, &drawn, &cpu()).snapshot, 0), 1.0, 720.0, 0.3);
        println!("on {name}: {cents:+.2} cents, {db:+.2} dB");
        assert!(cents.abs() < 5.0 && db.abs() < 3.0, "{name}: {cents} cents, {db} dB");
    }
}

/// Displacement of each cell of a group by a push, from its definition: columns and octaves.
fn field_by_definition(stroke: &Stroke, rect: &CellRect, group: &RowGroup, hz: impl Fn(usize) -> f64) -> Vec<[f64; 2]> {
    let n_rows = rect.bins.len();
    let secs = |column: usize| group.centre_sample(column) as f64 / RATE;
    let scaled = |secs: f64, hz: f64| [secs / stroke.radius[0], hz.log2() / stroke.radius[1]];
    let [from, to] = [0, 1].map(|i| scaled(stroke.points[i].secs, stroke.points[i].hz));
    let length = (to[0] - from[0]).hypot(to[1] - from[1]);
    let mut places: Vec<f64> = (0..).map(|k| f64::from(k) / 8.0).take_while(|way| *way < length).collect();
    places.push(length);
    let at = |way: f64| [0, 1].map(|axis| from[axis] + (to[axis] - from[axis]) * way / length);
    let mut moved = vec![[0.0; 2]; rect.n_cells()];
    for pair in places.windows(2) {
        let (place, next) = (at(pair[0]), at(pair[1]));
        let before = moved.clone();
        // Interpolates the displacement at a position in columns and rows of the rectangle.
        let sample = |x: f64, y: f64| {
            let cell = |i: f64, k: f64| {
                let is_inside = (0.0..rect.frames.len() as f64).contains(&i) && (0.0..n_rows as f64).contains(&k);
                if is_inside { before[i as usize * n_rows + k as usize] } else { [0.0; 2] }
            };
            let (u, v) = (x - x.floor(), y - y.floor());
            [0, 1].map(|axis| {
                let value = |i: f64, k: f64| cell(x.floor() + i, y.floor() + k)[axis];
                (1.0 - u) * ((1.0 - v) * value(0.0, 0.0) + v * value(0.0, 1.0))
                    + u * ((1.0 - v) * value(1.0, 0.0) + v * value(1.0, 1.0))
            })
        };
        for (i, moved) in moved.iter_mut().enumerate() {
            let (column, row) = (i / n_rows, i % n_rows);
            let centre = scaled(secs(rect.frames.start + column), hz(rect.bins.start + row));
            let distance = (centre[0] - place[0]).hypot(centre[1] - place[1]);
            let hardness = stroke.hardness;
            let m = match distance {
                d if d <= hardness => 1.0,
                d if d >= 1.0 => 0.0,
                d => (1.0 + (PI * (d - hardness) / (1.0 - hardness)).cos()) / 2.0,
            };
            if m > 0.0 {
                let v = [m * (next[0] - place[0]), m * (next[1] - place[1])];
                let columns = v[0] * stroke.radius[0] * RATE / group.hop() as f64;
                let old = sample(column as f64 - columns, row as f64 - 24.0 * v[1] * stroke.radius[1]);
                *moved = [v[0] + old[0], v[1] + old[1]];
            }
        }
    }
    let to_cells = |by: [f64; 2]| [by[0] * stroke.radius[0] * RATE / group.hop() as f64, by[1] * stroke.radius[1]];
    moved.into_iter().map(to_cells).collect()
}

#[test]
fn the_samples_of_a_push_are_the_definitions() {
    let n = 9_000;
    // Noise everywhere, so that no partial is one of rounding errors.
    let chord = |i: usize| [880.0, 1_234.5, 1_975.5].iter().map(|hz| tone_at(*hz, i)).sum::<f32>();
    let samples: Vec<f32> = noise(n, 0.003, 3).iter().enumerate().map(|(i, x)| x + chord(i)).collect();
    let drawn = push(&[[0.085, 1_150.0], [0.097, 1_290.0]], [0.03, 0.35], true, RowsParams::music());
    let stroke = drawn.stroke.as_ref().unwrap();
    let bank = Arc::new(RowBank::new(&RowsParams::music(), RATE).unwrap());
    let bins = mask::stroke_bounds(&Grid::new(RowsParams::music(), RATE, n as u64), stroke).bins;
    let plan = RowsPlan::for_moves(&bank, RowMove::rows_brought(bank.table(), bins, Axis::Log, stroke.radius[1]));
    let group = plan.group();
    let rect = CellRect::new(0..group.n_columns(n as u64), group.rows());
    let moved = field_by_definition(stroke, &rect, group, |row| bank.rows()[row].hz);
    let way = |column: usize, row: usize| {
        let by = moved[rect.bins.len() * column + row - rect.bins.start];
        (by != [0.0; 2]).then_some(by)
    };
    let twins = TwinGroup { rows: group.rows(), hop: group.hop(), len: group.slice_len() };
    let theirs = moved_by_definition(&f64s(&samples), &rect, &twins, &way);
    let after = read(&run(&snapshot(vec![samples.clone()]), &drawn, &cpu()).snapshot, 0);
    let ours: Vec<f32> = after.iter().zip(&samples).map(|(y, x)| y - x).collect();
    let db = snr_db(&f64s(&ours), &theirs);
    println!("{db:.1} dB of the change");
    assert!(db > 100.0, "{db:.1} dB");
}
