//! `sonobrush bench`: how fast transforms and brushes are on this machine, per engine.
//!
//! Every measurement is repeated on ready inputs after a run that does not count. Brushes work on 512 x 512 cells of
//! their own grid; what the GPU was told is done when the time is taken.

use super::terminal::Terminal;
use super::{adapter_of, engine_for};
use crate::base::{EngineChoice, Progress, Result, Settings};
use crate::document::{attenuation, modulation_kernel};
use crate::dsp::brush::{Along, Butterworth, Pass, Tone};
use crate::dsp::displacement::{Displacement, PushField, dabs};
use crate::dsp::heal::Surroundings;
use crate::dsp::kernels::{best_pattern, fill_gap, gaussian_taps};
use crate::dsp::noise::noise_samples;
use crate::dsp::tone::ToneLine;
use crate::dsp::{
    Axis, CellRect, Denoise, Grid, Kernel, Mask, NoiseFrom, NoiseOf, NoiseProfile, NoiseSpectrum, Point, Stft,
    StftParams, Stroke, Window,
};
use crate::engine::{Engine, EngineRegion};
use serde::Serialize;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

const RATE_HZ: f64 = 44_100.0;
const N_SAMPLES: usize = 60 * 44_100;
const SIDE: usize = 512;
/// Where the brushes' cells begin: inside, so that every halo is there.
const FIRST_FRAME: usize = 128;
const FIRST_BIN: usize = 128;

const LEAST_RUNS: usize = 5;
const MOST_RUNS: usize = 101;
/// A measurement stops after this, once it has its least runs.
const TIME_PER_NAME: Duration = Duration::from_secs(3);

#[derive(Serialize)]
struct Report {
    machine: String,
    adapter: Option<String>,
    results: Vec<Line>,
}

#[derive(Debug, Serialize)]
struct Line {
    name: String,
    engine: &'static str,
    median_ms: f64,
    p99_ms: f64,
}

pub(super) fn run(settings: &Settings, json: bool, terminal: &Terminal) -> Result<()> {
    let engines = match settings.engine {
        EngineChoice::Cpu => vec![Engine::Cpu],
        EngineChoice::Gpu => vec![engine_for(settings)?.engine],
        EngineChoice::Auto => {
            let gpu = engine_for(&Settings { engine: EngineChoice::Gpu, ..settings.clone() });
            let gpu = gpu.map(|chosen| chosen.engine).inspect_err(|error| {
                terminal.notices(&[format!("the GPU is not measured: {error}")]);
            });
            std::iter::once(Engine::Cpu).chain(gpu).collect()
        }
    };
    let adapter = engines.iter().find_map(adapter_of);
    let mut results = Vec::new();
    for engine in &engines {
        results.extend(terminal.with_progress(engine.name(), |progress| measure(engine, progress))?);
    }
    let report = Report { machine: machine(), adapter, results };
    if json {
        return terminal.print_json(&report);
    }
    let mut text = format!("{}\n", report.machine);
    if let Some(adapter) = &report.adapter {
        text += &format!("{adapter}\n");
    }
    for line in &report.results {
        text += &format!(
            "{:<28} {:<4} {:>10.3} ms   99 % under {:>10.3} ms\n",
            line.name, line.engine, line.median_ms, line.p99_ms
        );
    }
    terminal.print(&text)
}

/// The processor and its threads.
fn machine() -> String {
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let name = name.map_or(std::env::consts::ARCH, |(_, name)| name.trim());
    format!("{name}, {n_threads} threads, {}", std::env::consts::OS)
}

fn measure(engine: &Engine, progress: &Progress) -> Result<Vec<Line>> {
    let samples = noise(N_SAMPLES);
    let mut lines = vec![stft(engine, &samples)?, inverse(engine, &samples)?];
    let brushes = brushes()?;
    for (done, brush) in brushes.iter().enumerate() {
        progress.step(done as u64 + 2, brushes.len() as u64 + 2)?;
        lines.push(brush.measure(engine, &samples)?);
    }
    Ok(lines)
}

