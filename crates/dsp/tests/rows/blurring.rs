//! Blur on rows.

use super::twin::{Flaws, NONE, Twin, TwinScale};
use super::{RATE, add, analysed, bank, rates};
use dsp::transforms::rows::{C1_HZ, RowBlur, RowsParams};
use dsp::{Axis, CellRect, GridPlan, Mask, RowsPlan};
use std::f64::consts::{PI, TAU};
use std::sync::Arc;
use support::fourier::Complex;
use support::measure::{f64s, snr_db};
use support::signals::Rng;

/// Two steady tones and noise.
fn tones(n: usize, rate: f64) -> Vec<f32> {
    let mut rng = Rng(41);
    let tone = |i: usize, hz: f64| 0.2 * (TAU * hz * i as f64 / rate).sin();
    (0..n).map(|i| (tone(i, 1_000.0) + tone(i, 1_234.5) + 0.02 * rng.normal()) as f32).collect()
}

/// A soft box in time and octaves.
fn mask_at(secs: f64, hz: f64) -> f64 {
    let bump = |x: f64| if x.abs() < 1.0 { 0.5 + 0.5 * (PI * x).cos() } else { 0.0 };
    bump((secs - 0.35) / 0.15) * bump((hz / 1_100.0).log2() / 0.6)
}

const SIGMA: [f64; 2] = [0.02, 0.08];

/// The samples that the blur adds, by the program: group by group.
fn ours(samples: &[f32], rate: f64) -> Vec<f32> {
    let bank = Arc::new(bank(&RowsParams::log(24), rate));
    let mut added = vec![0.0; samples.len()];
    for rows_plan in RowsPlan::of_groups(&bank) {
        let group = rows_plan.group();
        let rows = group.rows();
        let n_columns = group.n_columns(samples.len() as u64);
        let secs = |column: usize| group.centre_sample(column) as f64 / rate;
        let values: Vec<f32> = (0..n_columns)
            .flat_map(|column| rows.clone().map(move |row| (column, row)))
            .map(|(column, row)| mask_at(secs(column), bank.rows()[row].hz) as f32)
            .collect();
        let whole = Mask { rect: CellRect::new(0..n_columns, rows), values };
        let rect = whole.tight_bounds();
        if rect.is_empty() {
            continue;
        }
        let mask = whole.crop(&rect);
        let columns = group.columns_in_secs(SIGMA[0]);
        let blur = RowBlur::new(bank.table(), group.rows(), columns, SIGMA[1], Axis::Log);
        let around = blur.columns_read();
        let read = CellRect::new(rect.frames.start - around..rect.frames.end + around, blur.rows_read(&rect.bins));
        let plan = GridPlan::Rows(rows_plan.clone());
        let before = analysed(&plan, samples, &read);
        add(&plan.difference(&before, &blur.run(&before, &mask)), &mut added);
    }
    added
}

