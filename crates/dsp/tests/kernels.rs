//! The CPU kernels against SciPy and NumPy, within `1e-5 max |X|`, and general properties of each brush.

use dsp::kernels::{
    BandKernel, BlurKernel, EraseKernel, GainKernel, SharpenKernel, gaussian_taps, modulation_response, padded_length,
};
use dsp::strokes::brush::{Butterworth, Pass};
use dsp::warps::displacement::{Dab, DabResampler, Displacement, PushField, dabs};
use dsp::{Axis, CellRect, Grid, Kernel, Mask, Region, Window};
use serde_json::Value;
use support::fourier::{Complex, Stft64};
use support::measure::{f64s, max_error};
use support::npy::{cases, load};
use support::parse;
use support::signals::Rng;

const TOLERANCE: f64 = 1e-5;

/// The reference signal's cells, by a plain STFT in f64.
fn plane(grid: &Grid, samples: &[f32]) -> Region {
    let stft = Stft64 {
        window: Window::Hann.samples(grid.transform().as_stft().unwrap().n_fft),
        hop: grid.transform().as_stft().unwrap().hop,
    };
    let cells = stft.analyse(&f64s(samples)).concat();
    let mut region = Region::zeros(CellRect::new(0..grid.n_frames(), 0..grid.n_bins()));
    for (i, [re, im]) in cells.into_iter().enumerate() {
        region.magnitude[i] = re.hypot(im) as f32;
        let turns = (im.atan2(re) / std::f64::consts::TAU) as f32;
        region.phase[i] = if turns >= 0.5 { -0.5 } else { turns };
    }
    region
}

/// The signal and grid of a group of cases.
fn reference_plane(group: &Value) -> (Grid, Region) {
    let samples = load(&cases()["short"]).f32s();
    let grid = parse::grid(group, samples.len());
    let region = plane(&grid, &samples);
    (grid, region)
}

fn largest(region: &Region) -> f64 {
    f64::from(region.magnitude.iter().copied().fold(0.0, f32::max))
}

fn random_region(rect: CellRect, seed: u64) -> Region {
    let mut rng = Rng(seed);
    let mut region = Region::zeros(rect);
    region.magnitude.iter_mut().for_each(|m| *m = rng.uniform() as f32);
    region.phase.iter_mut().for_each(|p| *p = rng.between(-0.5, 0.5) as f32);
    region
}

fn random_mask(rect: CellRect, seed: u64) -> Mask {
    let mut rng = Rng(seed);
    let values = (0..rect.n_cells()).map(|_| rng.between(-0.4, 1.4).clamp(0.0, 1.0) as f32).collect();
    Mask { rect, values }
}

fn full_mask(rect: CellRect, m: f32) -> Mask {
    let values = vec![m; rect.n_cells()];
    Mask { rect, values }
}

/// Compares magnitudes within the gate, and checks that the gate has an effect and phases are unchanged.
#[track_caller]
fn assert_magnitudes(after: &Region, reference: &[f32], before: &Region, what: &str) {
    let gate = TOLERANCE * largest(before);
    let error = max_error(f64s(&after.magnitude), f64s(reference));
    assert!(error <= gate, "{what}: {:e} of max |X|", error / largest(before));
    let mut nudged = f64s(&after.magnitude);
    nudged[reference.len() / 2] += 2.1 * gate;
    assert!(max_error(nudged, f64s(reference)) > gate);
    let kept = before.crop(&after.rect);
    assert_eq!(after.phase, kept.phase, "{what}: phase is kept");
}

#[test]
fn blur_is_scipys() {
    let group = &cases()["blur"];
    let (grid, before) = reference_plane(group);
    let mask = Mask { rect: before.rect.clone(), values: load(&group["mask"]).f32s() };
    for case in group["cases"].as_array().unwrap() {
        let sigma: [f64; 2] = serde_json::from_value(case["sigma_secs_hz"].clone()).unwrap();
        let kernel = Kernel::from(BlurKernel {
            frame_taps: gaussian_taps(grid.frame_from_secs(sigma[0])),
            bin_taps: gaussian_taps(grid.bin_from_hz(sigma[1])),
        });
        let after = kernel.run(&before, &mask);
        let reference = load(&case["magnitude"]).f32s();
        assert_magnitudes(&after, &reference, &before, &format!("sigma {sigma:?}"));

        // A part computed from only its cells and their halo is bit-identical.
        let part = CellRect::new(9..21, 30..95);
        let [frames, bins] = kernel.halo();
        let around = before.crop(&part.grown(frames, bins, &before.rect));
        assert_eq!(kernel.run(&around, &mask.crop(&part)), after.crop(&part), "sigma {sigma:?}");
    }
    // Taps cut at floor(3 sigma + 0.5).
    for (sigma, radius) in [(0.0, 0), (0.16, 0), (0.17, 1), (0.5, 2), (2.3, 7), (4.0, 12)] {
        assert_eq!(gaussian_taps(sigma).len(), 2 * radius + 1, "{sigma}");
    }
}

