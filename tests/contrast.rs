//! The contrast brush: its formula in f64, its laws, what its pivot means, and how the studio offers one.

use crate::support::fourier::Stft64;
use crate::support::measure::f64s;
use crate::support::signals::Rng;
use crate::support::studio::{Bench, Drawing};
use sonobrush::document::brushes::{Brush, Contrast};
use sonobrush::dsp::kernels::ContrastKernel;
use sonobrush::dsp::selections::mask;
use sonobrush::dsp::{CellRect, Grid, Kernel, Mask, Region, StftParams, Window};
use sonobrush::workbench::{PaintTool, Tool, Tools};

fn region(magnitude: Vec<f32>) -> Region {
    let (rect, phase) = (CellRect::new(0..1, 0..magnitude.len()), vec![0.25; magnitude.len()]);
    Region { rect, magnitude, phase }
}

fn run(kernel: ContrastKernel, before: &Region, m: impl FnMut(usize) -> f32) -> Region {
    let mask = Mask { rect: before.rect.clone(), values: (0..before.magnitude.len()).map(m).collect() };
    Kernel::from(kernel).run(before, &mask)
}

/// Silence, then magnitudes from -160 to +80 dB.
fn magnitudes(n: usize, rng: &mut Rng) -> Vec<f32> {
    (0..n).map(|i| if i % 50 == 0 { 0.0 } else { 10f64.powf(rng.between(-8.0, 4.0)) as f32 }).collect()
}

/// `|O| lerp(1, 2^clamp((a - 1) log2(|O| / P), -20, 4), M)`, and how far f32 may be from it.
fn formula(amount: f64, pivot: f64, magnitude: f32, mask: f32) -> (f64, f64) {
    let [o, m] = [magnitude, mask].map(f64::from);
    if o == 0.0 {
        return (0.0, 0.0);
    }
    let unit = 2f64.powi(-24);
    let distance = (o / pivot).log2();
    let exponent = ((amount - 1.0) * distance).clamp(-20.0, 4.0);
    let factor = exponent.exp2();
    // What `dsp::numeric::log2` states of itself, and the roundings of log2 P, of the difference and of slope and
    // product.
    let of_log2 = o.log2().abs() * 2f64.powi(-20) + 2e-7;
    let of_exponent = (amount - 1.0).abs() * (of_log2 + unit * (pivot.log2().abs() + 3.0 * distance.abs()));
    // What `dsp::numeric::exp2` states of itself; then three operations on numbers up to the larger of 1 and the
    // factor.
    let of_factor = factor * (of_exponent * std::f64::consts::LN_2 * 1.01 + 2e-7);
    (o * (1.0 + (factor - 1.0) * m), o * (m * of_factor + 4.0 * unit * factor.max(1.0)))
}

#[test]
fn cells_follow_the_formula() {
    let mut rng = Rng(5);
    for (amount, pivot) in [(2.0, 3.0), (0.25, 0.02), (4.0, 500.0), (0.5, 1e-4), (1.5, 1.0)] {
        let before = region(magnitudes(20_000, &mut rng));
        let masks: Vec<f32> = (0..20_000).map(|_| rng.between(-0.2, 1.2).clamp(0.0, 1.0) as f32).collect();
        let after = run(ContrastKernel::new(amount, pivot), &before, |i| masks[i]);
        assert_eq!(after.phase, before.phase);
        let cells = || before.magnitude.iter().zip(&masks).zip(&after.magnitude);
        for ((&magnitude, &m), &ours) in cells() {
            let (expected, tolerance) = formula(amount, pivot, magnitude, m);
            let error = (f64::from(ours) - expected).abs();
            assert!(error <= tolerance, "{amount} around {pivot}: {magnitude} by {m} gave {ours} for {expected}");
            assert!(m > 0.0 || ours.to_bits() == magnitude.to_bits());
        }
        // Control: a thousandth more is noticed, though not where the exponent is clamped.
        let differs = |((&magnitude, &m), &ours): ((&f32, &f32), &f32)| {
            let (expected, tolerance) = formula(amount * 1.001, pivot, magnitude, m);
            (f64::from(ours) - expected).abs() > tolerance
        };
        let n_noticed = cells().filter(|cell| differs(*cell)).count();
        assert!(n_noticed > 1_000, "{amount} around {pivot}: {n_noticed}");
    }
}

