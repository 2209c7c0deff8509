//! The STFT against SciPy, librosa and a textbook DFT, and properties of its inverse.
//!
//! Tolerances: `1e-6 sum(w)/2` and 120 dB are the project's gates for coefficients (f32 transforms reach some 138 dB);
//! 130 dB is guarantee 4 for the CPU engine's round trip.

use dsp::cells::polar::cos_sin_turns;
use dsp::{CellRect, Grid, GridPlan, Region, Stft, StftParams, Window};
use rustfft::num_complex::Complex32;
use std::sync::Arc;
use support::engines::engines;
use support::fourier::{Complex, Stft64};
use support::measure::{changed, f64s, max_error, snr_db, snr_db_f32};
use support::npy::{cases, load};
use support::signals::{busy, noise};

/// Samples under all frames of a grid, zeros beyond the signal's ends.
fn padded(samples: &[f32], params: StftParams) -> Vec<f32> {
    let n_frames = samples.len().div_ceil(params.hop) + 1;
    let mut out = vec![0.0; (n_frames - 1) * params.hop + params.n_fft];
    let n = samples.len().min(out.len() - params.n_fft / 2);
    out[params.n_fft / 2..][..n].copy_from_slice(&samples[..n]);
    out
}

fn whole(samples: &[f32], params: StftParams) -> CellRect {
    CellRect::new(0..samples.len().div_ceil(params.hop) + 1, 0..params.n_fft / 2 + 1)
}

fn complex(region: &Region, index: usize) -> Complex {
    let angle = std::f64::consts::TAU * f64::from(region.phase[index]);
    let magnitude = f64::from(region.magnitude[index]);
    [magnitude * angle.cos(), magnitude * angle.sin()]
}

fn flat(cells: &[Complex]) -> Vec<f64> {
    cells.iter().flatten().copied().collect()
}

/// Largest distance and SNR of complex cells.
fn distance(actual: &[Complex], reference: &[Complex]) -> (f64, f64) {
    assert_eq!(actual.len(), reference.len());
    let max = actual.iter().zip(reference).map(|(a, r)| (a[0] - r[0]).hypot(a[1] - r[1])).fold(0.0, f64::max);
    (max, snr_db(&flat(actual), &flat(reference)))
}

#[track_caller]
fn passes(actual: &[Complex], reference: &[Complex], window_sum: f64) -> bool {
    let (max, snr) = distance(actual, reference);
    max <= 1e-6 * window_sum / 2.0 && snr >= 120.0
}

#[test]
fn windows_are_scipys() {
    let case = &cases()["stft"];
    let array = load(&case["window_samples_256"]);
    let values = array.f64s();
    for (i, name) in case["windows"].as_array().unwrap().iter().enumerate() {
        let window = Window::from_name(name.as_str().unwrap()).unwrap();
        let error = max_error(window.samples(256), array.row(&values, i).iter().copied());
        assert!(error < 1e-14, "{name}: {error}");
        // Control: the samples of the next window fail the comparison.
        let other = max_error(window.samples(256), array.row(&values, (i + 1) % 7).iter().copied());
        assert!(other > 1e-3, "{name} is like the next");
        let sums = case["window_sums_256_2048_16384"][name.as_str().unwrap()].as_array().unwrap();
        for (n, sum) in [256, 2048, 16384].into_iter().zip(sums) {
            let ours: f64 = window.samples(n).iter().sum();
            assert!((ours - sum.as_f64().unwrap()).abs() < 1e-9, "{name} at {n}");
        }
    }
    assert_eq!(case["windows"].as_array().unwrap().len(), Window::ALL.len());
}

