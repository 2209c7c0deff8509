//! YIN: finds the period of a short frame of sound from its difference with delayed copies of itself.
//!
//! Source: de Cheveigné and Kawahara, JASA 111(4), 2002, steps 1 to 5.

use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use rustfft::num_complex::Complex64;
use std::collections::VecDeque;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Normalised difference below which the first local minimum is chosen.
const THRESHOLD: f64 = 0.1;
/// Fraction of the energy below which differences are rounding errors.
const ROUNDING: f64 = 1e-10;
/// Lags beyond both ends of the range, so that a minimum at an end has neighbours that distinguish it from a slope.
const EXTRA_LAGS: usize = 2;

/// Result of one frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PitchReading {
    /// Sample rate divided by the period.
    pub hz: f64,
    /// The normalised difference at the period: 0 for a sound that repeats exactly, about 1 for noise.
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
    /// Spectra of a block, and of the same block extended by the longest lag.
    spectra: [Vec<Complex64>; 2],
    scratch: Vec<Complex64>,
    /// For each block of `step` samples in the window, its products with later samples, by lag; `None` if not yet
    /// computed.
    blocks: VecDeque<Option<Vec<f64>>>,
    /// By lag from 0: the sum of the blocks' products, the difference, and the normalised difference.
    products: Vec<f64>,
    differences: Vec<f64>,
    normal: Vec<f64>,
}

impl Yin {
    /// Prepares for frames of `n_frame` samples, `step` samples apart. Their first `n_window` samples, a multiple of
    /// the step, are compared with those delayed by the periods of frequencies from `lowest_hz` to `highest_hz`.
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

    /// Advances by one frame without reading it.
    pub fn skip(&mut self) {
        self.blocks.rotate_left(1);
        if let Some(last) = self.blocks.back_mut() {
            *last = None;
        }
    }

    /// The pitch of the next frame; `None` if it has none within the range.
    pub fn read(&mut self, frame: &[f32]) -> Option<PitchReading> {
        self.find_products(frame);
        self.skip();
        let [first, second] = self.find_differences(frame);
        // Rejects a sine above the range: only multiples of its period lie within the range, and would be reported
        // instead. For a sine, the correlation at lag 2 follows from that at lag 1.
        let shortest = self.lags.start() - EXTRA_LAGS;
        let is_above = first < (std::f64::consts::TAU / shortest as f64).cos();
        if is_above && (second - (2.0 * first * first - 1.0)).abs() < THRESHOLD {
            return None;
        }
        let lag = self.lag_under_threshold().or_else(|| self.deepest_lag())?;
        let [before, here, after] = around(&self.normal, lag);
        // At an end of the range the lowest value may lie on a slope, and is then no minimum.
        let is_least = here < before && here <= after;
        (lag > shortest && is_least).then(|| PitchReading {
            // Interpolated on the raw difference, since normalisation adds a slope.
            hz: self.rate_hz / (lag as f64 + vertex(around(&self.differences, lag))),
            aperiodicity: min([before, here, after]).max(0.0),
        })
    }

    /// The lag of the first local minimum whose parabola has its vertex below [`THRESHOLD`].
    fn lag_under_threshold(&self) -> Option<usize> {
        // Quick rejection: a vertex does not lie that far below the value at its lag.
        const MAX_APERIODICITY: f64 = 4.0 * THRESHOLD;
        let mut lags = self.normal[1..].windows(3).zip(2..).filter(|(around, _)| around[1] < MAX_APERIODICITY);
        let is_deep = |&(values, _): &(&[f64], usize)| {
            let [before, here, after] = [values[0], values[1], values[2]];
            here < before && here <= after && min([before, here, after]) < THRESHOLD
        };
        lags.find(is_deep).map(|(_, lag)| lag)
    }

    /// The lag with the smallest normalised difference in the range extended by [`EXTRA_LAGS`]; `None` if that is the
    /// last lag.
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

    /// `sum_j x_j x_(j + lag)` over the window, times the FFT length, by FFT. Blocks shared by several frames are
    /// computed only once.
    fn find_products(&mut self, frame: &[f32]) {
        let n_lags = self.products.len();
        for (block, start) in self.blocks.iter_mut().zip((0..).step_by(self.step)) {
            if block.is_some() {
                continue;
            }
            for (spectrum, n) in self.spectra.iter_mut().zip([self.step, self.step + n_lags - 1]) {
                self.input.fill(0.0);
                self.input.iter_mut().zip(&frame[start..start + n]).for_each(|(out, sample)| *out = f64::from(*sample));
                // Cannot fail: the buffers have the plans' lengths.
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

    /// Computes the difference `d(lag) = sum_j (x_j - x_(j + lag))^2`, and its normalised form: `d(lag)` times `lag`
    /// divided by the sum of `d` up to this lag, or 1 if that sum is a rounding error. Returns the normalised
    /// correlations at lags 1 and 2, which are 1 for silence.
    fn find_differences(&mut self, frame: &[f32]) -> [f64; 2] {
        let square = |sample: f32| f64::from(sample) * f64::from(sample);
        // Eight independent sums, which run in parallel.
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
        // In a separate loop, since each of the sums above depends on the previous one.
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

/// The smallest fast FFT length of at least `min`: 1, 3 or 5 times a power of two of at least 16.
fn fft_len(min: usize) -> usize {
    let of = |odd: usize| odd * min.div_ceil(odd).next_power_of_two().max(16);
    [1, 3, 5].map(of).into_iter().min().unwrap_or(min)
}

/// Offset of the vertex of the parabola through three values from the middle one; 0 if it is not between the outer two.
pub(crate) fn vertex([before, here, after]: [f64; 3]) -> f64 {
    let (curve, slope) = (before + after - 2.0 * here, (after - before) / 2.0);
    if slope.abs() >= curve.abs() { 0.0 } else { -slope / curve }
}

/// The value at the [vertex] of the parabola through three values.
fn min(around: [f64; 3]) -> f64 {
    let [before, here, after] = around;
    here + (after - before) / 4.0 * vertex(around)
}