#[test]
fn an_amount_of_1_keeps_every_bit_and_silence_stays() {
    let mut rng = Rng(6);
    let before = region(magnitudes(5_000, &mut rng));
    for pivot in [1e-6, 0.3, 1.0, 4e5] {
        let mut masks = Rng(7);
        let same = run(ContrastKernel::new(1.0, pivot), &before, |_| masks.uniform() as f32);
        assert!(same.magnitude.iter().zip(&before.magnitude).all(|(a, b)| a.to_bits() == b.to_bits()));
        for amount in [0.25, 4.0] {
            let after = run(ContrastKernel::new(amount, pivot), &before, |_| 1.0);
            let silent = before.magnitude.iter().zip(&after.magnitude).filter(|(before, _)| **before == 0.0);
            assert!(silent.clone().count() == 100 && silent.into_iter().all(|(_, after)| after.to_bits() == 0));
            assert_ne!(after.magnitude, before.magnitude, "the comparison can fail");
        }
    }
}

#[test]
fn what_was_louder_stays_louder() {
    // A twentieth of a decibel apart, far above what rounding moves.
    let rising: Vec<f32> = (0..4_800).map(|i| 10f64.powf(-8.0 + 12.0 * f64::from(i) / 4_800.0) as f32).collect();
    let before = region(rising);
    for amount in [0.25, 0.7, 1.0, 2.5, 4.0] {
        for m in [0.2, 0.5, 1.0] {
            let after = run(ContrastKernel::new(amount, 0.1), &before, |_| m);
            assert!(after.magnitude.windows(2).all(|pair| pair[0] < pair[1]), "{amount} by {m}");
        }
    }
    // By how much: at most 120 dB down and 24 dB up.
    let after = run(ContrastKernel::new(4.0, 0.1), &before, |_| 1.0);
    let factor = |i: usize| f64::from(after.magnitude[i]) / f64::from(before.magnitude[i]);
    assert!((factor(4_799) - 16.0).abs() < 1e-4 && factor(0) < 1.1e-6);
}

/// A sine at the pivot's level stays; one 6 dB above it ends twice as far away, with every window and size.
#[test]
fn the_pivot_is_a_level_as_shown() {
    for window in Window::ALL {
        for n_fft in [256, 1024] {
            let params = StftParams { n_fft, hop: n_fft / 4, window };
            let grid = Grid::new(params, 8_000.0, 4 * n_fft as u64);
            let (bin, amplitude) = (n_fft / 8, 0.05);
            let turns = |k: usize| (bin * k % n_fft) as f64 / n_fft as f64;
            let sine = (0..4 * n_fft).map(|k| (amplitude * (std::f64::consts::TAU * turns(k)).cos()) as f32);
            let sine: Vec<f32> = sine.collect();
            let cells = Stft64 { window: window.samples(n_fft), hop: n_fft / 4 }.analyse(&f64s(&sine));
            let [re, im] = cells[8][bin];
            let before = Region {
                rect: CellRect::new(8..9, bin..bin + 1),
                magnitude: vec![re.hypot(im) as f32],
                phase: vec![0.0],
            };
            let full = Mask { rect: before.rect.clone(), values: vec![1.0] };
            let level_db = 20.0 * f64::log10(amplitude);
            let moved_db = |above_db: f64, kernel: &dyn Fn(&Brush) -> Kernel, before: &Region| {
                let brush = Brush::Contrast(Contrast { amount: 2.0, pivot_db: level_db - above_db });
                let after = kernel(&brush).run(before, &full);
                20.0 * (f64::from(after.magnitude[0]) / f64::from(before.magnitude[0])).log10()
            };
            let of_cells = |brush: &Brush| brush.cell_kernel(&grid).unwrap();
            assert!(moved_db(0.0, &of_cells, &before).abs() < 1e-3, "{window:?} {n_fft}");
            assert!((moved_db(6.0, &of_cells, &before) - 6.0).abs() < 1e-3, "{window:?} {n_fft}");
            // The same on the amplitudes of a pyramid.
            let mut peak = before.clone();
            peak.magnitude[0] = amplitude as f32;
            let of_peaks = |brush: &Brush| brush.peak_kernel(&grid).unwrap();
            assert!((moved_db(6.0, &of_peaks, &peak) - 6.0).abs() < 1e-3, "{window:?} {n_fft}");
            assert!((moved_db(6.0, &of_cells, &peak) - 6.0).abs() > 1.0, "the two scales differ");
        }
    }
}

