//! What gaps are filled with, against the definition; and that channels and gaps predicted side by side are as they are alone.

use base::Progress;
use document::{Channels, Edit, Snapshot, apply};
use dsp::heal::Heal;
use dsp::kernels::fill_gap;
use dsp::toeplitz::{ToeplitzSolver, solve_by_recursion};
use dsp::{Combine, Moments, Selection, Shape, StftParams, Window};
use engine::Engine;
use media::Source;
use std::f64::consts::TAU;
use std::ops::Range;
use support::signals::{Rng, busy, noise};

/// Lags of the inverse autocorrelation of resonances: what a gap in such a sound is solved with.
fn matrix_row(order: usize, seed: u64) -> Vec<f64> {
    let mut rng = Rng(seed);
    let mut a = vec![1.0];
    while a.len() + 2 <= order + 1 {
        let (radius, turns) = (rng.between(0.6, 0.995), rng.between(0.02, 0.48));
        let pole = [1.0, -2.0 * radius * (TAU * turns).cos(), radius * radius];
        let mut longer = vec![0.0; a.len() + 2];
        for (i, a) in a.iter().enumerate() {
            pole.iter().enumerate().for_each(|(k, pole)| longer[i + k] += a * pole);
        }
        a = longer;
    }
    (0..a.len()).map(|lag| a[lag..].iter().zip(&a).map(|(a, b)| a * b).sum()).collect()
}

/// The largest error of `T x - y`, relative to the largest terms of which it is the sum.
fn residual(row: &[f64], x: &[f64], y: &[f64]) -> f64 {
    let off = |i: usize| {
        let near = i.saturating_sub(row.len() - 1)..(i + row.len()).min(x.len());
        let terms = near.map(|j| row[i.abs_diff(j)] * x[j]);
        let [sum, size] = terms.fold([0.0, 0.0], |[sum, size], term: f64| [sum + term, size + term.abs()]);
        (sum - y[i]).abs() / size
    };
    (0..x.len()).map(off).fold(0.0, f64::max)
}

#[test]
fn large_systems_are_solved_as_by_recursion() {
    for (n, order, seed) in [(150, 20, 1), (192, 12, 2), (700, 16, 3), (701, 24, 4)] {
        let (row, mut rng) = (matrix_row(order, seed), Rng(50 + seed));
        let y: Vec<f64> = (0..n).map(|_| rng.normal()).collect();
        let (fast, plain) = (ToeplitzSolver::new(n).solve(&row, &y), solve_by_recursion(&row, &y));
        let [fast_off, plain_off] = [&fast, &plain].map(|x| residual(&row, x, &y));
        // A step of refinement leaves rounding of the last products: some 2^-53 of each of their terms.
        assert!(fast_off < 1e-11 && fast_off < 10.0 * plain_off + 1e-13, "{n}: {fast_off:e} and {plain_off:e}");
        let size = plain.iter().map(|x| x * x).sum::<f64>().sqrt();
        let off = fast.iter().zip(&plain).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
        assert!(off < 1e-7 * size, "{n}: {off:e} of {size:e}");
        // Control: another system is another solution.
        let other = ToeplitzSolver::new(n).solve(&matrix_row(order, seed + 100), &y);
        assert!(residual(&row, &other, &y) > 1e-3);
    }
}

/// Janssen's method as it is defined: sums over all samples, and dense least squares.
fn janssen(segment: &mut [f64], gap: Range<usize>, order: usize) {
    let n = segment.len();
    segment[gap.clone()].fill(0.0);
    for _ in 0..5 {
        let hann = |i: usize| 0.5 - 0.5 * (TAU * (i as f64 + 0.5) / n as f64).cos();
        let weighed: Vec<f64> = segment.iter().enumerate().map(|(i, x)| x * hann(i)).collect();
        let r = |lag: usize| weighed[lag..].iter().zip(&weighed).map(|(a, b)| a * b).sum::<f64>();
        let mut r: Vec<f64> = (0..=order).map(r).collect();
        r[0] *= 1.0 + 1e-12;
        let normal = |i: usize, j: usize| r[i.abs_diff(j)];
        let right: Vec<f64> = r[1..].iter().map(|r| -r).collect();
        let a: Vec<f64> = std::iter::once(1.0).chain(solved(order, normal, right)).collect();
        let b: Vec<f64> = (0..=order).map(|lag| a[lag..].iter().zip(&a).map(|(a, b)| a * b).sum()).collect();
        let b = |lag: usize| b.get(lag).copied().unwrap_or(0.0);
        let known = |t: usize| {
            let others = (0..n).filter(|s| !gap.contains(s));
            -others.map(|s| b(s.abs_diff(t)) * segment[s]).sum::<f64>()
        };
        let right = gap.clone().map(known).collect();
        let x = solved(gap.len(), |i, j| b(i.abs_diff(j)), right);
        segment[gap.clone()].copy_from_slice(&x);
    }
}