/// Runs until there are enough to say something.
fn time(name: &str, engine: &Engine, mut run: impl FnMut() -> Result<()>) -> Result<Line> {
    run()?;
    let began = Instant::now();
    let mut millis = Vec::new();
    while millis.len() < LEAST_RUNS || millis.len() < MOST_RUNS && began.elapsed() < TIME_PER_NAME {
        let started = Instant::now();
        run()?;
        millis.push(started.elapsed().as_secs_f64() * 1e3);
    }
    millis.sort_by(f64::total_cmp);
    let at = |part: f64| millis[((millis.len() as f64 * part).ceil() as usize).clamp(1, millis.len()) - 1];
    Ok(Line { name: name.into(), engine: engine.name(), median_ms: at(0.5), p99_ms: at(0.99) })
}

/// Noise between -0.5 and 0.5.
fn noise(n_samples: usize) -> Vec<f32> {
    let mut state = 0x2545_f491u32;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 8) as f32 / 16_777_216.0 - 0.5
    };
    (0..n_samples).map(|_| next()).collect()
}

fn grid(stft: StftParams) -> Grid {
    Grid { stft, sample_rate_hz: RATE_HZ, n_samples: N_SAMPLES as u64 }
}

/// The samples under a run of frames, 0 beyond the ends.
fn under(grid: &Grid, samples: &[f32], frames: &Range<usize>) -> Vec<f32> {
    let first = frames.start as i64 * grid.stft.hop as i64 - grid.stft.n_fft as i64 / 2;
    let n = (frames.len() - 1) * grid.stft.hop + grid.stft.n_fft;
    let at = |i: i64| usize::try_from(i).ok().and_then(|i| samples.get(i)).copied().unwrap_or(0.0);
    (0..n as i64).map(|i| at(first + i)).collect()
}

/// Runs of frames that an engine takes at once.
fn pieces(engine: &Engine, grid: &Grid) -> Vec<Range<usize>> {
    let n = (engine.max_cells() / grid.n_bins()).max(1);
    (0..grid.n_frames()).step_by(n).map(|start| start..(start + n).min(grid.n_frames())).collect()
}

fn stft(engine: &Engine, samples: &[f32]) -> Result<Line> {
    const NAME: &str = "stft_2048_512_60s";
    let grid = grid(StftParams::default());
    let stft = Stft::new(grid.stft);
    if let Engine::Cpu = engine {
        let padded = under(&grid, samples, &(0..grid.n_frames()));
        let mut spectra = vec![Default::default(); grid.n_frames() * grid.n_bins()];
        return time(NAME, engine, || {
            stft.forward(&padded, &mut spectra);
            Ok(())
        });
    }
    let pieces = pieces(engine, &grid);
    let inputs: Vec<_> = pieces.iter().map(|frames| under(&grid, samples, frames)).collect();
    time(NAME, engine, || {
        for (frames, samples) in pieces.iter().zip(&inputs) {
            let rect = CellRect::new(frames.clone(), 0..grid.n_bins());
            engine.analyse(&stft, samples, &rect)?;
        }
        engine.finish();
        Ok(())
    })
}

fn inverse(engine: &Engine, samples: &[f32]) -> Result<Line> {
    const NAME: &str = "inverse_2048_512_60s";
    let grid = grid(StftParams::default());
    let stft = Stft::new(grid.stft);
    if let Engine::Cpu = engine {
        let padded = under(&grid, samples, &(0..grid.n_frames()));
        let mut spectra = vec![Default::default(); grid.n_frames() * grid.n_bins()];
        stft.forward(&padded, &mut spectra);
        let mut back = vec![0.0; padded.len()];
        return time(NAME, engine, || {
            stft.inverse(&spectra, 0, grid.n_frames(), &mut back);
            Ok(())
        });
    }
    // What an edit costs: the inverse of the difference to silence, read back.
    let mut regions = Vec::new();
    for frames in pieces(engine, &grid) {
        let rect = CellRect::new(frames.clone(), 0..grid.n_bins());
        let sound = engine.analyse(&stft, &under(&grid, samples, &frames), &rect)?;
        let silence = engine.analyse(&stft, &vec![0.0; stft.n_samples_under(frames.len())], &rect)?;
        regions.push((silence, sound));
    }
    time(NAME, engine, || {
        for (silence, sound) in &regions {
            engine.difference(&stft, silence, sound)?;
        }
        Ok(())
    })
}

