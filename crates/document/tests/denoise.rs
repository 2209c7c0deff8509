//! Noise reduction: what it removes and what it keeps, its formulas, and sharing profiles.

use base::{ErrorKind, Progress};
use document::brushes::Brush;
use document::{Applied, Edit, Script, Snapshot, apply, learn_noise};
use dsp::kernels::{Blurring, NoiseReduction, log_spectral_gain};
use dsp::{
    Axis, CellRect, Denoise, Grid, Kernel, Mask, NoiseProfile, NoiseSignal, NoiseSource, NoiseSpectrum, Point, Region,
    Selection, Stft, StftParams, Stroke, Window,
};
use engine::{Engine, Plans};
use media::Source;
use std::sync::Arc;
use support::engines::engines;
use support::fourier::Stft64;
use support::measure::{band_power, changed, f64s, snr_db};
use support::signals::{Rng, noise, tone};
use support::snapshots::{open, samples};
use support::wav::clip;

const PARAMS: StftParams = StftParams { n_fft: 512, hop: 128, window: Window::Hann };

fn sound(channels: &[&[f32]], rate: u32) -> Snapshot {
    Snapshot::new(Source::from_channels(channels.iter().map(|samples| samples.to_vec()).collect(), rate).unwrap())
}

fn edit(denoise: Denoise) -> Edit {
    Edit::of(denoise, PARAMS)
}

fn from_range(secs: [f64; 2]) -> Denoise {
    Denoise::of(NoiseSource::Range { secs, hz: None })
}

fn run(before: &Snapshot, edit: &Edit, engine: &Engine) -> Applied {
    apply(before, edit, engine, &Progress::new()).unwrap_or_else(|e| panic!("{e}"))
}

fn refusal(before: &Snapshot, edit: &Edit) -> String {
    let error = apply(before, edit, &Engine::cpu(), &Progress::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Script, "{error}");
    error.to_string()
}

/// Segmental SNR over frames of 30 ms, each clamped to -10 to 35 dB.
fn segmental_snr(clean: &[f32], heard: &[f32], rate: usize) -> f64 {
    let n = rate * 3 / 100;
    let ratios: Vec<f64> = clean
        .chunks_exact(n)
        .zip(heard.chunks_exact(n))
        .map(|(clean, heard)| snr_db(&f64s(heard), &f64s(clean)))
        .map(|db| if db.is_nan() { -10.0 } else { db.clamp(-10.0, 35.0) })
        .collect();
    ratios.iter().sum::<f64>() / ratios.len() as f64
}

/// Kurtosis of the power of cells over the mean of their bin: 9 for Gaussian noise, more where cells ring.
fn power_kurtosis(samples: &[f32]) -> f64 {
    let stft = Stft64 { window: Window::Hann.samples(512), hop: 128 };
    let cells = stft.analyse(&f64s(samples));
    let rows = &cells[4..cells.len() - 4];
    let mut ratios = Vec::new();
    for bin in 2..255 {
        let powers: Vec<f64> = rows.iter().map(|row| row[bin][0].powi(2) + row[bin][1].powi(2)).collect();
        let mean = powers.iter().sum::<f64>() / powers.len() as f64;
        ratios.extend(powers.iter().map(|power| power / mean));
    }
    let n = ratios.len() as f64;
    let moment = |k: i32| ratios.iter().map(|ratio| (ratio - 1.0).powi(k)).sum::<f64>() / n;
    moment(4) / moment(2).powi(2)
}