#[test]
fn band_filters_are_butterworths() {
    let group = &cases()["band_filter"];
    let (grid, before) = reference_plane(group);
    let array = load(&group["responses"]);
    let values = array.f64s();
    let mask = random_mask(before.rect.clone(), 4);
    let n_bins = grid.n_bins();
    for (i, pass) in group["passes"].as_array().unwrap().iter().enumerate() {
        for order in 1..=8 {
            let filter = parse::butterworth(pass.as_str().unwrap(), &group["cutoffs"][i], order);
            let reference = &array.row(&values, i)[(order as usize - 1) * n_bins..][..n_bins];
            let response: Vec<f64> = (0..n_bins).map(|bin| filter.response(grid.hz_from_bin(bin as f64))).collect();
            let error = max_error(response.iter().copied(), reference.iter().copied());
            assert!(error < 1e-12, "{pass} {order}: {error}");
            let other = Butterworth { order: filter.order % 8 + 1, ..filter };
            let others = (0..n_bins).map(|bin| other.response(grid.hz_from_bin(bin as f64)));
            assert!(max_error(others, reference.iter().copied()) > 1e-3, "another order is another filter");

            let kernel = Kernel::from(BandKernel { response: response.iter().map(|&b| b as f32).collect() });
            let after = kernel.run(&before, &mask);
            let lerp = |(i, (&x, &m)): (usize, (&f32, &f32))| {
                f64::from(x) * (1.0 + (reference[i % n_bins] - 1.0) * f64::from(m))
            };
            let expected: Vec<f32> =
                before.magnitude.iter().zip(&mask.values).enumerate().map(|cell| lerp(cell) as f32).collect();
            assert_magnitudes(&after, &expected, &before, &format!("{pass} {order}"));
        }
    }
}

#[test]
fn modulation_filters_are_numpys() {
    let group = &cases()["modulation_filter"];
    let (grid, plane) = reference_plane(group);
    let mut previous: Option<Vec<f32>> = None;
    for case in group["cases"].as_array().unwrap() {
        let range = |key: &str| case[key][0].as_u64().unwrap() as usize..case[key][1].as_u64().unwrap() as usize;
        let before = plane.crop(&CellRect::new(range("frames"), range("bins")));
        let mask = Mask { rect: before.rect.clone(), values: load(&case["mask"]).f32s() };
        let (along, pass) = (case["along"].as_str().unwrap(), case["pass"].as_str().unwrap());
        let filter = |axis: usize| parse::butterworth(pass, &case["cutoffs"][axis], case["order"].as_u64().unwrap());
        let response = |axis: usize, n_cells: usize| {
            let padded = padded_length(n_cells);
            let (rate, n_fft) = (grid.sample_rate_hz, grid.transform().as_stft().unwrap().n_fft as f64);
            let step = [
                rate / (grid.transform().as_stft().unwrap().hop * padded) as f64,
                1000.0 * n_fft / (rate * padded as f64),
            ][axis];
            modulation_response(&filter(axis), padded, step)
        };
        let kernel = Kernel::ModulationFilter {
            frame_response: (along != "frequency").then(|| response(0, before.n_frames())),
            bin_response: (along != "time").then(|| response(1, before.n_bins())),
        };
        let array = load(&case["array"]);
        let values = array.f32s();
        let reference = array.row(&values, case["row"].as_u64().unwrap() as usize);
        let after = kernel.run(&before, &mask);
        assert!(after.magnitude.iter().all(|&m| m >= 0.0));
        assert_magnitudes(&after, reference, &before, &case.to_string());
        if let Some(previous) = previous.filter(|p| p.len() == reference.len() && p.len() > 100) {
            let other = max_error(f64s(&previous), f64s(reference));
            assert!(other > TOLERANCE * largest(&before), "{case}: no different from the case before");
        }
        previous = Some(reference.to_vec());
    }
    for (n, padded) in [(1, 2), (2, 4), (3, 8), (8, 16), (9, 32), (16, 32), (17, 64), (513, 2048)] {
        assert_eq!(padded_length(n), padded, "{n}");
    }
}

