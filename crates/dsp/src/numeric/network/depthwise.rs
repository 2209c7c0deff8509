//! Depthwise convolutions over three bands.

use super::LayerFrames;
use crate::dsp::numeric::vectors::vectorized;

/// Ratio of output bands to input bands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DepthwiseStep {
    /// One to one.
    Same,
    /// One output for two inputs, centred on every other input band.
    Halved,
    /// Two outputs for one input: the transpose of [`Halved`](DepthwiseStep::Halved).
    Doubled,
}

/// A convolution of each channel over three bands, without a bias. Bands beyond the lowest and the highest are 0.
#[derive(Debug, Clone)]
pub struct Depthwise {
    step: DepthwiseStep,
    /// Weights by tap and channel.
    weights: [Vec<f32>; 3],
}

impl Depthwise {
    /// A convolution with three weights per channel, as in ONNX.
    pub fn new(step: DepthwiseStep, weights: &[f32]) -> Depthwise {
        Depthwise { step, weights: [0, 1, 2].map(|tap| weights.iter().skip(tap).step_by(3).copied().collect()) }
    }

    /// Convolves frames.
    pub fn run(&self, input: &LayerFrames) -> LayerFrames {
        let (n_in, n_channels) = (input.n_bands(), input.n_channels());
        let n_bands = match self.step {
            DepthwiseStep::Same => n_in,
            DepthwiseStep::Halved => n_in.div_ceil(2),
            DepthwiseStep::Doubled => 2 * n_in,
        };
        LayerFrames::made(input.n_frames(), [n_bands, n_channels], |first, values| {
            for (i, made) in values.chunks_exact_mut(n_bands * n_channels).enumerate() {
                let cells = input.frame(first + i);
                for (band, made) in made.chunks_exact_mut(n_channels).enumerate() {
                    for (tap, taken) in self.taps(band).into_iter().enumerate() {
                        if let Some(taken) = taken.filter(|taken| *taken < n_in) {
                            add_weighted(&cells[taken * n_channels..][..n_channels], &self.weights[tap], made);
                        }
                    }
                }
            }
        })
    }

    /// The input band of each tap for an output band.
    fn taps(&self, band: usize) -> [Option<usize>; 3] {
        match self.step {
            DepthwiseStep::Same => [band.checked_sub(1), Some(band), Some(band + 1)],
            DepthwiseStep::Halved => [(2 * band).checked_sub(1), Some(2 * band), Some(2 * band + 1)],
            // Input bands coincide with the even output bands.
            DepthwiseStep::Doubled if band.is_multiple_of(2) => [None, Some(band / 2), None],
            DepthwiseStep::Doubled => [Some(band / 2 + 1), None, Some(band / 2)],
        }
    }
}

vectorized! {
    /// Adds values times weights.
    fn add_weighted(values: &[f32], weights: &[f32], sums: &mut [f32]) {
        for ((sum, value), weight) in sums.iter_mut().zip(values).zip(weights) {
            *sum += value * weight;
        }
    }
}
