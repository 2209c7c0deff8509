//! Brushes on mel bands of the STFT, against the definition in f64 and by the mel spectrogram of the result.
#![allow(clippy::print_stdout, reason = "the figures of docs/transforms.md are read off what the tests print")]

use dsp::kernels::{BlurKernel, EraseKernel, GainKernel, SharpenKernel, gaussian_taps, padded_length};
use dsp::mels::mel_bands::{MelBands, ONE_BAND_NOTICE, is_one_band_wide};
use dsp::selections::mask;
use dsp::{Axis, CellRect, FftPlans, Grid, Kernel, Mask, Point, Region, Stft, StftParams, Stroke, Window};
use std::f64::consts::TAU;
use support::fourier::{Complex, Stft64};
use support::measure::f64s;
use support::signals::{Rng, noise};

const RATE: f64 = 44_100.0;

fn mel(hz: f64) -> f64 {
    if hz < 1_000.0 { hz * 3.0 / 200.0 } else { 15.0 + (hz / 1_000.0).ln() * 27.0 / 6.4f64.ln() }
}

fn hz_from_mel(mel: f64) -> f64 {
    if mel < 15.0 { mel * 200.0 / 3.0 } else { 1_000.0 * ((mel - 15.0) * 6.4f64.ln() / 27.0).exp() }
}

/// The weight of every bin in every band, by the definition.
fn weights(grid: &Grid, n_bands: usize) -> Vec<Vec<f64>> {
    let step = mel(RATE / 2.0) / (n_bands + 1) as f64;
    let place = |m: usize| mel(m as f64 * grid.nyquist_hz() / grid.nyquist_bin() as f64) / step;
    (0..n_bands)
        .map(|b| (0..grid.n_bins()).map(|m| (1.0 - (place(m) - (b + 1) as f64).abs()).max(0.0)).collect())
        .collect()
}

/// Magnitudes of bands, `[frame][band]`.
fn magnitudes(weights: &[Vec<f64>], cells: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let sum = |row: &[f64], cells: &[f64]| row.iter().zip(cells).map(|(w, x)| w * x).sum();
    cells.iter().map(|cells| weights.iter().map(|row| sum(row, cells)).collect()).collect()
}

/// The factor on every cell, `[frame][bin]`, by the definition.
fn factors(weights: &[Vec<f64>], before: &[Vec<f64>], after: &[Vec<f64>], mask: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let ratio = |e: f64, new: f64, m: f64| {
        if m > 0.0 { (new / e.max(1e-12)).clamp(0.0, 10f64.powf(24.0 / 20.0)) } else { 1.0 }
    };
    let of_frame = |n: usize| -> Vec<f64> {
        let ratios: Vec<f64> = (0..weights.len()).map(|b| ratio(before[n][b], after[n][b], mask[n][b])).collect();
        let of_bin = |m: usize| {
            let total: f64 = weights.iter().map(|row| row[m]).sum();
            let change: f64 = weights.iter().zip(&ratios).map(|(row, r)| row[m] * (r - 1.0)).sum();
            if total < 1e-9 { 1.0 } else { 1.0 + change / total }
        };
        (0..weights[0].len()).map(of_bin).collect()
    };
    (0..before.len()).map(of_frame).collect()
}

/// A Gaussian by SciPy's rule with `truncate=3`, along frames, then along bands; ends repeated.
fn blurred(magnitudes: &[Vec<f64>], sigma: [f64; 2]) -> Vec<Vec<f64>> {
    let smooth = |line: &[f64], sigma: f64| -> Vec<f64> {
        let radius = (3.0 * sigma + 0.5).floor() as i64;
        let weight = |k: i64| (-0.5 * (k as f64 / sigma).powi(2)).exp();
        let total: f64 = (-radius..=radius).map(weight).sum();
        let at = |i: i64| line[i.clamp(0, line.len() as i64 - 1) as usize];
        (0..line.len() as i64).map(|i| (-radius..=radius).map(|k| weight(k) * at(i + k)).sum::<f64>() / total).collect()
    };
    let (n_frames, n_bands) = (magnitudes.len(), magnitudes[0].len());
    let mut out = vec![vec![0.0; n_bands]; n_frames];
    for b in 0..n_bands {
        let line: Vec<f64> = magnitudes.iter().map(|row| row[b]).collect();
        smooth(&line, sigma[0]).into_iter().enumerate().for_each(|(n, value)| out[n][b] = value);
    }
    out.iter().map(|row| smooth(row, sigma[1])).collect()
}

