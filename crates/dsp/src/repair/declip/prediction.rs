//! Restores clipped samples by linear prediction: chooses the values that minimise the prediction error, given all
//! others.
//!
//! Least squares over all clipped samples of a frame at once, by conjugate gradients. The preconditioner is the inverse
//! of the power response of the prediction-error filter.

use super::levels::ClipLevels;
use crate::base::{Progress, Result};
use crate::dsp::numeric::toeplitz::levinson;
use rayon::prelude::*;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use rustfft::num_complex::Complex64;
use std::f64::consts::{PI, TAU};
use std::sync::Arc;

/// Number of samples per frame; frames overlap by half.
const FRAME: usize = 8192;
const STEP: usize = FRAME / 2;
/// Order of the prediction.
const ORDER: usize = 512;
/// FFT length at which no prediction error wraps around.
const FFT: usize = FRAME + 2 * ORDER;
/// White noise added to the autocorrelation, relative to its power, as when filling a gap.
const RIDGE: f64 = 1e-12;
/// Value added to the spectrum before it is inverted, relative to its maximum.
const MIN_POWER: f64 = 1e-7;
/// Maximum number of iterations, and the residual, relative to the right-hand side, at which they stop.
const MAX_ITERATIONS: usize = 60;
const RESIDUAL: f64 = 1e-7;
/// Number of frames per progress step.
const FRAMES_AT_ONCE: usize = 16;

/// Refines the clipped samples of an earlier restoration by linear prediction; all other samples are unchanged. Steps
/// the progress.
///
/// # Errors
/// [`Cancelled`](crate::base::ErrorKind::Cancelled).
pub fn predict_clipped(samples: &[f32], levels: ClipLevels, restored: &[f32], progress: &Progress) -> Result<Vec<f32>> {
    let predictor = Predictor::new();
    let starts: Vec<usize> = (0..samples.len()).step_by(STEP).collect();
    let (mut sum, mut weight) = (vec![0.0f64; samples.len()], vec![0.0f64; samples.len()]);
    for (index, some) in starts.chunks(FRAMES_AT_ONCE).enumerate() {
        progress.step((index * FRAMES_AT_ONCE) as u64, starts.len() as u64)?;
        let predicted = some.par_iter().map(|&start| {
            let end = (start + FRAME).min(samples.len());
            predictor.predicted(&samples[start..end], levels, &restored[start..end])
        });
        let predicted: Vec<Vec<(usize, f64)>> = predicted.collect();
        for (start, predicted) in some.iter().zip(predicted) {
            for (at, value) in predicted {
                let part = (PI * (at as f64 + 0.5) / FRAME as f64).sin().powi(2);
                sum[start + at] += part * value;
                weight[start + at] += part;
            }
        }
    }
    let predicted =
        samples.iter().zip(restored).zip(sum.iter().zip(&weight)).map(|((sample, restored), (sum, weight))| {
            if *weight > 0.0 { levels.allow(*sample, (sum / weight) as f32) } else { *restored }
        });
    Ok(predicted.collect())
}

struct Predictor {
    hann: Vec<f64>,
    /// FFTs for the autocorrelation.
    long: Ffts,
    ffts: Ffts,
}

struct Ffts {
    forward: Arc<dyn RealToComplex<f64>>,
    inverse: Arc<dyn ComplexToReal<f64>>,
}

impl Ffts {
    fn new(length: usize) -> Ffts {
        let mut planner = RealFftPlanner::new();
        Ffts { forward: planner.plan_fft_forward(length), inverse: planner.plan_fft_inverse(length) }
    }

    /// The spectrum of values, zero-padded to the length of the FFT.
    fn spectrum(&self, values: impl Iterator<Item = f64>) -> Vec<Complex64> {
        let (mut samples, mut spectrum) = (self.forward.make_input_vec(), self.forward.make_output_vec());
        samples.iter_mut().zip(values).for_each(|(sample, value)| *sample = value);
        // Cannot fail: the buffers have the plan's lengths.
        self.forward.process(&mut samples, &mut spectrum).ok();
        spectrum
    }

    /// The samples of a spectrum times a real response.
    fn filtered(&self, spectrum: &[Complex64], response: &[f64]) -> Vec<f64> {
        let scale = 1.0 / self.inverse.len() as f64;
        let mut product: Vec<Complex64> = spectrum.iter().zip(response).map(|(z, gain)| z * (gain * scale)).collect();
        let mut samples = self.inverse.make_output_vec();
        self.inverse.process(&mut product, &mut samples).ok();
        samples
    }
}

