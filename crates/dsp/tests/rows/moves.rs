//! Sound moved in pitch and time.

use super::moved_twin::moved_by_definition;
use super::twin::TwinGroup;
use super::{RATE, add, analysed, bank, is_long};
use dsp::transforms::rows::{RowBank, RowMove, RowShift, RowsParams};
use dsp::{Axis, CellRect, GridPlan, Mask, RowsPlan};
use std::f64::consts::{PI, TAU};
use std::ops::Range;
use std::sync::Arc;
use support::measure::{Tone, f64s, snr_db, strongest_tone};

const N: usize = 44_100;

fn chord(partials: &[f64]) -> Vec<f32> {
    let level = 0.3 / partials.len() as f64;
    (0..N).map(|i| partials.iter().map(|hz| level * (TAU * hz * i as f64 / RATE).sin()).sum::<f64>() as f32).collect()
}

/// How each row's phase is rotated: by the distance of its partial, or by that of the row itself.
#[derive(Clone, Copy, PartialEq)]
enum Turned {
    ByPartial,
    ByRow,
}

/// The sound after moving everything between two frequencies at all times.
fn moved(bank: &Arc<RowBank>, samples: &[f32], band: Range<f64>, shift: [f64; 2], turned: Turned) -> Vec<f32> {
    let is_inside = |row: &usize| band.contains(&bank.rows()[*row].hz);
    let first = bank.scale_rows().find(is_inside).unwrap();
    let rows = first..bank.scale_rows().filter(is_inside).count() + first;
    let plan = RowsPlan::for_moves(bank, RowMove::rows_read(bank.table(), rows.clone(), Axis::Log, shift[1]));
    let group = plan.group();
    let rect = CellRect::new(0..group.n_columns(samples.len() as u64), rows);
    let mask = Mask { values: vec![1.0; rect.n_cells()], rect };
    let way = RowMove { bank, group, axis: Axis::Log, shift: RowShift::Grab(shift), keeps_pitch: true };
    let read = way.cells_read(&mask, samples.len() as u64);
    let plan = GridPlan::Rows(plan.clone());
    let source = analysed(&plan, samples, &read);
    let turns = match turned {
        Turned::ByPartial => way.turns(&source, &mask),
        Turned::ByRow => {
            let hz = |row: usize| bank.rows()[row].hz * (1.0 - 2f64.powf(-shift[1]));
            let n_rows = mask.rect.bins.len();
            let of = |i: usize| hz(mask.rect.bins.start + i % n_rows) * (i / n_rows) as f64 * group.hop() as f64 / RATE;
            (0..mask.values.len()).map(|i| of(i).fract()).collect()
        }
    };
    let after = way.run(&source, &mask, &turns);
    let mut result = samples.to_vec();
    add(&plan.difference(&source, &after), &mut result);
    result
}

/// The strongest tone near `hz` in the middle of the sound: its deviation in cents, and its level in dB relative to
/// `level`.
fn partial(sound: &[f32], hz: f64, level: f64) -> (f64, f64) {
    let middle = &sound[N / 2 - 8_192..N / 2 + 8_192];
    let Tone { hz: found, level: loud } = strongest_tone(middle, RATE, hz * 0.985, hz * 1.015);
    (1200.0 * (found / hz).log2(), 20.0 * (loud / level).log10())
}

#[test]
fn a_tone_moves_by_its_interval_and_keeps_its_level() {
    let bank = Arc::new(bank(&RowsParams::log(24), RATE));
    for hz in [660.0, 1_234.5] {
        let samples = chord(&[hz]);
        for semitones in [2.0, 3.37, -5.0] {
            let target = hz * 2f64.powf(semitones / 12.0);
            let result = moved(&bank, &samples, 350.0..2_500.0, [0.0, semitones / 12.0], Turned::ByPartial);
            let (cents, db) = partial(&result, target, 0.3);
            let (_, left_db) = partial(&result, hz, 0.3);
            println!(
                "{hz} Hz by {semitones} semitones: {cents:+.2} cents, {db:+.2} dB; {left_db:.1} dB left where it was"
            );
            assert!(cents.abs() < 1.0 && db.abs() < 0.7, "{hz} Hz by {semitones}: {cents} cents, {db} dB");
            assert!(left_db < -40.0, "{left_db} dB");
        }
        let result = moved(&bank, &samples, 350.0..2_500.0, [0.0, 3.37 / 12.0], Turned::ByRow);
        let (cents, db) = partial(&result, hz * 2f64.powf(3.37 / 12.0), 0.3);
        println!("{hz} Hz, every row turned by its own distance: {cents:+.2} cents, {db:+.2} dB");
        assert!(db.abs() > 2.0, "{db} dB");
    }
}

#[test]
fn every_partial_of_a_chord_moves_by_the_interval() {
    let bank = Arc::new(bank(&RowsParams::log(24), RATE));
    let partials = [523.25, 659.26, 783.99, 1_046.5];
    let result = moved(&bank, &chord(&partials), 350.0..2_500.0, [0.0, 0.25], Turned::ByPartial);
    for hz in partials {
        let (cents, db) = partial(&result, hz * 2f64.powf(0.25), 0.3 / 4.0);
        println!("{hz} Hz: {cents:+.2} cents, {db:+.2} dB");
        assert!(cents.abs() < 1.0 && db.abs() < 0.5, "{hz} Hz: {cents} cents, {db} dB");
    }
}