#[test]
fn gain_and_erase_are_their_formulas() {
    for (n_frames, n_bins, seed) in [(1, 1, 1), (7, 129, 2), (33, 17, 3)] {
        let before = random_region(CellRect::new(4..4 + n_frames, 0..n_bins), seed);
        let mask = random_mask(before.rect.clone(), seed + 9);
        for gain_db in [-120.0, -24.0, -0.5, 0.0, 3.0, 24.0] {
            let kernel = Kernel::from(GainKernel { log2_gain: (gain_db / 20.0 * 10f64.log2()) as f32 });
            let after = kernel.run(&before, &mask);
            let expected = |(&x, &m): (&f32, &f32)| f64::from(x) * 10f64.powf(gain_db * f64::from(m) / 20.0);
            for (cell, &ours) in before.magnitude.iter().zip(&mask.values).zip(&after.magnitude) {
                let error = (f64::from(ours) - expected(cell)).abs();
                // Relative: the exponent is at most 20, so its f32 rounding moves the factor by 20 ln 2 / 2^24.
                assert!(error <= 2e-6 * expected(cell), "{gain_db} dB: {ours} for {}", expected(cell));
                assert!(*cell.1 > 0.0 || ours.to_bits() == cell.0.to_bits(), "cells outside the mask keep their bits");
            }
            assert_eq!(after.phase, before.phase);
            assert!(gain_db == 0.0 || n_frames == 1 || after.magnitude != before.magnitude);
        }
        let after = Kernel::from(EraseKernel).run(&before, &mask);
        for ((&x, &m), &ours) in before.magnitude.iter().zip(&mask.values).zip(&after.magnitude) {
            assert!((f64::from(ours) - f64::from(x) * (1.0 - f64::from(m))).abs() <= 1.2e-7 * f64::from(x));
            assert!(m < 1.0 || ours.to_bits() == 0, "full strength writes exactly 0");
            assert!(m > 0.0 || ours.to_bits() == x.to_bits());
        }
        assert_eq!(after.phase, before.phase);
    }
}

#[test]
fn every_kernel_leaves_cells_outside_the_mask_alone() {
    let rect = CellRect::new(2..40, 0..65);
    let before = random_region(rect.clone(), 7);
    let response = modulation_response(
        &Butterworth { pass: Pass::Low, cutoff: vec![3.0], order: 4 },
        padded_length(rect.frames.len()),
        0.5,
    );
    let kernels = [
        Kernel::from(GainKernel { log2_gain: 2.0 }),
        Kernel::from(EraseKernel),
        Kernel::from(BlurKernel { frame_taps: gaussian_taps(2.0), bin_taps: gaussian_taps(1.0) }),
        Kernel::from(BandKernel { response: vec![0.5; 65] }),
        Kernel::ModulationFilter { frame_response: Some(response), bin_response: None },
    ];
    for kernel in kernels {
        let mask = random_mask(rect.clone(), 8);
        let after = kernel.run(&before, &mask);
        let (mut kept, mut changed) = (0, 0);
        for i in 0..mask.values.len() {
            let same = after.magnitude[i].to_bits() == before.magnitude[i].to_bits();
            if mask.values[i] == 0.0 {
                assert!(same, "{kernel:?}: cell {i}");
                kept += 1;
            } else {
                changed += usize::from(!same);
            }
        }
        assert!(kept > 300 && changed > 1000, "both kinds of cell were there: {kept}, {changed}");
        let nothing = kernel.run(&before, &full_mask(rect.clone(), 0.0));
        assert_eq!(nothing, before);
    }
}

