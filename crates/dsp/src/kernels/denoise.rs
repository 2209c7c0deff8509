//! Denoise brush: the MMSE log-spectral amplitude gain with a decision-directed estimate of the a priori SNR, called
//! the estimate below. Each frame depends on the previous one, so one CPU kernel serves both engines and there is no
//! shader twin.
//!
//! Sources: Ephraim and Malah, IEEE TASSP 32(6), 1984 (decision-directed), and 33(2), 1985 (the gain); Cohen and
//! Berdugo, Signal Processing 81(11), 2001 (a gain between this one and a floor by the presence of sound); Plapous,
//! Marro and Scalart, IEEE TASLP 14(6), 2006 (the second step of an estimate).

use crate::dsp::numeric::vectors::vectorized;
use crate::dsp::{CellRect, Mask, Region};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::OnceLock;

/// Weight of the previous frame in the estimate, at a hop of 512 samples at 44.1 kHz.
const SMOOTHING: f32 = 0.95;
/// Minimum of the estimate: -15 dB, or -26 dB if gains are [even](NoiseReduction::is_even).
const MIN_PRIOR: f32 = 0.031_622_78;
const MIN_EVEN_PRIOR: f32 = 0.002_511_886;
/// Upper limit of the ratio of power to noise.
const MAX_RATIO: f32 = 1e4;
/// The same limit for averages over neighbours, so that one loud cell does not dominate them.
const MAX_SMOOTHED_RATIO: f32 = 100.0;
/// Number of frames before and after those written in which the estimate settles, with the weight [`SMOOTHING`].
const SETTLE_FRAMES: usize = 32;
/// Bins per task.
const BINS_PER_TASK: usize = 32;

/// The denoise brush prepared for a signal: tables per bin of the whole spectrum, computed in f64.
#[derive(Debug, Clone, PartialEq)]
pub struct NoiseReduction {
    /// Reciprocal of the mean `|X|^2` of the noise; 0 where there is no noise.
    pub inverse_noise: Vec<f32>,
    /// Smoothed ratios of power to noise up to which sound counts as absent, and from which it counts as present.
    pub presence: Vec<[f32; 2]>,
    /// Smoothing of the ratio of power to noise.
    pub blurring: Blurring,
    /// Factor on the ratio of power to noise before the gain is looked up.
    pub margin: f32,
    /// Gain of pure noise.
    pub floor: f32,
    /// Weight of the previous frame in the estimate.
    pub memory: f32,
    /// Frames before and after those written in which the estimate settles.
    pub settle_frames: usize,
    /// Whether the estimate is the geometric mean of those from both directions of time, passed through the gain a
    /// second time, and each bin shares its gain with its neighbours, since a window spreads a partial over three bins.
    /// Otherwise, the estimate is the mean of both, and each bin has its own gain.
    pub is_even: bool,
}

/// The weight of the previous frame in the estimate, and the number of frames in which it settles, for a hop `times` as
/// long as 512 samples at 44.1 kHz, so that the decay in seconds is the same.
pub fn memory_of_hop(times: f64) -> (f32, usize) {
    (f64::from(SMOOTHING).powf(times) as f32, (SETTLE_FRAMES as f64 / times).ceil() as usize)
}

/// Two successive running means along each axis, approximating a Gaussian; ends are repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blurring {
    /// Number of frames and of bins on each side of the centre of a running mean.
    pub reach: [usize; 2],
}

impl Blurring {
    /// No smoothing.
    pub fn none() -> Blurring {
        Blurring { reach: [0; 2] }
    }

