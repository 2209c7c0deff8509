//! The GPU engine against the CPU engine, which is against exact mathematics elsewhere, and against realfft in f64.

use crate::support::gpu::gpu;
use crate::support::regions::{Random, random_mask, random_region, random_samples};
use sonobrush::dsp::kernels::{
    AnyCellKernel, Attenuation, BandKernel, BlurKernel, ContrastKernel, EraseKernel, GainKernel, GateKernel,
    HarmonicPercussiveKernel, Mixing, PictureKernel, SharpenKernel, gaussian_taps, padded_length,
};
use sonobrush::dsp::strokes::brush::Butterworth;
use sonobrush::dsp::warps::displacement::Displacement;
use sonobrush::dsp::{CellRect, GridPlan, Kernel, Mask, Region, SampleDifference, Stft, StftParams, Window};
use sonobrush::engine::Engine;
use sonobrush::gpu::{Gpu, fft};
use std::f64::consts::PI;
use std::sync::Arc;

/// Engine against engine, given the same planes (guarantee 4).
const PARITY: f64 = 1e-6;

fn complex(region: &Region) -> Vec<[f64; 2]> {
    let cells = region.magnitude.iter().zip(&region.phase);
    cells
        .map(|(&magnitude, &phase)| {
            let (sin, cos) = (2.0 * PI * f64::from(phase)).sin_cos();
            [f64::from(magnitude) * cos, f64::from(magnitude) * sin]
        })
        .collect()
}

fn norm(values: impl Iterator<Item = f64>) -> f64 {
    values.map(|x| x * x).sum::<f64>().sqrt()
}

fn flat(values: &[[f64; 2]]) -> impl Iterator<Item = f64> + '_ {
    values.iter().flatten().copied()
}

/// `||a - b|| / ||b||` over the complex cells.
fn distance(a: &Region, b: &Region) -> f64 {
    assert_eq!(a.rect, b.rect);
    let (a, b) = (complex(a), complex(b));
    norm(flat(&a).zip(flat(&b)).map(|(a, b)| a - b)) / norm(flat(&b))
}

fn snr_db(signal: impl Iterator<Item = f64>, error: impl Iterator<Item = f64>) -> f64 {
    20.0 * (norm(signal) / norm(error)).log10()
}

/// Asserts that a region agrees with the CPU's, and that the comparison would notice one cell that does not.
fn assert_parity(on_gpu: &Region, on_cpu: &Region, what: &str) {
    assert_parity_within(PARITY, on_gpu, on_cpu, what);
}

/// [`assert_parity`] with a bound of its own.
fn assert_parity_within(bound: f64, on_gpu: &Region, on_cpu: &Region, what: &str) {
    let error = distance(on_gpu, on_cpu);
    assert!(error <= bound, "{what}: {error:e}");
    let mut spoiled = on_gpu.clone();
    let all = norm(on_cpu.magnitude.iter().map(|&m| f64::from(m)));
    let i = spoiled.magnitude.len() / 2;
    spoiled.magnitude[i] += (10.0 * bound * all) as f32;
    assert!(distance(&spoiled, on_cpu) > bound, "{what}: the control was not noticed");
}

/// What a device may differ by. It may round a product and a sum once or twice, as it likes: of a logarithm from 8 to
/// 16 octaves that is an ulp of 2^-20 in the sum of exponent and polynomial, and one more in the distance to the pivot.
/// The slope of a contrast and the power of two that follows make ln 2 times the slope of it in the magnitude.
fn bound_of(kernel: &Kernel) -> f64 {
    match kernel {
        Kernel::Cells(AnyCellKernel::Contrast(contrast)) => {
            PARITY + std::f64::consts::LN_2 * f64::from(contrast.slope.abs()) * 2.0 * 2f64.powi(-20)
        }
        // The same, of a factor that is at most 1.
        Kernel::Cells(AnyCellKernel::Gate(gate)) => {
            PARITY + std::f64::consts::LN_2 * f64::from(gate.slope) * 2.0 * 2f64.powi(-20)
        }
        _ => PARITY,
    }
}

fn engines() -> Option<(Engine, Engine)> {
    gpu().map(|gpu| (Engine::on(gpu), Engine::cpu()))
}