#[test]
fn filters_and_blur_keep_what_does_not_vary() {
    let rect = CellRect::new(0..37, 0..65);
    let mut flat = random_region(rect.clone(), 1);
    flat.magnitude.fill(0.75);
    let mask = full_mask(rect.clone(), 1.0);
    let blur = Kernel::from(BlurKernel { frame_taps: gaussian_taps(5.0), bin_taps: gaussian_taps(20.0) });
    let low = |n: usize, pass: Pass| {
        modulation_response(&Butterworth { pass, cutoff: vec![2.0], order: 3 }, padded_length(n), 0.3)
    };
    let filter =
        |pass| Kernel::ModulationFilter { frame_response: Some(low(37, pass)), bin_response: Some(low(65, pass)) };
    for kernel in [blur, filter(Pass::Low)] {
        let after = kernel.run(&flat, &mask);
        assert!(max_error(f64s(&after.magnitude), f64s(&flat.magnitude)) < 1e-6, "{kernel:?}");
    }
    let gone = filter(Pass::High).run(&flat, &mask);
    assert!(gone.magnitude.iter().all(|&m| (0.0..1e-6).contains(&m)), "a high pass takes it away");
}

// --------------------------------------------------------------------------------------------------------- sharpen

/// `lerp(S, max(0, S + k (S - G S)), M)` by loops in f64, the Gaussian as SciPy's: cut at `floor(3 sigma + 0.5)`,
/// nearest edge.
fn sharpened(before: &Region, sigma: [f64; 2], amount: f64, mask: &Mask) -> Vec<f64> {
    let (n_frames, n_bins) = (before.n_frames() as i64, before.n_bins() as i64);
    let weights = |sigma: f64| -> Vec<(i64, f64)> {
        let radius = (3.0 * sigma + 0.5).floor() as i64;
        let all: Vec<(i64, f64)> = (-radius..=radius).map(|k| (k, (-0.5 * (k as f64 / sigma).powi(2)).exp())).collect();
        let sum: f64 = all.iter().map(|(_, w)| w).sum();
        all.into_iter().map(|(k, w)| (k, w / sum)).collect()
    };
    let (along_frames, along_bins) = (weights(sigma[0]), weights(sigma[1]));
    let at = |frame: i64, bin: i64| {
        let (frame, bin) = (frame.clamp(0, n_frames - 1), bin.clamp(0, n_bins - 1));
        f64::from(before.magnitude[(frame * n_bins + bin) as usize])
    };
    (0..before.magnitude.len())
        .map(|i| {
            let (frame, bin) = (i as i64 / n_bins, i as i64 % n_bins);
            let mut blurred = 0.0;
            for (j, a) in &along_frames {
                for (k, b) in &along_bins {
                    blurred += a * b * at(frame + j, bin + k);
                }
            }
            let own = at(frame, bin);
            let sharp = (own + amount * (own - blurred)).max(0.0);
            own + (sharp - own) * f64::from(mask.values[i])
        })
        .collect()
}

#[test]
fn sharpen_takes_away_the_blur_times_its_amount() {
    let rect = CellRect::new(3..40, 5..61);
    let (before, mask) = (random_region(rect.clone(), 21), random_mask(rect, 22));
    for (sigma, amount) in [([1.5, 2.2], 1.0), ([0.8, 6.0], 8.0)] {
        let kernel = Kernel::from(SharpenKernel {
            frame_taps: gaussian_taps(sigma[0]),
            bin_taps: gaussian_taps(sigma[1]),
            amount: amount as f32,
        });
        let after = kernel.run(&before, &mask);
        let expected = sharpened(&before, sigma, amount, &mask);
        let error = max_error(f64s(&after.magnitude), expected.iter().copied());
        assert!(error <= 1e-4, "{error}");
        assert!(after.magnitude.contains(&0.0) || amount < 2.0, "something is clamped");
        assert_eq!(after.phase, before.phase);
        let other = sharpened(&before, sigma, amount * 1.001, &mask);
        assert!(max_error(f64s(&after.magnitude), other) > 1e-4, "a thousandth more is noticed");
    }
    // Also against SciPy's Gaussians, within 1e-4 of the loudest cell.
    let group = &cases()["blur"];
    let (grid, before) = reference_plane(group);
    let mask = Mask { rect: before.rect.clone(), values: load(&group["mask"]).f32s() };
    for case in group["cases"].as_array().unwrap() {
        let sigma: [f64; 2] = serde_json::from_value(case["sigma_secs_hz"].clone()).unwrap();
        let blurred = load(&case["magnitude"]).f32s();
        for amount in [0.7, 3.0] {
            let kernel = Kernel::from(SharpenKernel {
                frame_taps: gaussian_taps(grid.frame_from_secs(sigma[0])),
                bin_taps: gaussian_taps(grid.bin_from_hz(sigma[1])),
                amount: amount as f32,
            });
            let after = kernel.run(&before, &mask);
            let sharp = |amount: f64| -> Vec<f64> {
                let cells = before.magnitude.iter().zip(&blurred).zip(&mask.values);
                // The blur adds `M (G - S)` to a cell; sharpening subtracts `amount` times that, down to `(1 - M) S`.
                cells
                    .map(|((&own, &blurred), &m)| {
                        let [own, blurred, m] = [own, blurred, m].map(f64::from);
                        (own - amount * (blurred - own)).max((1.0 - m) * own)
                    })
                    .collect()
            };
            let gate = 1e-4 * largest(&before);
            let error = max_error(f64s(&after.magnitude), sharp(amount));
            assert!(error <= gate, "{sigma:?} {amount}: {error}, {gate} at most");
            let is_blur = blurred.iter().zip(&before.magnitude).any(|(a, b)| (a - b).abs() > 1e-2);
            assert!(!is_blur || max_error(f64s(&after.magnitude), sharp(amount * 1.01)) > gate);
        }
    }
}

