//! Speed of transforms and brushes on the CPU engine, with the bare FFT calls on the same threads beside them.
//!
//! `cargo bench` prints divan's table. With `--turns` it takes turns with another program (`peers/*.py`): for every
//! line on standard input, a name, it runs what is called so once and answers with one line of JSON, in milliseconds.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a benchmark that cannot go on stops")]
#![allow(clippy::print_stdout, reason = "it answers with its figures")]

#[path = "library/hashes.rs"]
mod hashes;
#[path = "turns/library.rs"]
mod library;
#[path = "turns/voices.rs"]
mod voices;

use divan::{Bencher, black_box};
use rayon::prelude::*;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use rustfft::num_complex::Complex32;
use sonobrush::base::Progress;
use sonobrush::document::brushes::{Blur, Brush, Gain, Warp};
use sonobrush::document::{Edit, Snapshot, apply, modulation_kernel};
use sonobrush::dsp::kernels::{
    BandKernel, BlurKernel, EraseKernel, GainKernel, HarmonicPercussiveKernel, gaussian_taps,
};
use sonobrush::dsp::strokes::brush::{Along, Butterworth, Pass};
use sonobrush::dsp::transforms::rows::{RowBank, RowsParams};
use sonobrush::dsp::warps::displacement::{Dab, Displacement, PushField, dabs};
use sonobrush::dsp::{Axis, CellRect, Grid, Kernel, Mask, Point, Region, Stft, StftParams, Stroke, Window};
use sonobrush::engine::Engine;
use sonobrush::media::Source;
use std::io::BufRead;
use std::sync::Arc;
use std::time::Instant;

const RATE: f64 = 44_100.0;
const SIDE: usize = 512;
/// Frames that one thread takes at a time in the bare calls, as in the STFT.
const FRAMES_PER_TASK: usize = 16;

fn main() {
    if std::env::args().any(|argument| argument == "--turns") { turns() } else { divan::main() }
}

/// White noise between -0.5 and 0.5.
fn noise(n: usize) -> Vec<f32> {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1u64 << 24) as f32 - 0.5
    };
    (0..n).map(|_| next()).collect()
}

// ------------------------------------------------------------------------------------------------------ transforms

/// A minute of noise at 2,048/512 with every buffer that its transforms write to.
struct Minute {
    stft: Stft,
    n_frames: usize,
    samples: Vec<f32>,
    spectra: Vec<Complex32>,
    forward: Arc<dyn RealToComplex<f32>>,
    inverse: Arc<dyn ComplexToReal<f32>>,
}

impl Minute {
    fn new() -> Minute {
        let stft = Stft::new(StftParams::default());
        let n_frames = (60.0 * RATE / 512.0).ceil() as usize + 1;
        let samples = noise(stft.n_samples_under(n_frames));
        let mut spectra = vec![Complex32::default(); n_frames * 1025];
        stft.forward(&samples, &mut spectra);
        let mut planner = RealFftPlanner::new();
        let (forward, inverse) = (planner.plan_fft_forward(2048), planner.plan_fft_inverse(2048));
        Minute { stft, n_frames, samples, spectra, forward, inverse }
    }

    fn stft(&self, spectra: &mut [Complex32]) {
        self.stft.forward(&self.samples, spectra);
    }

    fn inverse(&self, back: &mut [f32]) {
        self.stft.inverse(&self.spectra, 0, self.n_frames, back);
    }

    /// The same forward transforms without window and phase reference.
    fn bare_forward(&self, spectra: &mut [Complex32]) {
        spectra.par_chunks_mut(1025 * FRAMES_PER_TASK).enumerate().for_each_init(
            || (vec![0.0; 2048], self.forward.make_scratch_vec()),
            |(frame, scratch), (task, spectra)| {
                for (i, spectrum) in spectra.chunks_exact_mut(1025).enumerate() {
                    // The transform destroys its input.
                    frame.copy_from_slice(&self.samples[(task * FRAMES_PER_TASK + i) * 512..][..2048]);
                    self.forward.process_with_scratch(frame, spectrum, scratch).unwrap();
                }
            },
        );
    }

