//! Numbers and signals: powers and logarithms, windows, onsets, patterns, buffers.

use dsp::comparison::likeness::{Pattern, first_peak};
use dsp::numeric::exp2::exp2;
use dsp::numeric::log2::log2;
use dsp::pitch::onsets::{onset_transform, onsets};
use dsp::{CellRect, Region, Stft, Window};
use std::f64::consts::TAU;

fn largest_relative_error(f: impl Fn(f32) -> f32) -> f64 {
    let error = |k: i32| {
        let x = -20.0 + 24.0 * k as f32 / 200_000.0;
        let exact = f64::from(x).exp2();
        ((f64::from(f(x)) - exact) / exact).abs()
    };
    (0..=200_000).map(error).fold(0.0, f64::max)
}

#[test]
fn is_two_to_the_power() {
    assert!(largest_relative_error(exp2) <= 2e-7);
    assert_eq!([exp2(0.0), exp2(-0.0), exp2(1.0), exp2(-20.0)], [1.0, 1.0, 2.0, 1.0 / 1_048_576.0]);
    // Control: the comparison detects a relative error of `4 f32::EPSILON`.
    assert!(largest_relative_error(|x| exp2(x) * (1.0 + 4.0 * f32::EPSILON)) > 2e-7);
}

fn largest_error(f: impl Fn(f32) -> f32) -> f64 {
    let error = |k: i32| {
        let x = (f64::from(k) / 5_000.0).exp2() as f32;
        let exact = f64::from(x).log2();
        (f64::from(f(x)) - exact).abs() / (exact.abs() * 2f64.powi(-20) + 2e-7)
    };
    (-100 * 5_000..20 * 5_000).map(error).fold(0.0, f64::max)
}

#[test]
fn undoes_two_to_the_power() {
    assert!(largest_error(log2) <= 1.0);
    assert_eq!([log2(1.0), log2(2.0), log2(0.25), log2(1024.0)], [0.0, 1.0, -2.0, 10.0]);
    assert_eq!(log2(0.0), -100.0);
    // Control: the comparison detects an absolute error of 1e-6.
    assert!(largest_error(|x| log2(x) + 1e-6) > 1.0);
}

#[test]
fn sums_are_those_of_the_samples() {
    for window in Window::ALL {
        for n in [64, 2048] {
            let samples: f64 = window.samples(n).iter().sum();
            assert!((window.sum(n) - samples).abs() < 1e-10 * samples, "{} of {n}", window.name());
            // Control: the sum of a window one sample longer differs by more.
            assert!((window.sum(n + 1) - samples).abs() > 1e-10 * samples);
        }
    }
}

#[test]
fn onsets_are_found_to_a_millisecond_and_steady_sound_has_none() {
    let rate = 22_050.0;
    let starts = [0.25, 0.9, 1.30];
    let at = |k: usize| {
        let t = k as f64 / rate;
        let steady = 0.05 * (TAU * 3000.0 * t).sin();
        let notes = starts.iter().filter(|&&start| t >= start).map(|start| {
            let since = t - start;
            0.5 * (-3.0 * since).exp() * (TAU * 440.0 * since).sin()
        });
        (steady + notes.sum::<f64>()) as f32
    };
    let samples: Vec<f32> = (0..2 * rate as usize).map(at).collect();
    let found: Vec<f64> =
        onsets(&Stft::new(onset_transform(rate)), &samples, rate).into_iter().map(|at| at as f64 / rate).collect();
    for start in starts {
        assert!(found.iter().any(|found| (found - start).abs() < 0.001), "{start}: {found:?}");
    }
    assert!(found.iter().filter(|at| **at > 0.05).count() == 3, "{found:?}");
    assert!(onsets(&Stft::new(onset_transform(rate)), &vec![0.0; 8000], rate).is_empty());
}

fn rows(n: usize, at: usize) -> Vec<f32> {
    (0..n * 8)
        .map(|i| if (i / 8) == at { -10.0 - (i % 8) as f32 * 3.0 } else { -60.0 + ((i * 37) % 11) as f32 })
        .collect()
}

#[test]
fn the_same_is_1_whatever_its_loudness_and_its_opposite_minus_1() {
    let levels = rows(5, 2);
    let pattern = Pattern::new(&levels, &[1.0; 40], 8).unwrap();
    assert!((pattern.scores(&levels)[0] - 1.0).abs() < 1e-5);
    let quieter: Vec<f32> = levels.iter().map(|level| level - 12.0).collect();
    assert!((pattern.scores(&quieter)[0] - 1.0).abs() < 1e-5);
    let opposite: Vec<f32> = levels.iter().map(|level| -level).collect();
    assert!((pattern.scores(&opposite)[0] + 1.0).abs() < 1e-5);
    assert_eq!(pattern.scores(&[-30.0; 40]), [0.0], "silence is like nothing");
}

#[test]
fn a_pattern_is_found_where_it_is_and_masked_cells_do_not_count() {
    let long = rows(60, 41);
    let pattern = Pattern::new(&long[39 * 8..44 * 8], &[1.0; 40], 8).unwrap();
    let scores = pattern.scores(&long);
    assert_eq!((scores.len(), first_peak(&scores, 0.9, 2)), (56, Some(39)));
    assert!(Pattern::new(&[-20.0; 40], &[1.0; 40], 8).is_none());
    let mut weights = [1.0f32; 40];
    weights[16..24].fill(0.0);
    let blind = Pattern::new(&rows(5, 2), &weights, 8).unwrap();
    let other = blind.scores(&rows(5, 9));
    assert!((other[0] - 1.0).abs() < 1e-4, "what differs is masked: {other:?}");
}

/// Planes of a freed region are reused for the next one: their old contents must not show.
#[test]
fn a_region_of_zeros_is_zeros_whatever_was_there_before() {
    for n_bins in [1003, 1003, 1003, 900, 10, 3000] {
        let mut region = Region::zeros(CellRect { frames: 3..1234, bins: 0..n_bins });
        assert_eq!((region.magnitude.len(), region.phase.len()), (1231 * n_bins, 1231 * n_bins));
        assert!(region.magnitude.iter().chain(&region.phase).all(|value| *value == 0.0), "{n_bins} bins");
        region.magnitude.fill(1.0);
        region.phase.fill(0.25);
    }
}