    /// The blurring with these standard deviations in frames and bins. Two means over `L` cells have a variance of
    /// `(L^2 - 1) / 6`.
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

/// Number of rows whose running means are computed in parallel, since each sum depends on the previous one.
const ROWS: usize = 4;

/// Computes running means of at most [`ROWS`] rows of `n` values.
fn running_means(values: &[f32], out: &mut [f32], n: usize, reach: usize) {
    if values.len() == ROWS * n {
        return means_of_rows::<ROWS>(values, out, n, reach);
    }
    for (values, out) in values.chunks_exact(n).zip(out.chunks_exact_mut(n)) {
        means_of_rows::<1>(values, out, n, reach);
    }
}

fn means_of_rows<const N: usize>(values: &[f32], out: &mut [f32], n: usize, reach: usize) {
    // The values of all rows `reach` positions before `i`, clamped to the row.
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
        [(2 * frames).max(self.settle_frames), 2 * bins + usize::from(self.is_even)]
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
                // Bins without noise do not affect the presence of sound in others.
                *ratio = if inverse > 0.0 { (magnitude * magnitude * inverse).min(MAX_RATIO) } else { MAX_RATIO };
                *smoothed = if inverse > 0.0 { ratio.min(MAX_SMOOTHED_RATIO) } else { 1.0 };
            }
        });
        self.blurring.run(&mut smoothed, n_wide);
        // The bins of `rect` and the neighbours that share their gain.
        let own = rect.grown(0, usize::from(self.is_even), &wide);
        let (n_own, n_bins) = (own.bins.len(), rect.bins.len().max(1));
        let columns: Vec<Vec<Lanes>> = (0..n_own)
            .into_par_iter()
            .step_by(BINS_PER_TASK)
            .map(|column| {
                let width = BINS_PER_TASK.min(n_own - column);
                let from = own.bins.start - wide.bins.start + column;
                let lanes = |row: &[f32]| {
                    let mut lanes = [0.0; BINS_PER_TASK];
                    lanes.iter_mut().zip(&row[from..][..width]).for_each(|(out, x)| *out = x * self.margin);
                    lanes
                };
                let block: Vec<Lanes> = ratio.chunks_exact(n_wide).map(lanes).collect();
                self.open_gains(&block, first_frame..first_frame + rect.frames.len())
            })
            .collect();
        let mut gains = vec![0.0; rect.n_cells()];
        gains.par_chunks_mut(n_bins).enumerate().for_each_init(
            || vec![0.0; n_own],
            |open, (frame, row)| {
                for (block, part) in columns.iter().zip(open.chunks_mut(BINS_PER_TASK)) {
                    part.copy_from_slice(&block[frame][..part.len()]);
                }
                let smoothed = &smoothed[(first_frame + frame) * n_wide + first_bin..][..row.len()];
                for ((gain, bin), &smoothed) in row.iter_mut().zip(rect.bins.clone()).zip(smoothed) {
                    *gain = self.gain_of(open, own.bins.start, bin, smoothed);
                }
            },
        );
        gains
    }

    /// The gain of `bin`. `open` holds the gains of the bins from `first` on, before the floor and the presence of
    /// sound; `smoothed` is the smoothed ratio of power to noise.
    fn gain_of(&self, open: &[f32], first: usize, bin: usize, smoothed: f32) -> f32 {
        if self.inverse_noise[bin] == 0.0 {
            return 1.0;
        }
        let presence = presence(smoothed, self.presence[bin]);
        if presence == 0.0 {
            return self.floor;
        }
        let middle = open[bin - first].max(self.floor);
        let gain = if self.is_even {
            // Where there is no noise there is no gain to share.
            let beside = |bin: Option<usize>| {
                let place = bin.filter(|bin| self.inverse_noise.get(*bin).is_some_and(|inverse| *inverse > 0.0));
                let gain = place.and_then(|bin| open.get(bin.checked_sub(first)?));
                gain.map_or(middle, |gain| gain.max(self.floor))
            };
            // Weights of 1/6, 2/3 and 1/6 in decibels.
            let [below, above] = [beside(bin.checked_sub(1)), beside(Some(bin + 1))];
            (middle.powi(4) * below * above).powf(1.0 / 6.0)
        } else {
            middle
        };
        if presence == 1.0 { gain } else { self.floor * (gain / self.floor).powf(presence) }
    }

    /// The gains of a task's bins in `frames`, before the floor and the presence of sound.
    fn open_gains(&self, ratio: &[Lanes], frames: Range<usize>) -> Vec<Lanes> {
        let table = table();
        let mut prior = vec![[0.0; BINS_PER_TASK]; ratio.len()];
        find_priors(table, self, ratio, &mut prior);
        let mut gains = vec![[0.0; BINS_PER_TASK]; frames.len()];
        find_gains(table, self.is_even, &prior[frames.clone()], &ratio[frames], &mut gains);
        gains
    }
}

/// Values of the bins of a task.
type Lanes = [f32; BINS_PER_TASK];