// ------------------------------------------------------------------------------------------------------------ warp

fn complex(region: &Region) -> Vec<Complex> {
    let turn = |turns: f32| support::fourier::turn(f64::from(turns));
    let cell = |(&m, &p): (&f32, &f32)| [f64::from(m) * turn(p)[0], f64::from(m) * turn(p)[1]];
    region.magnitude.iter().zip(&region.phase).map(cell).collect()
}

/// Distance of two phases in turns, at most half a turn.
fn turns_apart(a: f32, b: f32) -> f64 {
    let d = f64::from(a) - f64::from(b);
    (d - d.round()).abs()
}

fn resample(displacement: Displacement, grid: &Grid, before: &Region) -> Region {
    let overlap = (grid.transform().as_stft().unwrap().n_fft / grid.transform().as_stft().unwrap().hop) as u32;
    let mask = full_mask(displacement.rect.clone(), 1.0);
    Kernel::Resample { displacement, overlap, nyquist_bin: grid.transform().as_stft().unwrap().n_fft as u32 / 2 }
        .run(before, &mask)
}

#[test]
fn a_grab_is_numpys_stencil() {
    let group = &cases()["grab"];
    let (grid, before) = reference_plane(group);
    for case in group["cases"].as_array().unwrap() {
        let mask = Mask { rect: before.rect.clone(), values: load(&case["mask"]).f32s() };
        let shift: [f64; 2] = serde_json::from_value(case["shift"].clone()).unwrap();
        let displacement = Displacement::grab(&grid, &mask, parse::axis(&case["axis"]), shift);
        let turns = load(&case["turns"]).f32s();
        for (i, &acts) in displacement.acts.iter().enumerate() {
            assert_eq!(acts != 0, mask.values[i] > 0.0);
            assert!(acts == 0 || turns_apart(displacement.turns[i], turns[i]) < 1e-5, "{}: cell {i}", case["name"]);
        }
        let after = complex(&resample(displacement.clone(), &grid, &before));
        let reference = load(&case["after"]).complex();
        let gate = TOLERANCE * largest(&before);
        let distance =
            |a: &[Complex]| a.iter().zip(&reference).map(|(a, r)| (a[0] - r[0]).hypot(a[1] - r[1])).fold(0.0, f64::max);
        assert!(distance(&after) <= gate, "{}: {:e} of max |X|", case["name"], distance(&after) / largest(&before));
        // Controls: the unmoved cells, and the moved ones without their phase shift, are far from the reference.
        assert!(distance(&complex(&before)) > 100.0 * gate);
        let mut still = displacement.clone();
        still.turns.fill(0.0);
        assert!(distance(&complex(&resample(still, &grid, &before))) > 100.0 * gate);

        // A part computed from only the frames that `frames_read` returns is bit-identical.
        let part = CellRect::new(20..37, 10..100);
        let piece = displacement.crop(&part);
        if piece.acts.iter().any(|&acts| acts != 0) {
            let frames = piece.frames_read(grid.n_frames());
            let frames = frames.start.min(20)..frames.end.max(37);
            let around = before.crop(&CellRect::new(frames, 0..grid.n_bins()));
            let whole = resample(displacement, &grid, &before);
            assert_eq!(resample(piece, &grid, &around), whole.crop(&part), "{}", case["name"]);
        }
    }
}

