//! Sound dragged by a smudge: it moves by whole rows and columns, partial by partial.

use super::RATE;
use super::painting::{edit, read, run, snapshot};
use document::Edit;
use document::brushes::Smudge;
use dsp::transforms::rows::{RowBank, RowsParams};
use dsp::{Axis, Point, StftParams, Stroke, Transform};
use std::f64::consts::{PI, TAU};
use support::engines::{cpu, engines};
use support::measure::{Tone, changed, snr_db_f32, strongest_tone};
use support::signals::{busy, tone};

const N: usize = 2 * 44_100;

fn smudge(points: &[[f64; 2]], radius: [f64; 2], transform: impl Into<Transform>) -> Edit {
    let points = points.iter().map(|&[secs, hz]| Point { secs, hz, pressure: 1.0 }).collect();
    let stroke = Stroke { points, axis: Axis::Log, radius, hardness: 0.9, strength: 1.0, build_up: false };
    Edit { stroke: Some(stroke), ..edit(Smudge, transform) }
}

/// A tone near a frequency in the 0.37 s in the middle: cents off, and dB against a level.
fn middle(samples: &[f32], hz: f64, level: f64) -> [f64; 2] {
    let Tone { hz: found, level: loud } =
        strongest_tone(&samples[N / 2 - 8_192..N / 2 + 8_192], RATE, hz * 0.975, hz * 1.025);
    [1200.0 * (found / hz).log2(), 20.0 * (loud / level).log10()]
}

/// A tone is dragged by a whole number of rows, leaving silence in its place.
#[test]
fn a_smudged_tone_goes_along_by_whole_rows() {
    for (name, params, limit_db) in [("log 24", RowsParams::music(), 0.7), ("bark 96", RowsParams::speech(), 1.5)] {
        let bank = RowBank::new(&params, RATE).unwrap();
        for hz in [660.0, 1_234.5] {
            let before = snapshot(vec![tone(N, RATE, hz, 0.3)]);
            for rows in [5.0, -4.0] {
                // Starts at the row nearest to the tone, so that the stroke spans whole rows.
                let place = bank.row_from_hz(hz).round();
                let target_hz = bank.hz_from_row(bank.row_from_hz(hz) + rows);
                let points = [[1.0, bank.hz_from_row(place)], [1.0, bank.hz_from_row(place + rows)]];
                let drawn = smudge(&points, [0.5, 0.3], params.clone());
                for engine in engines() {
                    let after = read(&run(&before, &drawn, engine).snapshot, 0);
                    let [cents, db] = middle(&after, target_hz, 0.3);
                    let [_, left_db] = middle(&after, hz, 0.3);
                    println!("{name}, {hz} Hz by {rows} rows: {cents:+.2} cents, {db:+.2} dB, {left_db:.1} dB stayed");
                    assert!(cents.abs() < 1.0 && db.abs() < limit_db, "{name} {hz} {rows}: {cents} cents, {db} dB");
                    assert!(left_db < -20.0, "{name} {hz} {rows}: {left_db} dB stayed");
                }
                // Control: a target half a row short is clearly off.
                let [cents, _] = middle(
                    &read(&run(&before, &drawn, &cpu()).snapshot, 0),
                    bank.hz_from_row(bank.row_from_hz(hz) + rows - 0.5 * rows.signum()),
                    0.3,
                );
                assert!(cents.abs() > 10.0, "{cents}");
            }
        }
    }
}