#[test]
fn the_studio_offers_the_mean_of_the_selection_once() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.harness.set_size([1920.0, 1080.0].into());
    bench.pick(Tool::Brush(PaintTool::of_kind("contrast").unwrap()));
    bench.settle();
    let pivot_db = |bench: &Bench| match bench.tools().brush() {
        Some(Brush::Contrast(contrast)) => contrast.pivot_db,
        other => panic!("{other:?}"),
    };
    assert_eq!(pivot_db(&bench), -40.0);
    bench.click("From selection");
    assert_eq!(pivot_db(&bench), -40.0, "there is no selection");
    let (secs, hz) = ([0.2, 0.5], [800.0, 3000.0]);
    bench.select(Some(secs), Some(hz));
    bench.click("From selection");
    // The mean power of the cells in the selection, by the textbook.
    let document = bench.studio().document().unwrap();
    let params = *document.view().transform.as_stft().unwrap();
    let window = params.window.samples(params.n_fft);
    let full_scale = window.iter().sum::<f64>() / 2.0;
    let samples = bench.samples(0);
    let grid = Grid::new(params, 44_100.0, samples.len() as u64);
    let cells = Stft64 { window, hop: params.hop }.analyse(&f64s(&samples));
    let weights = mask::evaluate(&grid, None, document.selection(), 1.0, &grid.all_cells());
    let (mut power, mut weight) = (0.0, 0.0);
    for (i, &m) in weights.values.iter().enumerate().filter(|(_, m)| **m > 0.0) {
        let [re, im] = cells[i / grid.n_bins()][i % grid.n_bins()];
        power += f64::from(m) * (re * re + im * im) / full_scale.powi(2);
        weight += f64::from(m);
    }
    let mean_db = 10.0 * (power / weight).log10();
    let taken_db = pivot_db(&bench);
    assert!((taken_db - mean_db).abs() < 0.01, "{taken_db} for {mean_db}");
    // It is a number from then on.
    bench.select(Some([1.0, 1.1]), Some(hz));
    assert_eq!(pivot_db(&bench), taken_db);
    bench.click("Reset tool");
    assert_eq!(pivot_db(&bench), -40.0);
}

/// What the window remembers names the tool by its brush, and holds its settings only where they were changed.
#[test]
fn settings_are_remembered_by_kind() {
    let usual = Tools::default();
    let json = |tools: &Tools| serde_json::to_value(tools).unwrap();
    assert_eq!(json(&usual.clone().within_limits()), json(&usual));
    assert!(json(&usual).get("brushes").is_none());
    let mut tools = usual;
    tools.pick(Tool::Brush(PaintTool::of_kind("contrast").unwrap()));
    tools.change(|settings| settings.keep(Brush::Contrast(Contrast { amount: 3.0, pivot_db: -20.0 })));
    let mut remembered = json(&tools);
    assert_eq!(remembered["active"], "contrast");
    let again: Tools = serde_json::from_value(remembered.clone()).unwrap();
    assert_eq!(again, tools);
    assert_eq!(again.within_limits().brush(), tools.brush());
    // What is no brush, or outside its limits, is left out.
    for damaged in ["{}", "{\"kind\": \"contrast\", \"amount\": 99}", "{\"kind\": \"erase\"}", ""] {
        remembered["brushes"]["contrast"] = damaged.into();
        let again: Tools = serde_json::from_value(remembered.clone()).unwrap();
        assert_eq!(again.brush(), Brush::first("contrast"), "{damaged}");
    }
    tools.reset_active();
    assert!(json(&tools).get("brushes").is_none());
}
