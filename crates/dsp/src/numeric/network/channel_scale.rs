//! A factor and an offset for each channel.

use super::LayerFrames;
use crate::dsp::numeric::vectors::vectorized;

/// Computes `relu(a x + b)`, with separate factors and offsets for each channel.
#[derive(Debug, Clone)]
pub struct ChannelScale {
    factors: Vec<f32>,
    offsets: Vec<f32>,
}

impl ChannelScale {
    /// A layer with a factor and an offset per channel.
    pub fn new(factors: Vec<f32>, offsets: Vec<f32>) -> ChannelScale {
        ChannelScale { factors, offsets }
    }

    /// Applies the layer to every band of every frame.
    pub fn run(&self, input: &LayerFrames) -> LayerFrames {
        let (shape, n_channels) = ([input.n_bands(), input.n_channels()], input.n_channels());
        LayerFrames::made(input.n_frames(), shape, |first, values| {
            let cells = &input.values()[first * input.frame_len()..];
            for (cells, made) in cells.chunks_exact(n_channels).zip(values.chunks_exact_mut(n_channels)) {
                scale(cells, &self.factors, &self.offsets, made);
            }
        })
    }
}

vectorized! {
    /// Applies the layer, including its ReLU, to the channels of one band.
    fn scale(cells: &[f32], factors: &[f32], offsets: &[f32], made: &mut [f32]) {
        for ((made, cell), (factor, offset)) in made.iter_mut().zip(cells).zip(factors.iter().zip(offsets)) {
            *made = (cell * factor + offset).max(0.0);
        }
    }
}