impl Predictor {
    fn new() -> Predictor {
        let hann = |i: usize| 0.5 - 0.5 * (TAU * (i as f64 + 0.5) / FRAME as f64).cos();
        let long = Ffts::new((FRAME + ORDER + 1).next_power_of_two());
        Predictor { hann: (0..FRAME).map(hann).collect(), long, ffts: Ffts::new(FFT) }
    }

    /// The predicted values of a frame's clipped samples, with their indices; empty for a frame without any, and for
    /// silence.
    fn predicted(&self, samples: &[f32], levels: ClipLevels, restored: &[f32]) -> Vec<(usize, f64)> {
        let clipped: Vec<usize> = (0..samples.len()).filter(|&at| levels.is_clipped(samples[at])).collect();
        let Some(error_power) = (!clipped.is_empty()).then(|| self.error_power(restored)).flatten() else {
            return Vec::new();
        };
        let max = error_power.iter().copied().fold(0.0, f64::max);
        let preconditioner: Vec<f64> = error_power.iter().map(|power| 1.0 / (power + MIN_POWER * max)).collect();
        let of_clipped = |values: &[f64], response: &[f64]| -> Vec<f64> {
            let mut spread = vec![0.0; FRAME];
            clipped.iter().zip(values).for_each(|(at, value)| spread[*at] = *value);
            let filtered = self.ffts.filtered(&self.ffts.spectrum(spread.into_iter()), response);
            clipped.iter().map(|at| filtered[*at]).collect()
        };
        let known = restored
            .iter()
            .zip(samples)
            .map(|(restored, sample)| if levels.is_clipped(*sample) { 0.0 } else { f64::from(*restored) });
        let right = self.ffts.filtered(&self.ffts.spectrum(known), &error_power);
        let right: Vec<f64> = clipped.iter().map(|at| -right[*at]).collect();
        let start = clipped.iter().map(|at| f64::from(restored[*at])).collect();
        let operator = |x: &[f64]| of_clipped(x, &error_power);
        let solved = conjugate_gradients(operator, |x| of_clipped(x, &preconditioner), &right, start);
        clipped.into_iter().zip(solved).collect()
    }

    /// The power spectrum of a frame's prediction-error filter `1, a_1, ...`; `None` for silence.
    fn error_power(&self, frame: &[f32]) -> Option<Vec<f64>> {
        let weighed = frame.iter().zip(&self.hann).map(|(x, hann)| f64::from(*x) * hann);
        let power: Vec<f64> = self.long.spectrum(weighed).iter().map(|z| z.norm_sqr()).collect();
        let flat = vec![Complex64::from(1.0); power.len()];
        let mut lags = self.long.filtered(&flat, &power);
        lags.truncate(ORDER + 1);
        lags[0] *= 1.0 + RIDGE;
        if lags[0] <= 0.0 {
            return None;
        }
        Some(self.ffts.spectrum(levinson(&lags).into_iter()).iter().map(|z| z.norm_sqr()).collect())
    }
}

/// Solves `A x = right` from a starting point, with a preconditioner that approximates the inverse of `A`.
fn conjugate_gradients(
    a: impl Fn(&[f64]) -> Vec<f64>,
    preconditioner: impl Fn(&[f64]) -> Vec<f64>,
    right: &[f64],
    mut x: Vec<f64>,
) -> Vec<f64> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut residual: Vec<f64> = right.iter().zip(a(&x)).map(|(right, product)| right - product).collect();
    let min = RESIDUAL * RESIDUAL * dot(right, right);
    let mut direction = preconditioner(&residual);
    let mut slope = dot(&residual, &direction);
    for _ in 0..MAX_ITERATIONS {
        if dot(&residual, &residual) <= min {
            break;
        }
        let product = a(&direction);
        let step = slope / dot(&direction, &product);
        // Converged: only rounding errors are left.
        if !step.is_finite() || step <= 0.0 {
            break;
        }
        x.iter_mut().zip(&direction).for_each(|(x, direction)| *x += step * direction);
        residual.iter_mut().zip(&product).for_each(|(residual, product)| *residual -= step * product);
        let next = preconditioner(&residual);
        let next_slope = dot(&residual, &next);
        let turn = next_slope / slope;
        slope = next_slope;
        direction.iter_mut().zip(&next).for_each(|(direction, next)| *direction = next + turn * *direction);
    }
    x
}