#[test]
fn speech_gains_five_decibels_and_the_rest_does_not_ring() {
    let speech = samples(&open(&clip("speech_16k_mono.wav")), 0);
    let (rate, start) = (16_000, 2 * 16_000);
    let level = (speech.iter().map(|s| f64::from(*s).powi(2)).sum::<f64>() / speech.len() as f64 / 10.0).sqrt();
    let mut noisy = noise(start + speech.len(), level, 51);
    noisy[start..].iter_mut().zip(&speech).for_each(|(sum, s)| *sum += s);
    let before = sound(&[&noisy], rate as u32);
    let heard = |denoise: Denoise| samples(&run(&before, &edit(denoise), &Engine::cpu()).snapshot, 0);
    let gain =
        |heard: &[f32]| segmental_snr(&speech, &heard[start..], rate) - segmental_snr(&speech, &noisy[start..], rate);
    // Noise alone, up to where the smoothing begins to include the voice.
    let alone = rate..start - 5000;
    let ringing = |heard: &[f32]| power_kurtosis(&heard[alone.clone()]) / power_kurtosis(&noisy[alone.clone()]);
    let rules = [Denoise::of, Denoise::even].map(|of| heard(of(NoiseSource::Range { secs: [0.0, 1.0], hz: None })));
    let level_of = |heard: &[f32]| {
        let power = |x: &[f32]| x.iter().map(|s| f64::from(*s).powi(2)).sum::<f64>();
        10.0 * (power(&heard[rate + 2000..start - 2000]) / power(&noisy[rate + 2000..start - 2000])).log10()
    };
    for ours in rules {
        assert!(gain(&ours) >= 5.0, "{} dB", gain(&ours));
        assert!(ringing(&ours) <= 1.1, "{}", ringing(&ours));
        // Noise alone is reduced by the requested amount.
        assert!((level_of(&ours) + 30.0).abs() < 0.5, "{} dB", level_of(&ours));
    }
    let gentle = heard(Denoise { reduction_db: 9.0, ..from_range([0.0, 1.0]) });
    assert!((level_of(&gentle) + 9.0).abs() < 0.5, "{} dB", level_of(&gentle));
    // Control: without smoothing, isolated cells ring.
    let single = heard(Denoise { smoothing: [0.0; 2], ..from_range([0.0, 1.0]) });
    assert!(ringing(&single) > 1.5, "{}", ringing(&single));
    // Control: a reduction of 0 dB changes nothing.
    let none = heard(Denoise { reduction_db: 0.0, ..from_range([0.0, 1.0]) });
    assert!(gain(&none) < 0.1 && changed(&none, &noisy).is_empty());
}

/// `E1(x)` by Simpson's rule over `u` from 0 to 1, with `t = x / (1 - u)`.
fn e1(x: f64) -> f64 {
    // For smaller `x`, Simpson's rule needs too many steps, and a few terms of the power series suffice.
    if x < 1e-3 {
        return -0.577_215_664_901_532_9 - x.ln() + x - x * x / 4.0 + x.powi(3) / 18.0;
    }
    let f = |u: f64| {
        if u >= 1.0 {
            return 0.0;
        }
        let t = x * (1.0 + u / (1.0 - u));
        (-t).exp() / t * x / (1.0 - u).powi(2)
    };
    let n = 20_000;
    let weight = |i: usize| if i == 0 || i == n { 1.0 } else { 2.0 + 2.0 * (i % 2) as f64 };
    (0..=n).map(|i| weight(i) * f(i as f64 / n as f64)).sum::<f64>() / n as f64 / 3.0
}

#[test]
fn the_gain_is_the_one_of_the_formula() {
    assert!((e1(1.0) - 0.219_383_934_395_520_3).abs() < 1e-12, "the integral itself is right: {}", e1(1.0));
    for prior in [0.0316, 0.2, 1.0, 7.0, 300.0] {
        for ratio in [1e-3, 0.04, 0.3, 1.0, 2.7, 9.0, 50.0, 900.0] {
            let wiener = prior / (1.0 + prior);
            let v: f64 = wiener * ratio;
            let expected = (wiener * (e1(v) / 2.0).exp()).min(1.0);
            let gain = f64::from(log_spectral_gain(prior as f32, ratio as f32));
            assert!((gain / expected - 1.0).abs() < 1e-5, "{prior} {ratio}: {gain}, not {expected}");
            let other = f64::from(log_spectral_gain(prior as f32 * 1.001, ratio as f32));
            assert!(expected == 1.0 || prior > 10.0 || (other / expected - 1.0).abs() > 1e-5, "a thousandth is seen");
        }
    }
}

