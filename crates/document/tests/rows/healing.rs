//! Holes on rows healed from their surroundings, in time and in frequency.

use super::RATE;
use super::painting::{edit, read, run, snapshot};
use base::Progress;
use document::{Edit, apply};
use dsp::repair::heal::{Direction, Heal, Surroundings};
use dsp::transforms::rows::{RowBank, RowsParams};
use dsp::{Axis, Selection};
use support::engines::{cpu, engines};
use support::measure::{band_power, changed, snr_db_f32, strongest_tone};
use support::signals::{noise, tone};

const N: usize = 2 * 44_100;

fn heal(direction: Direction, secs: Option<[f64; 2]>, hz: Option<[f64; 2]>, params: RowsParams) -> Edit {
    let around = Surroundings { direction, ..Surroundings::default() };
    Edit { select: Some(Selection::rectangle(secs, hz, [0.0; 2], Axis::Log)), ..edit(Heal::Attenuate(around), params) }
}

/// The frequency of the first group boundary above `above_hz`.
fn meeting_hz(above_hz: f64) -> f64 {
    let bank = RowBank::new(&RowsParams::music(), RATE).unwrap();
    let first = |at: usize| bank.rows()[bank.groups()[at].rows().start].hz;
    (1..bank.groups().len()).map(first).find(|hz| *hz > above_hz).unwrap()
}

/// Constant excess noise in a band across the boundary of two groups of rows: the sound below and above the band
/// determines its level, in both groups alike. The time axis has no such information.
#[test]
fn a_loud_band_across_two_groups_is_healed_from_below_and_above() {
    let middle_hz = meeting_hz(900.0);
    let band = [middle_hz / 1.09, middle_hz * 1.09];
    let quiet = noise(N, 0.01, 41);
    let before = snapshot(vec![quiet.clone()]);
    let wide = Some(Selection::rectangle(None, Some(band), [0.0, 0.02], Axis::Log));
    let louder = Edit { select: wide, ..edit(document::brushes::Gain { gain_db: 24.0 }, RowsParams::music()) };
    let loud = run(&before, &louder, &cpu()).snapshot;
    let hole = [band[0] / 1.1, band[1] * 1.1];
    let level_db = |samples: &[f32], [low, high]: [f64; 2]| {
        let middle = |samples: &[f32]| band_power(&samples[N / 2 - 32_768..N / 2 + 32_768], RATE, low, high);
        10.0 * (middle(samples) / middle(&quiet)).log10()
    };
    let halves = [[band[0], middle_hz], [middle_hz, band[1]]];
    for direction in [Direction::Frequency, Direction::Shape] {
        for engine in engines() {
            let after = read(&run(&loud, &heal(direction, None, Some(hole), RowsParams::music()), engine).snapshot, 0);
            let db = halves.map(|half| level_db(&after, half));
            println!("{direction:?}: {:.1?} dB of {:.1?}", db, halves.map(|half| level_db(&read(&loud, 0), half)));
            assert!(db.iter().all(|db| db.abs() < 4.0), "{direction:?}: {db:?} dB");
        }
    }
    let within = heal(Direction::Time, Some([0.2, 1.8]), Some(hole), RowsParams::music());
    let along_time = read(&run(&loud, &within, &cpu()).snapshot, 0);
    assert!(halves.map(|half| level_db(&along_time, half)).iter().all(|db| *db > 15.0), "the control stays loud");
}

/// A whistle that comes and goes over a chord in noise is attenuated to its surroundings; the chord is preserved.
#[test]
fn a_whistle_is_healed_and_the_chord_stays() {
    let sum = |parts: &[Vec<f32>]| -> Vec<f32> { (0..N).map(|i| parts.iter().map(|part| part[i]).sum()).collect() };
    let clean = sum(&[
        tone(N, RATE, 440.0, 0.1),
        tone(N, RATE, 1_320.0, 0.05),
        tone(N, RATE, 4_400.0, 0.05),
        noise(N, 0.003, 43),
    ]);
    let whistle = tone(N, RATE, 2_950.0, 0.2);
    let level = |i: usize| {
        let secs = i as f64 / RATE;
        (((secs - 0.7) / 0.02).clamp(0.0, 1.0)).min(((1.2 - secs) / 0.02).clamp(0.0, 1.0)) as f32
    };
    let damaged: Vec<f32> = clean.iter().zip(&whistle).enumerate().map(|(i, (x, w))| x + w * level(i)).collect();
    let before = snapshot(vec![damaged.clone()]);
    let at = |samples: &[f32], hz: f64| strongest_tone(&samples[35_280..48_510], RATE, hz - 20.0, hz + 20.0).level;
    for params in [RowsParams::music(), RowsParams::log(48)] {
        let heal = heal(Direction::Shape, Some([0.68, 1.22]), Some([2_550.0, 3_400.0]), params.clone());
        let applied = run(&before, &heal, &cpu());
        let after = read(&applied.snapshot, 0);
        let lowered_db = 20.0 * (at(&after, 2_950.0) / at(&damaged, 2_950.0)).log10();
        let kept_db = [440.0, 1_320.0, 4_400.0].map(|hz| 20.0 * (at(&after, hz) / at(&clean, hz)).log10());
        println!("whistle {lowered_db:.1} dB, chord {kept_db:.3?} dB, SNR {:.1} dB", snr_db_f32(&after, &clean));
        assert!(lowered_db < -40.0, "{lowered_db} dB");
        assert!(kept_db.iter().all(|db| db.abs() < 0.05), "{kept_db:?} dB");
        let outside = |i: &usize| !applied.changed.iter().any(|range| range.contains(&(*i as u64)));
        assert!(!changed(&after, &damaged).iter().any(outside));
    }
}

/// A hole without surroundings above and below is refused along frequency, and healed along time.
#[test]
fn a_hole_without_surroundings_is_refused() {
    let before = snapshot(vec![noise(N, 0.1, 47)]);
    let whole = |direction| heal(direction, Some([0.5, 0.6]), None, RowsParams::music());
    let error = apply(&before, &whole(Direction::Frequency), &cpu(), &Progress::new()).unwrap_err();
    assert!(error.message().starts_with("no sound around this hole"), "{}", error.message());
    for direction in [Direction::Time, Direction::Shape, Direction::Both] {
        assert!(!run(&before, &whole(direction), &cpu()).changed.is_empty());
    }
}
