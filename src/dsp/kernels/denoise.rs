//! Denoise brush: MMSE log-spectral amplitude under a decision-directed estimate. Each frame depends on the previous
//! one, so one CPU kernel serves both engines and there is no shader twin.
//!
//! Sources: Ephraim and Malah, IEEE TASSP 32(6), 1984 (decision-directed), and 33(2), 1985 (the gain); Cohen and
//! Berdugo, Signal Processing 81(11), 2001 (a gain between this one and a floor by the presence of sound).

use crate::dsp::vectors::vectorized;
use crate::dsp::{CellRect, Mask, Region};
use rayon::prelude::*;
use std::sync::OnceLock;

/// Weight of the previous frame in the estimate, at a hop of 512 samples at 44.1 kHz.
const MEMORY: f32 = 0.95;
/// The estimate is never below this: -15 dB.
const LEAST_PRIOR: f32 = 0.031_622_78;
/// Upper limit of the power over noise.
const MOST_RATIO: f32 = 1e4;
/// The same limit for averages over neighbours, so that one loud cell does not dominate them.
const MOST_SMOOTHED: f32 = 100.0;
/// Frames before and after those written in which the estimate settles, with that weight.
const SETTLE_FRAMES: usize = 32;
/// Bins per task.
const BINS_PER_TASK: usize = 32;

/// The denoise brush prepared for a signal: tables per bin of the whole spectrum, computed in f64.
#[derive(Debug, Clone, PartialEq)]
pub struct NoiseReduction {
    /// Reciprocal of the mean `|X|^2` of the noise; 0 where there is no noise.
    pub inverse_noise: Vec<f32>,
    /// Smoothed power over noise at which sound starts to count as present, and at which it certainly is.
    pub presence: Vec<[f32; 2]>,
    /// How the power over noise is smoothed.
    pub blurring: Blurring,
    /// Factor on the power over noise before the gain is looked up.
    pub margin: f32,
    /// Gain of pure noise.
    pub floor: f32,
    /// Weight of the previous frame in the estimate.
    pub memory: f32,
    /// Frames before and after those written in which the estimate settles.
    pub settle_frames: usize,
}

/// The weight of the previous frame in the estimate, and the frames in which it settles, for frames that are as many times
/// as far apart as those for which the usual values hold: it forgets as fast in seconds.
pub fn memory_of_hop(times: f64) -> (f32, usize) {
    (f64::from(MEMORY).powf(times) as f32, (SETTLE_FRAMES as f64 / times).ceil() as usize)
}

/// Two successive running means along each axis, approximating a Gaussian; ends are repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blurring {
    /// Cells on each side of one running mean: frames, bins.
    pub reach: [usize; 2],
}

impl Blurring {
    /// No smoothing.
    pub fn none() -> Blurring {
        Blurring { reach: [0; 2] }
    }

    /// Of standard deviations in frames and bins: two means over `L` cells have the variance `(L^2 - 1) / 6`.
    pub fn of_sigma(sigma: [f64; 2]) -> Blurring {
        Blurring { reach: sigma.map(|sigma| (((6.0 * sigma * sigma + 1.0).sqrt() - 1.0) / 2.0).round() as usize) }
    }

    /// Smooths rows of `n_bins` values.
    pub fn run(&self, values: &mut [f32], n_bins: usize) {
        let n_bins = n_bins.max(1);
        let [frames, bins] = self.reach;
        if bins > 0 {
            values.par_chunks_mut(ROWS * n_bins).for_each_init(
                || vec![0.0; ROWS * n_bins],
                |scratch, rows| {
                    let scratch = &mut scratch[..rows.len()];
                    running_means(rows, scratch, n_bins, bins);
                    running_means(scratch, rows, n_bins, bins);
                },
            );
        }
        if frames > 0 {
            let n_frames = values.len() / n_bins;
            let columns: Vec<Vec<f32>> = (0..n_bins)
                .into_par_iter()
                .step_by(BINS_PER_TASK)
                .map(|first| {
                    let width = BINS_PER_TASK.min(n_bins - first);
                    let rows = values.chunks_exact(n_bins).flat_map(|row| &row[first..first + width]);
                    let mut block: Vec<f32> = rows.copied().collect();
                    let mut scratch = vec![0.0; block.len()];
                    running_mean_of_rows(&block, &mut scratch, width, frames);
                    running_mean_of_rows(&scratch, &mut block, width, frames);
                    block
                })
                .collect();
            values.par_chunks_mut(n_bins).enumerate().for_each(|(frame, row)| {
                debug_assert!(frame < n_frames);
                for (block, part) in columns.iter().zip(row.chunks_mut(BINS_PER_TASK)) {
                    part.copy_from_slice(&block[frame * part.len()..][..part.len()]);
                }
            });
        }
    }
}

