//! Synthesis of changed cells: which samples change, and how.

use super::twin::{NONE, Twin, TwinScale};
use super::{RATE, bank, rates, sound};
use dsp::Region;
use dsp::transforms::rows::{C1_HZ, RowBank, RowChange, RowGroup, RowsDifference, RowsParams};
use std::f64::consts::PI;
use support::measure::{changed, f64s, snr_db};

/// A soft dab on a group's cells: `gain` in the middle of these columns and rows, falling to 1 at their edges.
fn dab(region: &Region, columns: std::ops::Range<usize>, rows: std::ops::Range<usize>, gain: f32) -> Region {
    let mut after = region.clone();
    let bump = |i: usize, range: &std::ops::Range<usize>| {
        (PI * ((i - range.start) as f64 + 0.5) / range.len() as f64).sin().powi(2) as f32
    };
    for column in columns.clone() {
        for row in rows.clone() {
            let at = after.index(column, row);
            after.magnitude[at] *= 1.0 + (gain - 1.0) * bump(column, &columns) * bump(row, &rows);
        }
    }
    after
}

fn difference(bank: &RowBank, group: &RowGroup, before: &Region, after: &Region) -> RowsDifference {
    bank.difference(&[RowChange { group, before: Some(before), after }])
}

/// The samples that changed cells in these columns may affect.
fn allowed(group: &RowGroup, columns: std::ops::Range<usize>) -> std::ops::Range<i64> {
    let reach = group.reach() as i64;
    group.centre_sample(columns.start) - reach..group.centre_sample(columns.end - 1) + reach
}

#[test]
fn a_dab_changes_samples_within_its_reach_alone() {
    let samples = sound(120_000, 23);
    let bank = bank(&RowsParams::log(24), RATE);
    let cells = bank.analyse(&samples);
    let row = bank.row_from_hz(5_000.0) as usize;
    let at = bank.groups().iter().position(|group| group.rows().contains(&row)).unwrap();
    let (group, region) = (&bank.groups()[at], &cells[at]);
    let columns = group.first_column_inside() + 1_000..group.first_column_inside() + 1_020;
    let rows = row..row + 6;
    for gain in [0.06, 0.0, 3.0] {
        let change = difference(&bank, group, region, &dab(region, columns.clone(), rows.clone(), gain));
        assert_eq!(change.touched.len(), 1);
        let touched: Vec<usize> = (0..region.n_frames()).filter(|i| change.touched[0][*i]).collect();
        assert_eq!(touched, columns.clone().collect::<Vec<_>>());
        let within = allowed(group, columns.clone());
        assert_eq!(change.ranges, std::slice::from_ref(&within), "slices meet where cells do");
        let mut after = samples.clone();
        change.add_to(0, &mut after);
        let bits = changed(&after, &samples);
        assert!(!bits.is_empty() && bits.iter().all(|i| within.contains(&(*i as i64))));
        // Adding the difference in pieces gives the same samples.
        let mut pieces = samples.clone();
        let (low, high) = pieces.split_at_mut(70_001);
        change.add_to(0, low);
        change.add_to(70_001, high);
        assert_eq!(pieces, after);
    }
    // Control: the same dab an octave lower changes samples outside this range.
    let lower = bank.row_from_hz(2_500.0) as usize;
    let at = bank.groups().iter().position(|group| group.rows().contains(&lower)).unwrap();
    let (low_group, low_region) = (&bank.groups()[at], &cells[at]);
    assert!(low_group.hop() > group.hop());
    let times = low_group.hop() / group.hop();
    let first = low_group.first_column_inside() + 1_000 / times;
    let change =
        difference(&bank, low_group, low_region, &dab(low_region, first..first + 20 / times, lower..lower + 6, 0.06));
    let mut after = samples.clone();
    change.add_to(0, &mut after);
    let within = allowed(group, columns);
    assert!(changed(&after, &samples).iter().any(|i| !within.contains(&(*i as i64))));
}

#[test]
fn cells_far_apart_change_ranges_apart() {
    let samples = sound(200_000, 29);
    let bank = bank(&RowsParams::log(24), RATE);
    let cells = bank.analyse(&samples);
    let at = bank.groups().len() - 4;
    let (group, region) = (&bank.groups()[at], &cells[at]);
    let row = group.rows().start;
    let mut after = region.clone();
    let columns = [group.first_column_inside() + 10, group.n_columns(200_000) - group.first_column_inside() - 90];
    for column in columns {
        let cell = after.index(column, row);
        after.magnitude[cell] += 0.1;
    }
    let change = difference(&bank, group, region, &after);
    assert_eq!(change.ranges, columns.map(|column| allowed(group, column..column + 1)));
    let between = (change.ranges[0].end - change.first) as usize..(change.ranges[1].start - change.first) as usize;
    assert!(between.len() > 100_000 && change.samples[between].iter().all(|sample| *sample == 0.0));
    // Unchanged cells write nothing, nor do changed phases of silent cells.
    assert_eq!(difference(&bank, group, region, region).ranges, []);
    let mut silent = Region::zeros(region.rect.clone());
    let still = silent.clone();
    silent.phase.fill(0.25);
    assert_eq!(difference(&bank, group, &still, &silent).ranges, []);
}

