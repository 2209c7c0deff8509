//! The power of frames in double precision, so that the sum over a frame's bins is its mean square.

use crate::Window;
use realfft::num_complex::Complex;
use realfft::{RealFftPlanner, RealToComplex};
use std::sync::Arc;

/// Measures the power of frames of one length.
pub struct FramePower {
    fft: Arc<dyn RealToComplex<f64>>,
    window: Vec<f64>,
    /// Sum of the squared window.
    energy: f64,
    /// Sum of the window.
    sum: f64,
    input: Vec<f64>,
    output: Vec<Complex<f64>>,
    scratch: Vec<Complex<f64>>,
}

impl std::fmt::Debug for FramePower {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FramePower").field("n_fft", &self.window.len()).finish_non_exhaustive()
    }
}

impl FramePower {
    /// A meter for frames of `n_fft` samples.
    pub fn new(window: Window, n_fft: usize) -> FramePower {
        let fft = RealFftPlanner::<f64>::new().plan_fft_forward(n_fft);
        let window = window.samples(n_fft);
        let energy = window.iter().map(|weight| weight * weight).sum();
        let sum = window.iter().sum();
        let (input, output, scratch) = (fft.make_input_vec(), fft.make_output_vec(), fft.make_scratch_vec());
        FramePower { fft, window, energy, sum, input, output, scratch }
    }

    /// Number of samples per frame.
    pub fn n_fft(&self) -> usize {
        self.window.len()
    }

    /// Number of bins per frame.
    pub fn n_bins(&self) -> usize {
        self.window.len() / 2 + 1
    }

    /// Adds the power of a frame's bins: `2 |X|^2 / (N sum w^2)`, half of that at 0 Hz and at half the sample rate.
    pub fn add(&mut self, frame: &[f32], power: &mut [f64]) {
        for ((out, sample), weight) in self.input.iter_mut().zip(frame).zip(&self.window) {
            *out = f64::from(*sample) * weight;
        }
        // Cannot fail: the buffers have the plan's lengths.
        if self.fft.process_with_scratch(&mut self.input, &mut self.output, &mut self.scratch).is_err() {
            return;
        }
        let scale = 2.0 / (self.n_fft() as f64 * self.energy);
        let last = self.output.len() - 1;
        for (bin, (power, value)) in power.iter_mut().zip(&self.output).enumerate() {
            let whole = scale * value.norm_sqr();
            *power += if bin == 0 || bin == last { whole / 2.0 } else { whole };
        }
    }

    /// Amplitude of a sine at the centre of a bin, from the power there: 1 for full scale.
    pub fn amplitude(&self, power: f64) -> f64 {
        let magnitude = (power * self.n_fft() as f64 * self.energy / 2.0).sqrt();
        2.0 * magnitude / self.sum
    }
}