    /// The same inverse transforms without window, overlap-add and division.
    fn bare_inverse(&self, frames: &mut [f32]) {
        frames
            .par_chunks_mut(2048 * FRAMES_PER_TASK)
            .zip(self.spectra.par_chunks(1025 * FRAMES_PER_TASK))
            .for_each_init(
                || (vec![Complex32::default(); 1025], self.inverse.make_scratch_vec()),
                |(copy, scratch), (frames, spectra)| {
                    for (frame, spectrum) in frames.chunks_exact_mut(2048).zip(spectra.chunks_exact(1025)) {
                        copy.copy_from_slice(spectrum);
                        copy[0].im = 0.0;
                        copy[1024].im = 0.0;
                        self.inverse.process_with_scratch(copy, frame, scratch).unwrap();
                    }
                },
            );
    }
}

fn millis(run: impl FnOnce()) -> f64 {
    let began = Instant::now();
    run();
    began.elapsed().as_secs_f64() * 1e3
}

/// Two seconds on the rows of a transform and back.
fn rows(params: &RowsParams) -> serde_json::Value {
    let samples = noise(2 * RATE as usize);
    let bank = RowBank::new(params, RATE).unwrap();
    // The first run makes buffers.
    let mut took = [0.0; 2];
    for _ in 0..2 {
        let mut cells = Vec::new();
        let analysis = millis(|| cells = bank.analyse(&samples));
        let synthesis = millis(|| drop(black_box(bank.synthesise(&cells, samples.len()))));
        took = [analysis, synthesis];
    }
    serde_json::json!({"ours": took[0] + took[1], "analysis": took[0], "synthesis": took[1]})
}

/// What turns are taken with: a line of the peers' script is a name here.
struct Turns {
    minute: Minute,
    spectra: Vec<Complex32>,
    back: Vec<f32>,
    frames: Vec<f32>,
    plane: Region,
    whole: Mask,
    voices: voices::Voices,
    library: library::Library,
}

impl Turns {
    fn new() -> Turns {
        let minute = Minute::new();
        let rect = CellRect::new(0..2048, 0..2048);
        let magnitude: Vec<f32> = noise(rect.n_cells()).iter().map(|value| value + 0.5).collect();
        let plane = Region { phase: vec![0.0; magnitude.len()], magnitude, rect: rect.clone() };
        Turns {
            spectra: minute.spectra.clone(),
            back: vec![0.0; minute.samples.len()],
            // One task's frames would do for the bare inverse; all of them are written, as the transform alone would.
            frames: vec![0.0; minute.n_frames * 2048],
            minute,
            plane,
            whole: Mask { values: vec![1.0; rect.n_cells()], rect },
            voices: voices::Voices::new(),
            library: library::Library::default(),
        }
    }

    fn take(&mut self, name: &str) -> serde_json::Value {
        match name {
            "threads" => serde_json::json!({"threads": rayon::current_num_threads()}),
            "stft" => {
                let ours = millis(|| self.minute.stft(&mut self.spectra));
                serde_json::json!({"ours": ours, "bare": millis(|| self.minute.bare_forward(&mut self.spectra))})
            }
            "inverse" => {
                let ours = millis(|| self.minute.inverse(&mut self.back));
                serde_json::json!({"ours": ours, "bare": millis(|| self.minute.bare_inverse(&mut self.frames))})
            }
            "blur_2048x2048" => {
                let kernel = Kernel::from(BlurKernel { frame_taps: gaussian_taps(4.0), bin_taps: gaussian_taps(4.0) });
                let ours = millis(|| drop(black_box(kernel.run(&self.plane, &self.whole))));
                serde_json::json!({"ours": ours})
            }
            // Ten seconds of cells; the medians, the masks and one of them applied.
            "harmonic_percussive" => {
                let rect = CellRect::new(0..10 * 44_100 / 512, 0..1025);
                let samples = &self.minute.samples[..self.minute.stft.n_samples_under(rect.frames.len())];
                let cells = self.minute.stft.analyse(samples, &rect);
                let whole = Mask { values: vec![1.0; rect.n_cells()], rect };
                let masks = Kernel::from(HarmonicPercussiveKernel { windows: [31, 31], gains: [1.0, 0.0] });
                let ours = millis(|| drop(black_box(masks.run(&cells, &whole))));
                serde_json::json!({"ours": ours})
            }
            "rows_12" => rows(&RowsParams::log(12)),
            "rows_24" => rows(&RowsParams::log(24)),
            "rows_48" => rows(&RowsParams::log(48)),
            "rows_cqt_24" => rows(&RowsParams::log(24).with_gamma_hz(0.0)),
            "rows_cqt_48" => rows(&RowsParams::log(48).with_gamma_hz(0.0)),
            "rows_mel_128" => rows(&RowsParams::mel(128)),
            "rows_bark_96" => rows(&RowsParams::speech()),
            other => {
                let found = self.voices.take(other).or_else(|| self.library.take(other));
                found.unwrap_or_else(|| panic!("there is no turn called {other}"))
            }
        }
    }
}

