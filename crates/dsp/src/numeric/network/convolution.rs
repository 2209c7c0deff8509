//! Convolutions over frames and bands.

use super::LayerFrames;
use super::activation::Activation;
use super::product::GroupedProduct;

/// The sizes of a convolution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConvolutionShape {
    /// Frames and bands of a kernel; the number of bands is odd.
    pub kernel: [usize; 2],
    /// Distance between the input bands of adjacent kernel taps.
    pub dilation: usize,
    /// Stride along bands, a divisor of the number of bands; each kernel is centred on the middle band of its stride.
    pub step: usize,
    /// Number of groups of channels; each group is convolved separately.
    pub n_groups: usize,
    /// Number of input and output channels, over all groups.
    pub n_channels: [usize; 2],
}

impl ConvolutionShape {
    /// A convolution with a dilation and a stride of 1.
    pub fn new(kernel: [usize; 2], n_groups: usize, n_channels: [usize; 2]) -> ConvolutionShape {
        ConvolutionShape { kernel, dilation: 1, step: 1, n_groups, n_channels }
    }

    /// Number of weights.
    pub fn n_weights(&self) -> usize {
        let [n_in, n_out] = self.n_channels;
        self.kernel[0] * self.kernel[1] * (n_in / self.n_groups) * n_out
    }
}

/// A convolution. Bands beyond the ends are 0; frames are not padded, so there are `kernel[0] - 1` fewer.
#[derive(Debug, Clone)]
pub struct Convolution {
    shape: ConvolutionShape,
    product: GroupedProduct,
}

impl Convolution {
    /// A convolution with weights `[output channel, input channel of the group, frame, band]`, as in ONNX.
    pub fn new(
        shape: ConvolutionShape,
        weights: &[f32],
        bias: Option<Vec<f32>>,
        activation: Activation,
    ) -> Convolution {
        let [n_in, n_out] = shape.n_channels.map(|n| n / shape.n_groups);
        let n_taps = shape.kernel[0] * shape.kernel[1];
        // Patches store the channels of a tap contiguously, tap after tap.
        let weight = |group: usize, input: usize, output: usize| {
            weights[((group * n_out + output) * n_in + input % n_in) * n_taps + input / n_in]
        };
        let product = GroupedProduct::new([shape.n_groups, n_taps * n_in, n_out], weight, bias, activation);
        Convolution { shape, product }
    }

    /// Convolves frames. Output frame `i` depends on the input frames from `i` to `i + kernel[0] - 1`.
    pub fn run(&self, input: &LayerFrames) -> LayerFrames {
        let ConvolutionShape { kernel: [n_kernel_frames, _], step, n_channels: [_, n_out], .. } = self.shape;
        let n_frames = (input.n_frames() + 1).saturating_sub(n_kernel_frames);
        let n_bands = input.n_bands() / step;
        LayerFrames::made(n_frames, [n_bands, n_out], |first, values| {
            let mut patches = vec![0.0; n_bands * self.product.n_all_inputs()];
            for (i, made) in values.chunks_exact_mut(n_bands * n_out).enumerate() {
                self.gather(input, first + i, &mut patches);
                self.product.apply(&patches, made);
            }
        })
    }

    /// Gathers the inputs of an output frame, band by band.
    fn gather(&self, input: &LayerFrames, first_frame: usize, patches: &mut [f32]) {
        let ConvolutionShape { kernel: [n_frames, n_taps], dilation, step, n_groups, .. } = self.shape;
        let (n_bands, n_channels) = (input.n_bands(), input.n_channels());
        let n_in = n_channels / n_groups;
        let before = (n_taps / 2) * dilation;
        for (band, patch) in patches.chunks_exact_mut(self.product.n_all_inputs()).enumerate() {
            let middle = band * step + step / 2;
            let mut rows = patch.chunks_exact_mut(n_taps * n_in);
            for group in 0..n_groups {
                for (frame, row) in (first_frame..first_frame + n_frames).zip(&mut rows) {
                    let cells = input.frame(frame);
                    if n_groups == 1 && dilation == 1 {
                        copy_run(cells, middle as isize - before as isize, n_channels, row);
                        continue;
                    }
                    for (tap, part) in row.chunks_exact_mut(n_in).enumerate() {
                        match (middle + tap * dilation).checked_sub(before).filter(|band| *band < n_bands) {
                            Some(band) => part.copy_from_slice(&cells[band * n_channels + group * n_in..][..n_in]),
                            None => part.fill(0.0),
                        }
                    }
                }
            }
        }
    }
}

/// Fills `run` with the adjacent bands of `n_channels` channels that start with `first_band`; bands beyond the lowest
/// and the highest are 0.
fn copy_run(cells: &[f32], first_band: isize, n_channels: usize, run: &mut [f32]) {
    let n_below = (first_band.min(0).unsigned_abs() * n_channels).min(run.len());
    let (below, rest) = run.split_at_mut(n_below);
    below.fill(0.0);
    let cells = cells.get(first_band.max(0) as usize * n_channels..).unwrap_or_default();
    let (within, above) = rest.split_at_mut(cells.len().min(rest.len()));
    within.copy_from_slice(&cells[..within.len()]);
    above.fill(0.0);
}
