//! YIN: the period of a short stretch of sound, from its differences with itself moved.
//!
//! Source: de Cheveigné and Kawahara, JASA 111(4), 2002, steps 1 to 5.

use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use rustfft::num_complex::Complex64;
use std::collections::VecDeque;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// The first local minimum below this is chosen.
const THRESHOLD: f64 = 0.1;
/// Differences below this share of the energy are rounding.
const ROUNDING: f64 = 1e-10;
/// Lags beyond both ends of the range, so that a minimum at an end has neighbours that tell it from a slope.
const EXTRA_LAGS: usize = 2;

/// Result of one frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PitchReading {
    /// Rate over the period.
    pub hz: f64,
    /// The normalised difference at the period: 0 of a sound that repeats exactly, about 1 of noise.
    pub aperiodicity: f64,
}

/// Finds the period of consecutive frames, each a step after the previous one.
pub struct Yin {
    rate_hz: f64,
    n_window: usize,
    step: usize,
    lags: RangeInclusive<usize>,
    forward: Arc<dyn RealToComplex<f64>>,
    inverse: Arc<dyn ComplexToReal<f64>>,
    input: Vec<f64>,
    /// Spectra of a block, and of it with all that it is compared with.
    spectra: [Vec<Complex64>; 2],
    scratch: Vec<Complex64>,
    /// For each step of the window the products of its samples with later ones, by lag; `None` if not needed yet.
    blocks: VecDeque<Option<Vec<f64>>>,
    /// By lag from 0: the sum of the blocks' products, the difference, and the normalised one.
    products: Vec<f64>,
    differences: Vec<f64>,
    normal: Vec<f64>,
}

impl Yin {
    /// For frames of `n_frame` samples, `step` samples apart, of which the first `n_window`, a multiple of the step,
    /// are compared with those later by the periods of frequencies from `lowest_hz` to `highest_hz`.
    ///
    /// # Panics
    /// If the longest period does not fit into the rest of the frame.
    pub fn new(rate_hz: f64, [n_frame, n_window, step]: [usize; 3], [lowest_hz, highest_hz]: [f64; 2]) -> Yin {
        let shortest = (rate_hz / highest_hz).floor() as usize;
        let lags = shortest.max(2 * EXTRA_LAGS)..=(rate_hz / lowest_hz).ceil() as usize;
        let n_lags = lags.end() + EXTRA_LAGS + 1;
        assert!(n_window + n_lags <= n_frame && n_window.is_multiple_of(step), "periods within the frame");
        let fft_size = fft_len(step + n_lags);
        let mut planner = RealFftPlanner::new();
        let (forward, inverse) = (planner.plan_fft_forward(fft_size), planner.plan_fft_inverse(fft_size));
        let n_scratch = forward.get_scratch_len().max(inverse.get_scratch_len());
        Yin {
            rate_hz,
            n_window,
            step,
            input: vec![0.0; fft_size],
            spectra: [forward.make_output_vec(), forward.make_output_vec()],
            scratch: vec![Complex64::default(); n_scratch],
            blocks: vec![None; n_window / step].into(),
            products: vec![0.0; n_lags],
            differences: vec![0.0; n_lags],
            normal: vec![1.0; n_lags],
            lags,
            forward,
            inverse,
        }
    }

    /// Passes over a frame.
    pub fn skip(&mut self) {
        self.blocks.rotate_left(1);
        if let Some(last) = self.blocks.back_mut() {
            *last = None;
        }
    }

    /// The period of the next frame; `None` where it has none within the range.
    pub fn read(&mut self, frame: &[f32]) -> Option<PitchReading> {
        self.find_products(frame);
        self.skip();
        let [first, second] = self.find_differences(frame);
        // The correlations of a sine follow from each other; of one above the range only multiples of its period are in
        // it.
        let shortest = self.lags.start() - EXTRA_LAGS;
        let is_above = first < (std::f64::consts::TAU / shortest as f64).cos();
        if is_above && (second - (2.0 * first * first - 1.0)).abs() < THRESHOLD {
            return None;
        }
        let lag = self.lag_under_threshold().or_else(|| self.deepest_lag())?;
        let [before, here, after] = around(&self.normal, lag);
        // At the ends of the range there are slopes, which go on.
        let is_least = here < before && here <= after;
        (lag > shortest && is_least).then(|| PitchReading {
            // The raw difference has no slope of its own.
            hz: self.rate_hz / (lag as f64 + vertex(around(&self.differences, lag))),
            aperiodicity: min([before, here, after]).max(0.0),
        })
    }

    /// The first local minimum that is deep enough, at the vertex of its parabola.
    fn lag_under_threshold(&self) -> Option<usize> {
        // No vertex lies this far below its neighbour.
        const MAX_APERIODICITY: f64 = 4.0 * THRESHOLD;
        let mut lags = self.normal[1..].windows(3).zip(2..).filter(|(around, _)| around[1] < MAX_APERIODICITY);
        let is_deep = |&(values, _): &(&[f64], usize)| {
            let [before, here, after] = [values[0], values[1], values[2]];
            here < before && here <= after && min([before, here, after]) < THRESHOLD
        };
        lags.find(is_deep).map(|(_, lag)| lag)
    }

