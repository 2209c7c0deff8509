//! Cells of all groups back to samples.

use super::twin::{Flaws, NONE, Twin, TwinScale};
use super::{RATE, bank, is_long, rates, sound, transforms};
use dsp::Region;
use dsp::transforms::rows::RowsParams;
use support::measure::{f64s, snr_db, snr_db_f32};

fn round_trip_db(params: &RowsParams, rate: f64, n: usize) -> f64 {
    let (bank, samples) = (bank(params, rate), sound(n, 7));
    let cells = bank.analyse(&samples);
    snr_db_f32(&bank.synthesise(&cells, n), &samples)
}

#[test]
fn every_transform_comes_back() {
    let secs: &[f64] = if is_long() { &[0.1, 0.737, 2.0, 10.0] } else { &[0.737] };
    for (name, params, min_db) in transforms() {
        for secs in secs {
            // An odd number of samples.
            let n = (secs * RATE) as usize | 1;
            let db = round_trip_db(&params, RATE, n);
            println!("{name}, {secs} s: {db:.1} dB");
            assert!(db >= min_db, "{name}, {secs} s: {db:.1} dB");
        }
    }
}

#[test]
fn short_sounds_come_back() {
    for (name, params, min_db) in transforms().into_iter().filter(|(name, ..)| ["log 24 erb", "mel 128"].contains(name))
    {
        for n in [1, 2, 63, 4410, 10_007] {
            let db = round_trip_db(&params, RATE, n);
            println!("{name}, {n} samples: {db:.1} dB");
            assert!(db >= min_db, "{name}, {n} samples: {db:.1} dB");
        }
    }
}

#[test]
fn every_rate_comes_back() {
    let secs: &[f64] = if is_long() { &[0.1, 0.4, 1.734, 10.0] } else { &[0.4] };
    let more: &[f64] = if is_long() { &[88_200.0, 176_400.0] } else { &[] };
    for &rate in rates(&[8_000.0, 96_000.0]).iter().chain(more) {
        for (name, params, _) in transforms() {
            let is_requested = if is_long() { true } else { ["log 24 erb", "mel 128", "bark 96"].contains(&name) };
            let Ok(params) = params.validated_at(rate) else {
                // Refused are a list up to 12.8 kHz and a range up to 8 kHz at low rates, and slices of over 25 s.
                assert!(rate <= 22_050.0 || name == "log 48", "{name} at {rate} Hz is refused");
                continue;
            };
            if is_requested {
                for secs in secs {
                    let db = round_trip_db(&params, rate, (secs * rate) as usize | 1);
                    println!("{name}, {rate} Hz, {secs} s: {db:.1} dB");
                    assert!(db >= 125.0, "{name}, {rate} Hz, {secs} s: {db:.1} dB");
                }
            }
        }
    }
}

#[test]
fn what_is_erased_is_gone() {
    let (bank, samples) = (bank(&RowsParams::log(24), RATE), sound(20_000, 3));
    let cells = bank.analyse(&samples);
    let silent = |region: &Region| Region::zeros(region.rect.clone());
    let erased: Vec<Region> = cells.iter().map(silent).collect();
    let changes: Vec<_> = bank
        .groups()
        .iter()
        .zip(cells.iter().zip(&erased))
        .map(|(group, (before, after))| dsp::transforms::rows::RowChange { group, before: Some(before), after })
        .collect();
    let mut left = samples.clone();
    bank.difference(&changes).add_to(0, &mut left);
    let rest: Vec<f32> = left.iter().zip(&samples).map(|(left, sample)| sample - left).collect();
    let db = snr_db_f32(&rest, &samples);
    println!("left of what was erased: -{db:.1} dB");
    assert!(db >= 130.0, "{db:.1} dB");
}

/// The definition in f64, without and with deliberate flaws.
#[test]
fn the_definition_inverts_and_its_flaws_show() {
    let samples = f64s(&sound(12_000, 5));
    let round_trip = |flaws: Flaws| {
        let twin = Twin::new(&TwinScale::log(24.0, 130.8, None, RATE), RATE, flaws);
        let mut back = vec![0.0; samples.len()];
        for group in &twin.groups {
            twin.synthesise(&twin.analyse(&samples, group), group, &mut back);
        }
        snr_db(&back, &samples)
    };
    let right = round_trip(NONE);
    let loose = round_trip(Flaws { is_tight: false, ..NONE });
    let short = round_trip(Flaws { slice: 0.5, ..NONE });
    println!("{right:.1} dB; not divided by the sum {loose:.1} dB; slices half as long {short:.1} dB");
    assert!(right > 135.0 && loose < 70.0 && short < 100.0);
}