/// Solves a symmetric positive definite system by elimination.
fn solved(n: usize, matrix: impl Fn(usize, usize) -> f64, mut y: Vec<f64>) -> Vec<f64> {
    let mut rows: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| matrix(i, j)).collect()).collect();
    for i in 0..n {
        let (above, below) = rows.split_at_mut(i + 1);
        for (k, row) in below.iter_mut().enumerate() {
            let factor = row[i] / above[i][i];
            row[i..].iter_mut().zip(&above[i][i..]).for_each(|(x, pivot)| *x -= factor * pivot);
            y[i + 1 + k] -= factor * y[i];
        }
    }
    for i in (0..n).rev() {
        let rest: f64 = rows[i][i + 1..].iter().zip(&y[i + 1..]).map(|(a, x)| a * x).sum();
        y[i] = (y[i] - rest) / rows[i][i];
    }
    y
}

#[test]
fn a_gap_is_filled_as_the_method_defines() {
    let x: Vec<f64> = busy(1500, 22_050.0, 3).iter().zip(noise(1500, 0.01, 4)).map(|(a, b)| f64::from(a + b)).collect();
    for gap in [700..760, 640..900] {
        let (mut ours, mut defined, order) = (x.clone(), x.clone(), 48);
        fill_gap(&mut ours, gap.clone(), order, None);
        janssen(&mut defined, gap.clone(), order);
        let size = defined[gap.clone()].iter().map(|x| x * x).sum::<f64>().sqrt();
        let off = |ours: &[f64]| {
            ours[gap.clone()].iter().zip(&defined[gap.clone()]).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt() / size
        };
        assert!(off(&ours) < 1e-7, "{gap:?}: {:e}", off(&ours));
        // Control: one coefficient less is another prediction.
        let mut other = x.clone();
        fill_gap(&mut other, gap.clone(), order - 1, None);
        assert!(off(&other) > 1e-4, "{gap:?}");
    }
}

#[test]
fn gaps_and_channels_side_by_side_are_as_alone() {
    let (rate, n) = (22_050, 40_000);
    let channels: Vec<Vec<f32>> = (0..2).map(|seed| busy(n, f64::from(rate), 20 + seed)).collect();
    let sound = Snapshot::new(Source::from_channels(channels, rate).unwrap());
    // More groups of gaps than are predicted at once, one of two gaps.
    let starts = [0.1, 0.3, 0.5, 0.53, 0.8, 1.1, 1.4, 1.7];
    let healed = |starts: &[f64], channels: Channels| {
        let runs: Vec<[f64; 2]> = starts.iter().map(|start| [*start, start + 0.004]).collect();
        let mut select = Selection::rectangle(Some(runs[0]), None, [0.0; 2], dsp::Axis::Linear);
        select.shapes =
            vec![(Combine::Add, Shape::Moments(Moments { runs: runs.into(), reach_secs: 0.0, feather_secs: 0.0 }))];
        let transform = StftParams { n_fft: 512, hop: 128, window: Window::Hann };
        let heal = Heal::Gap { context_secs: [0.02; 2] };
        let edit = Edit { select: Some(select), channels, ..Edit::of(heal, transform) };
        let after = apply(&sound, &edit, &Engine::cpu(), &Progress::new()).unwrap().snapshot;
        let read = |channel| {
            let mut samples = vec![0.0f32; n];
            after.read(channel, 0, &mut samples).unwrap();
            samples
        };
        [read(0), read(1)]
    };
    let all = healed(&starts, Channels::All);
    for channel in 0..2 {
        let alone = healed(&starts, Channels::List(vec![channel]));
        assert_eq!(all[channel], alone[channel]);
        assert_ne!(all[channel], alone[1 - channel]);
    }
    // Far apart from the others, a gap is filled as if they were whole.
    let last = healed(&starts[7..], Channels::All);
    assert_eq!(all[1][36_000..], last[1][36_000..]);
    assert_ne!(all[1][..36_000], last[1][..36_000]);
}