fn run(engine: &Engine, kernel: &Kernel, before: &Region, mask: &Mask) -> Region {
    let before = engine.upload(before.clone()).unwrap();
    engine.download(engine.run(kernel, &before, mask).unwrap()).unwrap()
}

/// Rectangles of `before` and of the mask in it: one cell, ragged, clipped by each corner of the plane, all of it.
fn shapes() -> Vec<(CellRect, CellRect)> {
    let rect = |frames, bins| CellRect::new(frames, bins);
    vec![
        (rect(7..8, 33..34), rect(7..8, 33..34)),
        (rect(3..31, 10..60), rect(9..22, 27..44)),
        (rect(0..17, 0..23), rect(0..9, 0..11)),
        (rect(30..49, 40..65), rect(41..49, 51..65)),
        (rect(0..49, 0..65), rect(0..49, 0..65)),
    ]
}

fn response(filter: &Butterworth, n_cells: usize) -> Vec<f32> {
    let n_padded = padded_length(n_cells);
    sonobrush::dsp::kernels::modulation_response(filter, n_padded, 1.0)
}

fn attenuate(mixing: Mixing) -> Kernel {
    let (context, weights) = ([[4, 2], [1, 3]], [[1.0, 0.3], [0.0, 1.0]]);
    Kernel::Attenuate(Attenuation { context, weights, units: [0.25, 0.3], mixing })
}

#[test]
pub fn magnitude_kernels_agree() {
    let Some((gpu, cpu)) = engines() else { return };
    for seed in 1..=3 {
        let mut random = Random(seed);
        for (around, rect) in shapes() {
            let before = random_region(&mut random, &around);
            let mask = random_mask(&mut random, &rect);
            let kernels = [
                Kernel::from(GainKernel { log2_gain: (16.0 * random.next() - 12.0) as f32 }),
                Kernel::from(GainKernel { log2_gain: 0.0 }),
                Kernel::from(EraseKernel),
                Kernel::from(BandKernel { response: (0..65).map(|_| random.next() as f32).collect() }),
                Kernel::from(BlurKernel { frame_taps: gaussian_taps(1.3), bin_taps: gaussian_taps(2.1) }),
                Kernel::from(SharpenKernel {
                    frame_taps: gaussian_taps(1.3),
                    bin_taps: gaussian_taps(2.1),
                    amount: (4.0 * random.next()) as f32,
                }),
                attenuate(Mixing::Shape),
                attenuate(Mixing::Time),
                attenuate(Mixing::Frequency),
                attenuate(Mixing::Both),
                Kernel::from(HarmonicPercussiveKernel { windows: [7, 5], gains: [0.1, 1.7] }),
                Kernel::from(HarmonicPercussiveKernel { windows: [1, 91], gains: [0.0, 1.0] }),
                Kernel::from(ContrastKernel::new(2.5, 0.3)),
                Kernel::from(ContrastKernel::new(0.25, 10.0)),
                Kernel::from(ContrastKernel::new(1.0, 0.1)),
                Kernel::from(GateKernel::new(4.0, 0.3, 6.0, 1e-4)),
                Kernel::from(GateKernel::new(20.0, 3.0, 0.0, 1e-6)),
                Kernel::from(PictureKernel::of_gains((0..rect.n_cells()).map(|_| random.next() as f32).collect())),
                Kernel::from(PictureKernel::of_magnitudes(
                    (0..rect.n_cells()).map(|_| 3.0 * random.next() as f32).collect(),
                )),
                // Longer than the region is wide.
                Kernel::from(BlurKernel { frame_taps: gaussian_taps(20.0), bin_taps: gaussian_taps(0.0) }),
            ];
            for kernel in kernels {
                let [on_gpu, on_cpu] = [&gpu, &cpu].map(|engine| run(engine, &kernel, &before, &mask));
                let what = format!("seed {seed}, {rect:?} in {around:?}, {kernel:?}");
                if on_cpu.magnitude.iter().all(|&m| m == 0.0) {
                    assert_eq!(on_gpu, on_cpu, "{what}");
                } else {
                    assert_parity_within(bound_of(&kernel), &on_gpu, &on_cpu, &what);
                }
                let original = before.crop(&rect);
                assert_eq!(on_gpu.phase, original.phase, "{what}");
                for (i, m) in mask.values.iter().enumerate() {
                    if *m == 0.0 {
                        assert_eq!(on_gpu.magnitude[i].to_bits(), original.magnitude[i].to_bits(), "{what}");
                    }
                    if *m == 1.0 && kernel == Kernel::from(EraseKernel) {
                        assert_eq!(on_gpu.magnitude[i], 0.0, "{what}");
                    }
                }
            }
        }
    }
}