#[test]
fn a_push_is_numpys_field() {
    let group = &cases()["push"];
    let (grid, before) = reference_plane(group);
    for case in group["cases"].as_array().unwrap() {
        let stroke = parse::stroke(&case["stroke"]).unwrap();
        let selection = parse::selection(&case["select"]);
        let rect = PushField::bounds(&grid, &stroke);
        let push = |dabs: &[Dab]| {
            let mut field = PushField::new(&grid, &stroke, selection.as_ref(), &rect);
            dabs.windows(2).for_each(|pair| {
                field.push(pair[0], pair[1]);
            });
            let rect = field.rect().clone();
            field.displacement(&rect)
        };
        let field = push(&dabs(&stroke));
        let [frames, bins, turns] = ["frames", "bins", "turns"].map(|key| load(&case[key]).f32s());
        let (mut worst, mut moved) = ([0.0f64; 3], 0);
        for (i, (&frame, &bin)) in frames.iter().zip(&bins).enumerate() {
            let (n, m) = (i / grid.n_bins(), i % grid.n_bins());
            if !(field.rect.frames.contains(&n) && field.rect.bins.contains(&m)) {
                assert_eq!((frame, bin), (0.0, 0.0), "the field holds every cell that moves");
                continue;
            }
            let j = (n - field.rect.frames.start) * field.rect.bins.len() + m - field.rect.bins.start;
            let ours = [
                f64::from(field.whole_frames[j]) + f64::from(field.frame_fraction[j]),
                f64::from(field.whole_bins[j]) + f64::from(field.bin_fraction[j]),
            ];
            assert_eq!(field.acts[j] != 0, frame != 0.0 || bin != 0.0, "{}: cell {n}, {m}", case["name"]);
            worst[0] = worst[0].max((ours[0] - f64::from(frame)).abs());
            worst[1] = worst[1].max((ours[1] - f64::from(bin)).abs());
            worst[2] = worst[2].max(turns_apart(field.turns[j], turns[i]));
            moved += usize::from(field.acts[j] != 0);
        }
        assert!(worst.iter().all(|&w| w < 1e-5), "{}: {worst:?} frames, bins, turns", case["name"]);
        assert!(moved > 200, "{}: {moved} cells", case["name"]);
        // Control: slightly less pressure gives another field.
        let softer: Vec<Dab> = dabs(&stroke).iter().map(|dab| Dab { pressure: dab.pressure * 0.999, ..*dab }).collect();
        assert!(push(&softer).bin_fraction != field.bin_fraction);

        // The cells resampled through the field also equal NumPy's.
        let after = complex(&resample(field.clone(), &grid, &before));
        let reference = load(&case["after"]).complex();
        let n_bins = field.rect.bins.len();
        let (mut max, mut to_original) = (0.0f64, 0.0f64);
        for (j, cell) in after.iter().enumerate() {
            let (n, m) = (field.rect.frames.start + j / n_bins, field.rect.bins.start + j % n_bins);
            let numpys = reference[n * grid.n_bins() + m];
            let original = complex(&before.crop(&CellRect::new(n..n + 1, m..m + 1)))[0];
            max = max.max((cell[0] - numpys[0]).hypot(cell[1] - numpys[1]));
            to_original = to_original.max((original[0] - numpys[0]).hypot(original[1] - numpys[1]));
        }
        let gate = TOLERANCE * largest(&before);
        assert!(max <= gate, "{}: {:e} of max |X|", case["name"], max / largest(&before));
        assert!(to_original > 100.0 * gate);
    }
}