#[test]
fn coefficients_are_scipys_and_librosas() {
    let case = &cases()["stft"];
    let signal = load(&case["signal"]).f32s();
    for size in case["sizes"].as_array().unwrap() {
        let (n_fft, hop) = (size["n_fft"].as_u64().unwrap() as usize, size["hop"].as_u64().unwrap() as usize);
        let list = |key: &str| -> Vec<usize> { serde_json::from_value(size[key].clone()).unwrap() };
        let (frames, bins) = (list("frames"), list("bins"));
        let array = load(&size["array"]);
        let values = array.complex();
        for (i, window) in Window::ALL.into_iter().enumerate() {
            let params = StftParams { n_fft, hop, window };
            let plan = GridPlan::from(Arc::new(Stft::new(params)));
            for engine in engines() {
                let region = engine.analyse(&plan, &padded(&signal, params), &whole(&signal, params)).unwrap();
                let region = engine.download(region).unwrap();
                let cells = frames.iter().flat_map(|&n| bins.iter().map(move |&m| (n, m)));
                let ours: Vec<Complex> = cells.clone().map(|(n, m)| complex(&region, region.index(n, m))).collect();
                let reference = array.row(&values, i);
                let sum: f64 = window.samples(n_fft).iter().sum();
                let (max, snr) = distance(&ours, reference);
                assert!(
                    passes(&ours, reference, sum),
                    "{} {} {n_fft}: {:e} of sum(w)/2, {snr} dB",
                    engine.name(),
                    window.name(),
                    max * 2.0 / sum
                );

                // Control: an error in a single cell that is slightly larger than the gate allows.
                let mut nudged = ours.clone();
                nudged[bins.len() / 2][0] += 2.1e-6 * sum / 2.0;
                assert!(!passes(&nudged, reference, sum));
                // Control: phases relative to the first sample of the frame.
                let turned =
                    |((_, m), [re, im]): ((usize, usize), Complex)| if m % 2 == 0 { [re, im] } else { [-re, -im] };
                let from_start: Vec<Complex> = cells.zip(ours).map(turned).collect();
                assert!(!passes(&from_start, reference, sum));
            }
        }
    }
}

#[test]
fn every_bin_of_every_frame_is_the_textbook_dft() {
    for (n_fft, n_samples) in [(64, 1000), (256, 1000), (1024, 3001), (4096, 6000), (16384, 12000), (32768, 20001)] {
        let signal = busy(n_samples, 44100.0, n_fft as u64);
        for (window, overlap) in
            [(Window::Hann, 2), (Window::BlackmanHarris, 4), (Window::Kaiser, 4), (Window::Sine, 8)]
        {
            let params = StftParams { n_fft, hop: n_fft / overlap, window };
            let reference = Stft64 { window: window.samples(n_fft), hop: params.hop }.analyse(&f64s(&signal)).concat();
            let region = Stft::new(params).analyse(&padded(&signal, params), &whole(&signal, params));
            let ours: Vec<Complex> = (0..region.magnitude.len()).map(|i| complex(&region, i)).collect();
            let sum = window.samples(n_fft).iter().sum();
            assert!(passes(&ours, &reference, sum), "{} {n_fft}: {:?}", window.name(), distance(&ours, &reference));
            let later: Vec<Complex> = ours.iter().cycle().skip(1).take(ours.len()).copied().collect();
            assert!(!passes(&later, &reference, sum), "shifted by a cell");
        }
    }
}

#[test]
fn a_rectangle_of_cells_is_that_part_of_the_whole() {
    let params = StftParams { n_fft: 512, hop: 128, window: Window::Hann };
    let signal = busy(9000, 44100.0, 3);
    let samples = padded(&signal, params);
    let stft = Stft::new(params);
    let all = stft.analyse(&samples, &whole(&signal, params));
    for (frames, bins) in [(0..1, 0..1), (3..30, 17..201), (40..72, 256..257), (5..6, 0..257)] {
        let rect = CellRect::new(frames.clone(), bins);
        let under = &samples[frames.start * 128..(frames.end - 1) * 128 + 512];
        assert_eq!(stft.analyse(under, &rect), all.crop(&rect), "{rect:?}");
    }
}