#[test]
pub fn modulation_filters_agree() {
    use sonobrush::dsp::strokes::brush::Pass;
    let Some((gpu, cpu)) = engines() else { return };
    let low = Butterworth { pass: Pass::Low, cutoff: vec![5.0], order: 2 };
    let notch = Butterworth { pass: Pass::Notch, cutoff: vec![3.0, 9.0], order: 4 };
    for seed in 1..=2 {
        let mut random = Random(seed);
        for (frames, bins) in [(7..8, 33..34), (9..22, 27..44), (0..33, 0..64), (41..49, 51..65), (0..50, 3..4)] {
            let rect = CellRect::new(frames, bins);
            let before = random_region(&mut random, &rect);
            let mask = random_mask(&mut random, &rect);
            let (along_frames, along_bins) = (response(&low, rect.frames.len()), response(&notch, rect.bins.len()));
            for (frame_response, bin_response) in [
                (Some(along_frames.clone()), None),
                (None, Some(along_bins.clone())),
                (Some(along_frames), Some(along_bins)),
            ] {
                let kernel = Kernel::ModulationFilter { frame_response, bin_response };
                let [on_gpu, on_cpu] = [&gpu, &cpu].map(|engine| run(engine, &kernel, &before, &mask));
                assert_parity(&on_gpu, &on_cpu, &format!("seed {seed}, {rect:?}, {kernel:?}"));
                assert_eq!(on_gpu.phase, before.phase);
            }
        }
    }
}

#[test]
pub fn resampling_agrees() {
    let Some((gpu, cpu)) = engines() else { return };
    for seed in 1..=3 {
        let mut random = Random(seed);
        for (around, rect) in shapes() {
            // Warps read all bins.
            let around = CellRect::new(around.frames, 0..65);
            let before = random_region(&mut random, &around);
            let n = rect.n_cells();
            let displacement = Displacement {
                rect: rect.clone(),
                whole_frames: (0..n).map(|_| random.within(-9, 9)).collect(),
                frame_fraction: (0..n).map(|_| random.next() as f32).collect(),
                whole_bins: (0..n).map(|_| random.within(-12, 12)).collect(),
                bin_fraction: (0..n).map(|_| random.next() as f32).collect(),
                turns: (0..n).map(|_| (random.next() - 0.5) as f32).collect(),
                acts: (0..n).map(|i| u32::from(i == 0 || random.next() < 0.8)).collect(),
            };
            let mask = Mask { rect: rect.clone(), values: displacement.acts.iter().map(|&acts| acts as f32).collect() };
            for overlap in [2, 16] {
                let kernel = Kernel::Resample { displacement: displacement.clone(), overlap, nyquist_bin: 64 };
                let [on_gpu, on_cpu] = [&gpu, &cpu].map(|engine| run(engine, &kernel, &before, &mask));
                let what = format!("seed {seed}, {rect:?} in {around:?}, overlap {overlap}");
                if n > 1 {
                    assert_parity(&on_gpu, &on_cpu, &what);
                } else {
                    // A single cell may read from outside the region, and be 0.
                    let scale = norm(before.magnitude.iter().map(|&m| f64::from(m)));
                    let error = norm(flat(&complex(&on_gpu)).zip(flat(&complex(&on_cpu))).map(|(a, b)| a - b));
                    assert!(error <= PARITY * scale, "{what}: {error:e}");
                }
                for i in (0..n).filter(|&i| displacement.acts[i] == 0) {
                    let original = before.crop(&rect);
                    assert_eq!([on_gpu.magnitude[i], on_gpu.phase[i]], [original.magnitude[i], original.phase[i]]);
                }
            }
        }
    }
}

