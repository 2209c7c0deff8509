//! Declipping against its definition in NumPy (`tests/reference/declip.py`), and general properties.
#![allow(clippy::print_stdout, reason = "figures, with --nocapture")]

use base::Progress;
use dsp::FftPlans;
use dsp::repair::declip::{
    ClipDetector, ClipLevels, ClipPeaks, ClippedSignal, DeclipQuality, DetectedBy, DetectedLevels, SocialSchedule,
    predict_clipped, restore_clipped, restore_socially,
};
use serde_json::json;
use std::f64::consts::TAU;
use support::npy::load;
use support::signals::{Rng, noise};

/// The clip levels of the reference.
const LEVELS: ClipLevels = ClipLevels { above: 0.45, below: -0.4 };
const FRAME_LEN: usize = 512;
const ALL: SocialSchedule = SocialSchedule { first: 2.0, last: 0.01, n_thresholds: 16, n_iterations: 20 };

/// The rows of the reference: the clipped samples, and the results of 5 and 320 iterations and of the prediction.
fn reference() -> [Vec<f32>; 4] {
    let array = load(&json!("declip"));
    let (n, values) = (array.shape[1], array.f32s());
    [0, 1, 2, 3].map(|row| values[row * n..(row + 1) * n].to_vec())
}

/// The error of `found`, relative to the distance of `wanted` from `before`, in decibels.
fn off_db(found: &[f32], wanted: &[f32], before: &[f32]) -> f64 {
    let energy = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>();
    10.0 * (energy(found, wanted) / energy(wanted, before)).log10()
}

fn socially(samples: &[f32], levels: ClipLevels, schedule: &SocialSchedule) -> Vec<f32> {
    restore_socially(samples, levels, FRAME_LEN, schedule, &FftPlans::default(), &Progress::new()).unwrap()
}

#[test]
fn social_sparsity_is_its_definition() {
    let [clipped, after_5, after_320, _] = reference();
    let few = SocialSchedule { n_thresholds: 1, n_iterations: 5, ..ALL };
    let [few, all] = [&few, &ALL].map(|schedule| socially(&clipped, LEVELS, schedule));
    let [few_db, all_db] = [off_db(&few, &after_5, &clipped), off_db(&all, &after_320, &clipped)];
    println!("5 iterations: {few_db:.1} dB of the change, 320: {all_db:.1} dB");
    assert!(few_db < -115.0 && all_db < -80.0, "{few_db} and {all_db} dB");
    // Control: one more iteration gives a clearly different result.
    let more = SocialSchedule { n_thresholds: 1, n_iterations: 6, ..ALL };
    assert!(off_db(&socially(&clipped, LEVELS, &more), &after_5, &clipped) > -60.0);
}

#[test]
fn prediction_is_its_definition() {
    let [clipped, _, restored, wanted] = reference();
    let found = predict_clipped(&clipped, LEVELS, &restored, &Progress::new()).unwrap();
    let off = off_db(&found, &wanted, &clipped);
    println!("prediction: {off:.1} dB of the change");
    // The recursion for 512 coefficients amplifies rounding errors, and operations are in another order.
    assert!(off < -40.0, "{off} dB");
    assert!(off_db(&found, &restored, &clipped) > -30.0, "control: it differs from what it began with");
}

/// Two notes of eight partials with vibrato over noise, at a rate at which frames are short.
fn music(n: usize) -> Vec<f32> {
    let partial = |t: f64, f0: f64, h: f64| {
        (TAU * h * (f0 * t + 0.1 * (TAU * 3.0 * t).sin()) + h * h).sin() / h * (1.0 + 0.3 * (TAU * 0.4 * h * t).sin())
    };
    let sample = |i: usize| {
        let t = i as f64 / 5_512.5;
        (1..=8).map(|h| partial(t, 146.8, f64::from(h)) + partial(t, 220.0, f64::from(h))).sum::<f64>() as f32
    };
    let samples: Vec<f32> = (0..n).map(sample).zip(noise(n, 0.003, 4)).map(|(a, b)| a + b).collect();
    let peak = samples.iter().fold(0.0f32, |peak, x| peak.max(x.abs()));
    samples.iter().map(|x| 0.9 * x / peak).collect()
}

fn clipped_at(samples: &[f32], levels: ClipLevels) -> Vec<f32> {
    samples.iter().map(|x| x.clamp(levels.below, levels.above)).collect()
}

fn signal(samples: &[f32], levels: ClipLevels) -> ClippedSignal {
    let share = levels.count(samples) as f64 / samples.len().max(1) as f64;
    ClippedSignal { levels, share, rate_hz: 5_512.5 }
}

fn restored(samples: &[f32], levels: ClipLevels, quality: DeclipQuality) -> Vec<f32> {
    restore_clipped(samples, &signal(samples, levels), quality, &FftPlans::default(), &Progress::new()).unwrap()
}

