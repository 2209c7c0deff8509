//! Extent of a move on rows, and its dependencies: the rows that it writes, the transform's rows, the sound's level and
//! position.

use super::moved_twin::moved_by_definition;
use super::painting::{edit, read, run, snapshot};
use super::twin::{NONE, Twin, TwinGroup, TwinScale};
use super::{RATE, is_long};
use document::Edit;
use document::brushes::Warp;
use dsp::selections::mask;
use dsp::strokes::brush::WarpMode;
use dsp::transforms::rows::{C1_HZ, RowBank, RowMove, RowsParams};
use dsp::{Axis, Grid, RowsPlan, Selection};
use std::f64::consts::TAU;
use std::sync::Arc;
use support::engines::{cpu, engines};
use support::measure::{changed, f64s, snr_db, strongest_tone};
use support::signals::tone;
use support::snapshots::{open, samples};
use support::wav::clip;

/// A grab on 24 rows an octave.
fn grab(secs: [f64; 2], hz: [f64; 2], feather: [f64; 2], axis: Axis, units: f64) -> Edit {
    let warp = Warp { mode: WarpMode::Grab { shift: [0.0, units] }, peak_locking: true };
    let select = Some(Selection::rectangle(Some(secs), Some(hz), feather, axis));
    Edit { select, ..edit(warp, RowsParams::log(24)) }
}

/// The range of changed samples.
fn extent(after: &[f32], before: &[f32]) -> [i64; 2] {
    let bits = changed(after, before);
    [bits[0], bits[bits.len() - 1]].map(|i| i as i64)
}

/// Reading lower rows, whose slices are longer, does not extend the change of samples.
#[test]
fn a_move_reaches_as_far_as_the_rows_that_it_writes() {
    let before = tone(2 * 44_100, RATE, 440.0, 0.5);
    let sound = snapshot(vec![before.clone()]);
    let bank = RowBank::new(&RowsParams::log(24), RATE).unwrap();
    let octaves = (640.0 / 440.0f64).log2();
    let cases = [
        ([400.0, 700.0], Axis::Log, octaves, 0.05),
        ([250.0, 1_200.0], Axis::Linear, 200.0, 20.0),
        ([1_100.0, 2_000.0], Axis::Log, 1.5, 0.02),
    ];
    for (hz, axis, units, feather) in cases {
        let after = read(&run(&sound, &grab([0.8, 1.2], hz, [0.01, feather], axis, units), &cpu()).snapshot, 0);
        let lowest = axis.hz_from_units(axis.units_from_hz(hz[0]) - feather);
        let group = bank.group_of(bank.row_from_hz(lowest).ceil() as usize);
        let reach = (group.reach() + group.hop()) as f64 / RATE;
        let [first, last] = extent(&after, &before).map(|i| i as f64 / RATE);
        println!("{hz:?}: {first:.3} to {last:.3} s, reach {reach:.3} s");
        assert!(first >= 0.79 - reach && last <= 1.21 + reach, "{hz:?}: {first} to {last} s");
    }
}

/// A guitar under soft edges, against a definition that searches for peaks among the transform's rows. A row at the end
/// of the range read, cut off from its peak, used to be mistaken for one: 54 to 79 dB.
#[test]
fn a_moved_guitar_is_the_definitions() {
    let guitar = samples(&open(&clip("guitar_chord_44k_stereo.flac")), 0);
    let starts: &[f64] = if is_long() { &[0.5, 0.55, 1.0, 1.3, 2.0] } else { &[1.3] };
    let (n, octaves) = (17_640, 0.2);
    for start in starts {
        let before = &guitar[(start * RATE) as usize..][..n];
        let drawn = grab([0.1, 0.3], [300.0, 1_200.0], [0.03, 0.1], Axis::Log, octaves);
        let bank = Arc::new(RowBank::new(&RowsParams::log(24), RATE).unwrap());
        let grid = Grid::new(RowsParams::log(24), RATE, n as u64);
        let bins = mask::bounds(&grid, None, drawn.select.as_ref()).bins;
        let plan = RowsPlan::for_moves(&bank, RowMove::rows_read(bank.table(), bins, Axis::Log, octaves));
        let group = plan.group();
        let mut whole = grid.all_cells();
        whole.bins = group.rows();
        whole.frames = 0..group.n_columns(n as u64);
        // Raised cosines on each side of the box.
        let soft = |x: f64, [low, high]: [f64; 2], feather: f64| {
            let off = (low - x).max(x - high).max(0.0) / feather;
            if off < 1.0 { 0.5 + 0.5 * (TAU / 2.0 * off).cos() } else { 0.0 }
        };
        let m = |column: usize, row: usize| {
            let secs = (group.centre_sample(column) as f64 / RATE).clamp(0.0, n as f64 / RATE);
            let in_time = soft(secs, [0.1, 0.3], 0.03);
            in_time * soft(bank.rows()[row].hz.log2(), [300.0, 1_200.0].map(f64::log2), 0.1)
        };
        let way = |column: usize, row: usize| Some([0.0, octaves * m(column, row)]).filter(|way| way[1] > 0.0);
        let twins = TwinGroup { rows: 30..170, hop: group.hop(), len: group.slice_len() };
        let theirs = moved_by_definition(&f64s(before), &whole, &twins, &way);
        for engine in engines() {
            let after = read(&run(&snapshot(vec![before.to_vec()]), &drawn, engine).snapshot, 0);
            let ours: Vec<f64> = after.iter().zip(before).map(|(y, x)| f64::from(y - x)).collect();
            let db = snr_db(&ours, &theirs);
            println!("from {start} s: {db:.1} dB of the change");
            assert!(db > 85.0, "{start}: {db:.1} dB");
        }
    }
}