#[test]
fn combined_regions_agree() {
    let Some((gpu, cpu)) = engines() else { return };
    for seed in 1..=3 {
        let mut random = Random(seed);
        for (around, rect) in shapes() {
            let (before, other) = (random_region(&mut random, &around), random_region(&mut random, &rect));
            let mask = random_mask(&mut random, &rect);
            for kept in [0.0, 1.0] {
                let [on_gpu, on_cpu] = [&gpu, &cpu].map(|engine| {
                    let [before, other] = [&before, &other].map(|region| engine.upload(region.clone()).unwrap());
                    engine.download(engine.combine(&before, &other, &mask, kept).unwrap()).unwrap()
                });
                assert_parity(&on_gpu, &on_cpu, &format!("seed {seed}, {rect:?} in {around:?}, kept {kept}"));
                let original = before.crop(&rect);
                for (i, _) in mask.values.iter().enumerate().filter(|(_, m)| **m == 0.0) {
                    assert_eq!([on_gpu.magnitude[i], on_gpu.phase[i]], [original.magnitude[i], original.phase[i]]);
                }
            }
        }
    }
}

#[test]
fn targets_and_distances_agree() {
    let Some((gpu, cpu)) = engines() else { return };
    for seed in 1..=3 {
        let mut random = Random(seed);
        for (around, rect) in shapes() {
            let before = random_region(&mut random, &around);
            let [now, painted] = [(); 2].map(|()| random_region(&mut random, &rect));
            let mask = random_mask(&mut random, &rect);
            let both = [&gpu, &cpu].map(|engine| {
                let [before, now, painted] =
                    [&before, &now, &painted].map(|region| engine.upload(region.clone()).unwrap());
                let target = engine.download(engine.retarget(&now, &painted, &mask).unwrap()).unwrap();
                (target, engine.distance_squares(&before, &painted, &now, &mask).unwrap())
            });
            let [(on_gpu, gpu_squares), (on_cpu, cpu_squares)] = both;
            assert_eq!(on_gpu, on_cpu);
            assert!(rect.n_cells() == 1 || on_cpu != now, "a target that asks for nothing");
            for (a, b) in gpu_squares.into_iter().zip(cpu_squares) {
                // Sums of f32 squares over a workgroup.
                assert!((a - b).abs() <= 1e-5 * b, "seed {seed}, {rect:?} in {around:?}: {a} and {b}");
                assert!(b == 0.0 || (a * 1.0001 - b).abs() > 1e-5 * b);
            }
        }
    }
}

#[test]
fn copies_of_cells_agree() {
    let Some((gpu, cpu)) = engines() else { return };
    let mut random = Random(9);
    for (around, rect) in shapes() {
        let (whole, part) = (random_region(&mut random, &around), random_region(&mut random, &rect));
        let [on_gpu, on_cpu] = [&gpu, &cpu].map(|engine| {
            let mut canvas = engine.upload(whole.clone()).unwrap();
            engine.paste(&mut canvas, &engine.upload(part.clone()).unwrap()).unwrap();
            let cropped = engine.crop(&canvas, &rect).unwrap();
            (engine.download(canvas).unwrap(), engine.download(cropped).unwrap())
        });
        assert_eq!(on_gpu, on_cpu);
        assert_eq!(on_cpu.1, part);
        assert_ne!(on_cpu.0, whole);
    }
}

/// The definition in f64.
fn exact_stft(samples: &[f32], params: StftParams, n_frames: usize) -> Vec<[f64; 2]> {
    let plan = realfft::RealFftPlanner::<f64>::new().plan_fft_forward(params.n_fft);
    let window = params.window.samples(params.n_fft);
    let mut spectrum = plan.make_output_vec();
    let mut all = Vec::new();
    for frame in 0..n_frames {
        let samples = &samples[frame * params.hop..][..params.n_fft];
        let mut input: Vec<f64> = samples.iter().zip(&window).map(|(&x, w)| f64::from(x) * w).collect();
        plan.process(&mut input, &mut spectrum).unwrap();
        all.extend(spectrum.iter().enumerate().map(|(bin, x)| {
            let sign = if bin % 2 == 1 { -1.0 } else { 1.0 };
            [sign * x.re, sign * x.im]
        }));
    }
    all
}

