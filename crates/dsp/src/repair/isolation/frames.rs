//! Frames of 960 samples, and the synthesis of samples.

use super::{BAND_BINS, FRAME_SAMPLES, N_BINS};
use crate::dsp::FftPlans;
use realfft::{ComplexToReal, RealToComplex};
use rustfft::num_complex::Complex32;
use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

/// The bins of one frame.
pub type SpeechCells = Vec<Complex32>;

/// Computes spectra of frames, and samples of spectra. Frame `t` ends with step `t` of samples, counted from 0.
pub struct IsolationFrames {
    window: Vec<f32>,
    forward: Arc<dyn RealToComplex<f32>>,
    inverse: Arc<dyn ComplexToReal<f32>>,
}

impl IsolationFrames {
    /// Frames with FFT plans from a cache.
    pub fn new(ffts: &FftPlans) -> IsolationFrames {
        let ffts = ffts.get(FRAME_SAMPLES);
        IsolationFrames { window: window(), forward: ffts.forward, inverse: ffts.inverse }
    }

    /// The spectrum of a frame's samples, divided by their number.
    pub fn spectrum(&self, samples: &[f32]) -> SpeechCells {
        let scaled = samples.iter().zip(&self.window).map(|(sample, weight)| sample * weight / FRAME_SAMPLES as f32);
        let mut input: Vec<f32> = scaled.collect();
        let mut spectrum = self.forward.make_output_vec();
        // Cannot fail: the buffers have the plan's lengths.
        self.forward.process(&mut input, &mut spectrum).ok();
        spectrum
    }

    /// Overlap-adds the samples of a spectrum.
    pub fn add_samples(&self, spectrum: &mut [Complex32], out: &mut [f32]) {
        let mut samples = self.inverse.make_output_vec();
        [0, N_BINS - 1].into_iter().for_each(|bin| spectrum[bin].im = 0.0);
        self.inverse.process(spectrum, &mut samples).ok();
        let windowed = samples.iter().zip(&self.window).map(|(sample, weight)| sample * weight);
        out.iter_mut().zip(windowed).for_each(|(out, sample)| *out += sample);
    }
}

/// The Vorbis window of a frame: the squares of two overlapping windows add up to 1.
pub(super) fn window() -> Vec<f32> {
    let weight = |i: usize| {
        let turn = std::f64::consts::PI * (i as f64 + 0.5) / FRAME_SAMPLES as f64;
        (FRAC_PI_2 * turn.sin().powi(2)).sin() as f32
    };
    (0..FRAME_SAMPLES).map(weight).collect()
}

/// The band of each bin.
pub(super) fn band_of_bins() -> Vec<usize> {
    BAND_BINS.iter().enumerate().flat_map(|(band, n)| std::iter::repeat_n(band, *n)).collect()
}
