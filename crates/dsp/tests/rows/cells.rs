//! Cells against the definition in f64.

use super::twin::{Flaws, NONE, Twin, TwinGroup, TwinScale};
use super::{RATE, bank, complex, distance_db, rates, sound, thirds};
use dsp::transforms::rows::{C1_HZ, Excerpt, RowBank, RowsParams};
use dsp::{CellRect, Region};
use support::fourier::Complex;
use support::measure::f64s;

/// `1e-6` in dB.
const LIMIT_DB: f64 = -120.0;

fn cells_of(region: &Region) -> Vec<Complex> {
    (0..region.magnitude.len()).map(|i| complex(region, i)).collect()
}

fn assert_same_rows(bank: &RowBank, twin: &Twin) {
    assert_eq!(bank.rows().len(), twin.rows.len());
    for (k, (ours, theirs)) in bank.rows().iter().zip(&twin.rows).enumerate() {
        assert!((ours.hz - theirs.hz).abs() < 1e-9 * theirs.hz.max(1.0) && ours.hop == theirs.hop, "row {k}");
        assert!((ours.peak - twin.window(k, theirs.hz)).abs() < 1e-12, "row {k}");
    }
    let same = |(ours, theirs): (_, &TwinGroup)| {
        let ours: &dsp::transforms::rows::RowGroup = ours;
        (ours.rows(), ours.hop(), ours.slice_len()) == (theirs.rows.clone(), theirs.hop, theirs.len)
    };
    assert!(bank.groups().len() == twin.groups.len() && bank.groups().iter().zip(&twin.groups).all(same));
}

#[test]
fn cells_are_those_of_the_definition() {
    let samples = sound(7_001, 11);
    let exact = f64s(&samples);
    let cases = |rate: f64| {
        [
            ("log 24 erb", RowsParams::log(24), TwinScale::log(24.0, C1_HZ, None, rate)),
            (
                "log 12 from 100 Hz",
                RowsParams::log(12).with_fmin_hz(100.0).with_gamma_hz(0.0),
                TwinScale::log(12.0, 100.0, Some(0.0), rate),
            ),
            ("mel 40", RowsParams::mel(40), TwinScale::mel(40, rate)),
            ("bark 96", RowsParams::bark(96), TwinScale::bark(96, rate)),
            ("list", RowsParams::list(&thirds()), TwinScale::list(thirds())),
        ]
    };
    let cases = rates(&[RATE]).iter().flat_map(|rate| cases(*rate).map(|case| (*rate, case)));
    for (rate, (name, params, scale)) in cases {
        // The list may contain frequencies that are too high for the rate.
        let Ok(params) = params.validated_at(rate) else { continue };
        let bank = bank(&params, rate);
        let twin = Twin::new(&scale, rate, NONE);
        assert_same_rows(&bank, &twin);
        let regions = bank.analyse(&samples);
        let mut max_db = f64::MIN;
        for (region, group) in regions.iter().zip(&twin.groups) {
            max_db = max_db.max(distance_db(cells_of(region), twin.analyse(&exact, group)));
        }
        println!("{name} at {rate} Hz: {max_db:.1} dB");
        assert!(max_db <= LIMIT_DB, "{name} at {rate} Hz: {max_db:.1} dB");
    }
    // Control: windows that don't form a tight frame are detected.
    let bank = bank(&RowsParams::mel(40), RATE);
    let twin = Twin::new(&TwinScale::mel(40, RATE), RATE, Flaws { is_tight: false, ..NONE });
    let group = 1;
    let region = &bank.analyse(&samples)[group];
    let db = distance_db(cells_of(region), twin.analyse(&exact, &twin.groups[group]));
    assert!(db > LIMIT_DB + 40.0, "{db:.1} dB");
}

#[test]
fn a_part_has_the_bits_of_the_whole() {
    let samples = sound(50_000, 13);
    let bank = bank(&RowsParams::log(24), RATE);
    for (group, whole) in bank.groups().iter().zip(bank.analyse(&samples)) {
        let CellRect { frames, bins } = whole.rect.clone();
        let part = CellRect::new(frames.end / 3..frames.end * 2 / 3, (bins.start + bins.end) / 2..bins.end);
        let under = group.samples_under(&part.frames);
        let own: Vec<f32> = under
            .clone()
            .map(|i| usize::try_from(i).ok().and_then(|i| samples.get(i)).copied().unwrap_or(0.0))
            .collect();
        let alone = group.analyse(&Excerpt { first: under.start, samples: &own }, &part);
        assert_eq!(alone, whole.crop(&part));
    }
}

#[test]
fn a_smaller_hop_and_a_longer_slice_have_the_same_cells() {
    let samples = sound(30_000, 17);
    let excerpt = Excerpt { first: 0, samples: &samples };
    let bank = bank(&RowsParams::log(24), RATE);
    let group = &bank.groups()[4];
    let columns = group.first_column_inside()..group.first_column_inside() + samples.len() / group.hop();
    let own = group.analyse(&excerpt, &CellRect::new(columns.clone(), group.rows()));
    for (finer, longer, limit_db) in [(4, 1, -125.0), (1, 8, -120.0), (2, 2, -120.0)] {
        let on = bank.group_on(group.rows(), group.hop() / finer, group.slice_len() * longer);
        let first = on.first_column_inside();
        let n_columns = columns.len() * finer;
        let cells = on.analyse(&excerpt, &CellRect::new(first..first + n_columns, on.rows()));
        let n_rows = own.n_bins();
        let common = (0..own.magnitude.len()).map(|i| complex(&cells, i / n_rows * finer * n_rows + i % n_rows));
        let db = distance_db(common, cells_of(&own));
        println!("hop / {finer}, slice x {longer}: {db:.1} dB");
        assert!(db < limit_db, "hop / {finer}, slice x {longer}: {db:.1} dB");
    }
}

#[test]
fn windows_are_tight() {
    for params in
        [RowsParams::log(24), RowsParams::log(12).with_gamma_hz(0.0), RowsParams::mel(128), RowsParams::bark(96)]
    {
        let bank = bank(&params, RATE);
        let rows = 0..bank.rows().len();
        let mut extremes = (f64::MAX, f64::MIN);
        for i in 0..=400 {
            let hz = RATE / 2.0 * f64::from(i) / 400.0;
            let square = |k: usize, hz: f64| bank.window(k, hz).powi(2);
            let with_images = |k: usize| {
                let images = square(k, -hz) + square(k, RATE - hz);
                square(k, hz) + if bank.rows()[k].is_real { 0.0 } else { images }
            };
            let sum: f64 = rows.clone().map(with_images).sum();
            assert!((sum - 1.0).abs() < 1e-12, "{hz} Hz: {sum}");
            let d = bank.window_sum(hz);
            extremes = (extremes.0.min(d), extremes.1.max(d));
        }
        println!(
            "{}: sum of squared windows before division {:.3} to {:.3}",
            params.cache_key(),
            extremes.0,
            extremes.1
        );
        assert!(extremes.0 > 0.85 && extremes.1 < 1.1, "{extremes:?}");
    }
}