/// A sound on the grid of an STFT, and bands over it.
struct Case {
    samples: Vec<f32>,
    grid: Grid,
    stft: Stft,
    cells: Region,
    bands: MelBands,
}

impl Case {
    fn new(samples: Vec<f32>, overlap: usize, n_bands: usize) -> Case {
        let params = StftParams::of_size(2_048, overlap, Window::Hann);
        let grid = Grid::new(params, RATE, samples.len() as u64);
        let stft = Stft::new(params);
        let cells = analyse(&stft, &grid, &samples);
        let bands = MelBands::new(&grid, n_bands).unwrap();
        Case { samples, grid, stft, cells, bands }
    }

    fn all_bands(&self) -> CellRect {
        CellRect::new(self.grid.all_cells().frames, 0..self.bands.n_bands())
    }

    /// The mask of a soft dab in the middle, with a radius in frames and bands.
    fn dab(&self, hz: f64, radius: [f64; 2]) -> Mask {
        let rect = self.all_bands();
        let secs: Vec<f64> = rect.frames.clone().map(|n| self.grid.secs_from_frame(n as f64)).collect();
        let step = mel(RATE / 2.0) / (self.bands.n_bands() + 1) as f64;
        let stroke = Stroke {
            points: vec![Point { secs: secs[secs.len() / 2], hz, pressure: 1.0 }],
            axis: Axis::Mel,
            radius: [radius[0] * (secs[1] - secs[0]), radius[1] * step],
            hardness: 0.0,
            strength: 1.0,
            build_up: false,
        };
        let values = mask::evaluate_at(&secs, self.bands.hz(), Some(&stroke), None, 1.0);
        Mask { rect, values }
    }

    /// A mask that is 1 in these bands in all frames, else 0.
    fn stripe(&self, bands: std::ops::Range<usize>) -> Mask {
        let mut mask = Mask::zeros(self.all_bands());
        mask.values.chunks_exact_mut(self.bands.n_bands()).for_each(|row| row[bands.clone()].fill(1.0));
        mask
    }

    fn paint(&self, kernel: &Kernel, mask: &Mask) -> Region {
        self.bands.paint(&FftPlans::default(), kernel, &self.cells, mask, &self.grid.all_cells())
    }

    /// The samples after replacing their cells with `after`.
    fn painted(&self, after: &Region) -> Vec<f32> {
        let mut change = self.stft.difference(&self.cells, after).samples;
        let first = self.grid.first_sample_under(0);
        self.stft.divide_by_weight(&mut change, first, self.grid.n_frames());
        let at = |i: usize| change[(i as i64 - first) as usize];
        self.samples.iter().enumerate().map(|(i, sample)| sample + at(i)).collect()
    }

    /// The band magnitudes of samples analysed on this grid.
    fn seen(&self, samples: &[f32]) -> Vec<f64> {
        f64s(&self.bands.magnitudes(&analyse(&self.stft, &self.grid, samples), &(0..self.bands.n_bands())).magnitude)
    }
}

fn analyse(stft: &Stft, grid: &Grid, samples: &[f32]) -> Region {
    let rect = grid.all_cells();
    let first = grid.first_sample_under(0);
    let at = |i: i64| usize::try_from(first + i).ok().and_then(|i| samples.get(i)).copied().unwrap_or(0.0);
    let under: Vec<f32> = (0..grid.n_samples_under(rect.frames.len()) as i64).map(at).collect();
    stft.analyse(&under, &rect)
}

fn rows_of(values: &[f32], n: usize) -> Vec<Vec<f64>> {
    values.chunks_exact(n).map(f64s).collect()
}

/// Four notes with overtones over a little noise.
fn chord(n: usize) -> Vec<f32> {
    let mut rng = Rng(11);
    let tones: Vec<(f64, f64)> = [261.6, 329.6, 392.0, 523.3]
        .into_iter()
        .flat_map(|hz: f64| (1..=8).map(move |k| (hz * f64::from(k), 0.1 / f64::from(k))))
        .map(|(hz, level)| (hz * (1.0 + 0.001 * rng.normal()), level))
        .collect();
    let at = |i: usize| tones.iter().map(|(hz, level)| level * (TAU * hz * i as f64 / RATE).sin()).sum::<f64>();
    noise(n, 0.003, 12).into_iter().enumerate().map(|(i, noise)| at(i) as f32 + noise).collect()
}

