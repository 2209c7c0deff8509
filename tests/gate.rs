//! The gate brush: its formula in f64, its laws, what its threshold means, and how the studio offers it.

use crate::support::measure::strongest_tone;
use crate::support::signals::Rng;
use crate::support::studio::{Bench, Drawing, set_number};
use serde_json::json;
use sonobrush::base::Progress;
use sonobrush::document::brushes::{Brush, Gate, GateMode};
use sonobrush::document::{Script, Snapshot, apply};
use sonobrush::dsp::kernels::GateKernel;
use sonobrush::dsp::{CellRect, Grid, Kernel, Mask, Region, StftParams, Window};
use sonobrush::engine::Engine;
use sonobrush::media::Source;
use sonobrush::workbench::{PaintTool, Tool};

fn region(magnitude: Vec<f32>) -> Region {
    let (rect, phase) = (CellRect::new(0..1, 0..magnitude.len()), vec![0.25; magnitude.len()]);
    Region { rect, magnitude, phase }
}

fn run(kernel: GateKernel, before: &Region, m: impl FnMut(usize) -> f32) -> Vec<f32> {
    let mask = Mask { rect: before.rect.clone(), values: (0..before.magnitude.len()).map(m).collect() };
    Kernel::from(kernel).run(before, &mask).magnitude.clone()
}

/// Amplitudes from -220 to +40 dB, and silence.
fn amplitudes(n: usize, rng: &mut Rng) -> Vec<f32> {
    (0..n).map(|i| if i % 50 == 0 { 0.0 } else { 10f64.powf(rng.between(-11.0, 2.0)) as f32 }).collect()
}

fn amplitude(db: f64) -> f64 {
    10f64.powf(db / 20.0)
}

fn kernel(threshold_db: f64, ratio: f64, knee_db: f64) -> GateKernel {
    GateKernel::new(ratio, amplitude(threshold_db), knee_db, amplitude(-200.0))
}

/// The level after the gate in dB, by the formula in its issue.
fn level_after(level_db: f64, threshold_db: f64, ratio: f64, knee_db: f64) -> f64 {
    let below_db = level_db - threshold_db;
    if below_db > knee_db {
        level_db
    } else if below_db >= -knee_db && knee_db > 0.0 {
        level_db - (ratio - 1.0) * (threshold_db + knee_db - level_db).powi(2) / (4.0 * knee_db)
    } else {
        threshold_db + below_db.min(0.0) * ratio
    }
}

#[test]
fn cells_follow_the_formula_in_decibels() {
    let mut rng = Rng(5);
    let unit = 2f64.powi(-24);
    for (threshold_db, ratio, knee_db) in
        [(-60.0, 4.0, 6.0), (-60.0, 4.0, 0.0), (-20.0, 20.0, 6.0), (-120.0, 1.5, 0.0), (0.0, 2.0, 6.0)]
    {
        let before = region(amplitudes(20_000, &mut rng));
        let masks: Vec<f32> = (0..20_000).map(|_| rng.between(-0.2, 1.2).clamp(0.0, 1.0) as f32).collect();
        let after = run(kernel(threshold_db, ratio, knee_db), &before, |i| masks[i]);
        let (mut n_silenced, mut n_lowered, mut n_kept, mut n_noticed) = (0, 0, 0, 0);
        for ((&magnitude, &m), &ours) in before.magnitude.iter().zip(&masks).zip(&after) {
            let [o, m64] = [magnitude, m].map(f64::from);
            let level_db = 20.0 * o.log10();
            let expected = |ratio: f64| {
                let to_db =
                    if o > 0.0 { level_after(level_db, threshold_db, ratio, knee_db) } else { f64::NEG_INFINITY };
                let factor = if to_db < -200.0 { 0.0 } else { amplitude(to_db - level_db) };
                (to_db, factor, o * (1.0 + (factor - 1.0) * m64))
            };
            let (to_db, factor, wanted) = expected(ratio);
            // What log2 and exp2 state of themselves; the roundings of the threshold, the distance and the slope; three
            // operations on numbers up to 1.
            let octaves = (level_db.max(-600.0) / 6.02).abs() + (threshold_db / 6.02).abs();
            let of_exponent = ratio * (octaves * 2f64.powi(-20) + 4e-7 + 6.0 * unit * octaves * ratio);
            let tolerance = o * (m64 * factor * (of_exponent * std::f64::consts::LN_2 * 1.1 + 4e-7) + 4.0 * unit);
            // Within rounding of the floor it may fall on either side.
            let is_near_floor = (to_db + 200.0).abs() < of_exponent * 6.1;
            if !is_near_floor {
                let error = (f64::from(ours) - wanted).abs();
                let what = format!("{threshold_db} dB, {ratio}, {knee_db}: {level_db:.2} dB by {m}");
                assert!(error <= tolerance, "{what} gave {ours:e} for {wanted:e}, {error:e} of {tolerance:e}");
                n_noticed += usize::from((f64::from(ours) - expected(ratio * 1.001).2).abs() > tolerance);
            }
            assert!(m > 0.0 || ours.to_bits() == magnitude.to_bits());
            if level_db > threshold_db + knee_db + 1e-4 {
                assert_eq!(ours.to_bits(), magnitude.to_bits(), "unchanged above, to the bit");
                n_kept += 1;
            } else {
                n_silenced += usize::from(ours == 0.0 && magnitude > 0.0);
                n_lowered += usize::from(ours > 0.0 && ours < magnitude);
            }
        }
        assert!(n_kept > 1_000 && n_lowered > 1_000 && n_silenced > 20, "{n_kept} {n_lowered} {n_silenced}");
        // Control: a thousandth more is noticed.
        assert!(n_noticed > 300, "{threshold_db} {ratio} {knee_db}: {n_noticed}");
    }
}

