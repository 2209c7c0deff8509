//! Filled gaps match the definition of the method, and channels and gaps predicted in parallel
//! equal those predicted alone.
#![allow(clippy::print_stdout, reason = "figures, with --nocapture")]

use base::Progress;
use document::{Channels, Edit, Snapshot, apply};
use dsp::kernels::{SilencedGap, fill_gap};
use dsp::numeric::toeplitz::{ToeplitzSolver, solve_by_recursion};
use dsp::repair::heal::{GapOrders, Heal};
use dsp::{Combine, Moments, Selection, Shape, StftParams, Window};
use engine::Engine;
use media::Source;
use std::f64::consts::TAU;
use std::ops::Range;
use support::signals::{Rng, busy, noise};

/// First row of the Toeplitz matrix of a gap in a resonant sound: the autocorrelation, by lag, of
/// random prediction coefficients.
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

/// The largest error of `T x - y`, relative to the largest term of its sum.
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
        // After a step of iterative refinement, the residual is the rounding error of the sum,
        // about 2^-53 of each term.
        assert!(fast_off < 1e-11 && fast_off < 10.0 * plain_off + 1e-13, "{n}: {fast_off:e} and {plain_off:e}");
        let size = plain.iter().map(|x| x * x).sum::<f64>().sqrt();
        let off = fast.iter().zip(&plain).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
        assert!(off < 1e-7 * size, "{n}: {off:e} of {size:e}");
        // Control: the solution of another system does not fit.
        let other = ToeplitzSolver::new(n).solve(&matrix_row(order, seed + 100), &y);
        assert!(residual(&row, &other, &y) > 1e-3);
    }
}

/// Janssen's method by its definition: sums over all samples, and dense least squares.
fn janssen(segment: &mut [f64], gap: Range<usize>, order: usize) {
    janssen_rounds(segment, gap, order, 5);
}