#[test]
fn a_full_scale_sine_on_a_bin_reads_half_the_windows_sum() {
    for window in Window::ALL {
        let params = StftParams { n_fft: 2048, hop: 512, window };
        let turns = |i: i64| (100 * i).rem_euclid(2048) as f64 / 2048.0;
        let sine: Vec<f32> = (-1024..1024).map(|i| (std::f64::consts::TAU * turns(i)).cos() as f32).collect();
        let region = Stft::new(params).analyse(&sine, &CellRect::new(7..8, 100..101));
        let half_sum = window.samples(2048).iter().sum::<f64>() / 2.0;
        let level = 20.0 * (f64::from(region.magnitude[0]) / half_sum).log10();
        assert!(level.abs() < 1e-3, "{}: {level} dB", window.name());
        // A cosine at the frame's centre has phase 0 there.
        assert!(region.phase[0].abs() < 1e-6, "{}: {} turns", window.name(), region.phase[0]);
    }
}

/// `OLA(C' - C) / sum(w^2)` added to the samples.
fn edited(signal: &[f32], params: StftParams, before: &Region, after: &Region) -> Vec<f32> {
    let stft = Stft::new(params);
    let mut added = stft.difference(before, after).samples;
    let first = (after.rect.frames.start * params.hop) as i64 - params.n_fft as i64 / 2;
    stft.divide_by_weight(&mut added, first, whole(signal, params).frames.len());
    let at = |i: usize| usize::try_from(i as i64 - first).ok().and_then(|k| added.get(k)).copied().unwrap_or(0.0);
    signal.iter().enumerate().map(|(i, x)| x + at(i)).collect()
}

#[test]
fn an_edit_of_cells_comes_back_as_librosa_would_have_it() {
    let all = cases();
    let signal = load(&all["short"]).f32s();
    for case in all["inverse"].as_array().unwrap() {
        let number = |key: &str| case[key].as_u64().unwrap() as usize;
        let window = Window::from_name(case["window"].as_str().unwrap()).unwrap();
        let params = StftParams { n_fft: number("n_fft"), hop: number("hop"), window };
        let touched: Vec<usize> = serde_json::from_value(case["touched"].clone()).unwrap();
        let rect = CellRect::new(touched[0]..touched[1], 0..params.n_bins());
        let before = Stft::new(params).analyse(&padded(&signal, params), &whole(&signal, params));
        let mut after = before.crop(&rect);
        for (i, [re, im]) in load(&case["after"]).complex().into_iter().enumerate() {
            after.magnitude[i] = re.hypot(im) as f32;
            after.phase[i] = (im.atan2(re) / std::f64::consts::TAU) as f32;
        }
        let reference = f64s(&load(&case["samples"]).f32s());
        let ours = f64s(&edited(&signal, params, &before, &after));
        let snr = snr_db(&ours, &reference);
        assert!(snr >= 120.0, "{case}: {snr} dB");
        // Controls: the unedited signal, and one in which another cell is changed.
        assert!(snr_db(&f64s(&signal), &reference) < 40.0);
        let peak =
            (0..after.magnitude.len()).max_by(|&a, &b| after.magnitude[a].total_cmp(&after.magnitude[b])).unwrap();
        after.magnitude[peak] *= 1.0001;
        assert!(snr_db(&f64s(&edited(&signal, params, &before, &after)), &reference) < 120.0);
    }
}

#[test]
fn the_inverse_gives_the_signal_back() {
    let signal = noise(10_007, 0.25, 5);
    for n_fft in [64, 512, 2048, 8192, 32_768] {
        for window in Window::ALL {
            for overlap in [2, 4, 8, 16] {
                let params = StftParams { n_fft, hop: n_fft / overlap, window };
                if n_fft > 2048 && (overlap == 16 || overlap == 2) {
                    continue; // the same law, at length
                }
                let stft = Stft::new(params.validated().unwrap());
                let samples = padded(&signal, params);
                let n_frames = whole(&signal, params).frames.len();
                let mut spectra = vec![Complex32::default(); n_frames * params.n_bins()];
                stft.forward(&samples, &mut spectra);
                let mut back = vec![0.0; samples.len()];
                stft.inverse(&spectra, 0, n_frames, &mut back);
                let back = &back[n_fft / 2..][..signal.len()];
                let snr = snr_db_f32(back, &signal);
                assert!(snr >= 130.0, "{} {n_fft}/{overlap}: {snr} dB", window.name());
                let mut off = back.to_vec();
                off[1000] += 1e-4;
                assert!(snr_db_f32(&off, &signal) < 130.0, "130 dB sees a sample that is off by 1e-4");
            }
        }
    }
}