#[test]
pub fn stft_of_every_size_is_exact_and_invertible() {
    let Some(gpu) = gpu() else { return };
    // The longest are of slices of rows at high rates, whose tests have them.
    for (i, n_fft) in fft::SIZES.into_iter().filter(|n_fft| *n_fft <= 1 << 20).enumerate() {
        // Beyond those of an STFT are slices of rows.
        let window = if StftParams::SIZES.contains(&n_fft) { Window::ALL[i % Window::ALL.len()] } else { Window::Hann };
        let params = StftParams { n_fft, hop: n_fft / 4, window };
        let stft = Stft::new(params);
        let mut random = Random(n_fft as u64);
        // Not a multiple of the frames of a workgroup.
        let n_frames = match n_fft {
            ..512 => 2 * (4096 / n_fft) + 3,
            512..=32_768 => 11,
            _ => 9,
        };
        let samples = random_samples(&mut random, stft.n_samples_under(n_frames));
        let rect = CellRect::new(0..n_frames, 0..params.n_bins());
        let on_device = gpu.in_batch(|batch| gpu.analyse(batch, &stft, &samples, &rect)).unwrap();
        let region = gpu.download(&on_device).unwrap();

        let exact = exact_stft(&samples, params, n_frames);
        let got = complex(&region);
        let forward = |got: &[[f64; 2]]| snr_db(flat(&exact), flat(&exact).zip(flat(got)).map(|(a, b)| a - b));
        assert!(forward(&got) >= 125.0, "{n_fft}: {}", forward(&got));
        // Control: one frame-start phase instead of a frame-centre one is noticed.
        let mut spoiled = got.clone();
        spoiled[1] = [-spoiled[1][0], -spoiled[1][1]];
        assert!(forward(&spoiled) < 120.0, "{n_fft}");
        assert!(
            region.phase.iter().all(|phase| (-0.5..0.5).contains(phase)) && region.magnitude.iter().all(|&m| m >= 0.0)
        );

        // A part of the bins gives the same cells.
        let part = CellRect::new(0..n_frames, 3..n_fft / 4);
        let analysed_part =
            gpu.download(&gpu.in_batch(|batch| gpu.analyse(batch, &stft, &samples, &part)).unwrap()).unwrap();
        assert_eq!(analysed_part, region.crop(&part), "{n_fft}");

        // Back: the difference from silence is the signal, where all frames reach.
        let silence = gpu.upload(&Region::zeros(rect.clone())).unwrap();
        let SampleDifference { touched, samples: mut back, .. } = gpu.difference(&stft, &silence, &on_device).unwrap();
        assert_eq!(touched, vec![true; n_frames]);
        stft.divide_by_weight(&mut back, -(n_fft as i64) / 2, n_frames);
        let inner = n_fft..samples.len() - n_fft;
        let signal = || samples[inner.clone()].iter().map(|&x| f64::from(x));
        let round_trip =
            |back: &[f32]| snr_db(signal(), signal().zip(&back[inner.clone()]).map(|(x, &y)| x - f64::from(y)));
        assert!(round_trip(&back) >= 125.0, "{n_fft}: {}", round_trip(&back));
        back[n_fft] += 1e-3;
        assert!(round_trip(&back) < 125.0, "{n_fft}");
    }
}