#[test]
fn what_was_louder_stays_louder_and_the_knee_has_no_corner() {
    let at = |i: usize| -90.0 + 0.05 * i as f64;
    let before = region((0..1_600).map(|i| amplitude(at(i)) as f32).collect());
    let gain_db = |after: &[f32], i: usize| 20.0 * (f64::from(after[i]) / f64::from(before.magnitude[i])).log10();
    let after = run(kernel(-60.0, 4.0, 6.0), &before, |_| 1.0);
    assert!(after.windows(2).all(|pair| pair[0] < pair[1]));
    // The slope of the gain goes from ratio - 1 to 0 over 12 dB: by 1/4 a decibel, and what log2 may err by.
    let bend = |after: &[f32], i: usize| {
        let slope = |i: usize| gain_db(after, i + 20) - gain_db(after, i);
        (slope(i + 20) - slope(i)).abs()
    };
    let sharpest = |after: &[f32]| (0..1_560).map(|i| bend(after, i)).fold(0.0, f64::max);
    assert!((sharpest(&after) - 0.25).abs() < 2e-3, "{}", sharpest(&after));
    let hard = run(kernel(-60.0, 4.0, 0.0), &before, |_| 1.0);
    assert!(sharpest(&hard) > 2.9, "the comparison can fail");
    let of = |db: f64| ((db + 90.0) / 0.05).round() as usize;
    assert!((gain_db(&hard, of(-70.0)) + 30.0).abs() < 1e-3 && gain_db(&hard, of(-59.9)) == 0.0);
    assert!((gain_db(&after, of(-60.0)) + 4.5).abs() < 1e-3, "3 * 36 / 24 at the threshold");
    assert_eq!(run(kernel(-60.0, 1.0, 6.0), &before, |_| 1.0), before.magnitude, "a ratio of 1 changes nothing");
}

/// The threshold is a level as shown: a full-scale sine has 0 dB, with every window and size.
#[test]
fn the_threshold_is_a_level_as_shown() {
    for window in Window::ALL {
        for n_fft in [256, 1024] {
            let params = StftParams { n_fft, hop: n_fft / 4, window };
            let grid = Grid::new(params, 8_000.0, 4 * n_fft as u64);
            let sum: f64 = window.samples(n_fft).iter().sum();
            let brush = Brush::Gate(Gate { threshold_db: -40.0, ratio: 3.0, mode: GateMode::Hard });
            // L = 20 log10(2 |X| / sum w).
            let cells = region([-50.0, -39.0].map(|db| (amplitude(db) * sum / 2.0) as f32).to_vec());
            let full = Mask { rect: cells.rect.clone(), values: vec![1.0; 2] };
            let after = brush.cell_kernel(&grid).unwrap().run(&cells, &full);
            let level_db = |magnitude: f32| 20.0 * (2.0 * f64::from(magnitude) / sum).log10();
            assert!((level_db(after.magnitude[0]) + 70.0).abs() < 1e-3, "{window:?} {n_fft}");
            assert_eq!(after.magnitude[1].to_bits(), cells.magnitude[1].to_bits());
            let peaks = region([-50.0, -39.0].map(|db| amplitude(db) as f32).to_vec());
            let after = brush.peak_kernel(&grid).unwrap().run(&peaks, &full);
            assert!((20.0 * f64::from(after.magnitude[0]).log10() + 70.0).abs() < 1e-3, "{window:?} {n_fft}");
        }
    }
}