fn blur(sigma: [f64; 2]) -> Kernel {
    BlurKernel { frame_taps: gaussian_taps(sigma[0]), bin_taps: gaussian_taps(sigma[1]) }.into()
}

#[test]
fn weights_are_triangles_that_sum_to_one() {
    for n_bands in [8, 40, 80, 128] {
        let case = Case::new(noise(20_000, 0.1, 1), 4, n_bands);
        let weights = weights(&case.grid, n_bands);
        let step = mel(RATE / 2.0) / (n_bands + 1) as f64;
        for (band, hz) in case.bands.hz().iter().enumerate() {
            assert!((hz / hz_from_mel(step * (band + 1) as f64) - 1.0).abs() < 1e-12);
        }
        for m in 0..case.grid.n_bins() {
            let hz = case.grid.hz_from_bin(m as f64);
            let total: f64 = weights.iter().map(|row| row[m]).sum();
            let is_between = case.bands.hz()[0] <= hz && hz <= case.bands.hz()[n_bands - 1];
            assert!(!is_between || (total - 1.0).abs() < 1e-9, "bin {m}: {total}");
            let over: Vec<usize> = (0..n_bands).filter(|&b| weights[b][m] > 1e-9).collect();
            assert_eq!(case.bands.bands_over(&(m..m + 1)).collect::<Vec<_>>(), over, "bin {m}");
        }
        for (b, row) in weights.iter().enumerate() {
            let under: Vec<usize> = (0..row.len()).filter(|&m| row[m] > 1e-9).collect();
            assert!(!under.is_empty() && case.bands.bins_under(&(b..b + 1)).eq(under), "band {b} of {n_bands}");
        }
        let expected = magnitudes(&weights, &rows_of(&case.cells.magnitude, case.grid.n_bins()));
        let own = rows_of(&case.bands.magnitudes(&case.cells, &(0..n_bands)).magnitude, n_bands);
        for (own, expected) in own.iter().flatten().zip(expected.iter().flatten()) {
            assert!((own - expected).abs() <= 2e-6 * expected, "{own} and {expected}");
        }
        let some = case.bands.magnitudes(&case.cells, &(2..5));
        assert_eq!(f64s(&some.magnitude), own.iter().flat_map(|row| row[2..5].to_vec()).collect::<Vec<_>>());
    }
}

#[test]
fn bands_closer_than_bins_are_refused() {
    let grid = |size: usize, rate: f64| Grid::new(StftParams::of_size(size, 4, Window::Hann), rate, 100_000);
    let refused = |grid: &Grid, n_bands: usize| MelBands::new(grid, n_bands).unwrap_err().message().to_owned();
    assert_eq!(refused(&grid(2_048, RATE), 7), "bands 7 is not 8 to 512");
    assert_eq!(refused(&grid(2_048, RATE), 513), "bands 513 is not 8 to 512");
    assert_eq!(refused(&grid(1_024, RATE), 128), "128 bands need an FFT size of at least 2048");
    assert_eq!(refused(&grid(64, RATE), 128), "128 bands need an FFT size of at least 2048");
    assert_eq!(refused(&grid(2_048, RATE), 512), "512 bands need an FFT size of at least 8192");
    assert!(refused(&grid(2_048, 768_000.0), 512).contains("use fewer bands"));
    // The FFT size named in the message is the smallest that is accepted.
    for n_bands in 8..=512 {
        let min = (6..=15).map(|e| 1usize << e).find(|&size| MelBands::new(&grid(size, RATE), n_bands).is_ok());
        let min = min.unwrap();
        if min > 64 {
            let line = refused(&grid(min / 2, RATE), n_bands);
            assert_eq!(line, format!("{n_bands} bands need an FFT size of at least {min}"));
        }
    }
}

