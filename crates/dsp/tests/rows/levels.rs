//! Levels and phases of sines, and librosa's cells.

use super::{RATE, bank, complex};
use dsp::CellRect;
use dsp::transforms::rows::{Excerpt, RowBank, RowsParams};
use serde_json::json;
use std::f64::consts::TAU;
use support::npy::load;

/// One cell of an endless sine: the level in dB, and the phase relative to the row's own rotation, in turns.
fn cell(bank: &RowBank, row: usize, hz: f64, near_secs: f64) -> (f64, f64) {
    let group = bank.group_of(row);
    let column = (near_secs * RATE) as usize / group.hop() + group.first_column_inside();
    let under = group.samples_under(&(column..column + 1));
    let wave = |i: i64| (TAU * (hz * i as f64 / RATE).fract()).cos() as f32;
    let samples: Vec<f32> = under.clone().map(wave).collect();
    let excerpt = Excerpt { first: under.start, samples: &samples };
    let cell = group.analyse(&excerpt, &CellRect::new(column..column + 1, row..row + 1));
    let level_db = 20.0 * (f64::from(cell.magnitude[0]) / bank.rows()[row].peak).log10();
    (level_db, f64::from(cell.phase[0]) - f64::from(group.turns_of_row(column, row)))
}

fn turns_apart(a: f64, b: f64) -> f64 {
    (a - b - (a - b).round()).abs()
}

#[test]
fn a_sine_on_a_row_reads_its_level_and_stands_still_for_ten_minutes() {
    for params in [RowsParams::log(24), RowsParams::mel(128), RowsParams::bark(96)] {
        let bank = bank(&params, RATE);
        let (mut max_db, mut max_turns) = (0.0f64, 0.0f64);
        for row in bank.scale_rows().step_by(if super::is_long() { 1 } else { 3 }) {
            let hz = bank.rows()[row].hz;
            let (early, late) = (cell(&bank, row, hz, 2.0), cell(&bank, row, hz, 602.0));
            // Skips rows whose window also contains the sine's mirror image, since the two beat.
            let half_hz = bank.rows()[row].half_hz;
            if 2.0 * hz > half_hz && RATE - 2.0 * hz > half_hz {
                max_db = max_db.max(early.0.abs()).max(late.0.abs());
                max_turns = max_turns.max(turns_apart(early.1, late.1)).max(turns_apart(early.1, 0.0));
            }
        }
        println!("{}: level within {max_db:.5} dB, phase within {max_turns:.1e} turns", params.cache_key());
        assert!(max_db < 0.01 && max_turns < 1e-4, "{max_db} dB, {max_turns} turns");
        // Controls: a sine 0.3 semitones off, and a phase step in f32.
        let row = bank.row_from_hz(1_000.0).round() as usize;
        let hz = bank.rows()[row].hz;
        assert!(cell(&bank, row, hz * 2f64.powf(0.3 / 12.0), 2.0).0.abs() > 0.05);
        let column = (602.0 * RATE) as usize / bank.group_of(row).hop();
        let step = (hz * bank.group_of(row).hop() as f64 / RATE) as f32;
        let exact = hz * (column * bank.group_of(row).hop()) as f64 / RATE;
        assert!(turns_apart(f64::from(column as f32 * step), exact) > 1e-4);
    }
}

/// Reference from `tests/reference/make_rows.py`: tones of amplitude 0.5 on rows of 24 an octave from 32.703 Hz, gamma
/// `erb`; for each, its frequency, the magnitude of librosa's `vqt` with `scale=True` in the middle of its row, and
/// the filter's length.
#[test]
fn levels_are_librosas() {
    let array = load(&json!("rows_librosa"));
    let values = array.f64s();
    let bank = bank(&RowsParams::log(24), RATE);
    let mut max = 0.0f64;
    for tone in values.chunks_exact(3) {
        let (hz, magnitude, filter_len) = (tone[0], tone[1], tone[2]);
        let row = bank.row_from_hz(hz).round() as usize;
        assert!((bank.rows()[row].hz / hz - 1.0).abs() < 1e-6, "{hz} Hz is no row");
        let ours = 0.5 * 10f64.powf(cell(&bank, row, hz, 2.0).0 / 20.0);
        max = max.max((ours / (2.0 * magnitude / filter_len.sqrt()) - 1.0).abs());
    }
    println!("{} tones: levels within {:.3} %", values.len() / 3, 100.0 * max);
    assert!(values.len() >= 3 * 100 && max < 1e-3, "{max}");
}

/// Levels from the closed form: a sine between rows reads its amplitude times the window's value at its frequency,
/// relative to the window's peak.
#[test]
fn windows_say_what_a_sine_between_rows_reads() {
    let bank = bank(&RowsParams::log(24), RATE);
    for row in [40, 100, 160, 200] {
        let (hz, width) = (bank.rows()[row].hz, bank.rows()[row].width_hz);
        for part in [-0.3, -0.1, 0.05, 0.2] {
            let tone = hz + part * width;
            let expected = 20.0 * (bank.window(row, tone) / bank.rows()[row].peak).log10();
            let (level_db, _) = cell(&bank, row, tone, 2.0);
            assert!((level_db - expected).abs() < 1e-3, "row {row}, {part}: {level_db} and {expected}");
        }
    }
}

#[test]
fn cells_of_dc_and_nyquist_are_real() {
    let bank = bank(&RowsParams::log(24), RATE);
    let regions = bank.analyse(&super::sound(20_000, 2));
    for (group, region) in bank.groups().iter().zip(&regions).filter(|(group, _)| group.is_real()) {
        assert_eq!(group.rows().len(), 1);
        let cells = (0..region.magnitude.len()).map(|i| complex(region, i));
        assert!(cells.into_iter().all(|cell| cell[1].abs() < 1e-9));
        assert!(region.phase.iter().any(|phase| *phase != 0.0), "some are negative");
    }
}