vectorized! {
    /// The estimates of a task's bins: forwards, then backwards, and the mean of both, which is geometric if gains are
    /// even.
    fn find_priors(table: &GainTable, reduction: &NoiseReduction, ratio: &[Lanes], prior: &mut [Lanes]) {
        let min = if reduction.is_even { MIN_EVEN_PRIOR } else { MIN_PRIOR };
        let settings = (reduction.memory, min);
        let mut held = [0.0; BINS_PER_TASK];
        for (i, (prior, ratio)) in prior.iter_mut().zip(ratio).enumerate() {
            *prior = next_estimate(table, settings, i == 0, ratio, &mut held);
        }
        for (i, (prior, ratio)) in prior.iter_mut().zip(ratio).rev().enumerate() {
            let estimate = next_estimate(table, settings, i == 0, ratio, &mut held);
            for (prior, estimate) in prior.iter_mut().zip(estimate) {
                *prior = if reduction.is_even { (*prior * estimate).sqrt() } else { 0.5 * *prior + 0.5 * estimate };
            }
        }
    }
}

/// The estimate of a frame, at least `min`. `held` is the cleaned power over noise of the previous frame, and is
/// updated.
#[inline(always)]
fn next_estimate(
    table: &GainTable,
    (memory, min): (f32, f32),
    is_first: bool,
    ratio: &Lanes,
    held: &mut Lanes,
) -> Lanes {
    let mut estimate = [0.0; BINS_PER_TASK];
    for i in 0..BINS_PER_TASK {
        let instant = (ratio[i] - 1.0).max(0.0);
        let mixed = if is_first { instant } else { memory * held[i] + (1.0 - memory) * instant };
        estimate[i] = mixed.max(min);
    }
    let gain = table.gains(&estimate, ratio);
    for i in 0..BINS_PER_TASK {
        held[i] = gain[i] * gain[i] * ratio[i];
    }
    estimate
}

vectorized! {
    /// The gains if sound is present. If gains are even, a first gain provides a second estimate, and the final gain
    /// uses the geometric mean of both.
    fn find_gains(table: &GainTable, is_even: bool, prior: &[Lanes], ratio: &[Lanes], gains: &mut [Lanes]) {
        for (gains, (prior, ratio)) in gains.iter_mut().zip(prior.iter().zip(ratio)) {
            *gains = table.gains(prior, ratio);
            if is_even {
                let mut joined = *prior;
                for ((joined, gain), ratio) in joined.iter_mut().zip(&*gains).zip(ratio) {
                    *joined = (*joined * (gain * gain * ratio).max(MIN_EVEN_PRIOR)).sqrt();
                }
                *gains = table.gains(&joined, ratio);
            }
        }
    }
}

/// Presence of sound: 0 up to the first ratio, 1 from the second on, smooth in between.
fn presence(ratio: f32, [low, high]: [f32; 2]) -> f32 {
    let part = ((ratio - low) / (high - low)).clamp(0.0, 1.0);
    part * part * (3.0 - 2.0 * part)
}

/// `exp(E1(v) / 2)`, linearly interpolated between 256 points per octave; the relative error is at most 2e-6.
struct GainTable([f32; TABLE_STEPS + 1]);

/// Range of the table in powers of two.
const TABLE_OCTAVES: std::ops::Range<i32> = -24..8;
const TABLE_STEPS: usize = 256 * (TABLE_OCTAVES.end - TABLE_OCTAVES.start) as usize;
const FIRST_BITS: u32 = ((127 + TABLE_OCTAVES.start) as u32) << 23;
const MIN_V: f32 = 5.960_464_5e-8;
const MAX_V: f32 = 255.0;

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
    /// The MMSE log-spectral amplitude gains for a posteriori SNRs `ratio` and a priori SNRs `prior`; at most 1.
    #[inline(always)]
    fn gains<const N: usize>(&self, prior: &[f32; N], ratio: &[f32; N]) -> [f32; N] {
        let [mut wiener, mut low, mut high] = [[0.0; N]; 3];
        let mut place = [0; N];
        for i in 0..N {
            wiener[i] = prior[i] / (1.0 + prior[i]);
            let v = (wiener[i] * ratio[i]).clamp(MIN_V, MAX_V);
            place[i] = v.to_bits().wrapping_sub(FIRST_BITS);
        }
        // A separate loop, since look-ups cannot be vectorised.
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

/// The gain that the kernel looks up in its table: `prior / (1 + prior) exp(E1(v) / 2)` with
/// `v = ratio prior / (1 + prior)`, at most 1.
pub fn log_spectral_gain(prior: f32, ratio: f32) -> f32 {
    table().gains(&[prior], &[ratio])[0]
}

/// `E1(x)` for `x` above 0: the series up to 1, the continued fraction above, both to the precision of f64.
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
    // The continued fraction, from its last term: e^-x / (x + 1 / (1 + 1 / (x + 2 / (1 + 2 / (x + ...))))).
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