#[test]
fn differences_agree_and_stay_in_touched_frames() {
    let Some((gpu, cpu)) = engines() else { return };
    let sizes = [(64, 4, 5), (512, 2, 1), (1024, 8, 2), (2048, 16, 3), (8192, 4, 4), (32_768, 4, 6)];
    for (n_fft, overlap, seed) in sizes {
        let plan =
            GridPlan::from(Arc::new(Stft::new(StftParams { n_fft, hop: n_fft / overlap, window: Window::Hann })));
        let mut random = Random(seed);
        let before = random_region(&mut random, &CellRect::new(5..40, 0..n_fft / 2 + 1));
        let rect = CellRect::new(7..36, 3..n_fft / 2 + 1);
        let mut after = before.crop(&rect);
        let changed = [4, 5, 18];
        for &frame in &changed {
            for bin in [3, n_fft / 4, n_fft / 2] {
                let i = after.index(rect.frames.start + frame, bin);
                after.magnitude[i] *= 0.3;
                after.phase[i] = -after.phase[i];
            }
        }
        // Only the phase of a silent cell: no change.
        let silent = after.index(rect.frames.start + 25, 9);
        after.magnitude[silent] = 0.0;
        let mut before = before;
        let silent_before = before.index(rect.frames.start + 25, 9);
        before.magnitude[silent_before] = 0.0;
        after.phase[silent] = 0.25;

        let [on_gpu, on_cpu] = [&gpu, &cpu].map(|engine| {
            let [before, after] = [&before, &after].map(|region| engine.upload(region.clone()).unwrap());
            engine.difference(&plan, &before, &after).unwrap()
        });
        assert_eq!((&on_gpu.touched, on_gpu.first, &on_gpu.ranges), (&on_cpu.touched, on_cpu.first, &on_cpu.ranges));
        assert_eq!((0..29).filter(|&frame| on_gpu.touched[frame]).collect::<Vec<_>>(), changed);
        let samples =
            |difference: &SampleDifference| difference.samples.iter().map(|&x| f64::from(x)).collect::<Vec<_>>();
        let (a, b) = (samples(&on_gpu), samples(&on_cpu));
        assert_eq!(a.len(), b.len());
        let agreement = |a: &[f64]| snr_db(b.iter().copied(), a.iter().zip(&b).map(|(a, b)| a - b));
        assert!(agreement(&a) >= 115.0, "{n_fft}: {}", agreement(&a));
        let mut spoiled = a.clone();
        let loudest = (0..b.len()).max_by(|&i, &j| b[i].abs().total_cmp(&b[j].abs())).unwrap();
        spoiled[loudest] *= 1.001;
        assert!(agreement(&spoiled) < 115.0, "{n_fft}");
        let hop = n_fft / overlap;
        for (i, &x) in a.iter().enumerate() {
            let is_reached = changed.iter().any(|frame| (frame * hop..frame * hop + n_fft).contains(&i));
            assert!(is_reached || x == 0.0, "{n_fft}: sample {i} is {x}");
        }
    }
}

#[test]
fn equal_regions_differ_by_nothing() {
    let Some(gpu) = gpu() else { return };
    let stft = Stft::new(StftParams { n_fft: 512, hop: 128, window: Window::Hann });
    let region = random_region(&mut Random(9), &CellRect::new(0..20, 0..257));
    let [before, after] = [&region, &region].map(|region| gpu.upload(region).unwrap());
    let difference = gpu.difference(&stft, &before, &after).unwrap();
    assert!(!difference.touched.contains(&true));
    assert!(difference.samples.iter().all(|&x| x == 0.0));
}

#[test]
fn long_regions_go_in_batches() {
    let Some((gpu, cpu)) = engines() else { return };
    // 2,048 frames of 512 are one batch; 4,194,304 samples are read back at a time.
    for (hop, rect, seam) in
        [(128, CellRect::new(0..2500, 100..104), 2048 * 128), (256, CellRect::new(3..17_003, 100..101), 4 << 20)]
    {
        let stft = Stft::new(StftParams { n_fft: 512, hop, window: Window::Hann });
        let samples = random_samples(&mut Random(5), stft.n_samples_under(rect.frames.len()));
        let plan = GridPlan::from(Arc::new(stft));
        let results = [&gpu, &cpu].map(|engine| {
            let before = engine.analyse(&plan, &samples, &rect).unwrap();
            let mask = Mask { rect: rect.clone(), values: vec![1.0; rect.n_cells()] };
            let after = engine.run(&Kernel::from(EraseKernel), &before, &mask).unwrap();
            let difference = engine.difference(&plan, &before, &after).unwrap();
            (engine.download(before).unwrap(), difference)
        });
        let [(on_gpu, gpu_difference), (on_cpu, cpu_difference)] = results;
        assert_parity(&on_gpu, &on_cpu, "analysis in batches");
        assert_eq!(gpu_difference.touched, cpu_difference.touched);
        let wide = |samples: &[f32]| samples.iter().map(|&x| f64::from(x)).collect::<Vec<_>>();
        let (mut a, b) = (wide(&gpu_difference.samples), wide(&cpu_difference.samples));
        assert_eq!(a.len(), b.len());
        let agreement = |a: &[f64], range: std::ops::Range<usize>| {
            snr_db(b[range.clone()].iter().copied(), range.map(|i| a[i] - b[i]))
        };
        // Where two batches add up, not only on the whole.
        for range in [0..a.len(), seam - 512..seam + 1024] {
            assert!(agreement(&a, range.clone()) >= 110.0, "{hop}, {range:?}: {}", agreement(&a, range.clone()));
        }
        // Control: a seam that does not overlap.
        a[seam..seam + 256].fill(0.0);
        assert!(agreement(&a, seam - 512..seam + 1024) < 110.0);
    }
}