/// A sound at half the level changes by half, bit-exactly; one delayed by whole slices changes with the same delay.
#[test]
fn a_move_scales_with_the_sound_and_goes_along_with_it() {
    let guitar = samples(&open(&clip("guitar_chord_44k_stereo.flac")), 0);
    let before = guitar[57_330..][..13_230].to_vec();
    let (octaves, later) = (-0.15, 65_536);
    let drawn = |from: f64| grab([from + 0.1, from + 0.2], [200.0, 900.0], [0.02, 0.1], Axis::Log, octaves);
    let moved =
        |sound: &[f32], from: f64| read(&run(&snapshot(vec![sound.to_vec()]), &drawn(from), &cpu()).snapshot, 0);
    let after = moved(&before, 0.0);
    let half: Vec<f32> = before.iter().map(|x| 0.5 * x).collect();
    assert!(!changed(&after, &before).is_empty());
    assert!(moved(&half, 0.0).iter().zip(&after).all(|(half, whole)| *half == 0.5 * whole));
    let late: Vec<f32> = std::iter::repeat_n(0.0, later).chain(before.iter().copied()).collect();
    let after_late = moved(&late, later as f64 / RATE);
    let change = |after: &[f32], before: &[f32]| -> Vec<f64> {
        after.iter().zip(before).map(|(y, x)| f64::from(*y) - f64::from(*x)).collect()
    };
    let db = snr_db(&change(&after_late[later..], &before), &change(&after, &before));
    println!("{db:.1} dB");
    assert!(db > 100.0, "{db} dB");
}

/// A tone moved on a linear axis keeps its width in hertz, where rows get wider: its level is the overlap of the
/// windows of both positions. On the scale's own axis next to nothing is lost.
#[test]
fn the_level_of_a_moved_tone_is_what_the_windows_say() {
    let twin = Twin::new(&TwinScale::log(24.0, C1_HZ, None, RATE), RATE, NONE);
    let place = |hz: f64| 1.0 + 24.0 * (hz / C1_HZ).log2();
    let cases = [(440.0, 640.0, Axis::Linear), (440.0, 640.0, Axis::Log), (900.0, 500.0, Axis::Linear)];
    for (from_hz, to_hz, axis) in cases {
        let units = axis.units_from_hz(to_hz) - axis.units_from_hz(from_hz);
        // The amplitude that a row reads of the tone; `source` interpolates between rows.
        let amplitude = |k: i64| {
            let inside = usize::try_from(k).ok().filter(|k| (1..twin.rows.len() - 1).contains(k));
            inside.map_or(0.0, |k| twin.window(k, from_hz) / twin.window(k, twin.rows[k].hz))
        };
        let source = |at: f64| {
            let (first, u) = (at.floor() as i64, at - at.floor());
            let [a, b, c, d] = [-1, 0, 1, 2].map(|more| amplitude(first + more));
            let slopes = [(c - a) / 2.0, (d - b) / 2.0];
            let (u2, u3) = (u * u, u * u * u);
            b * (2.0 * u3 - 3.0 * u2 + 1.0)
                + slopes[0] * (u3 - 2.0 * u2 + u)
                + c * (3.0 * u2 - 2.0 * u3)
                + slopes[1] * (u3 - u2)
        };
        let common = |k: usize| {
            let row_hz = twin.rows[k].hz;
            let from = axis.hz_from_units(axis.units_from_hz(row_hz) - units);
            if from < C1_HZ { 0.0 } else { twin.window(k, to_hz) * twin.window(k, row_hz) * source(place(from)) }
        };
        let expected_db = 20.0 * (1..twin.rows.len() - 1).map(common).sum::<f64>().log10();
        let before = snapshot(vec![tone(44_100, RATE, from_hz, 0.3)]);
        let drawn = grab([0.2, 0.8], [300.0, 1_200.0], [0.01, 0.0], axis, units);
        let after = read(&run(&before, &drawn, &cpu()).snapshot, 0);
        let found = strongest_tone(&after[22_050 - 8_192..22_050 + 8_192], RATE, to_hz * 0.985, to_hz * 1.015);
        let db = 20.0 * (found.level / 0.3).log10();
        println!("{from_hz} to {to_hz} Hz, {axis:?}: {db:+.2} dB, by the windows {expected_db:+.2} dB");
        assert!((db - expected_db).abs() < 0.1, "{from_hz} to {to_hz} Hz, {axis:?}: {db}, {expected_db} dB");
    }
}
