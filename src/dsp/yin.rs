//! YIN: the period of a short stretch of sound, from its differences with itself moved.
//!
//! Source: de Cheveigné and Kawahara, JASA 111(4), 2002, steps 1 to 5.

use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use rustfft::num_complex::Complex64;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// The first local minimum under this is taken.
const THRESHOLD: f64 = 0.1;
/// Differences below this share of the energy are rounding.
const ROUNDING: f64 = 1e-10;

/// What one frame gave.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PitchReading {
    /// Rate over the period.
    pub hz: f64,
    /// The normalised difference at the period: 0 of a sound that repeats exactly, about 1 of noise; 1 of silence and of a
    /// constant.
    pub aperiodicity: f64,
}

/// Finds the period of one frame after the other.
pub struct Yin {
    rate_hz: f64,
    n_window: usize,
    lags: RangeInclusive<usize>,
    forward: Arc<dyn RealToComplex<f64>>,
    inverse: Arc<dyn ComplexToReal<f64>>,
    input: Vec<f64>,
    /// Spectra of the window and of the frame.
    spectra: [Vec<Complex64>; 2],
    scratch: Vec<Complex64>,
    /// By lag from 0: the product of the window with the frame moved, then the normalised difference.
    products: Vec<f64>,
    differences: Vec<f64>,
}

impl Yin {
    /// For frames of `n_frame` samples, an even number, of which the first `n_window` are compared with those later by
    /// the periods of frequencies from `lowest_hz` to `highest_hz`.
    ///
    /// # Panics
    /// If the longest period does not fit into the rest of the frame.
    pub fn new(rate_hz: f64, n_frame: usize, n_window: usize, [lowest_hz, highest_hz]: [f64; 2]) -> Yin {
        let lags = ((rate_hz / highest_hz).floor() as usize).max(1)..=(rate_hz / lowest_hz).ceil() as usize;
        assert!(n_window + lags.end() <= n_frame, "periods within the frame");
        let mut planner = RealFftPlanner::new();
        let (forward, inverse) = (planner.plan_fft_forward(n_frame), planner.plan_fft_inverse(n_frame));
        let n_scratch = forward.get_scratch_len().max(inverse.get_scratch_len());
        Yin {
            rate_hz,
            n_window,
            input: vec![0.0; n_frame],
            spectra: [forward.make_output_vec(), forward.make_output_vec()],
            scratch: vec![Complex64::default(); n_scratch],
            products: vec![0.0; n_frame],
            differences: vec![0.0; lags.end() + 1],
            lags,
            forward,
            inverse,
        }
    }

    /// The period of a frame.
    pub fn read(&mut self, frame: &[f32]) -> PitchReading {
        self.find_products(frame);
        self.find_differences(frame);
        let (first, last) = (*self.lags.start(), *self.lags.end());
        let values = &self.differences;
        let is_least = |lag: usize| {
            (lag == first || values[lag] < values[lag - 1]) && (lag == last || values[lag] <= values[lag + 1])
                // At the first, where the second is smaller still, there is no minimum; nor on a level.
                && (lag != first || lag == last || values[lag] < values[lag + 1])
        };
        let under = self.lags.clone().find(|&lag| values[lag] < THRESHOLD && is_least(lag));
        let least = || self.lags.clone().min_by(|&a, &b| values[a].total_cmp(&values[b]));
        let lag = under.or_else(least).unwrap_or(first);
        let is_inside = first < lag && lag < last;
        let shift = if is_inside { vertex([values[lag - 1], values[lag], values[lag + 1]]) } else { 0.0 };
        PitchReading { hz: self.rate_hz / (lag as f64 + shift), aperiodicity: values[lag] }
    }

    /// `sum_j x_j x_(j + lag)` over the window, by FFT: no product reaches around the end of the frame.
    fn find_products(&mut self, frame: &[f32]) {
        for (spectrum, n) in self.spectra.iter_mut().zip([self.n_window, frame.len()]) {
            self.input.fill(0.0);
            self.input.iter_mut().zip(&frame[..n]).for_each(|(out, &sample)| *out = f64::from(sample));
            // Lengths are the plans' own, the only thing they check here.
            self.forward.process_with_scratch(&mut self.input, spectrum, &mut self.scratch).ok();
        }
        let [window, whole] = &mut self.spectra;
        whole.iter_mut().zip(window).for_each(|(whole, window)| *whole *= window.conj());
        self.inverse.process_with_scratch(whole, &mut self.products, &mut self.scratch).ok();
    }

    /// `d(lag) = sum_j (x_j - x_(j + lag))^2`, times the lag, over the sum of all up to it.
    fn find_differences(&mut self, frame: &[f32]) {
        let square = |at: usize| f64::from(frame[at]) * f64::from(frame[at]);
        let energy: f64 = (0..self.n_window).map(square).sum();
        let scale = 1.0 / frame.len() as f64;
        let (mut moved, mut sum) = (energy, 0.0);
        self.differences[0] = 1.0;
        for lag in 1..self.differences.len() {
            moved += square(lag + self.n_window - 1) - square(lag - 1);
            let difference = (energy + moved - 2.0 * scale * self.products[lag]).max(0.0);
            sum += difference;
            let is_rounding = sum <= ROUNDING * energy * lag as f64;
            self.differences[lag] = if is_rounding { 1.0 } else { difference * lag as f64 / sum };
        }
    }
}

/// How far from the middle of three the vertex of their parabola lies; 0 where it is not between its neighbours.
pub(super) fn vertex([before, here, after]: [f64; 3]) -> f64 {
    let (curve, slope) = (before + after - 2.0 * here, (after - before) / 2.0);
    if slope.abs() >= curve.abs() { 0.0 } else { -slope / curve }
}