/// Reference for the whole kernel, in f64, cell by cell.
fn gains64(kernel: &NoiseReduction, before: &Region) -> Vec<f64> {
    let (n_frames, n_bins) = (before.n_frames(), before.n_bins());
    let inverse = |bin: usize| f64::from(kernel.inverse_noise[before.rect.bins.start + bin]);
    let power = |frame: usize, bin: usize| f64::from(before.magnitude[frame * n_bins + bin]).powi(2);
    let ratio = |frame: usize, bin: usize| match inverse(bin) {
        0.0 => 1e4,
        inverse => (power(frame, bin) * inverse).min(1e4),
    };
    let [reach_frames, reach_bins] = kernel.blurring.reach.map(|reach| reach as i64);
    let clamped = |at: i64, n: usize| at.clamp(0, n as i64 - 1) as usize;
    let single = |frame: usize, bin: usize| if inverse(bin) == 0.0 { 1.0 } else { ratio(frame, bin).min(100.0) };
    // Two running means along each axis.
    let mut smooth: Vec<Vec<f64>> = (0..n_frames).map(|f| (0..n_bins).map(|b| single(f, b)).collect()).collect();
    for _ in 0..2 {
        smooth = smooth
            .iter()
            .map(|row| {
                let mean = |bin: usize| {
                    let around = -reach_bins..=reach_bins;
                    around.map(|k| row[clamped(bin as i64 + k, n_bins)]).sum::<f64>() / (2 * reach_bins + 1) as f64
                };
                (0..n_bins).map(mean).collect()
            })
            .collect();
        let mean = |frame: usize, bin: usize| {
            let around = -reach_frames..=reach_frames;
            around.map(|k| smooth[clamped(frame as i64 + k, n_frames)][bin]).sum::<f64>()
                / (2 * reach_frames + 1) as f64
        };
        smooth = (0..n_frames).map(|f| (0..n_bins).map(|b| mean(f, b)).collect()).collect();
    }
    let gain = |prior: f64, ratio: f64| {
        let wiener = prior / (1.0 + prior);
        (wiener * (e1((wiener * ratio).max(2f64.powi(-24))) / 2.0).exp()).min(1.0)
    };
    let (margin, floor) = (f64::from(kernel.margin), f64::from(kernel.floor));
    let min = if kernel.is_even { 10f64.powf(-2.6) } else { 10f64.powf(-1.5) };
    let mut open = vec![0.0; n_frames * n_bins];
    for bin in 0..n_bins {
        let mut priors = vec![[0.0; 2]; n_frames];
        for is_back in [false, true] {
            let mut held: Option<f64> = None;
            for i in 0..n_frames {
                let frame = if is_back { n_frames - 1 - i } else { i };
                let ratio = ratio(frame, bin) * margin;
                let instant = (ratio - 1.0).max(0.0);
                let estimate = held.map_or(instant, |held| 0.95 * held + 0.05 * instant).max(min);
                held = Some(gain(estimate, ratio).powi(2) * ratio);
                priors[frame][usize::from(is_back)] = estimate;
            }
        }
        for (frame, [to, fro]) in priors.into_iter().enumerate() {
            let ratio = ratio(frame, bin) * margin;
            open[frame * n_bins + bin] = if kernel.is_even {
                let prior = (to * fro).sqrt();
                let second = (gain(prior, ratio).powi(2) * ratio).max(min);
                gain((prior * second).sqrt(), ratio).max(floor)
            } else {
                gain((to + fro) / 2.0, ratio).max(floor)
            };
        }
    }
    let mut gains = vec![0.0; n_frames * n_bins];
    for bin in 0..n_bins {
        for frame in 0..n_frames {
            let [low, high] = kernel.presence[before.rect.bins.start + bin].map(f64::from);
            let part = ((smooth[frame][bin] - low) / (high - low)).clamp(0.0, 1.0);
            let p = part * part * (3.0 - 2.0 * part);
            let own = open[frame * n_bins + bin];
            // For a neighbour outside the spectrum, or in a bin without known noise, the cell's own gain is used.
            let beside = |step: i64| match usize::try_from(bin as i64 + step) {
                Ok(bin) if bin < n_bins && inverse(bin) > 0.0 => open[frame * n_bins + bin],
                _ => own,
            };
            let own = if kernel.is_even { own.powf(2.0 / 3.0) * (beside(-1) * beside(1)).powf(1.0 / 6.0) } else { own };
            gains[frame * n_bins + bin] = if inverse(bin) == 0.0 { 1.0 } else { own.powf(p) * floor.powf(1.0 - p) };
        }
    }
    gains
}