#[test]
fn what_a_buffer_held_before_is_not_seen() {
    // A device of its own, so that no other test takes the spoiled buffers.
    if gpu().is_none() {
        return;
    }
    let gpu = Gpu::headless(std::env::var("SONOBRUSH_ADAPTER").ok().as_deref()).unwrap();
    let stft = Stft::new(StftParams { n_fft: 512, hop: 128, window: Window::Hann });
    let mut random = Random(3);
    let rect = CellRect::new(0..20, 0..257);
    let samples = random_samples(&mut random, stft.n_samples_under(20));
    let mask = random_mask(&mut random, &rect);
    let blur = Kernel::from(BlurKernel { frame_taps: gaussian_taps(1.0), bin_taps: gaussian_taps(1.0) });
    let all = || {
        let before = gpu.in_batch(|batch| gpu.analyse(batch, &stft, &samples, &rect)).unwrap();
        let after = gpu.in_batch(|batch| gpu.run(batch, &blur, &before, &mask)).unwrap();
        let difference = gpu.difference(&stft, &before, &after).unwrap();
        (gpu.download(&after).unwrap(), difference)
    };
    let clean = all();
    let made = gpu.buffers_created();
    // Every free buffer of these sizes is filled with NaN.
    let n_samples = samples.len();
    for n in [n_samples, rect.n_cells(), 20 * 512, 20, 2500, 5000] {
        let held: Vec<_> = (0..8)
            .map(|_| {
                let mut spoiled = Region::zeros(CellRect::new(0..n, 0..1));
                spoiled.magnitude.fill(f32::NAN);
                spoiled.phase.fill(f32::NAN);
                gpu.upload(&spoiled).unwrap()
            })
            .collect();
        drop(held);
    }
    assert_eq!(all(), clean);
    // And once every size is there, strokes make no more buffers.
    assert!(made > 0);
    let made = gpu.buffers_created();
    for _ in 0..5 {
        all();
    }
    assert_eq!(gpu.buffers_created(), made);
}