/// A burst moved by whole columns is unchanged.
#[test]
fn a_smudged_burst_arrives_where_the_hand_lets_go() {
    let burst = |at: f64| -> Vec<f32> {
        let part = |i: usize| {
            let secs = i as f64 / RATE - at;
            let level = if secs.abs() < 0.03 { 0.5 + 0.5 * (PI * secs / 0.03).cos() } else { 0.0 };
            (0.3 * level * (TAU * 1_500.0 * secs).sin()) as f32
        };
        (0..N).map(part).collect()
    };
    // Whole columns at every hop.
    let (from, secs) = (32_768.0 / RATE, 8_192.0 / RATE);
    let before = snapshot(vec![burst(from)]);
    let drawn = smudge(&[[from, 1_500.0], [from + secs, 1_500.0]], [0.3, 1.5], RowsParams::music());
    let after = read(&run(&before, &drawn, &cpu()).snapshot, 0);
    let db = snr_db_f32(&after, &burst(from + secs));
    println!("{db:.1} dB");
    assert!(db > 30.0, "{db} dB");
    assert!(snr_db_f32(&after, &burst(from + 0.95 * secs)) < 10.0, "the control is off by a hundredth of a second");
}

/// Two partials move together; one beside the brush is unchanged.
#[test]
fn partials_under_the_brush_go_together_and_others_stay() {
    let partials = [523.25, 659.26, 1_760.0];
    let tone_at = |hz: f64, i: usize| (0.1 * (TAU * hz * i as f64 / RATE).sin()) as f32;
    let samples: Vec<f32> = (0..N).map(|i| partials.iter().map(|hz| tone_at(*hz, i)).sum()).collect();
    let before = snapshot(vec![samples]);
    let bank = RowBank::new(&RowsParams::music(), RATE).unwrap();
    let place = bank.row_from_hz(588.0).round();
    let points = [[1.0, bank.hz_from_row(place)], [1.0, bank.hz_from_row(place + 4.0)]];
    let after = read(&run(&before, &smudge(&points, [0.6, 0.55], RowsParams::music()), &cpu()).snapshot, 0);
    for (hz, octaves) in partials.into_iter().zip([4.0 / 24.0, 4.0 / 24.0, 0.0]) {
        let [cents, db] = middle(&after, hz * f64::exp2(octaves), 0.1);
        println!("{hz} Hz: {cents:+.2} cents, {db:+.2} dB");
        assert!(cents.abs() < 1.0 && db.abs() < 0.7, "{hz} Hz: {cents} cents, {db} dB");
    }
}

/// A zero smudge changes nothing; the sound of one in progress equals its release; on an STFT the same stroke moves a
/// tone to about the same place.
#[test]
fn a_smudge_is_what_its_stroke_is() {
    let samples = busy(N, RATE, 13);
    let before = snapshot(vec![samples.clone()]);
    for points in [&[[1.0, 700.0]][..], &[[1.0, 700.0], [1.0, 700.0]], &[[1.0, 700.0], [1.0001, 700.5]]] {
        let after = run(&before, &smudge(points, [0.2, 0.3], RowsParams::music()), &cpu());
        assert!(changed(&read(&after.snapshot, 0), &samples).is_empty());
        assert_eq!((after.report.touched_frames, after.report.consistency_db), (0, None));
    }
    let drawn = smudge(&[[0.8, 800.0], [0.9, 900.0]], [0.2, 0.3], RowsParams::music());
    let pen_down = document::PenDown { snapshot: before.clone(), pending: Vec::new(), engine: cpu() };
    let mut session = document::StrokeSession::begin(pen_down, &drawn).unwrap();
    assert!(session.finish().unwrap().unwrap().is_marked);
    let heard = session.sound(&base::Progress::new()).unwrap();
    assert!(read(&heard, 0) == read(&run(&before, &drawn, &cpu()).snapshot, 0));
    assert!(!changed(&read(&heard, 0), &samples).is_empty());
    let before = snapshot(vec![tone(N, RATE, 660.0, 0.3)]);
    let params = StftParams::for_rate(RATE);
    let stft = smudge(&[[1.0, 660.0], [1.0, 760.0]], [0.5, 0.3], params);
    let after = read(&run(&before, &stft, &cpu()).snapshot, 0);
    let [cents, db] = middle(&after, 660.0 + 4.0 * RATE / params.n_fft as f64, 0.3);
    println!("on an STFT: {cents:+.2} cents, {db:+.2} dB");
    assert!(cents.abs() < 10.0 && db.abs() < 1.0, "{cents} cents, {db} dB");
}