fn random_region(rect: CellRect, seed: u64) -> Region {
    let mut rng = Rng(seed);
    let mut region = Region::zeros(rect);
    // Mostly noise, with a louder part in the middle.
    let n_bins = region.n_bins();
    for (i, magnitude) in region.magnitude.iter_mut().enumerate() {
        let is_loud = (10..25).contains(&(i / n_bins)) && (5..12).contains(&(i % n_bins));
        *magnitude = (rng.normal().hypot(rng.normal()) * if is_loud { 6.0 } else { 1.0 }) as f32;
    }
    region
}

fn reduction(n_bins: usize, reach: [usize; 2], is_even: bool) -> NoiseReduction {
    let mut inverse_noise: Vec<f32> = (0..n_bins).map(|bin| 0.4 + 0.01 * bin as f32).collect();
    inverse_noise[3] = 0.0;
    let presence = vec![[1.3, 2.1]; n_bins];
    NoiseReduction {
        inverse_noise,
        presence,
        blurring: Blurring { reach },
        margin: 0.8,
        floor: 0.05,
        memory: 0.95,
        settle_frames: 32,
        is_even,
    }
}

#[test]
fn the_kernel_is_what_it_says() {
    let rect = CellRect::new(0..40, 0..20);
    let before = random_region(rect.clone(), 52);
    for (reach, is_even) in [([0, 0], false), ([2, 1], false), ([0, 0], true), ([2, 1], true)] {
        let kernel = reduction(20, reach, is_even);
        let [gains, expected] = [f64s(&kernel.gains(&before, &rect)), gains64(&kernel, &before)];
        let far = |expected: &[f64]| gains.iter().zip(expected).map(|(a, b)| (a / b - 1.0).abs()).fold(0.0, f64::max);
        assert!(far(&expected) < 1e-4, "{reach:?} {is_even}: {}", far(&expected));
        let other = gains64(&NoiseReduction { is_even: !is_even, ..kernel.clone() }, &before);
        assert!(far(&other) > 0.1, "one rule is not the other");
        let other = gains64(&NoiseReduction { margin: 0.801, ..kernel.clone() }, &before);
        assert!(far(&other) > 1e-4, "an eighth of a percent is seen");
        assert!(gains.iter().any(|&gain| gain > 0.9) && gains.iter().any(|&gain| gain < 0.06));
    }
}

#[test]
fn pieces_fit_and_the_mask_is_obeyed() {
    let all = CellRect::new(0..300, 0..40);
    let mut before = random_region(all.clone(), 53);
    before.magnitude.iter_mut().enumerate().for_each(|(i, m)| *m *= if i / 40 % 90 < 40 { 4.0 } else { 1.0 });
    let ones = |rect: CellRect| Mask { values: vec![1.0; rect.n_cells()], rect };
    for is_even in [false, true] {
        let kernel = Kernel::Denoise(Arc::new(reduction(40, [3, 2], is_even)));
        let whole = kernel.run(&before, &ones(all.clone()));
        let [frames, bins] = kernel.halo();
        for piece in [CellRect::new(0..150, 0..40), CellRect::new(150..300, 0..40), CellRect::new(70..200, 7..21)] {
            let read = before.crop(&piece.grown(frames, bins, &all));
            let part = kernel.run(&read, &ones(piece.clone()));
            let expected = whole.crop(&piece);
            let snr = snr_db(&f64s(&part.magnitude), &f64s(&expected.magnitude));
            assert!(snr > 100.0, "{piece:?}: {snr} dB");
            assert_eq!(part.phase, expected.phase);
            // Control: without its halo, a piece has another result.
            if piece.bins.start > 0 {
                let alone = kernel.run(&before.crop(&piece), &ones(piece.clone()));
                assert!(snr_db(&f64s(&alone.magnitude), &f64s(&expected.magnitude)) < 60.0);
            }
        }
        let half = Mask { values: vec![0.5; all.n_cells()], rect: all.clone() };
        let halved = kernel.run(&before, &half);
        for (i, (&x, &y)) in before.magnitude.iter().zip(&halved.magnitude).enumerate() {
            let expected = (x + whole.magnitude[i]) / 2.0;
            assert!((y - expected).abs() <= 1e-6 * x, "{y}, not {expected}");
        }
        assert_eq!(kernel.run(&before, &Mask::zeros(all.clone())).magnitude, before.magnitude);
    }
}