#[test]
fn cells_are_those_of_the_definition() {
    let case = Case::new(chord(30_000), 4, 128);
    let weights = weights(&case.grid, 128);
    let before = rows_of(&case.cells.magnitude, case.grid.n_bins());
    let bands = magnitudes(&weights, &before);
    let mask = case.dab(700.0, [12.0, 6.0]);
    let m = rows_of(&mask.values, 128);
    assert!(mask.values.iter().filter(|m| **m > 0.0).count() > 50);
    let mixed = |e: f64, new: f64, m: f64| e + (new - e) * m;
    let by_band = |f: &dyn Fn(usize, usize) -> f64| -> Vec<Vec<f64>> {
        (0..bands.len()).map(|n| (0..128).map(|b| f(n, b)).collect()).collect()
    };
    let soft = blurred(&bands, [4.0, 2.0]);
    let sharpen = SharpenKernel { frame_taps: gaussian_taps(4.0), bin_taps: gaussian_taps(2.0), amount: 1.5 };
    let cases: [(&str, Kernel, Vec<Vec<f64>>); 5] = [
        ("gain", GainKernel::of_db(-24.0).into(), by_band(&|n, b| bands[n][b] * 10f64.powf(-1.2 * m[n][b]))),
        ("louder", GainKernel::of_db(40.0).into(), by_band(&|n, b| bands[n][b] * 10f64.powf(2.0 * m[n][b]))),
        ("erase", EraseKernel.into(), by_band(&|n, b| bands[n][b] * (1.0 - m[n][b]))),
        ("blur", blur([4.0, 2.0]), by_band(&|n, b| mixed(bands[n][b], soft[n][b], m[n][b]))),
        (
            "sharpen",
            sharpen.into(),
            by_band(&|n, b| mixed(bands[n][b], (bands[n][b] + 1.5 * (bands[n][b] - soft[n][b])).max(0.0), m[n][b])),
        ),
    ];
    for (name, kernel, after) in cases {
        let factors = factors(&weights, &bands, &after, &m);
        let painted = case.paint(&kernel, &mask);
        let (mut error, mut power, mut n_changed) = (0.0, 0.0, 0);
        for (index, (own, old)) in painted.magnitude.iter().zip(&case.cells.magnitude).enumerate() {
            let (n, bin) = (index / case.grid.n_bins(), index % case.grid.n_bins());
            let expected = before[n][bin] * factors[n][bin];
            error += (f64::from(*own) - expected).powi(2);
            power += (f64::from(*old) - expected).powi(2);
            n_changed += usize::from(own != old);
            if factors[n][bin] == 1.0 {
                assert_eq!(own.to_bits(), old.to_bits(), "{name}: frame {n}, bin {bin}");
            }
        }
        assert_eq!(painted.phase, case.cells.phase);
        let db = 10.0 * (error / power).log10();
        println!("{name}: {n_changed} cells changed, {db:.1} dB from the definition, relative to the change");
        assert!(n_changed > 100 && db < -100.0, "{name}: {db} dB");
        // Frames without an edited band are bit-identical, and the cell mask is above 0 on every changed cell.
        let under = case.bands.cell_mask(&mask, &case.grid.all_cells());
        let changed = painted.magnitude.iter().zip(&case.cells.magnitude).map(|(a, b)| a.to_bits() != b.to_bits());
        assert!(changed.zip(&under.values).all(|(is_changed, m)| !is_changed || *m > 0.0), "{name}");
        let touched = case.stft.difference(&case.cells, &painted).touched;
        let edited: Vec<bool> = m.iter().map(|row| row.iter().any(|m| *m > 0.0)).collect();
        assert!(touched.iter().zip(&edited).all(|(touched, edited)| !touched || *edited), "{name}");
        assert!(touched.iter().any(|t| *t) && touched.iter().any(|t| !*t));
    }
}

