//! Denoise brush: MMSE log-spectral amplitude under a decision-directed estimate. Each frame depends on the previous
//! one, so one CPU kernel serves both engines and there is no shader twin.
//!
//! Sources: Ephraim and Malah, IEEE TASSP 32(6), 1984 (decision-directed), and 33(2), 1985 (the gain); Cohen and
//! Berdugo, Signal Processing 81(11), 2001 (a gain between this one and a floor by the presence of sound).

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
            values.par_chunks_mut(n_bins).for_each_init(
                || vec![0.0; n_bins],
                |scratch, row| {
                    running_mean(row, scratch, bins);
                    running_mean(scratch, row, bins);
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

fn running_mean(values: &[f32], out: &mut [f32], reach: usize) {
    let n = values.len();
    let at = |i: usize| f64::from(values[i.saturating_sub(reach).min(n - 1)]);
    // `at(i)` is the value `reach` before `i`.
    let mut sum: f64 = (0..2 * reach).map(at).sum();
    let scale = 1.0 / (2 * reach + 1) as f64;
    for (i, out) in out.iter_mut().enumerate() {
        sum += at(i + 2 * reach);
        *out = (sum * scale) as f32;
        sum -= at(i);
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
        let columns: Vec<Vec<f32>> = (0..rect.bins.len())
            .into_par_iter()
            .step_by(BINS_PER_TASK)
            .map(|column| {
                let width = BINS_PER_TASK.min(rect.bins.len() - column);
                let block: Vec<f32> = ratio
                    .chunks_exact(n_wide)
                    .flat_map(|row| &row[first_bin + column..][..width])
                    .map(|ratio| ratio * self.margin)
                    .collect();
                let presence = |frame: usize| &smoothed[frame * n_wide + first_bin + column..][..width];
                self.block(&block, rect.bins.start + column, width, first_frame, rect.frames.len(), presence)
            })
            .collect();
        let mut gains = vec![0.0; rect.n_cells()];
        gains.par_chunks_mut(n_bins).enumerate().for_each(|(frame, row)| {
            for (block, part) in columns.iter().zip(row.chunks_mut(BINS_PER_TASK)) {
                part.copy_from_slice(&block[frame * part.len()..][..part.len()]);
            }
        });
        gains
    }

    /// The gains of a few bins over the frames `first .. first + n` of `ratio`, rows of `width` values.
    fn block<'a>(
        &self,
        ratio: &[f32],
        first_bin: usize,
        width: usize,
        first: usize,
        n: usize,
        smoothed: impl Fn(usize) -> &'a [f32],
    ) -> Vec<f32> {
        let table = table();
        let mut prior = vec![0.0f32; ratio.len()];
        let mut held = vec![0.0f32; width];
        let rows = || ratio.chunks_exact(width);
        // Forwards, then backwards; the estimate is the mean of both.
        let step = |prior: &mut [f32], held: &mut [f32], ratio: &[f32], is_first: bool, share: f32| {
            for ((prior, held), &ratio) in prior.iter_mut().zip(held).zip(ratio) {
                let instant = (ratio - 1.0).max(0.0);
                let estimate = if is_first { instant } else { self.memory * *held + (1.0 - self.memory) * instant };
                let estimate = estimate.max(LEAST_PRIOR);
                let gain = table.gain(estimate, ratio);
                *held = gain * gain * ratio;
                *prior += share * estimate;
            }
        };
        for (i, (prior, ratio)) in prior.chunks_exact_mut(width).zip(rows()).enumerate() {
            step(prior, &mut held, ratio, i == 0, 0.5);
        }
        for (i, (prior, ratio)) in prior.chunks_exact_mut(width).zip(rows()).rev().enumerate() {
            step(prior, &mut held, ratio, i == 0, 0.5);
        }
        let mut gains = Vec::with_capacity(n * width);
        for frame in first..first + n {
            let cells = prior[frame * width..].iter().zip(&ratio[frame * width..]).zip(smoothed(frame));
            for (bin, ((&prior, &ratio), &smoothed)) in cells.enumerate() {
                let bin = first_bin + bin;
                let gain = if self.inverse_noise[bin] == 0.0 {
                    1.0
                } else {
                    match presence(smoothed, self.presence[bin]) {
                        0.0 => self.floor,
                        1.0 => table.gain(prior, ratio).max(self.floor),
                        p => self.floor * (table.gain(prior, ratio).max(self.floor) / self.floor).powf(p),
                    }
                };
                gains.push(gain);
            }
        }
        gains
    }
}

/// 0 up to the first ratio, 1 from the second on, smooth in between.
fn presence(ratio: f32, [low, high]: [f32; 2]) -> f32 {
    let part = ((ratio - low) / (high - low)).clamp(0.0, 1.0);
    part * part * (3.0 - 2.0 * part)
}

/// `exp(E1(v) / 2)` on lines between 256 points an octave, off by 2e-6 of it at most.
struct GainTable(Vec<f32>);

/// Exponents of two of the table's ends.
const TABLE_OCTAVES: std::ops::Range<i32> = -24..8;
const FIRST_BITS: u32 = ((127 + TABLE_OCTAVES.start) as u32) << 23;
const LEAST_V: f32 = 5.960_464_5e-8;
const MOST_V: f32 = 255.0;

fn table() -> &'static GainTable {
    static TABLE: OnceLock<GainTable> = OnceLock::new();
    TABLE.get_or_init(|| {
        let n = 256 * TABLE_OCTAVES.len();
        let value = |i: usize| {
            let v = f64::from(f32::from_bits(FIRST_BITS + ((i as u32) << 15)));
            (exponential_integral(v) / 2.0).exp() as f32
        };
        GainTable((0..=n).map(value).collect())
    })
}

impl GainTable {
    /// The MMSE log-spectral amplitude gain of a power over noise `ratio` and its expectation less 1, `prior`; at most 1.
    #[inline]
    fn gain(&self, prior: f32, ratio: f32) -> f32 {
        let wiener = prior / (1.0 + prior);
        let v = (wiener * ratio).clamp(LEAST_V, MOST_V);
        let place = v.to_bits() - FIRST_BITS;
        let (i, part) = ((place >> 15) as usize, (place & 0x7fff) as f32 / 32_768.0);
        let [low, high] = [self.0[i], self.0[i + 1]];
        (wiener * (low + (high - low) * part)).min(1.0)
    }
}

/// The gain that the kernel looks up in its table: `prior / (1 + prior) exp(E1(v) / 2)`, at most 1.
pub fn log_spectral_gain(prior: f32, ratio: f32) -> f32 {
    table().gain(prior, ratio)
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