fn janssen_rounds(segment: &mut [f64], gap: Range<usize>, order: usize, rounds: usize) {
    let n = segment.len();
    segment[gap.clone()].fill(0.0);
    for _ in 0..rounds {
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
        // Control: one coefficient less gives another prediction.
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
    // More groups of gaps than are predicted in parallel; one group consists of two gaps.
    let starts = [0.1, 0.3, 0.5, 0.53, 0.8, 1.1, 1.4, 1.7];
    let healed = |starts: &[f64], channels: Channels| {
        let runs: Vec<[f64; 2]> = starts.iter().map(|start| [*start, start + 0.004]).collect();
        let mut select = Selection::rectangle(Some(runs[0]), None, [0.0; 2], dsp::Axis::Linear);
        select.shapes =
            vec![(Combine::Add, Shape::Moments(Moments { runs: runs.into(), reach_secs: 0.0, feather_secs: 0.0 }))];
        let transform = StftParams { n_fft: 512, hop: 128, window: Window::Hann };
        let heal = Heal::Gap { context_secs: [0.02; 2], orders: GapOrders::One };
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
    // A gap far from the others is filled as if there were no others.
    let last = healed(&starts[7..], Channels::All);
    assert_eq!(all[1][36_000..], last[1][36_000..]);
    assert_ne!(all[1][..36_000], last[1][..36_000]);
}

/// Reference for weighted orders: fills the gap with every order by `janssen_rounds`, and weights each by its error
/// in trial gaps on both sides.
fn weighed(x: &[f64], gap: Range<usize>, others: &[Range<usize>], rate_hz: f64) -> Vec<f64> {
    let orders = [(64, 512.0), (256, 1024.0), (512, 2048.0), (1024, 8192.0), (2048, 16_384.0), (3072, 32_768.0)];
    let (n, mut silenced) = (gap.len(), x.to_vec());
    others.iter().chain([&gap]).for_each(|gap| silenced[gap.clone()].fill(0.0));
    let fill = |x: &[f64], place: &Range<usize>, (order, context): (usize, f64), rounds: usize| {
        let context = ((context * rate_hz / 44_100.0).round() as usize).max(2 * n);
        let first = place.start.saturating_sub(context);
        let mut segment = x[first..(place.end + context).min(x.len())].to_vec();
        let within = place.start - first..place.end - first;
        let order = order.min((segment.len() - n) / 3);
        janssen_rounds(&mut segment, within.clone(), order, rounds);
        segment[within].to_vec()
    };
    let away = n.max((0.01 * rate_hz).round() as usize);
    let trials = [gap.start - away - n..gap.start - away, gap.end + away..gap.end + away + n];
    let is_free = |trial: &&Range<usize>| others.iter().all(|gap| gap.end < trial.start || gap.start > trial.end);
    let trials: Vec<_> = trials.iter().filter(is_free).collect();
    let (mut sum, mut all) = (vec![0.0; n], 0.0);
    for order in orders {
        let mut filled = silenced.clone();
        filled[gap.clone()].copy_from_slice(&fill(&silenced, &gap, order, 3));
        let errors = trials.iter().map(|trial| {
            let guess = fill(&filled, trial, order, 2);
            let square = |x: &f64| x * x;
            let truth = &x[(*trial).clone()];
            let error: f64 = guess.iter().zip(truth).map(|(guess, truth)| square(&(guess - truth))).sum();
            error / truth.iter().map(square).sum::<f64>()
        });
        let weight = (errors.sum::<f64>() / trials.len() as f64 + 1e-6).powi(-2);
        all += weight;
        sum.iter_mut().zip(&filled[gap.clone()]).for_each(|(sum, x)| *sum += weight * x);
    }
    sum.iter().map(|x| x / all).collect()
}

#[test]
fn several_orders_are_weighed_by_trial_gaps_as_defined() {
    // At this low rate the contexts are so short that the reference can solve every order.
    let (rate_hz, n) = (1_500.0, 2_600);
    let x: Vec<f64> = busy(n, 22_050.0, 3).iter().zip(noise(n, 0.01, 4)).map(|(a, b)| f64::from(a + b)).collect();
    let gap = 1_300..1_330;
    // Without another gap, with one in the context only, and with one that overlaps a trial gap.
    for other in [None, Some(1_180..1_200), Some(1_350..1_365)] {
        let others = other.as_slice();
        let mut silenced = x.clone();
        others.iter().chain([&gap]).for_each(|gap| silenced[gap.clone()].fill(0.0));
        let ours = SilencedGap { samples: &silenced, gap: gap.clone(), others, context: [n; 2], rate_hz };
        let (ours, weights) = ours.filled(None);
        assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{weights:?}");
        let defined = weighed(&x, gap.clone(), others, rate_hz);
        let energy = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
        let off: Vec<f64> = ours.iter().zip(&defined).map(|(a, b)| a - b).collect();
        let off = (energy(&off) / energy(&defined)).sqrt();
        println!("{others:?}: {off:e}, weights {weights:.3?}");
        assert!(off < 1e-5, "{others:?}: {off:e}");
        // Control: a single order gives another result.
        let mut one = silenced.clone();
        fill_gap(&mut one, gap.clone(), 2048, None);
        let off: Vec<f64> = one[gap.clone()].iter().zip(&defined).map(|(a, b)| a - b).collect();
        assert!((energy(&off) / energy(&defined)).sqrt() > 1e-3);
    }
}

/// The samples of a channel after an edit of gaps.
fn healed(sound: &Snapshot, starts: &[f64], secs: f64, heal: Heal) -> Vec<f32> {
    let runs: Vec<[f64; 2]> = starts.iter().map(|start| [*start, start + secs]).collect();
    let moments = Moments { runs: runs.into(), reach_secs: 0.0, feather_secs: 0.0 };
    let transform = StftParams { n_fft: 512, hop: 128, window: Window::Hann };
    let edit = Edit { select: Some(Selection::of(Shape::Moments(moments))), ..Edit::of(heal, transform) };
    let after = apply(sound, &edit, &Engine::cpu(), &Progress::new()).unwrap().snapshot;
    let mut samples = vec![0.0f32; after.n_samples() as usize];
    after.read(0, 0, &mut samples).unwrap();
    samples
}

#[test]
fn weighed_gaps_are_the_same_bits_on_any_number_of_threads() {
    let rate = 11_025;
    let sound = Snapshot::new(Source::from_channels(vec![busy(20_000, f64::from(rate), 21)], rate).unwrap());
    let run = |n_threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
        pool.install(|| healed(&sound, &[0.4, 0.9, 1.3], 0.01, Heal::WEIGHED_GAP))
    };
    let (one, three) = (run(1), run(3));
    assert!(one.iter().zip(&three).all(|(a, b)| a.to_bits() == b.to_bits()));
    // Control: a single order gives other samples.
    let by_one = healed(&sound, &[0.4, 0.9, 1.3], 0.01, Heal::GAP);
    assert!(one.iter().zip(&by_one).any(|(a, b)| a != b));
}

/// Gaps of 10 ms in a voice: the mean gain over one order.
#[test]
fn several_orders_fill_a_voice_better_than_one() {
    let opened = support::snapshots::open(&support::wav::clip("speech_16k_mono.wav"));
    let clean = support::snapshots::samples(&opened, 0);
    let (rate_hz, secs) = (16_000.0, 0.01);
    let starts: Vec<f64> = (0..12).map(|i| 0.8 + 0.47 * f64::from(i)).collect();
    let mut holed = clean.clone();
    let places: Vec<Range<usize>> = starts
        .iter()
        .map(|start| (start * rate_hz).round() as usize..((start + secs) * rate_hz).round() as usize)
        .collect();
    places.iter().for_each(|place| holed[place.clone()].fill(0.0));
    let sound = Snapshot::new(Source::from_channels(vec![holed], 16_000).unwrap());
    let mean = |heal| {
        let after = healed(&sound, &starts, secs, heal);
        let snr = |place: &Range<usize>| support::measure::snr_db_f32(&after[place.clone()], &clean[place.clone()]);
        places.iter().map(snr).sum::<f64>() / places.len() as f64
    };
    let [one, weighed] = [Heal::GAP, Heal::WEIGHED_GAP].map(mean);
    println!("12 gaps of 10 ms in a voice: {one:.1} dB with one order, {weighed:.1} dB weighed");
    assert!(weighed > one + 0.5, "{one} and {weighed} dB");
}

#[test]
fn a_gap_without_room_for_trials_is_filled_too() {
    let rate = 11_025;
    let x = busy(3_000, f64::from(rate), 5);
    // At the start, at the end, and in a sound a few times as long as the gap; below, in silence.
    for (n, start) in [(3_000, 0.0), (3_000, 0.262), (400, 0.01)] {
        let sound = Snapshot::new(Source::from_channels(vec![x[..n].to_vec()], rate).unwrap());
        let after = healed(&sound, &[start], 0.01, Heal::WEIGHED_GAP);
        assert!(after.iter().all(|x| x.is_finite() && x.abs() < 10.0), "{n}, {start}");
    }
    let silent = Snapshot::new(Source::from_channels(vec![vec![0.0; 3_000]], rate).unwrap());
    assert!(healed(&silent, &[0.1], 0.01, Heal::WEIGHED_GAP).iter().all(|x| *x == 0.0));
}

/// A constant run in a gap is a dropout if the sound around it exceeds its level, and clipping otherwise.
#[test]
fn a_held_value_is_predicted_and_a_clipped_peak_is_not_lowered() {
    let rate = 16_000;
    let tone: Vec<f32> = (0..16_000)
        .map(|n| {
            (0.5 * (TAU * 50.0 * n as f64 / 16_000.0).sin() + 0.1 * (TAU * 430.0 * n as f64 / 16_000.0).sin()) as f32
        })
        .collect();
    let gap = 8_010..8_170;
    let mut held = tone.clone();
    held[gap.clone()].fill(tone[gap.start]);
    let sound = Snapshot::new(Source::from_channels(vec![held.clone()], rate).unwrap());
    let after = healed(&sound, &[gap.start as f64 / 16_000.0], 0.01, Heal::WEIGHED_GAP);
    let snr_db = |x: &[f32]| {
        let [signal, error] = gap.clone().fold([0.0, 0.0], |[signal, error], i| {
            [signal + f64::from(tone[i]).powi(2), error + f64::from(tone[i] - x[i]).powi(2)]
        });
        10.0 * (signal / error).log10()
    };
    assert!(snr_db(&after) > 30.0 && snr_db(&held) < 10.0, "{} and {} dB", snr_db(&after), snr_db(&held));
    // 50 Hz, cut off at 0.4: runs of 4 ms.
    let clipped: Vec<f32> =
        (0..16_000).map(|n| (0.5 * (TAU * 50.0 * f64::from(n) / 16_000.0).sin()).clamp(-0.4, 0.4) as f32).collect();
    let start = 8_000 + clipped[8_000..].iter().position(|x| *x == 0.4).unwrap();
    let end = start + clipped[start..].iter().position(|x| *x < 0.4).unwrap();
    let secs = (end - start) as f64 / 16_000.0;
    let at = |sample: usize| sample as f64 / 16_000.0;
    // A click above the clipping level is healed, too, and must not count as a sound that exceeds this level.
    let click = end + 100;
    let mut clicked = clipped.clone();
    clicked[click + 5] = 0.9;
    for (sound, starts) in [(clipped, vec![at(start)]), (clicked, vec![at(start), at(click)])] {
        let sound = Snapshot::new(Source::from_channels(vec![sound], rate).unwrap());
        let after = healed(&sound, &starts, secs, Heal::WEIGHED_GAP);
        let min = after[start..end].iter().copied().fold(f32::INFINITY, f32::min);
        // The tolerance covers rounding errors of the transform.
        assert!(secs > 0.002 && min >= 0.4 - 1e-6, "{secs} s: {min}");
    }
}