#[test]
fn the_round_trip_through_magnitude_and_phase_keeps_130_db() {
    for (n_fft, window) in [(512, Window::Hann), (2048, Window::Hann), (2048, Window::Sine), (16_384, Window::Nuttall)]
    {
        let params = StftParams { n_fft, hop: n_fft / 4, window };
        let signal = busy(30_001, 44100.0, 9);
        let rect = whole(&signal, params);
        let after = Stft::new(params).analyse(&padded(&signal, params), &rect);
        let silence = vec![0.0; signal.len()];
        let back = edited(&silence, params, &Region::zeros(rect), &after);
        let snr = snr_db_f32(&back, &signal);
        assert!(snr >= 130.0, "{} {n_fft}: {snr} dB", window.name());
        // Phases rounded to 16 bits would not do.
        let mut coarse = after.clone();
        coarse.phase.iter_mut().for_each(|turns| *turns = (*turns * 65536.0).round() / 65536.0);
        let back = edited(&silence, params, &Region::zeros(whole(&signal, params)), &coarse);
        assert!(snr_db_f32(&back, &signal) < 130.0);
    }
}

#[test]
fn only_frames_with_a_changed_coefficient_are_touched() {
    let params = StftParams { n_fft: 256, hop: 64, window: Window::Hann };
    let signal = busy(6000, 8000.0, 1);
    let stft = Stft::new(params);
    let before = stft.analyse(&padded(&signal, params), &whole(&signal, params));
    let unchanged = stft.difference(&before, &before);
    assert!(unchanged.touched.iter().all(|&t| !t) && unchanged.samples.iter().all(|&s| s == 0.0));

    let mut after = before.clone();
    for (frame, bin) in [(10, 0), (11, 128), (40, 30)] {
        after.magnitude[before.index(frame, bin)] *= 1.5;
    }
    after.phase[before.index(60, 7)] += 0.1;
    let difference = stft.difference(&before, &after);
    let touched: Vec<usize> = (0..difference.touched.len()).filter(|&n| difference.touched[n]).collect();
    assert_eq!(touched, [10, 11, 40, 60]);
    // Samples further than half a window from the centre of every touched frame are exactly 0.
    for (i, &sample) in difference.samples.iter().enumerate() {
        let reached = touched.iter().any(|n| (n * 64..n * 64 + 256).contains(&i));
        assert!(reached || sample.to_bits() == 0, "sample {i} is {sample}");
    }
    let inside = difference.samples[40 * 64..40 * 64 + 256].iter().filter(|&&s| s != 0.0).count();
    assert!(inside > 200, "and there it does change: {inside}");
}

#[test]
fn the_weight_is_the_sum_of_squared_windows_at_the_ends_too() {
    for (n_fft, overlap, window) in
        [(256, 4, Window::Hann), (256, 2, Window::Sine), (128, 8, Window::Nuttall), (64, 16, Window::Hamming)]
    {
        let params = StftParams { n_fft, hop: n_fft / overlap, window };
        let w = window.samples(n_fft);
        for n_frames in [1, 2, 3, 9, 40] {
            let len = (n_frames - 1) * params.hop + n_fft;
            let mut sum = vec![0.0; len];
            for frame in 0..n_frames {
                w.iter().enumerate().for_each(|(k, w)| sum[frame * params.hop + k] += w * w);
            }
            let mut ones = vec![1.0f32; len];
            Stft::new(params).divide_by_weight(&mut ones, -(n_fft as i64) / 2, n_frames);
            // Leaves out samples with a weight of nearly 0, at the outer ends of the first and last frames.
            let error = (0..len).filter(|&i| sum[i] > 1e-6).map(|i| (f64::from(ones[i]) * sum[i] - 1.0).abs());
            assert!(error.fold(0.0, f64::max) < 1e-6, "{} {n_fft}/{overlap}, {n_frames} frames", window.name());
        }
    }
}