/// Guarantee 4, end to end: samples agree to 100 dB of the change, where the change is above -40 dB of the signal.
#[test]
fn edits_agree_from_samples_to_samples() {
    use sonobrush::base::Progress;
    use sonobrush::document::{Script, Snapshot, apply};
    use sonobrush::media::Source;
    let Some((gpu, cpu)) = engines() else { return };
    let mut random = Random(11);
    let tone = |k: usize| 0.3 * (2.0 * PI * 1000.0 * k as f64 / 16000.0).sin();
    let samples: Vec<f32> = (0..12_345).map(|k| (tone(k) + 0.2 * (random.next() - 0.5)) as f32).collect();
    let original = Snapshot::new(Source::from_channels(vec![samples.clone()], 16000).unwrap());
    let script = r#"{"version": 1, "transform": {"kind": "stft", "n_fft": 512, "hop": 128}, "edits": [
        {"brush": {"kind": "gain", "gain_db": -12.0},
         "stroke": {"points": [[0.2, 900.0, 1.0], [0.4, 1300.0, 0.6]], "radius": [0.08, 400.0]}},
        {"brush": {"kind": "erase"}, "select": {"time": [0.3, 0.5], "frequency": [500.0, 2000.0], "feather": [0.02, 90.0]}},
        {"brush": {"kind": "blur", "sigma": [0.02, 60.0]}, "select": {"time": [0.0, 0.3], "frequency": [300.0, 8000.0]}},
        {"brush": {"kind": "band_filter", "pass": "notch", "cutoff": [900.0, 1100.0], "order": 3}},
        {"brush": {"kind": "modulation_filter", "pass": "low", "along": "both", "cutoff": [[8.0], [2.0]]},
         "select": {"time": [0.2, 0.6], "frequency": [200.0, 6000.0]}},
        {"brush": {"kind": "warp", "mode": "grab", "shift": [0.0, 200.0]},
         "select": {"time": [0.2, 0.6], "frequency": [700.0, 1400.0], "feather": [0.02, 90.0]}},
        {"brush": {"kind": "warp", "mode": "push"},
         "stroke": {"points": [[0.3, 1000.0, 1.0], [0.3, 1200.0, 1.0]], "radius": [0.1, 300.0]}}]}"#;
    let on_rows = r#"{"version": 1, "transform": {"kind": "vqt", "bins": 24, "fmin": 65.4}, "edits": [
        {"brush": {"kind": "gain", "gain_db": -12.0},
         "stroke": {"points": [[0.2, 900.0, 1.0], [0.4, 1300.0, 0.6]], "radius": [0.08, 400.0]}},
        {"brush": {"kind": "erase"}, "select": {"time": [0.3, 0.5], "frequency": [500.0, 2000.0]}}]}"#;
    for edit in [script, on_rows].into_iter().flat_map(|script| Script::parse(script).unwrap().edits) {
        let [on_gpu, on_cpu] = [&gpu, &cpu].map(|engine| {
            let applied = apply(&original, &edit, engine, &Progress::new()).unwrap();
            // These warps stretch no time, so that no peaks are locked on the CPU.
            assert_eq!(applied.report.engine(), engine.name());
            let mut out = vec![0.0; samples.len()];
            applied.snapshot.read(0, 0, &mut out).unwrap();
            out
        });
        let change: Vec<f64> = on_cpu.iter().zip(&samples).map(|(y, x)| f64::from(*y) - f64::from(*x)).collect();
        let is_changed = |y: &[f32]| y.iter().zip(&samples).map(|(y, x)| y != x).collect::<Vec<_>>();
        let first = change.iter().position(|&d| d != 0.0).unwrap();
        let end = change.iter().rposition(|&d| d != 0.0).unwrap() + 1;
        let signal = norm(samples[first..end].iter().map(|&x| f64::from(x)));
        assert!(norm(change.iter().copied()) > 0.01 * signal, "{:?}: too small a change to judge", edit.brush);
        let agreement = |y: &[f32]| {
            snr_db(change.iter().copied(), y.iter().zip(&on_cpu).map(|(a, b)| f64::from(*a) - f64::from(*b)))
        };
        assert!(agreement(&on_gpu) >= 100.0, "{:?}: {}", edit.brush, agreement(&on_gpu));
        // Control: an error of a thousandth of the change in one sample.
        let mut spoiled = on_gpu.clone();
        spoiled[(first + end) / 2] += (1e-3 * norm(change.iter().copied())) as f32;
        assert!(agreement(&spoiled) < 100.0);
        // Beyond the range that the CPU changed, give or take what rounds to nothing, no bit moved.
        let reach = if edit.transform.as_stft().is_some() { 512 + 128 } else { 4096 };
        let far = |i: usize| i + reach < first || i > end + reach;
        assert!(is_changed(&on_gpu).iter().enumerate().all(|(i, &changed)| !(changed && far(i))));
    }
}

/// Only the samples under touched frames of a long region are read back, and they are correct.
#[test]
fn a_few_touched_frames_of_many_come_back() {
    let Some(gpu) = gpu() else { return };
    let params = StftParams { n_fft: 512, hop: 128, ..StftParams::default() };
    let stft = Stft::new(params);
    let n_frames = 700;
    let mut random = Random(7);
    let before = random_region(&mut random, &CellRect::new(0..n_frames, 0..257));
    let mut after = before.clone();
    let touched = [3, 4, 9, 300, 699];
    for frame in touched {
        after.magnitude[frame * 257..][..257].iter_mut().for_each(|magnitude| *magnitude *= 0.5);
    }
    let expected = stft.difference(&before, &after);
    let [on_device, changed] = [&before, &after].map(|region| gpu.upload(region).unwrap());
    let difference = gpu.difference(&stft, &on_device, &changed).unwrap();
    assert!(difference.samples.len() * 4 > 256 << 10, "long enough to be read in runs");
    let reported: Vec<usize> = (0..n_frames).filter(|&frame| difference.touched[frame]).collect();
    assert_eq!(reported, touched);
    let norm = |values: &mut dyn Iterator<Item = f32>| values.map(|v| f64::from(v).powi(2)).sum::<f64>().sqrt();
    let off = norm(&mut difference.samples.iter().zip(&expected.samples).map(|(a, b)| a - b));
    let all = norm(&mut expected.samples.iter().copied());
    assert!(off < 1e-5 * all, "{off} of {all}");
    assert!(norm(&mut expected.samples[299 * 128..].iter().copied()) > 0.3 * all, "the later runs count");
}