    /// The lag with the smallest normalised difference, in the range with a margin on both sides, unless that is the
    /// last.
    fn deepest_lag(&self) -> Option<usize> {
        let shortest = self.lags.start() - EXTRA_LAGS;
        let (mut lowest, mut at) = (f64::INFINITY, shortest);
        for (&value, lag) in self.normal[shortest..].iter().zip(shortest..) {
            if value < lowest {
                (lowest, at) = (value, lag);
            }
        }
        (at + 1 < self.normal.len()).then_some(at)
    }

    /// `sum_j x_j x_(j + lag)` over the window, by FFT. A block of it belongs to several frames and is computed for the
    /// first.
    fn find_products(&mut self, frame: &[f32]) {
        let n_lags = self.products.len();
        for (block, start) in self.blocks.iter_mut().zip((0..).step_by(self.step)) {
            if block.is_some() {
                continue;
            }
            for (spectrum, n) in self.spectra.iter_mut().zip([self.step, self.step + n_lags - 1]) {
                self.input.fill(0.0);
                self.input.iter_mut().zip(&frame[start..start + n]).for_each(|(out, sample)| *out = f64::from(*sample));
                // Lengths are the plans' own, the only thing they check here.
                self.forward.process_with_scratch(&mut self.input, spectrum, &mut self.scratch).ok();
            }
            let [few, all] = &mut self.spectra;
            all.iter_mut().zip(few).for_each(|(all, few)| *all *= few.conj());
            self.inverse.process_with_scratch(all, &mut self.input, &mut self.scratch).ok();
            *block = Some(self.input[..n_lags].to_vec());
        }
        self.products.fill(0.0);
        for block in self.blocks.iter().flatten() {
            self.products.iter_mut().zip(block).for_each(|(sum, product)| *sum += product);
        }
    }

    /// `d(lag) = sum_j (x_j - x_(j + lag))^2`, and that times the lag over the sum of all up to it, 1 where all are
    /// rounding. Returns the correlations at the lags 1 and 2, 1 of silence.
    fn find_differences(&mut self, frame: &[f32]) -> [f64; 2] {
        let square = |sample: f32| f64::from(sample) * f64::from(sample);
        // Eight sums, none of which waits for another.
        let mut energies = [0.0; 8];
        for samples in frame[..self.n_window].chunks(8) {
            energies.iter_mut().zip(samples).for_each(|(sum, sample)| *sum += square(*sample));
        }
        let energy: f64 = energies.iter().sum();
        let scale = 2.0 / self.input.len() as f64;
        let (mut moved, mut sum) = (energy, 0.0);
        let mut correlations = [1.0; 2];
        let around_window = frame[self.n_window..].iter().zip(frame);
        let lags =
            self.products[1..].iter().zip(around_window).zip(&mut self.differences[1..]).zip(&mut self.normal[1..]);
        for (((product, (later, earlier)), difference), normal) in lags {
            moved += square(*later) - square(*earlier);
            *difference = (energy + moved - scale * product).max(0.0);
            sum += *difference;
            *normal = sum;
        }
        let mut both = 2.0 * energy;
        for (lag, correlation) in correlations.iter_mut().enumerate() {
            both += square(frame[self.n_window + lag]) - square(frame[lag]);
            if both > 0.0 {
                *correlation = 1.0 - self.differences[lag + 1] / both;
            }
        }
        // Apart from the sums, which each need the one before.
        for ((normal, difference), lag) in self.normal.iter_mut().zip(&self.differences).zip(0u32..).skip(1) {
            let (sum, lag) = (*normal, f64::from(lag));
            *normal = if sum <= ROUNDING * energy * lag { 1.0 } else { difference * lag / sum };
        }
        correlations
    }
}

/// A value with its neighbours.
fn around(values: &[f64], at: usize) -> [f64; 3] {
    [values[at - 1], values[at], values[at + 1]]
}

/// The smallest fast FFT length from `min` on: a power of two times 1, 3 or 5, at least 16.
fn fft_len(min: usize) -> usize {
    let of = |odd: usize| odd * min.div_ceil(odd).next_power_of_two().max(16);
    [1, 3, 5].map(of).into_iter().min().unwrap_or(min)
}

/// Offset of the vertex of a parabola from the middle of three values; 0 if it is not between its neighbours.
pub(crate) fn vertex([before, here, after]: [f64; 3]) -> f64 {
    let (curve, slope) = (before + after - 2.0 * here, (after - before) / 2.0);
    if slope.abs() >= curve.abs() { 0.0 } else { -slope / curve }
}

/// The value at the [vertex] of three.
fn min(around: [f64; 3]) -> f64 {
    let [before, here, after] = around;
    here + (after - before) / 4.0 * vertex(around)
}