/// Rows whose running means are made side by side: each sum waits for the one before.
const ROWS: usize = 4;

/// The running means of [`ROWS`] rows of `n` values, or fewer.
fn running_means(values: &[f32], out: &mut [f32], n: usize, reach: usize) {
    if values.len() == ROWS * n {
        return means_of_rows::<ROWS>(values, out, n, reach);
    }
    for (values, out) in values.chunks_exact(n).zip(out.chunks_exact_mut(n)) {
        means_of_rows::<1>(values, out, n, reach);
    }
}

fn means_of_rows<const N: usize>(values: &[f32], out: &mut [f32], n: usize, reach: usize) {
    // Those at a place `reach` before `i`.
    let at = |i: usize| {
        let i = i.saturating_sub(reach).min(n - 1);
        std::array::from_fn::<f64, N, _>(|row| f64::from(values[row * n + i]))
    };
    let mut sums = [0.0; N];
    for i in 0..2 * reach {
        sums.iter_mut().zip(at(i)).for_each(|(sum, value)| *sum += value);
    }
    let scale = 1.0 / (2 * reach + 1) as f64;
    for i in 0..n {
        let (entering, leaving) = (at(i + 2 * reach), at(i));
        for row in 0..N {
            sums[row] += entering[row];
            out[row * n + i] = (sums[row] * scale) as f32;
            sums[row] -= leaving[row];
        }
    }
}

fn running_mean_of_rows(values: &[f32], out: &mut [f32], width: usize, reach: usize) {
    let n = values.len() / width;
    let row = |i: usize| &values[i.saturating_sub(reach).min(n - 1) * width..][..width];
    let mut sums = vec![0.0f64; width];
    let add = |sums: &mut [f64], row: &[f32], sign: f64| {
        sums.iter_mut().zip(row).for_each(|(sum, &value)| *sum += sign * f64::from(value));
    };
    (0..2 * reach).for_each(|i| add(&mut sums, row(i), 1.0));
    let scale = 1.0 / (2 * reach + 1) as f64;
    for (i, out) in out.chunks_exact_mut(width).enumerate() {
        add(&mut sums, row(i + 2 * reach), 1.0);
        out.iter_mut().zip(&sums).for_each(|(out, &sum)| *out = (sum * scale) as f32);
        add(&mut sums, row(i), -1.0);
    }
}

impl NoiseReduction {
    /// Halo in frames and bins.
    pub fn halo(&self) -> [usize; 2] {
        let [frames, bins] = self.blurring.reach;
        [(2 * frames).max(self.settle_frames), 2 * bins]
    }

    /// Gains of the cells of `rect`, frame-major; `before` is as for [`Kernel::run`](super::Kernel::run).
    pub fn gains(&self, before: &Region, rect: &CellRect) -> Vec<f32> {
        let [frames, bins] = self.halo();
        let wide = rect.grown(frames, bins, &before.rect);
        let n_wide = wide.bins.len().max(1);
        let (first_frame, first_bin) = (rect.frames.start - wide.frames.start, rect.bins.start - wide.bins.start);
        let inverse_noise = &self.inverse_noise[wide.bins.clone()];
        let mut ratio = vec![0.0f32; wide.n_cells()];
        let mut smoothed = vec![0.0f32; wide.n_cells()];
        let rows = ratio.par_chunks_mut(n_wide).zip(smoothed.par_chunks_mut(n_wide));
        rows.enumerate().with_min_len(16).for_each(|(row, (ratio, smoothed))| {
            let start = before.index(wide.frames.start + row, wide.bins.start);
            let cells = before.magnitude[start..].iter().zip(inverse_noise);
            for (((magnitude, &inverse), ratio), smoothed) in cells.zip(ratio).zip(smoothed) {
                // Bins without noise neither count as sound nor mask it.
                *ratio = if inverse > 0.0 { (magnitude * magnitude * inverse).min(MOST_RATIO) } else { MOST_RATIO };
                *smoothed = if inverse > 0.0 { ratio.min(MOST_SMOOTHED) } else { 1.0 };
            }
        });
        self.blurring.run(&mut smoothed, n_wide);
        let n_bins = rect.bins.len().max(1);
        let columns: Vec<Vec<Lanes>> = (0..rect.bins.len())
            .into_par_iter()
            .step_by(BINS_PER_TASK)
            .map(|column| {
                let width = BINS_PER_TASK.min(rect.bins.len() - column);
                let lanes = |row: &[f32]| {
                    let mut lanes = [0.0; BINS_PER_TASK];
                    lanes
                        .iter_mut()
                        .zip(&row[first_bin + column..][..width])
                        .for_each(|(out, x)| *out = x * self.margin);
                    lanes
                };
                let block: Vec<Lanes> = ratio.chunks_exact(n_wide).map(lanes).collect();
                let presence = |frame: usize| &smoothed[frame * n_wide + first_bin + column..][..width];
                self.block(&block, rect.bins.start + column, first_frame, rect.frames.len(), presence)
            })
            .collect();
        let mut gains = vec![0.0; rect.n_cells()];
        gains.par_chunks_mut(n_bins).enumerate().for_each(|(frame, row)| {
            for (block, part) in columns.iter().zip(row.chunks_mut(BINS_PER_TASK)) {
                part.copy_from_slice(&block[frame][..part.len()]);
            }
        });
        gains
    }