#[test]
fn grids_count_frames_and_samples() {
    for (n_samples, hop, n_frames) in [(0, 64, 1), (1, 64, 2), (64, 64, 2), (65, 64, 3), (12_001, 64, 189)] {
        let stft = StftParams { n_fft: 4 * hop, hop, window: Window::Hann };
        let grid = Grid::new(stft, 8000.0, n_samples);
        assert_eq!(grid.n_frames(), n_frames);
        // Checked by brute force: every frame whose window overlaps the samples.
        for samples in [0..1, 3..70, 11_000..12_001, 500..500] {
            let reaches = |n: usize| {
                let centre = (n * hop) as i64;
                samples.start < samples.end
                    && centre - 2 * (hop as i64) < samples.end as i64
                    && samples.start as i64 - 2 * (hop as i64) < centre
            };
            let expected: Vec<usize> = (0..n_frames).filter(|&n| reaches(n)).collect();
            assert_eq!(grid.frames_over(&samples).collect::<Vec<_>>(), expected, "{samples:?} of {n_samples}");
        }
    }
}

#[test]
fn sizes_hops_and_windows_that_cannot_be_inverted_are_refused() {
    for window in Window::ALL {
        for overlap in [2, 4, 8, 16] {
            let params = StftParams { n_fft: 1024, hop: 1024 / overlap, window };
            let w = window.samples(1024);
            let sums = (0..params.hop).map(|i| (0..overlap).map(|k| w[i + k * params.hop].powi(2)).sum::<f64>());
            let (min, max) = sums.fold((f64::MAX, 0.0f64), |(a, b), s| (a.min(s), b.max(s)));
            assert_eq!(params.validated().is_ok(), min >= 1e-3 * max, "{} / {overlap}", window.name());
        }
    }
    let hann = |n_fft, hop| StftParams { n_fft, hop, window: Window::Hann }.validated().is_ok();
    assert!(hann(64, 16) && hann(32_768, 2048));
    for (n_fft, hop) in
        [(32, 8), (65_536, 16_384), (1000, 250), (1024, 1024), (1024, 32), (1024, 0), (1024, 300), (0, 0)]
    {
        assert!(!hann(n_fft, hop), "{n_fft}/{hop}");
    }
}

#[test]
fn no_frame_depends_on_how_many_threads_there_are() {
    let params = StftParams { n_fft: 1024, hop: 128, window: Window::Hann };
    let signal = busy(50_000, 44100.0, 2);
    let run = |threads: usize| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| {
            let stft = Stft::new(params);
            let region = stft.analyse(&padded(&signal, params), &whole(&signal, params));
            let silence = Region::zeros(region.rect.clone());
            let samples = stft.difference(&silence, &region).samples;
            (region, samples)
        })
    };
    let ((one, one_back), (three, three_back)) = (run(1), run(3));
    assert_eq!(one, three);
    assert!(changed(&one_back, &three_back).is_empty());
}

#[test]
fn polar_polynomials_keep_what_they_promise() {
    let mut worst = (0.0f64, 0.0f64);
    for i in 0..200_000 {
        let turns = (i as f32 / 100_000.0 - 1.0) * 1.7;
        let exact = support::fourier::turn(f64::from(turns));
        let ours = cos_sin_turns(turns);
        worst.0 = worst.0.max((exact[0] - f64::from(ours[0])).abs().max((exact[1] - f64::from(ours[1])).abs()));
        let [re, im] = [exact[0] as f32 * 3.0, exact[1] as f32 * 3.0];
        let angle = f64::from(dsp::cells::polar::turns_from_complex(re, im));
        assert!((-0.5..0.5).contains(&angle));
        let off = angle - f64::from(im).atan2(f64::from(re)) / std::f64::consts::TAU;
        worst.1 = worst.1.max((off - off.round()).abs());
    }
    assert!(worst.0 < 1.5e-7 && worst.1 < 6e-8, "{worst:?}");
    assert_eq!(dsp::cells::polar::turns_from_complex(0.0, 0.0), 0.0);
    assert_eq!(dsp::cells::polar::turns_from_complex(-1.0, 0.0), -0.5);
}