#[test]
fn other_scales_move_sound_too() {
    let all = [
        ("log 24", RowsParams::log(24).with_gamma_hz(0.0), 0.7),
        ("log 48 erb", RowsParams::log(48), 0.7),
        ("log 12 erb", RowsParams::log(12), 0.7),
        ("mel 128", RowsParams::mel(128), 2.0),
    ];
    for (name, params, limit_db) in all.into_iter().take(if is_long() { 4 } else { 1 }) {
        let bank = Arc::new(bank(&params, RATE));
        for (hz, semitones) in [(660.0, 3.37), (1_234.5, 3.37), (660.0, -5.0), (1_234.5, -5.0)] {
            let result = moved(&bank, &chord(&[hz]), 350.0..2_500.0, [0.0, semitones / 12.0], Turned::ByPartial);
            let (cents, db) = partial(&result, hz * 2f64.powf(semitones / 12.0), 0.3);
            println!("{name}, {hz} Hz by {semitones} semitones: {cents:+.2} cents, {db:+.2} dB");
            assert!(cents.abs() < 1.0 && db.abs() < limit_db, "{name}, {hz} Hz by {semitones}: {cents} cents, {db} dB");
        }
    }
}

/// Tone bursts moved by whole columns and by parts of one.
#[test]
fn sound_moves_in_time() {
    let bank = Arc::new(bank(&RowsParams::log(24), RATE));
    let burst = |i: usize, at: f64| {
        let secs = i as f64 / RATE - at;
        let level = if secs.abs() < 0.05 { 0.5 + 0.5 * (PI * secs / 0.05).cos() } else { 0.0 };
        0.3 * level * ((TAU * 880.0 * secs).sin() + (TAU * 1_500.0 * secs).sin())
    };
    let at = |secs: f64| -> Vec<f32> { (0..N).map(|i| burst(i, secs) as f32).collect() };
    let hop = bank.group_for_moves(RowMove::rows_read(bank.table(), 100..150, Axis::Log, 0.0)).hop() as f64;
    for (secs, min_db) in [(300.0 * hop / RATE, 55.0), (123.45 * hop / RATE, 45.0), (-77.7 * hop / RATE, 45.0)] {
        let result = moved(&bank, &at(0.5), 300.0..5_000.0, [secs, 0.0], Turned::ByPartial);
        let db = snr_db(&f64s(&result), &f64s(&at(0.5 + secs)));
        println!("by {:.2} columns: {db:.1} dB", secs * RATE / hop);
        assert!(db > min_db, "{db:.1} dB");
    }
}

#[test]
fn cells_outside_the_mask_are_kept_and_rows_off_the_scale_fall_silent() {
    let bank = Arc::new(bank(&RowsParams::log(24), RATE));
    let samples = chord(&[660.0]);
    let rows = bank.scale_rows().end - 10..bank.scale_rows().end;
    // Down by an octave: the uppermost rows read from above the scale.
    let plan = RowsPlan::for_moves(&bank, RowMove::rows_read(bank.table(), rows.clone(), Axis::Log, -1.0));
    let (group, plan) = (plan.group(), GridPlan::Rows(plan.clone()));
    let rect = CellRect::new(group.first_column_inside()..group.first_column_inside() + 64, rows);
    let n_rows = rect.bins.len();
    let values = (0..rect.n_cells()).map(|i| if i % n_rows < 5 { 0.0 } else { 1.0 }).collect();
    let mask = Mask { rect, values };
    let shift = RowShift::Grab([0.0, -1.0]);
    let way = RowMove { bank: &bank, group, axis: Axis::Log, shift, keeps_pitch: true };
    let source = analysed(&plan, &samples, &way.cells_read(&mask, N as u64));
    let after = way.run(&source, &mask, &way.turns(&source, &mask));
    let before = source.crop(&mask.rect);
    for i in 0..mask.values.len() {
        let same = (before.magnitude[i].to_bits(), before.phase[i].to_bits())
            == (after.magnitude[i].to_bits(), after.phase[i].to_bits());
        assert!(if i % n_rows < 5 { same } else { after.magnitude[i] == 0.0 }, "cell {i}");
    }
}

#[test]
fn the_samples_of_a_move_are_the_definitions() {
    let bank = Arc::new(bank(&RowsParams::log(24), RATE));
    let samples: Vec<f32> = chord(&[880.0, 1_234.5, 1_975.5])[..9_000].to_vec();
    let rows = bank.row_from_hz(750.0).ceil() as usize..bank.row_from_hz(2_200.0) as usize;
    let octaves = 0.17;
    let plan = RowsPlan::for_moves(&bank, RowMove::rows_read(bank.table(), rows.clone(), Axis::Log, octaves));
    let (group, plan) = (plan.group(), GridPlan::Rows(plan.clone()));
    // Only where the chord sounds: elsewhere cells are rounding errors, whose rotation is meaningless.
    let column = |sample: usize| group.first_column_inside() + sample / group.hop();
    let rect = CellRect::new(column(3_000)..column(6_000), rows);
    let mask = Mask { values: vec![1.0; rect.n_cells()], rect };
    let shift = RowShift::Grab([0.0, octaves]);
    let way = RowMove { bank: &bank, group, axis: Axis::Log, shift, keeps_pitch: true };
    let source = analysed(&plan, &samples, &way.cells_read(&mask, samples.len() as u64));
    let after = way.run(&source, &mask, &way.turns(&source, &mask));
    let mut ours = vec![0.0f32; samples.len()];
    add(&plan.difference(&source, &after), &mut ours);
    let twins = TwinGroup { rows: group.rows(), hop: group.hop(), len: group.slice_len() };
    let theirs = moved_by_definition(&f64s(&samples), &mask.rect, &twins, &|_, _| Some([0.0, octaves]));
    let db = snr_db(&f64s(&ours), &theirs);
    println!("{db:.1} dB of the change");
    assert!(db > 100.0, "{db:.1} dB");
}