#[test]
fn known_samples_keep_their_bits_and_clipped_ones_come_back_beyond_the_level() {
    let clean = music(12_000);
    let one_sided = ClipLevels { above: 0.35, below: f32::NEG_INFINITY };
    for levels in [ClipLevels { above: 0.4, below: -0.5 }, one_sided, ClipLevels { above: 0.06, below: -0.06 }] {
        let clipped = clipped_at(&clean, levels);
        for quality in [DeclipQuality::Fast, DeclipQuality::Best] {
            let after = restored(&clipped, levels, quality);
            for ((after, clipped), clean) in after.iter().zip(&clipped).zip(&clean) {
                if levels.is_clipped(*clipped) {
                    assert!(if *clean > 0.0 { *after >= levels.above } else { *after <= levels.below });
                    assert!(after.is_finite());
                } else {
                    assert_eq!(after.to_bits(), clipped.to_bits());
                }
            }
            let gained =
                off_db(&clipped, &clean, &vec![0.0; clean.len()]) - off_db(&after, &clean, &vec![0.0; clean.len()]);
            println!("{levels:?} {quality:?}: {gained:.1} dB nearer");
            assert!(gained > 2.0, "{levels:?} {quality:?}: {gained} dB");
        }
    }
}

#[test]
fn declipping_gives_the_same_bits_on_any_number_of_threads() {
    let levels = ClipLevels { above: 0.4, below: -0.5 };
    let clipped = clipped_at(&music(12_000), levels);
    let run = |n_threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
        pool.install(|| restored(&clipped, levels, DeclipQuality::Best))
    };
    assert!(run(1).iter().zip(run(3)).all(|(a, b)| a.to_bits() == b.to_bits()));
}

#[test]
fn a_cancelled_declip_stops_at_its_next_iteration() {
    let (levels, progress) = (ClipLevels { above: 0.4, below: -0.5 }, Progress::new());
    progress.cancel();
    let clipped = clipped_at(&music(4_000), levels);
    let plans = FftPlans::default();
    let stopped = restore_clipped(&clipped, &signal(&clipped, levels), DeclipQuality::Fast, &plans, &progress);
    assert_eq!(stopped.unwrap_err().kind(), base::ErrorKind::Cancelled);
}

#[test]
fn sounds_of_few_samples_are_no_trouble() {
    let levels = ClipLevels { above: 0.5, below: -0.5 };
    for samples in [vec![], vec![0.7], vec![0.1, 0.6, 0.1], vec![1.0; 40], vec![0.0; 300]] {
        let after = restored(&samples, levels, DeclipQuality::Best);
        assert_eq!(after.len(), samples.len());
        assert!(after.iter().all(|x| x.is_finite()));
    }
}

fn detected(samples: &[f32], bits: Option<u32>) -> Option<DetectedLevels> {
    let mut peaks = ClipPeaks::default();
    peaks.add(samples);
    let mut detector = ClipDetector::new(peaks, bits);
    // In pieces, so that runs of clipped samples continue from one piece to the next.
    samples.chunks(7).for_each(|piece| detector.add(piece));
    detector.detected()
}

#[test]
fn levels_are_detected_as_stored_and_as_coded() {
    let clean = music(60_000);
    assert_eq!(detected(&clean, None), None, "a clean sound");
    assert_eq!(detected(&clean, Some(16)), None);
    let levels = ClipLevels { above: 0.45, below: -0.5 };
    let clipped = clipped_at(&clean, levels);
    let found = detected(&clipped, None).unwrap();
    assert_eq!(found.by, DetectedBy::Runs);
    assert!((found.levels.above - 0.45).abs() < 1e-5 && (found.levels.below + 0.5).abs() < 1e-5, "{found:?}");
    assert_eq!(found.levels.count(&clipped), levels.count(&clipped));
    // Clipped, then attenuated and dithered to 16 bits.
    let mut rng = Rng(9);
    let dithered: Vec<f32> = clipped
        .iter()
        .map(|x| {
            let dither = rng.uniform() - rng.uniform();
            ((f64::from(*x) * 0.83 * 32_768.0 + dither).round() / 32_768.0) as f32
        })
        .collect();
    let found = detected(&dithered, Some(16)).unwrap();
    assert!((found.levels.above / 0.45 / 0.83 - 1.0).abs() < 1e-3, "{found:?}");
    // A few unclipped samples are within the dither's range of the level.
    let (n, n_clipped) = (found.levels.count(&dithered), levels.count(&clipped));
    assert!((n_clipped..=n_clipped + n_clipped / 100).contains(&n), "{n} and {n_clipped}");
    // As after lossy coding: no runs remain, and clipped peaks scatter around the level.
    let coded: Vec<f32> = clipped.iter().map(|x| x * (1.0 + 0.012 * rng.normal() as f32)).collect();
    let found = detected(&coded, None).unwrap();
    assert_eq!(found.by, DetectedBy::Pile);
    assert!((0.38..0.47).contains(&found.levels.above) && (-0.52..-0.42).contains(&found.levels.below), "{found:?}");
    // Clipped on one side only.
    let one = detected(&clipped_at(&clean, ClipLevels { above: 0.3, below: f32::NEG_INFINITY }), None).unwrap();
    assert!(one.levels.below == f32::NEG_INFINITY && (one.levels.above - 0.3).abs() < 1e-5, "{one:?}");
    for silent in [vec![], vec![0.0; 5_000]] {
        assert_eq!(detected(&silent, Some(16)), None);
    }
}