/// On rows, too: of two tones the quiet one ends `ratio` times as far below the threshold, the loud one stays.
#[test]
fn on_rows_a_quiet_tone_is_lowered_and_a_loud_one_stays() {
    let rate = 16_000;
    let tones = [(440.0, -50.0), (1_760.0, -30.0)];
    let at = |k: usize| {
        let turn = std::f64::consts::TAU * k as f64 / f64::from(rate);
        tones.iter().map(|(hz, db)| amplitude(*db) * (turn * hz).sin()).sum::<f64>() as f32
    };
    let sound = Snapshot::new(Source::from_channels(vec![(0..2 * 16_000).map(at).collect()], rate).unwrap());
    for transform in [json!({"kind": "cqt", "bins": 48}), json!({"kind": "vqt"}), json!({"n_fft": 2048, "hop": 512})] {
        let brush = json!({"kind": "gate", "threshold_db": -40, "ratio": 3, "mode": "hard"});
        let script = json!({"version": 1, "edits": [{"brush": brush, "transform": transform}]}).to_string();
        let edit = Script::parse(&script).unwrap().edits.remove(0);
        let after = apply(&sound, &edit, &Engine::cpu(), &Progress::new()).unwrap().snapshot;
        let mut samples = vec![0.0; 16_000];
        after.read(0, 8_000, &mut samples).unwrap();
        let [quiet_db, loud_db] =
            tones.map(|(hz, _)| 20.0 * strongest_tone(&samples, f64::from(rate), hz - 20.0, hz + 20.0).level.log10());
        // Cells beside the tone are quieter than it, and lowered further; they hold some of it.
        assert!((-74.0..=-69.9).contains(&quiet_db), "{transform}: {quiet_db:.2} dB");
        assert!((loud_db + 30.0).abs() < 0.3, "{transform}: {loud_db:.2} dB");
    }
}

#[test]
fn scripts_name_its_mode_and_refuse_another() {
    let brush = Brush::from_json(&json!({"kind": "gate"}).to_string()).unwrap();
    assert_eq!(brush, Gate { threshold_db: -60.0, ratio: 4.0, mode: GateMode::Soft }.into());
    let brush = Brush::from_json(&json!({"kind": "gate", "mode": "hard", "ratio": 8}).to_string()).unwrap();
    assert_eq!(brush, Gate { threshold_db: -60.0, ratio: 8.0, mode: GateMode::Hard }.into());
    let error = Brush::from_json(&json!({"kind": "gate", "mode": "medium"}).to_string()).unwrap_err();
    assert!(error.message().contains("brush.mode") && error.message().contains("soft"), "{error}");
}

#[test]
fn the_studio_offers_its_numbers_and_its_mode() {
    let tool = Tool::Brush(PaintTool::of_kind("gate").unwrap());
    let mut bench = Bench::with_clip(Drawing::None, "guitar_chord_44k_stereo.flac");
    bench.harness.set_size([1920.0, 1080.0].into());
    bench.key(crate::support::studio::SHIFT, egui::Key::G);
    bench.settle();
    assert_eq!(bench.tools().active(), tool);
    bench.set_tools(|tools| set_number(tools, tool, "threshold_db", -30.0));
    bench.click("Mode");
    bench.settle();
    bench.click("Hard");
    bench.settle();
    let expected = Gate { threshold_db: -30.0, ratio: 4.0, mode: GateMode::Hard };
    assert_eq!(bench.tools().brush(), Some(expected.into()));
    // It is remembered as scripts have it, and comes back.
    let kept = serde_json::to_string(bench.tools()).unwrap();
    let again: sonobrush::workbench::Tools = serde_json::from_str(&kept).unwrap();
    assert_eq!((again.active(), again.brush()), (tool, Some(expected.into())));
}