#[test]
fn dabs_stand_every_eighth_of_a_radius_however_points_arrive() {
    let mut rng = Rng(11);
    for _ in 0..40 {
        let points: Vec<Dab> = (0..2 + rng.bits() % 9)
            .map(|_| Dab { at: [rng.between(0.0, 3.0), rng.between(0.0, 3.0)], pressure: rng.uniform() })
            .collect();
        let all = |points: &[Dab]| {
            let (mut resampler, mut out) = (DabResampler::default(), Vec::new());
            points.iter().for_each(|&point| resampler.extend(point, &mut out));
            resampler.finish(&mut out);
            out
        };
        let dabs = all(&points);
        // The dab at distance `way` from the polyline's start.
        let walk = |mut way: f64| {
            for pair in points.windows(2) {
                let length = (pair[1].at[0] - pair[0].at[0]).hypot(pair[1].at[1] - pair[0].at[1]);
                if way <= length {
                    let mix = |a: f64, b: f64| a + (b - a) * way / length;
                    let at = [mix(pair[0].at[0], pair[1].at[0]), mix(pair[0].at[1], pair[1].at[1])];
                    return Dab { at, pressure: mix(pair[0].pressure, pair[1].pressure) };
                }
                way -= length;
            }
            points[points.len() - 1]
        };
        for (k, dab) in dabs.iter().enumerate() {
            let expected = walk(k as f64 / 8.0);
            let off = (dab.at[0] - expected.at[0]).hypot(dab.at[1] - expected.at[1]);
            assert!(off < 1e-9 && (dab.pressure - expected.pressure).abs() < 1e-9, "dab {k}: {dab:?}, {expected:?}");
        }
        assert_eq!(dabs[dabs.len() - 1].at, points[points.len() - 1].at, "the last at the end");
        // Dabs returned for earlier points are a prefix of the final ones.
        let (mut resampler, mut out) = (DabResampler::default(), Vec::new());
        for &point in &points {
            let before = out.len();
            resampler.extend(point, &mut out);
            assert_eq!(out[..before], dabs[..before]);
            let _ = resampler.clone();
        }
        assert_eq!(out[..], dabs[..out.len()]);
    }
}

#[test]
fn phase_gained_over_ten_seconds_keeps_its_digits() {
    // One row of 10 s at hop 32 and 44,100 Hz, moved by 200 Hz: 2,000 turns.
    let stft = dsp::StftParams { n_fft: 256, hop: 32, window: Window::Hann };
    let grid = Grid::new(stft, 44_100.0, 441_000);
    let rect = CellRect::new(0..grid.n_frames(), 30..31);
    let field = Displacement::grab(&grid, &full_mask(rect, 1.0), Axis::Linear, [0.0, 200.0]);
    let step = 200.0 * 32.0 / 44_100.0;
    for n in 0..field.turns.len() - 16 {
        let exact = step * (n as f64 + 0.5);
        let off = exact - f64::from(field.turns[n]);
        // Steps are rounded to 2^-32 turns, so after 13,782 of them the error is at most 1.6e-6.
        assert!((off - off.round()).abs() < 2e-6, "frame {n}");
    }
    let last = field.turns[field.turns.len() - 1];
    assert!(last.abs() < 1e-6, "and lands on a whole turn: {last}");
}

/// Loops over whole rows are bit-identical to the functions of one cell, with any vector instructions.
#[test]
fn rows_of_cells_are_their_cells() {
    use dsp::cells::polar::{
        complex_from_polar, cos_sin_turns, magnitude_from_complex, polar_from_complex, turns_from_complex,
    };
    let mut rng = support::signals::Rng(77);
    let eighths = (-40..=40).map(|k| k as f32 / 8.0);
    let any = (0..20_000).map(|_| rng.between(-700.0, 700.0) as f32);
    let turns: Vec<f32> = eighths.chain(any).collect();
    let ones = vec![1.0; turns.len()];
    let [mut cos, mut sin, mut magnitude, mut phase] = [(); 4].map(|()| vec![0.0f32; turns.len()]);
    complex_from_polar(&ones, &turns, &mut cos, &mut sin);
    // Include values on both axes, and zero.
    (cos[100], sin[101], cos[102], sin[102]) = (0.0, 0.0, 0.0, 0.0);
    (cos[103], sin[103]) = (-1.0, 0.0);
    polar_from_complex(&cos, &sin, &mut magnitude, &mut phase);
    let bits = |values: [f32; 2]| values.map(f32::to_bits);
    for i in 0..turns.len() {
        if !(100..=103).contains(&i) {
            assert_eq!(bits([cos[i], sin[i]]), bits(cos_sin_turns(turns[i])), "{} turns", turns[i]);
        }
        let one = [magnitude_from_complex(cos[i], sin[i]), turns_from_complex(cos[i], sin[i])];
        assert_eq!(bits([magnitude[i], phase[i]]), bits(one), "{} + {} i", cos[i], sin[i]);
    }
}