#[test]
fn pieces_are_those_of_the_whole() {
    let case = Case::new(noise(30_000, 0.1, 2), 4, 80);
    let mask = case.dab(2_000.0, [15.0, 7.0]);
    for (kernel, halo) in [(Kernel::from(EraseKernel), [0, 0]), (blur([2.0, 1.0]), [6, 3])] {
        assert_eq!(kernel.halo(), halo);
        let whole = case.paint(&kernel, &mask);
        for (frames, bins) in
            [(3..20, 0..1_025), (20..37, 50..51), (22..45, 61..180), (30..31, 0..1), (25..35, 1_000..1_025)]
        {
            let rect = CellRect::new(frames, bins);
            let read = case.bands.read(&rect, halo, &case.grid);
            assert!(read.contains(&rect) && read != case.grid.all_cells());
            let own = CellRect::new(rect.frames.clone(), case.bands.bands_over(&rect.bins));
            let before = case.cells.crop(&read);
            let painted = case.bands.paint(&FftPlans::default(), &kernel, &before, &mask.crop(&own), &rect);
            assert_eq!(painted, whole.crop(&rect), "{rect:?}");
        }
        // Control: without the halo a blur differs.
        let rect = CellRect::new(22..25, 61..180);
        let own = CellRect::new(rect.frames.clone(), case.bands.bands_over(&rect.bins));
        let before = case.cells.crop(&case.bands.read(&rect, [0, 0], &case.grid));
        let painted = case.bands.paint(&FftPlans::default(), &kernel, &before, &mask.crop(&own), &rect);
        assert_eq!(painted == whole.crop(&rect), halo == [0, 0]);
    }
    // A modulation filter processes its patch as a whole: an all-pass response changes nothing, a response of 0 erases
    // it.
    let patch = CellRect::new(5..37, 10..40);
    let rect = CellRect::new(patch.frames.clone(), case.bands.bins_under(&patch.bins));
    let patch = CellRect::new(patch.frames.clone(), case.bands.bands_over(&rect.bins));
    let n_patch = padded_length(patch.bins.len());
    let stripe = case.stripe(patch.bins.clone()).crop(&patch);
    let filtered = |response: Vec<f32>| {
        let kernel = Kernel::ModulationFilter { frame_response: None, bin_response: Some(response) };
        let read = CellRect::new(patch.frames.clone(), case.bands.bins_under(&patch.bins));
        let before = case.cells.crop(&read);
        let painted = case.bands.paint(&FftPlans::default(), &kernel, &before, &stripe, &rect);
        (before.crop(&rect), painted)
    };
    let (before, passed) = filtered(vec![1.0 / n_patch as f32; n_patch / 2 + 1]);
    let pairs = passed.magnitude.iter().zip(&before.magnitude);
    assert!(pairs.clone().all(|(new, old)| (new - old).abs() <= 1e-4 * old));
    let (_, stopped) = filtered(vec![0.0; n_patch / 2 + 1]);
    assert!(stopped.magnitude.iter().all(|magnitude| *magnitude == 0.0));
}

#[test]
fn all_bands_erased_leave_what_no_band_holds() {
    let case = Case::new(noise(20_000, 0.1, 3), 4, 128);
    let painted = case.paint(&EraseKernel.into(), &case.stripe(0..128));
    for (row, old) in painted.magnitude.chunks_exact(1_025).zip(case.cells.magnitude.chunks_exact(1_025)) {
        assert!(row[1..1_024].iter().all(|magnitude| *magnitude == 0.0));
        assert_eq!((row[0].to_bits(), row[1_024].to_bits()), (old[0].to_bits(), old[1_024].to_bits()));
    }
    // A gain of 40 dB is limited to 24 dB.
    let louder = case.paint(&GainKernel::of_db(40.0).into(), &case.stripe(0..128));
    let factors = louder.magnitude.iter().zip(&case.cells.magnitude).map(|(new, old)| f64::from(new / old));
    let max = factors.fold(0.0f64, f64::max);
    assert!((20.0 * max.log10() - 24.0).abs() < 1e-4, "{max}");
    // Gain leaves silence unchanged.
    let silent = Case::new(vec![0.0; 20_000], 4, 128);
    assert_eq!(silent.paint(&GainKernel::of_db(24.0).into(), &silent.stripe(0..128)), silent.cells);
}

#[test]
fn what_is_seen_is_nearly_what_was_asked() {
    // Limits for gain, erase and blur. Edits of few bands or frames are narrower than the window, as on any STFT.
    let dabs = [([24.0, 8.0], 5_000.0), ([12.0, 4.0], 1_500.0)];
    let sounds = [
        ("noise", noise(60_000, 0.1, 4), [[-28.0, -28.0, -4.0], [-17.0, -17.0, -2.5]]),
        ("chord", chord(60_000), [[-24.0, -23.0, -7.0], [-16.0, -12.0, -4.0]]),
    ];
    for (sound, samples, limits_db) in sounds {
        let case = Case::new(samples, 4, 128);
        let before = case.seen(&case.samples);
        for ((radius, hz), limits_db) in dabs.into_iter().zip(limits_db) {
            let mask = case.dab(hz, radius);
            let kernels: [(&str, Kernel); 3] = [
                ("gain of -24 dB", GainKernel::of_db(-24.0).into()),
                ("erase", EraseKernel.into()),
                ("blur of 4 frames x 2 bands", blur([4.0, 2.0])),
            ];
            for ((name, kernel), limit_db) in kernels.into_iter().zip(limits_db) {
                let requested = kernel.run(&case.bands.magnitudes(&case.cells, &(0..128)), &mask);
                let requested = f64s(&requested.magnitude);
                let seen = case.seen(&case.painted(&case.paint(&kernel, &mask)));
                let square = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
                let db = 10.0 * (square(&seen, &requested) / square(&before, &requested)).log10();
                println!("{sound}, {name}, radius {radius:?} at {hz} Hz: {db:.1} dB of the change");
                assert!(db < limit_db, "{sound}, {name}: {db:.1} dB");
            }
        }
    }
}