    /// The gains of a few bins over the frames `first .. first + n` of `ratio`.
    fn block<'a>(
        &self,
        ratio: &[Lanes],
        first_bin: usize,
        first: usize,
        n: usize,
        smoothed: impl Fn(usize) -> &'a [f32],
    ) -> Vec<Lanes> {
        let table = table();
        let mut prior = vec![[0.0; BINS_PER_TASK]; ratio.len()];
        find_priors(table, self.memory, ratio, &mut prior);
        let mut gains = vec![[0.0; BINS_PER_TASK]; n];
        find_gains(table, &prior[first..first + n], &ratio[first..first + n], &mut gains);
        for (frame, gains) in (first..).zip(&mut gains) {
            for (bin, (gain, &smoothed)) in (first_bin..).zip(gains.iter_mut().zip(smoothed(frame))) {
                *gain = if self.inverse_noise[bin] == 0.0 {
                    1.0
                } else {
                    match presence(smoothed, self.presence[bin]) {
                        0.0 => self.floor,
                        1.0 => gain.max(self.floor),
                        p => self.floor * (gain.max(self.floor) / self.floor).powf(p),
                    }
                };
            }
        }
        gains
    }
}

/// Values of the bins of a task.
type Lanes = [f32; BINS_PER_TASK];

vectorized! {
    /// The estimates of some bins: forwards, then backwards, and the mean of both.
    fn find_priors(table: &GainTable, memory: f32, ratio: &[Lanes], prior: &mut [Lanes]) {
        let mut held = [0.0; BINS_PER_TASK];
        for (i, (prior, ratio)) in prior.iter_mut().zip(ratio).enumerate() {
            add_estimate(table, memory, i == 0, ratio, &mut held, prior);
        }
        for (i, (prior, ratio)) in prior.iter_mut().zip(ratio).rev().enumerate() {
            add_estimate(table, memory, i == 0, ratio, &mut held, prior);
        }
    }
}

/// Adds half the estimate of a frame, which goes on from what the last one held.
#[inline(always)]
fn add_estimate(table: &GainTable, memory: f32, is_first: bool, ratio: &Lanes, held: &mut Lanes, prior: &mut Lanes) {
    let mut estimate = [0.0; BINS_PER_TASK];
    for i in 0..BINS_PER_TASK {
        let instant = (ratio[i] - 1.0).max(0.0);
        let mixed = if is_first { instant } else { memory * held[i] + (1.0 - memory) * instant };
        estimate[i] = mixed.max(LEAST_PRIOR);
    }
    let gain = table.gains(&estimate, ratio);
    for i in 0..BINS_PER_TASK {
        held[i] = gain[i] * gain[i] * ratio[i];
        prior[i] += 0.5 * estimate[i];
    }
}

vectorized! {
    /// The gains of cells whose sound is present.
    fn find_gains(table: &GainTable, prior: &[Lanes], ratio: &[Lanes], gains: &mut [Lanes]) {
        for (gains, (prior, ratio)) in gains.iter_mut().zip(prior.iter().zip(ratio)) {
            *gains = table.gains(prior, ratio);
        }
    }
}