fn turns() {
    let mut turns = Turns::new();
    for line in std::io::stdin().lock().lines() {
        println!("{}", turns.take(&line.unwrap()));
        black_box((&turns.spectra, &turns.back, &turns.frames));
    }
}

#[divan::bench_group(sample_count = 15, sample_size = 1)]
mod sixty_seconds {
    use super::*;

    #[divan::bench]
    fn stft_2048_512(bencher: Bencher) {
        let minute = Minute::new();
        let mut spectra = minute.spectra.clone();
        bencher.bench_local(|| minute.stft(black_box(&mut spectra)));
    }

    #[divan::bench]
    fn stft_bare_realfft(bencher: Bencher) {
        let minute = Minute::new();
        let mut spectra = minute.spectra.clone();
        bencher.bench_local(|| minute.bare_forward(black_box(&mut spectra)));
    }

    #[divan::bench]
    fn inverse_2048_512(bencher: Bencher) {
        let minute = Minute::new();
        let mut back = vec![0.0; minute.samples.len()];
        bencher.bench_local(|| minute.inverse(black_box(&mut back)));
    }

    #[divan::bench]
    fn inverse_bare_realfft(bencher: Bencher) {
        let minute = Minute::new();
        let mut frames = vec![0.0; minute.n_frames * 2048];
        bencher.bench_local(|| minute.bare_inverse(black_box(&mut frames)));
    }
}

// --------------------------------------------------------------------------------------------------------- brushes

fn grid(hop: usize) -> Grid {
    let stft = StftParams { n_fft: 2048, hop, window: Window::Hann };
    Grid::new(stft, RATE, (20.0 * RATE) as u64)
}

/// The cells that brushes work on, inside, so that every halo is there.
fn rect() -> CellRect {
    CellRect::new(128..128 + SIDE, 128..128 + SIDE)
}

/// 20 s of noise on a grid, the frames around the brushes' cells.
fn plane(grid: &Grid) -> Region {
    let stft = Stft::new(*grid.transform().as_stft().unwrap());
    let frames = 0..(2 * SIDE + 256).min(grid.n_frames());
    stft.analyse(&noise(stft.n_samples_under(frames.len())), &CellRect::new(frames, 0..grid.n_bins()))
}

/// Above 0 on every cell.
fn soft_mask() -> Mask {
    let bump = |i: usize| 0.5 - 0.5 * (std::f64::consts::TAU * (i as f64 + 0.5) / SIDE as f64).cos();
    Mask { rect: rect(), values: (0..SIDE * SIDE).map(|i| (bump(i / SIDE) * bump(i % SIDE)) as f32).collect() }
}

#[divan::bench_group(min_time = 1)]
mod brushes_512x512 {
    use super::*;

    fn bench(bencher: Bencher, kernel: Kernel) {
        let grid = grid(512);
        let [frames, bins] = kernel.halo();
        let before = plane(&grid);
        let before = before.crop(&rect().grown(frames, bins, &before.rect));
        let mask = soft_mask();
        bencher.bench_local(|| kernel.run(black_box(&before), &mask));
    }

    #[divan::bench]
    fn gain(bencher: Bencher) {
        bench(bencher, Kernel::from(GainKernel { log2_gain: -2.0 }));
    }

    #[divan::bench]
    fn erase(bencher: Bencher) {
        bench(bencher, Kernel::from(EraseKernel));
    }

    #[divan::bench]
    fn blur_of_4_cells(bencher: Bencher) {
        bench(bencher, Kernel::from(BlurKernel { frame_taps: gaussian_taps(4.0), bin_taps: gaussian_taps(4.0) }));
    }

    #[divan::bench]
    fn band_filter(bencher: Bencher) {
        bench(bencher, Kernel::from(BandKernel { response: vec![0.5; 1025] }));
    }

    #[divan::bench]
    fn modulation_filter_of_both(bencher: Bencher) {
        let low = |cutoff: f64| Butterworth { pass: Pass::Low, cutoff: vec![cutoff], order: 4 };
        let kernel = modulation_kernel(&grid(512), Along::Both, &[low(8.0), low(2.0)], &rect()).unwrap();
        bench(bencher, kernel);
    }
}