#[test]
fn neighbouring_bands_overlap() {
    for (n_bands, band, single_db, middle_db) in [(128, 60, [-9.0, -6.0], -25.0), (40, 20, [-11.0, -7.5], -40.0)] {
        let case = Case::new(noise(120_000, 0.1, 5), 4, n_bands);
        let level = |values: &[f64], band: usize| {
            let rows = values.chunks_exact(n_bands).skip(8).take(200);
            10.0 * rows.map(|row| row[band] * row[band]).sum::<f64>().log10()
        };
        let before = case.seen(&case.samples);
        let seen = |mask: &Mask| case.seen(&case.painted(&case.paint(&EraseKernel.into(), mask)));
        let one = seen(&case.stripe(band..band + 1));
        let three = seen(&case.stripe(band - 1..band + 2));
        let own = level(&one, band) - level(&before, band);
        let next = [band - 1, band + 1].map(|band| level(&one, band) - level(&before, band));
        let middle = level(&three, band) - level(&before, band);
        println!(
            "{n_bands} bands: one erased {own:.1} dB, its neighbours {next:.1?} dB, middle of three {middle:.1} dB"
        );
        assert!((single_db[0]..single_db[1]).contains(&own) && next.iter().all(|db| (-2.5..-1.0).contains(db)));
        assert!(middle < middle_db, "{middle} dB");
    }
    assert!(ONE_BAND_NOTICE.contains("some 8 dB"));
    let case = Case::new(noise(20_000, 0.1, 6), 4, 40);
    assert!(is_one_band_wide(&case.stripe(20..21)) && !is_one_band_wide(&case.stripe(20..22)));
    assert!(!is_one_band_wide(&case.stripe(0..0)));
    let mut diagonal = Mask::zeros(case.all_bands());
    (0..30).for_each(|n| diagonal.values[n * 40 + n] = 1.0);
    assert!(is_one_band_wide(&diagonal));
    diagonal.values[5 * 40 + 6] = 0.5;
    assert!(!is_one_band_wide(&diagonal));
}

/// Against the whole edit in f64: analysis, definition and synthesis.
#[test]
fn painted_samples_are_those_of_the_definition() {
    let case = Case::new(chord(30_000), 4, 128);
    let stft = Stft64 { window: case.stft.params().window_samples(), hop: case.stft.params().hop };
    let cells = stft.analyse(&f64s(&case.samples));
    let weights = weights(&case.grid, 128);
    let magnitude = |row: &Vec<Complex>| row.iter().map(|[re, im]| re.hypot(*im)).collect::<Vec<f64>>();
    let bands = magnitudes(&weights, &cells.iter().map(magnitude).collect::<Vec<_>>());
    let mask = case.dab(700.0, [12.0, 6.0]);
    let m = rows_of(&mask.values, 128);
    let after: Vec<Vec<f64>> = bands
        .iter()
        .zip(&m)
        .map(|(row, m)| row.iter().zip(m).map(|(e, m)| e * 10f64.powf(-1.2 * m)).collect())
        .collect();
    let factors = factors(&weights, &bands, &after, &m);
    let edited: Vec<Vec<Complex>> = cells
        .iter()
        .zip(&factors)
        .map(|(row, factors)| row.iter().zip(factors).map(|([re, im], g)| [re * g, im * g]).collect())
        .collect();
    let expected = stft.synthesise(&edited, case.samples.len());
    let own = f64s(&case.painted(&case.paint(&GainKernel::of_db(-24.0).into(), &mask)));
    let before = f64s(&case.samples);
    let square = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    let db = 10.0 * (square(&expected, &before) / square(&own, &expected)).log10();
    println!("painted samples agree to {db:.1} dB of the change");
    assert!(db > 100.0, "{db} dB");
}