/// What a brush does to cells that are ready.
type Step = Box<dyn Fn(&Engine, &EngineRegion) -> Result<EngineRegion>>;

/// A brush made ready.
struct Brush {
    name: &'static str,
    grid: Grid,
    read: CellRect,
    step: Step,
}

impl Brush {
    fn measure(&self, engine: &Engine, samples: &[f32]) -> Result<Line> {
        let stft = Stft::new(self.grid.stft);
        let before: EngineRegion = engine.analyse(&stft, &under(&self.grid, samples, &self.read.frames), &self.read)?;
        time(&format!("{}_512x512", self.name), engine, || {
            (self.step)(engine, &before)?;
            engine.finish();
            Ok(())
        })
    }
}

fn run_kernel(kernel: Kernel, mask: Mask) -> Step {
    Box::new(move |engine, before| engine.run(&kernel, before, &mask))
}

fn brushes() -> Result<Vec<Brush>> {
    let grid = grid(StftParams::default());
    let rect = CellRect::new(FIRST_FRAME..FIRST_FRAME + SIDE, FIRST_BIN..FIRST_BIN + SIDE);
    let mask = soft_mask(&rect);
    let low = |cutoff: f64| Butterworth { pass: Pass::Low, cutoff: vec![cutoff], order: 4 };
    let notch = Butterworth { pass: Pass::Notch, cutoff: vec![4_000.0, 8_000.0], order: 4 };
    let response = (0..grid.n_bins()).map(|bin| notch.response(grid.hz_from_bin(bin as f64)) as f32).collect();
    let modulation = modulation_kernel(&grid, Along::Both, &[low(8.0), low(2.0)], &rect)?;
    let cells = [
        ("gain", Kernel::Gain { log2_gain: -2.0 }),
        ("erase", Kernel::Erase),
        ("blur", Kernel::Blur { frame_taps: gaussian_taps(4.0), bin_taps: gaussian_taps(4.0) }),
        ("sharpen", Kernel::Sharpen { frame_taps: gaussian_taps(4.0), bin_taps: gaussian_taps(4.0), amount: 1.0 }),
        ("band_filter", Kernel::BandFilter { response }),
        ("modulation_filter", modulation),
        ("harmonic_percussive", Kernel::HarmonicPercussive { windows: [31, 17], gains: [1.0, 0.0] }),
        ("denoise", denoising(&grid)),
    ];
    let all = CellRect::new(0..grid.n_frames(), 0..grid.n_bins());
    let mut brushes: Vec<Brush> = cells
        .into_iter()
        .map(|(name, kernel)| {
            let [frames, bins] = kernel.halo();
            Brush { name, grid, read: rect.grown(frames, bins, &all), step: run_kernel(kernel, mask.clone()) }
        })
        .collect();
    brushes.extend(warps()?);
    brushes.extend(combined());
    brushes.extend(heals());
    Ok(brushes)
}

/// Of noise some 6 dB below the samples', so that no cell is the quick case of noise alone.
fn denoising(grid: &Grid) -> Kernel {
    let n_bins = grid.n_bins();
    let spectrum = NoiseSpectrum { levels_db: vec![-17.0; n_bins], spread: vec![0.06; n_bins] };
    let spectra = vec![(NoiseOf::Channel(0), spectrum)];
    let profile = Arc::new(NoiseProfile { stft: grid.stft, sample_rate_hz: grid.sample_rate_hz, spectra });
    let denoise = Denoise::of(NoiseFrom::Profile(profile.clone()));
    Kernel::Denoise(Arc::new(denoise.kernel(&profile, NoiseOf::Channel(0), grid)))
}