/// The reference in f64: every group reads all rows with its own hop.
fn theirs(samples: &[f64], rate: f64, flaws: Flaws) -> Vec<f64> {
    let twin = Twin::new(&TwinScale::log(24.0, C1_HZ, None, rate), rate, flaws);
    let mut added = vec![0.0; samples.len()];
    let octaves = |k: usize| twin.rows[k].hz.log2();
    let reads = |k: usize, other: usize| (octaves(other) - octaves(k)).abs() <= 3.0 * SIGMA[1];
    let peaks: Vec<f64> = (0..twin.rows.len()).map(|k| twin.window(k, twin.rows[k].hz)).collect();
    for group in twin.groups.iter().filter(|group| group.rows.start > 0) {
        let acts = |k: usize| twin.rows[k].hz > 1_100.0 / 1.6 && twin.rows[k].hz < 1_100.0 * 1.6;
        let written: Vec<usize> = group.rows.clone().filter(|k| acts(*k)).collect();
        if written.is_empty() {
            continue;
        }
        let n_columns = twin.n_columns(group, samples.len());
        // Rows that are read, each with this group's hop and its own group's slice length.
        let read: Vec<usize> =
            (1..twin.rows.len() - 1).filter(|other| written.iter().any(|k| reads(*k, *other))).collect();
        let mut levels = vec![vec![0.0; read.len()]; n_columns];
        let mut cells: Vec<Vec<Complex>> = vec![vec![[0.0; 2]; group.rows.len()]; n_columns];
        for other in &twin.groups {
            let part: Vec<usize> = read.iter().copied().filter(|k| other.rows.contains(k)).collect();
            let (Some(start), Some(last)) = (part.first(), part.last()) else { continue };
            let on = super::twin::TwinGroup { rows: *start..last + 1, hop: group.hop, len: other.len };
            let found = twin.analyse(samples, &on);
            let shift = (on.len / on.hop / 4) as i64 - (group.len / group.hop / 4) as i64;
            for (column, levels) in levels.iter_mut().enumerate() {
                let Ok(from) = usize::try_from(column as i64 + shift) else { continue };
                let Some(row_cells) = found.get(from * on.rows.len()..(from + 1) * on.rows.len()) else { continue };
                for (i, k) in read.iter().enumerate().filter(|(_, k)| on.rows.contains(k)) {
                    let cell = row_cells[k - on.rows.start];
                    levels[i] = cell[0].hypot(cell[1]) / peaks[*k];
                    if group.rows.contains(k) {
                        cells[column][k - group.rows.start] = cell;
                    }
                }
            }
        }
        let sigma = SIGMA[0] * rate / group.hop as f64;
        let radius = (3.0 * sigma + 0.5).floor() as i64;
        let taps: Vec<f64> = (-radius..=radius).map(|i| (-0.5 * (i as f64 / sigma).powi(2)).exp()).collect();
        let sum: f64 = taps.iter().sum();
        let along: Vec<Vec<f64>> = (0..n_columns as i64)
            .map(|column| {
                let mut sums = vec![0.0; read.len()];
                for (i, tap) in taps.iter().enumerate() {
                    let from = (column + i as i64 - radius).clamp(0, n_columns as i64 - 1) as usize;
                    sums.iter_mut().zip(&levels[from]).for_each(|(out, level)| *out += tap / sum * level);
                }
                sums
            })
            .collect();
        let mut changes = vec![[0.0; 2]; n_columns * group.rows.len()];
        for k in &written {
            let near: Vec<usize> = (0..read.len()).filter(|i| reads(*k, read[*i])).collect();
            // Rows are equally spaced on the axis, so weights need no factor for their spacing.
            let weight = |i: &usize| (-0.5 * ((octaves(read[*i]) - octaves(*k)) / SIGMA[1]).powi(2)).exp();
            let total: f64 = near.iter().map(weight).sum();
            for column in 0..n_columns {
                let secs = (column as f64 * group.hop as f64 - group.len as f64 / 4.0) / rate;
                let m = mask_at(secs, twin.rows[*k].hz);
                let cell = cells[column][k - group.rows.start];
                let magnitude = cell[0].hypot(cell[1]);
                if m > 0.0 && magnitude > 0.0 {
                    let blurred = near.iter().map(|i| weight(i) / total * along[column][*i]).sum::<f64>() * peaks[*k];
                    let factor = m * (blurred - magnitude) / magnitude;
                    changes[column * group.rows.len() + k - group.rows.start] = cell.map(|part| part * factor);
                }
            }
        }
        twin.synthesise(&changes, group, &mut added);
    }
    added
}

#[test]
fn a_blur_is_the_definitions_and_slices_do_not_show() {
    let samples = tones(30_000, RATE);
    let (ours, exact) = (f64s(&ours(&samples, RATE)), f64s(&samples));
    let (theirs, theirs_longer) = (theirs(&exact, RATE, NONE), theirs(&exact, RATE, Flaws { slice: 8.0, ..NONE }));
    let same = snr_db(&ours, &theirs);
    let longer = snr_db(&ours, &theirs_longer);
    println!("against the definition {same:.1} dB of the change, on slices 8 times as long {longer:.1} dB");
    println!("the definition against itself on those {:.1} dB", snr_db(&theirs, &theirs_longer));
    assert!(same > 100.0, "{same:.1} dB");
    assert!(longer > 100.0, "{longer:.1} dB");
}

/// At other sample rates, in long test runs only.
#[test]
fn a_blur_is_the_definitions_at_every_rate() {
    for rate in rates(&[]) {
        let samples = tones((0.68 * rate) as usize, *rate);
        let db = snr_db(&f64s(&ours(&samples, *rate)), &theirs(&f64s(&samples), *rate, NONE));
        println!("{rate} Hz: {db:.1} dB of the change");
        assert!(db > 100.0, "{rate} Hz: {db:.1} dB");
    }
}

/// A blur of a constant level changes nothing.
#[test]
fn a_blur_of_equal_levels_keeps_them() {
    let bank = bank(&RowsParams::log(12), RATE);
    let group = &bank.groups()[3];
    let columns = group.columns_in_secs(0.01);
    let blur = RowBlur::new(bank.table(), group.rows(), columns, 0.2, Axis::Log);
    let rect = CellRect::new(100..180, blur.rows_read(&group.rows()));
    let mut before = dsp::Region::zeros(rect.clone());
    before.magnitude.fill(0.25);
    let inside = CellRect::new(120..160, group.rows());
    let mask = Mask { values: vec![1.0; inside.n_cells()], rect: inside };
    let after = blur.run(&before, &mask);
    assert!(after.magnitude.iter().all(|cell| (cell - 0.25).abs() < 1e-6));
    // Sharpening changes nothing either.
    let sharpened = blur.sharpening(4.0).run(&before, &mask);
    assert!(sharpened.magnitude.iter().all(|cell| (cell - 0.25).abs() < 1e-5));
    // DC has no neighbours across rows.
    let dc = RowBlur::new(bank.table(), 0..1, columns, 0.2, Axis::Log);
    assert_eq!(dc.rows_read(&(0..1)), 0..1);
}