#[test]
fn a_profile_is_kept_in_the_edit_and_serves_again() {
    let rate = 22_050;
    let mut left = noise(rate * 2, 0.02, 54);
    left[rate..].iter_mut().zip(tone(rate, rate as f64, 1000.0, 0.3)).for_each(|(sum, s)| *sum += s);
    let right = noise(rate * 2, 0.1, 55);
    let before = sound(&[&left, &right], rate as u32);
    let script = r#"{"version": 1, "transform": {"n_fft": 512}, "edits": [
        {"brush": {"kind": "denoise", "learn": [0.0, 0.9], "reduction_db": 20}}]}"#;
    let requested = Script::parse(script).unwrap();
    assert_eq!(Script::parse(&requested.to_json()).unwrap(), requested);
    for engine in engines() {
        let applied = run(&before, &requested.edits[0], engine);
        let found = applied.resolved.clone().expect("the profile is kept");
        let Brush::Denoise(Denoise { noise: NoiseSource::Profile(profile), .. }) = &found.brush else { panic!() };
        assert_eq!((profile.stft, profile.sample_rate_hz), (PARAMS, rate as f64));
        assert_eq!(profile.spectra.len(), 2, "each channel has its own");
        // Its levels are variances of white noise: 20 log10 0.02 and 0.1.
        for ((of, spectrum), (channel, level)) in profile.spectra.iter().zip([(0, -33.98), (1, -20.0)]) {
            assert_eq!(*of, NoiseSignal::Channel(channel));
            let mean = spectrum.levels_db[5..250].iter().sum::<f32>() / 245.0;
            assert!((mean - level).abs() < 0.4, "{mean} dB, not {level}");
        }
        // After a round trip through JSON, the edit is equal, and has exactly the same result.
        let again = Script::from(vec![*found.clone()]);
        let read = Script::parse(&again.to_json()).unwrap();
        assert_eq!(read, again);
        let second = run(&before, &read.edits[0], engine);
        assert_eq!(second.resolved, None, "there is nothing left to find");
        for channel in 0..2 {
            assert_eq!(samples(&second.snapshot, channel), samples(&applied.snapshot, channel));
        }
        // The tone stays, both noises go.
        let power =
            |x: &[f32], low, high| 10.0 * band_power(&x[rate + 3000..][..16_384], rate as f64, low, high).log10();
        let heard = [0, 1].map(|channel| samples(&applied.snapshot, channel));
        assert!((power(&heard[0], 990.0, 1010.0) - power(&left, 990.0, 1010.0)).abs() < 0.1);
        for (y, x, low) in [(&heard[0], &left, 4000.0), (&heard[1], &right, 100.0)] {
            let fall = power(x, low, 10_000.0) - power(y, low, 10_000.0);
            assert!((fall - 20.0).abs() < 0.6, "{}: {fall} dB", engine.name());
        }
    }
}

