//! Frames, their spectra, and the synthesis of samples.

use crate::{FftPlans, Window};
use realfft::{ComplexToReal, RealToComplex};
use rustfft::num_complex::Complex32;
use std::sync::Arc;

/// The bins of one frame, channel by channel.
pub type FrameCells = Vec<Vec<Complex32>>;

/// Computes spectra of overlapping frames, and synthesises samples from them.
pub struct GainFrames {
    rate_hz: f64,
    window: Vec<f32>,
    /// Synthesis window, including the normalisation of windows and inverse FFT.
    synthesis_window: Vec<f32>,
    forward: Arc<dyn RealToComplex<f32>>,
    inverse: Arc<dyn ComplexToReal<f32>>,
}

/// A repair: receives consecutive frames, and returns the change of each.
pub trait FrameEdit {
    /// Delay of the change, in frames.
    fn delay(&self) -> usize {
        0
    }

    /// Processes a frame, and returns the change of the frame [`delay`](FrameEdit::delay) earlier; `None` if that is
    /// unchanged.
    fn next(&mut self, frame: FrameCells) -> Option<FrameCells>;
}

impl GainFrames {
    /// Frames of about this length in seconds, rounded to a multiple of four samples.
    pub fn new(secs: f64, rate_hz: f64, ffts: &FftPlans) -> GainFrames {
        let n = 4 * ((secs * rate_hz / 4.0).round() as usize).max(1);
        let window = Window::Sine.samples(n);
        // The squares of four overlapping sine windows add up to 2.
        let scale = 1.0 / (2.0 * n as f64);
        let directions = ffts.get(n);
        GainFrames {
            rate_hz,
            synthesis_window: window.iter().map(|weight| (weight * scale) as f32).collect(),
            window: window.iter().map(|weight| *weight as f32).collect(),
            forward: directions.forward,
            inverse: directions.inverse,
        }
    }

    /// Samples per second.
    pub fn rate_hz(&self) -> f64 {
        self.rate_hz
    }

    /// Number of samples per frame.
    pub fn n_samples(&self) -> usize {
        self.window.len()
    }

    /// Samples from a frame to the next.
    pub fn step_samples(&self) -> usize {
        self.window.len() / 4
    }

    /// Seconds from a frame to the next.
    pub fn step_secs(&self) -> f64 {
        self.step_samples() as f64 / self.rate_hz
    }

    /// Number of bins per frame.
    pub fn n_bins(&self) -> usize {
        self.window.len() / 2 + 1
    }

    /// The frequency of a bin, in hertz.
    pub fn bin_hz(&self, bin: usize) -> f64 {
        bin as f64 * self.rate_hz / self.n_samples() as f64
    }

    /// Number of frames that overlap a range of `n_samples`; frame 0 begins three steps before its first sample.
    pub fn n_frames(&self, n_samples: u64) -> u64 {
        n_samples.div_ceil(self.step_samples() as u64) + 3
    }

    /// Index of a frame's first sample, relative to the start of the range; negative for the first three frames.
    pub fn first_sample(&self, frame: i64) -> i64 {
        (frame - 3) * self.step_samples() as i64
    }

    /// The summed power of all bins for a full-scale sine.
    pub(super) fn full_scale_power(&self) -> f64 {
        // The mean square of the window is a half.
        (self.n_samples() as f64).powi(2) / 8.0
    }

    /// The spectrum of a frame's samples.
    pub fn spectrum(&self, samples: &[f32]) -> Vec<Complex32> {
        let mut input: Vec<f32> = samples.iter().zip(&self.window).map(|(sample, weight)| sample * weight).collect();
        let mut spectrum = self.forward.make_output_vec();
        // Cannot fail: the buffers have the plan's lengths.
        self.forward.process(&mut input, &mut spectrum).ok();
        spectrum
    }

    /// Overlap-adds the samples of a spectrum.
    pub fn add_samples(&self, spectrum: &mut [Complex32], out: &mut [f32]) {
        let mut samples = self.inverse.make_output_vec();
        let last = spectrum.len() - 1;
        [0, last].into_iter().for_each(|bin| spectrum[bin].im = 0.0);
        self.inverse.process(spectrum, &mut samples).ok();
        let windowed = samples.iter().zip(&self.synthesis_window).map(|(sample, weight)| sample * weight);
        out.iter_mut().zip(windowed).for_each(|(out, sample)| *out += sample);
    }
}