/// 0 up to the first ratio, 1 from the second on, smooth in between.
fn presence(ratio: f32, [low, high]: [f32; 2]) -> f32 {
    let part = ((ratio - low) / (high - low)).clamp(0.0, 1.0);
    part * part * (3.0 - 2.0 * part)
}

/// `exp(E1(v) / 2)` on lines between 256 points an octave, off by 2e-6 of it at most.
struct GainTable([f32; TABLE_STEPS + 1]);

/// Exponents of two of the table's ends.
const TABLE_OCTAVES: std::ops::Range<i32> = -24..8;
const TABLE_STEPS: usize = 256 * (TABLE_OCTAVES.end - TABLE_OCTAVES.start) as usize;
const FIRST_BITS: u32 = ((127 + TABLE_OCTAVES.start) as u32) << 23;
const LEAST_V: f32 = 5.960_464_5e-8;
const MOST_V: f32 = 255.0;

fn table() -> &'static GainTable {
    static TABLE: OnceLock<GainTable> = OnceLock::new();
    TABLE.get_or_init(|| {
        let value = |i: usize| {
            let v = f64::from(f32::from_bits(FIRST_BITS + ((i as u32) << 15)));
            (exponential_integral(v) / 2.0).exp() as f32
        };
        GainTable(std::array::from_fn(value))
    })
}

impl GainTable {
    /// The MMSE log-spectral amplitude gains of powers over noise `ratio` and their expectations less 1, `prior`; at most 1.
    #[inline(always)]
    fn gains<const N: usize>(&self, prior: &[f32; N], ratio: &[f32; N]) -> [f32; N] {
        let [mut wiener, mut low, mut high] = [[0.0; N]; 3];
        let mut place = [0; N];
        for i in 0..N {
            wiener[i] = prior[i] / (1.0 + prior[i]);
            let v = (wiener[i] * ratio[i]).clamp(LEAST_V, MOST_V);
            place[i] = v.to_bits().wrapping_sub(FIRST_BITS);
        }
        // Vectors end here: each number is looked up by itself.
        for i in 0..N {
            let at = (place[i] >> 15) as usize % TABLE_STEPS;
            (low[i], high[i]) = (self.0[at], self.0[at + 1]);
        }
        let mut gains = [0.0; N];
        for i in 0..N {
            let part = (place[i] & 0x7fff) as f32 / 32_768.0;
            gains[i] = (wiener[i] * (low[i] + (high[i] - low[i]) * part)).min(1.0);
        }
        gains
    }
}

/// The gain that the kernel looks up in its table: `prior / (1 + prior) exp(E1(v) / 2)`, at most 1.
pub fn log_spectral_gain(prior: f32, ratio: f32) -> f32 {
    table().gains(&[prior], &[ratio])[0]
}

/// `E1(x)`, above 0: the series below 1, above it the continued fraction, both to the last digits of f64.
fn exponential_integral(x: f64) -> f64 {
    const EULER: f64 = 0.577_215_664_901_532_9;
    if x <= 1.0 {
        let (mut sum, mut term) = (-EULER - x.ln(), 1.0);
        for k in 1..40 {
            term *= -x / f64::from(k);
            sum -= term / f64::from(k);
        }
        return sum;
    }
    // From its last term: e^-x / (x + 1 / (1 + 1 / (x + 2 / (1 + 2 / (x + ...))))).
    let tail = (1..200).rev().fold(0.0, |tail, k| f64::from(k) / (1.0 + f64::from(k) / (x + tail)));
    (-x).exp() / (x + tail)
}

/// `|E| = |O| (1 + (G - 1) M)` over the cells of a mask.
pub(super) fn run(reduction: &NoiseReduction, before: &Region, mask: &Mask, after: &mut Region) {
    let gains = reduction.gains(before, &mask.rect);
    let rows = after.magnitude.par_chunks_mut(4096).zip(gains.par_chunks(4096)).zip(mask.values.par_chunks(4096));
    rows.for_each(|((magnitude, gains), mask)| {
        for ((magnitude, gain), m) in magnitude.iter_mut().zip(gains).zip(mask) {
            let new = *magnitude * (1.0 + (gain - 1.0) * m);
            *magnitude = if *m != 0.0 { new } else { *magnitude };
        }
    });
}