#[test]
fn a_profile_lies_on_any_grid() {
    let spectrum = |level_db: f32| NoiseSpectrum { levels_db: vec![level_db; 257], spread: vec![0.07; 257] };
    let profile = |spectra| NoiseProfile { stft: PARAMS, sample_rate_hz: 16_000.0, spectra };
    let one = profile(vec![(NoiseSignal::Channel(0), spectrum(-40.0))]);
    let denoise = Denoise::of(NoiseSource::Profile(Arc::new(one.clone())));
    let noise_on = |profile: &NoiseProfile, of, n_fft: usize, sample_rate_hz: f64| {
        let stft = StftParams { n_fft, hop: n_fft / 4, window: Window::Hann };
        let kernel =
            denoise.kernel(profile, of, &Grid::new(stft, sample_rate_hz, 100_000), &Arc::new(Stft::new(stft)).into());
        assert_eq!(kernel.inverse_noise.len(), n_fft / 2 + 1);
        kernel.inverse_noise
    };
    // White noise of variance 1e-4 has `sum(w^2)` times as much power in a cell: 3/8 N for this window.
    for (n_fft, rate, factor) in [(512, 16_000.0, 1.0), (2048, 16_000.0, 1.0), (128, 16_000.0, 1.0), (256, 8000.0, 0.5)]
    {
        for inverse in noise_on(&one, NoiseSignal::Channel(0), n_fft, rate) {
            let power = 1.0 / f64::from(inverse);
            let expected = 1e-4 * factor * 0.375 * n_fft as f64;
            assert!((power / expected - 1.0).abs() < 1e-3, "{n_fft} at {rate}: {power}, not {expected}");
        }
    }
    // Above the learnt band the noise is unknown, so nothing is removed.
    let wide = noise_on(&one, NoiseSignal::Channel(0), 1024, 48_000.0);
    assert!(wide[..170].iter().all(|&inverse| inverse > 0.0) && wide[173..].iter().all(|&inverse| inverse == 0.0));
    // A line learnt in one bin stays at its frequency on a finer grid.
    let mut line = spectrum(-200.0);
    line.levels_db[64] = -40.0;
    let fine = noise_on(&profile(vec![(NoiseSignal::Channel(0), line)]), NoiseSignal::Channel(0), 2048, 16_000.0);
    let highest = (0..fine.len()).filter(|&i| fine[i] > 0.0).min_by(|&a, &b| fine[a].total_cmp(&fine[b]));
    assert_eq!(highest, Some(256));
    // Signals that were not learnt: half the power for mid and side, the power mean for another channel.
    let two = profile(vec![(NoiseSignal::Channel(0), spectrum(-40.0)), (NoiseSignal::Channel(1), spectrum(-30.0))]);
    for (of, power) in [(NoiseSignal::Channel(1), 1e-3), (NoiseSignal::Mid, 2.75e-4), (NoiseSignal::Channel(5), 5.5e-4)]
    {
        let found = 10f64.powf(f64::from(two.spectrum(of).levels_db[9]) / 10.0);
        assert!((found / power - 1.0).abs() < 2e-3, "{of:?}: {found}, not {power}");
    }
}

#[test]
fn a_profile_learnt_at_one_size_serves_at_another() {
    let rate = 16_000;
    let before = sound(&[&noise(3 * rate, 0.05, 56)], rate as u32);
    let profile = learn_noise(&before, [0.0, 1.0], None, PARAMS, &Plans::default(), &Progress::new()).unwrap();
    let denoise = Denoise { reduction_db: 15.0, ..Denoise::of(NoiseSource::Profile(Arc::new(profile))) };
    let power =
        |snapshot: &Snapshot| samples(snapshot, 0)[20_000..40_000].iter().map(|s| f64::from(*s).powi(2)).sum::<f64>();
    for n_fft in [256, 1024, 2048] {
        let transform = StftParams { n_fft, hop: n_fft / 4, window: Window::Hann };
        let after =
            run(&before, &Edit { transform: transform.into(), ..edit(denoise.clone()) }, &Engine::cpu()).snapshot;
        let fall = 10.0 * (power(&before) / power(&after)).log10();
        assert!((fall - 15.0).abs() < 1.0, "{n_fft}: {fall} dB");
    }
}