fn resample(displacement: Displacement, grid: &Grid, plane: &Region) -> Region {
    let overlap = (grid.transform().as_stft().unwrap().n_fft / grid.transform().as_stft().unwrap().hop) as u32;
    let mask = Mask { rect: displacement.rect.clone(), values: Vec::new() };
    Kernel::Resample { displacement, overlap, nyquist_bin: 1024 }.run(plane, &mask)
}

/// A push across the middle of the brushes' cells that moves all of them.
fn push_stroke(grid: &Grid) -> Stroke {
    let middle = 128.0 + SIDE as f64 / 2.0;
    let point =
        |bins: f64| Point { secs: grid.secs_from_frame(middle), hz: grid.hz_from_bin(middle + bins), pressure: 1.0 };
    let radius = [grid.secs_from_frame(SIDE as f64 / 2.0), grid.hz_from_bin(SIDE as f64 / 2.0)];
    Stroke {
        points: vec![point(-40.0), point(40.0)],
        axis: Axis::Linear,
        radius,
        hardness: 0.5,
        strength: 1.0,
        build_up: false,
    }
}

/// What one pointer event of a push may change, and the field after it.
fn pointer_step(field: &mut PushField, pair: [Dab; 2]) -> Displacement {
    let dirty = field.push(pair[0], pair[1]);
    field.displacement(&dirty)
}

#[divan::bench_group(min_time = 1)]
mod warp_512x512 {
    use super::*;

    #[divan::bench]
    fn grab_whole(bencher: Bencher) {
        let grid = grid(256);
        let (plane, mask) = (plane(&grid), soft_mask());
        bencher.bench_local(|| {
            let field = Displacement::grab(&grid, black_box(&mask), Axis::Linear, [0.01, 200.0]);
            resample(field, &grid, &plane)
        });
    }

    #[divan::bench]
    fn push_whole(bencher: Bencher) {
        let grid = grid(256);
        let (plane, stroke) = (plane(&grid), push_stroke(&grid));
        let mut field = PushField::new(&grid, &stroke, None, &rect());
        for pair in dabs(&stroke).windows(2) {
            field.push(pair[0], pair[1]);
        }
        bencher.bench_local(|| resample(field.displacement(black_box(&rect())), &grid, &plane));
    }

    /// One pointer event under a brush of some radius in cells.
    #[divan::bench(args = [32, 128])]
    fn push_dirty_part_of_one_pointer_step(bencher: Bencher, radius: u32) {
        let grid = grid(256);
        let plane = plane(&grid);
        let mut stroke = push_stroke(&grid);
        stroke.radius = [grid.secs_from_frame(f64::from(radius)), grid.hz_from_bin(f64::from(radius))];
        let mut field = PushField::new(&grid, &stroke, None, &rect());
        let dabs = dabs(&stroke);
        bencher.bench_local(|| resample(pointer_step(&mut field, black_box([dabs[3], dabs[4]])), &grid, &plane));
    }
}

// ----------------------------------------------------------------------------------------------------------- edits

/// A stroke of one second across a minute of sound: from release to the new snapshot.
#[divan::bench_group(min_time = 1)]
mod one_second_stroke {
    use super::*;

    fn bench(bencher: Bencher, brush: Brush) {
        let sound = Snapshot::new(Source::from_channels(vec![noise((60.0 * RATE) as usize)], RATE as u32).unwrap());
        let point = |secs, hz| Point { secs, hz, pressure: 1.0 };
        let edit = Edit {
            stroke: Some(Stroke {
                points: vec![point(30.0, 800.0), point(30.5, 2000.0), point(31.0, 1000.0)],
                axis: Axis::Log,
                radius: [0.05, 0.5],
                hardness: 0.5,
                strength: 1.0,
                build_up: false,
            }),
            ..Edit::of(brush, StftParams::default())
        };
        bencher.bench_local(|| apply(black_box(&sound), &edit, &Engine::cpu(), &Progress::new()).unwrap());
    }

    #[divan::bench]
    fn gain(bencher: Bencher) {
        bench(bencher, Brush::Gain(Gain { gain_db: -12.0 }));
    }

    #[divan::bench]
    fn blur(bencher: Bencher) {
        bench(bencher, Brush::Blur(Blur { sigma: [0.046, 86.0], sigma_axis: Axis::Linear, rebuild_phase: false }));
    }

    #[divan::bench]
    fn push(bencher: Bencher) {
        bench(bencher, Brush::Warp(Warp { mode: sonobrush::dsp::strokes::brush::WarpMode::Push, peak_locking: true }));
    }
}