fn warps() -> Result<[Brush; 2]> {
    let params = StftParams { n_fft: 2048, hop: 256, window: Window::Hann };
    let grid = grid(params);
    let rect = CellRect::new(FIRST_FRAME..FIRST_FRAME + SIDE, FIRST_BIN..FIRST_BIN + SIDE);
    let grab = Displacement::grab(&grid, &soft_mask(&rect), Axis::Linear, [0.01, 200.0]);

    // Slowly through the middle, so that the whole square moves.
    let secs = |frame: f64| grid.secs_from_frame(FIRST_FRAME as f64 + frame);
    let hz = |bin: f64| grid.hz_from_bin(FIRST_BIN as f64 + bin);
    let half = SIDE as f64 / 2.0;
    let point = |bin: f64| Point { secs: secs(half), hz: hz(bin), pressure: 1.0 };
    let stroke = Stroke {
        points: vec![point(half - 10.0), point(half + 10.0)],
        axis: Axis::Linear,
        radius: [1.5 * (secs(half) - secs(0.0)), 1.5 * (hz(half) - hz(0.0))],
        hardness: 0.5,
        strength: 1.0,
        build_up: false,
    };
    let mut field = PushField::new(&grid, &stroke, None, &rect);
    for pair in dabs(&stroke).windows(2) {
        field.push(pair[0], pair[1]);
    }
    let push = field.displacement(&rect);
    Ok([resampling("warp_grab", grid, grab), resampling("warp_push", grid, push)])
}

fn resampling(name: &'static str, grid: Grid, displacement: Displacement) -> Brush {
    let rect = displacement.rect.clone();
    let sources = displacement.frames_read(grid.n_frames());
    let read = rect.union(&CellRect::new(sources, rect.bins.clone()));
    let mask = Mask { values: displacement.acts.iter().map(|&acts| acts as f32).collect(), rect };
    let kernel = resample(&grid, displacement);
    Brush { name, grid, read: CellRect::new(read.frames, 0..grid.n_bins()), step: run_kernel(kernel, mask) }
}

fn resample(grid: &Grid, displacement: Displacement) -> Kernel {
    let (overlap, nyquist_bin) = ((grid.stft.n_fft / grid.stft.hop) as u32, grid.stft.n_fft as u32 / 2);
    Kernel::Resample { displacement, overlap, nyquist_bin }
}