#[test]
fn the_samples_of_a_gain_and_an_erase_are_the_definitions() {
    for rate in rates(&[RATE]) {
        gains_are_the_definitions(*rate);
    }
}

fn gains_are_the_definitions(rate: f64) {
    let samples = sound(9_000, 31);
    let exact = f64s(&samples);
    let bank = bank(&RowsParams::log(24), rate);
    let twin = Twin::new(&TwinScale::log(24.0, C1_HZ, None, rate), rate, NONE);
    let cells = bank.analyse(&samples);
    let last = bank.groups().len() - 1;
    for (at, gain) in [(3, 0.06f32), (5, 0.0), (last - 3, 4.0), (0, 0.0), (last, 0.5)] {
        let (group, region) = (&bank.groups()[at], &cells[at]);
        let first = group.first_column_inside();
        let columns = first..first + (4_000 / group.hop()).max(2);
        let change = difference(&bank, group, region, &dab(region, columns.clone(), group.rows(), gain));
        let mut ours = vec![0.0f32; samples.len()];
        change.add_to(0, &mut ours);
        // The dab on cells of magnitude 1, which gives its factors.
        let mut ones = Region::zeros(region.rect.clone());
        ones.magnitude.fill(1.0);
        let factors = dab(&ones, columns, group.rows(), gain);
        let theirs = twin.analyse(&exact, &twin.groups[at]);
        let by = |(cell, factor): (&[f64; 2], &f32)| cell.map(|part| part * (f64::from(*factor) - 1.0));
        let moved: Vec<[f64; 2]> = theirs.iter().zip(&factors.magnitude).map(by).collect();
        let mut expected = vec![0.0; samples.len()];
        twin.synthesise(&moved, &twin.groups[at], &mut expected);
        let db = snr_db(&f64s(&ours), &expected);
        println!("{rate} Hz, group {at}, gain {gain}: {db:.1} dB of the change");
        assert!(db > 100.0, "{rate} Hz, group {at}, gain {gain}: {db:.1} dB");
    }
}

/// The difference of several groups' edits, some with common slices, is the sum of the single differences.
#[test]
fn groups_together_add_what_they_add_apart() {
    let samples = sound(60_000, 37);
    let bank = bank(&RowsParams::mel(128), RATE);
    let cells = bank.analyse(&samples);
    let after: Vec<Region> = cells
        .iter()
        .zip(bank.groups())
        .map(|(region, group)| {
            let first = group.first_column_inside() + 30_000 / group.hop();
            dab(region, first..first + (3_000 / group.hop()).max(2), group.rows(), 0.2)
        })
        .collect();
    let change = |at: usize| RowChange { group: &bank.groups()[at], before: Some(&cells[at]), after: &after[at] };
    let changes: Vec<RowChange<'_>> = (0..cells.len()).map(change).collect();
    let (mut together, mut apart) = (vec![0.0; samples.len()], vec![0.0; samples.len()]);
    bank.difference(&changes).add_to(0, &mut together);
    changes.iter().for_each(|change| bank.difference(&[*change]).add_to(0, &mut apart));
    let db = snr_db(&f64s(&together), &f64s(&apart));
    println!("{db:.1} dB");
    assert!(db > 120.0, "{db:.1} dB");
}

#[test]
fn columns_and_samples_know_each_other() {
    let bank = bank(&RowsParams::log(24), RATE);
    let n_samples = 500_000;
    for group in bank.groups() {
        let n_columns = group.n_columns(n_samples);
        for changed in [0..1u64, 100_000..100_001, 123_456..222_222, n_samples - 1..n_samples] {
            let columns = group.columns_over(&changed, n_samples);
            let is_under = |column: usize| {
                let under = group.samples_under(&(column..column + 1));
                under.start < changed.end as i64 && (changed.start as i64) < under.end
            };
            let step = (n_columns / 5_000).max(1);
            assert!((0..n_columns).step_by(step).all(|column| is_under(column) == columns.contains(&column)));
        }
        assert_eq!(group.columns_over(&(5..5), n_samples), 0..0);
    }
}