#[test]
fn only_what_is_painted_and_only_the_band_learnt() {
    let rate = 16_000;
    let x = noise(2 * rate, 0.05, 57);
    let before = sound(&[&x], rate as u32);
    let stroke = Stroke {
        points: vec![Point { secs: 1.2, hz: 3000.0, pressure: 1.0 }, Point { secs: 1.5, hz: 3000.0, pressure: 1.0 }],
        axis: Axis::Linear,
        radius: [0.1, 1500.0],
        hardness: 0.9,
        strength: 1.0,
        build_up: false,
    };
    let level = |y: &[f32], low, high| 10.0 * band_power(&y[19_200..][..4096], rate as f64, low, high).log10();
    let fall = |edit: &Edit, low, high, engine: &Engine| {
        let y = samples(&run(&before, edit, engine).snapshot, 0);
        assert!(changed(&x, &y).iter().all(|&i| (16_000..28_000).contains(&i)), "only under the brush");
        level(&x, low, high) - level(&y, low, high)
    };
    for engine in engines() {
        let painted = Edit { stroke: Some(stroke.clone()), ..edit(from_range([0.0, 1.0])) };
        assert!((fall(&painted, 2200.0, 3800.0, engine) - 30.0).abs() < 1.5);
        assert!(fall(&painted, 5500.0, 7500.0, engine).abs() < 0.1);
        // A stroke that builds up reduces more.
        let weak = Stroke { strength: 0.1, ..stroke.clone() };
        let once = fall(&Edit { stroke: Some(weak.clone()), ..painted.clone() }, 2200.0, 3800.0, engine);
        let built = Stroke { build_up: true, ..weak };
        let often = fall(&Edit { stroke: Some(built), ..painted.clone() }, 2200.0, 3800.0, engine);
        assert!(once < 2.0 && often > once + 3.0, "{once} and {often} dB");
    }
    let band = Denoise::of(NoiseSource::Range { secs: [0.0, 1.0], hz: Some([0.0, 3000.0]) });
    let confined = Edit { stroke: Some(stroke), ..edit(band) };
    assert!(fall(&confined, 2200.0, 2800.0, &Engine::cpu()) > 25.0);
    assert!(fall(&confined, 3300.0, 3900.0, &Engine::cpu()).abs() < 0.5);
}

#[test]
fn what_cannot_be_learnt_is_told() {
    let rate = 16_000;
    let mut x = noise(rate, 0.05, 58);
    x[8000..].fill(0.0);
    let before = sound(&[&x], rate as u32);
    let short = refusal(&before, &edit(from_range([0.1, 0.11])));
    assert!(short.contains("0.010 s") && short.contains("select at least 0.064 s"), "{short}");
    let late = refusal(&before, &edit(from_range([7.0, 8.0])));
    assert!(late.contains("select at least"), "{late}");
    let silent = refusal(&before, &edit(from_range([0.6, 0.9])));
    assert!(silent.contains("silent"), "{silent}");
    for (brush, place) in [
        (r#"{"kind": "denoise"}"#, "edits[0].brush: denoise needs \"learn\""),
        (r#"{"kind": "denoise", "learn": [1.0, 0.5]}"#, "edits[0].brush.learn: must be in ascending order"),
        (r#"{"kind": "denoise", "learn": [0, 1], "reduction_db": 90}"#, "reduction_db: 90 is outside 0 to 80"),
        (r#"{"kind": "denoise", "learn": [0, 1], "profile": {}}"#, "not both"),
        (
            r#"{"kind": "denoise", "profile": {"n_fft": 64, "rate": 8000, "spectra": [{"of": 0, "levels_db": [1], "spread": []}]}}"#,
            "spectra[0].levels_db: has 1 values; this transform has 33 bins",
        ),
        // At this rate a frame of the sound would hold billions of the profile's frames.
        (
            r#"{"kind": "denoise", "profile": {"n_fft": 64, "rate": 1e-6, "spectra": []}}"#,
            "profile.rate: 0.000001 is outside 4000 to 768000",
        ),
    ] {
        let script = format!(r#"{{"version": 1, "edits": [{{"brush": {brush}}}]}}"#);
        let error = Script::parse(&script).unwrap_err().to_string();
        assert!(error.contains(place), "{error}");
    }
    // With a selection in time, samples more than half a window outside it stay unchanged.
    let select = Some(Selection::rectangle(Some([0.2, 0.3]), None, [0.0; 2], Axis::Linear));
    let y = samples(&run(&before, &Edit { select, ..edit(from_range([0.0, 0.4])) }, &Engine::cpu()).snapshot, 0);
    assert!(changed(&x, &y).iter().all(|&i| (2900..5100).contains(&i)));
}