/// Brushes that mix other cells into those there are: noise and tone with the making of their cells, clone and one dab
/// of a smudge with the source's cells as ready as those of the brush.
fn combined() -> [Brush; 4] {
    let grid = grid(StftParams::default());
    let rect = CellRect::new(FIRST_FRAME..FIRST_FRAME + SIDE, FIRST_BIN..FIRST_BIN + SIDE);
    let mask = soft_mask(&rect);
    let stft = Stft::new(grid.stft);
    let noise_mask = mask.clone();
    let noise: Step = Box::new(move |engine, before| {
        let rect = &noise_mask.rect;
        let first = (rect.frames.start * stft.params().hop) as i64;
        let samples = noise_samples(1, 0, first, stft.n_samples_under(SIDE), 0.01);
        engine.combine(before, &engine.analyse(&stft, &samples, rect)?, &noise_mask, 1.0)
    });
    let end = |frame: usize| Point { secs: grid.secs_from_frame(frame as f64), hz: 3000.0, pressure: 1.0 };
    let stroke = Stroke {
        points: vec![end(rect.frames.start), end(rect.frames.end)],
        axis: Axis::Linear,
        radius: [0.05, 100.0],
        hardness: 0.5,
        strength: 1.0,
        build_up: false,
    };
    let tone = Tone { level_db: -20.0, harmonics: 4, spacing: 1.0, inharmonicity: 0.0, slope_db: -6.0, pan: 0.0 };
    let line = ToneLine::new(&grid, &stroke, tone);
    let tone_mask = mask.clone();
    let tone: Step = Box::new(move |engine, before| {
        engine.combine(before, &engine.upload(line.cells(&tone_mask.rect))?, &tone_mask, 1.0)
    });
    let moved = |displacement: Displacement| -> Step {
        let (kernel, mask) = (resample(&grid, displacement), mask.clone());
        Box::new(move |engine, before| engine.combine(before, &engine.run(&kernel, before, &mask)?, &mask, 0.0))
    };
    let clone = moved(Displacement::shift(&grid, &mask, Axis::Linear, 200.0, FIRST_FRAME));
    let smudge = moved(Displacement::drag(&grid, &mask, [3, 2], FIRST_FRAME));
    let wide = CellRect::new(FIRST_FRAME - 8..FIRST_FRAME + SIDE + 8, 0..grid.n_bins());
    [("noise", noise, rect.clone()), ("tone", tone, rect), ("clone", clone, wide.clone()), ("smudge", smudge, wide)]
        .map(|(name, step, read)| Brush { name, grid, read, step })
}

/// The modes of the heal brush, the hole being all of the square; the gap is of 100 ms, whatever the cells.
fn heals() -> [Brush; 4] {
    let grid = grid(StftParams::default());
    let rect = CellRect::new(FIRST_FRAME..FIRST_FRAME + SIDE, FIRST_BIN..FIRST_BIN + SIDE);
    let all = CellRect::new(0..grid.n_frames(), 0..grid.n_bins());
    let mask = soft_mask(&rect);
    let kernel = |name, kernel: Kernel| {
        let [frames, bins] = kernel.halo();
        Brush { name, grid, read: rect.grown(frames, bins, &all), step: run_kernel(kernel, mask.clone()) }
    };
    let (context, reach) = ([9, 9], 172);
    let pattern_mask = mask.clone();
    let pattern: Step = Box::new(move |engine, before| {
        let cells = engine.download(engine.crop(before, before.rect())?)?;
        let stft = StftParams::default();
        std::hint::black_box(best_pattern(&cells, &pattern_mask, context, reach, stft.hop, stft.n_fft));
        engine.crop(before, &pattern_mask.rect)
    });
    let known: Vec<f64> = noise(36_000).into_iter().map(f64::from).collect();
    let gap: Step = Box::new(move |engine, before| {
        let mut segment = known.clone();
        fill_gap(&mut segment, 16_000..16_000 + 4410, 2048);
        std::hint::black_box(&segment);
        engine.crop(before, before.rect())
    });
    let small = CellRect::new(FIRST_FRAME..FIRST_FRAME + 1, FIRST_BIN..FIRST_BIN + 1);
    [
        kernel("heal", attenuation(&grid, &Surroundings::default())),
        kernel("heal_interpolate", Kernel::Interpolate { context: [69, 69], order: 8 }),
        Brush {
            name: "heal_pattern",
            grid,
            read: rect.grown(reach + SIDE + context[0], context[1], &all),
            step: pattern,
        },
        Brush { name: "heal_gap", grid, read: small, step: gap },
    ]
}

/// Above 0 everywhere, 1 in the middle.
fn soft_mask(rect: &CellRect) -> Mask {
    let bump = |i: usize, n: usize| 0.5 - 0.5 * (std::f64::consts::TAU * (i as f64 + 0.5) / n as f64).cos();
    let [n_frames, n_bins] = [rect.frames.len(), rect.bins.len()];
    let value = |cell: usize| (bump(cell / n_bins, n_frames) * bump(cell % n_bins, n_bins)) as f32;
    Mask { values: (0..rect.n_cells()).map(value).collect(), rect: rect.clone() }
}
