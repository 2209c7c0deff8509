//! Products of vectors with matrices, in groups.

use super::LayerFrames;
use super::activation::Activation;
use crate::dsp::numeric::vectors::vectorized;

/// Number of outputs summed side by side.
const LANES: usize = 8;
/// Numbers of vectors and of output blocks that are computed in one pass over the weights.
const ROWS: usize = 4;
const BLOCKS: usize = 2;
/// Number of output blocks in a pass for a single vector.
const BLOCKS_OF_ONE: usize = 8;

/// One value for each output of a block: a weight or a sum.
type Lanes = [f32; LANES];

/// Computes `y = W x + b` separately for several groups of inputs and outputs.
#[derive(Debug, Clone)]
pub struct GroupedProduct {
    n_groups: usize,
    n_inputs: usize,
    n_outputs: usize,
    /// Weights `[group, block of outputs, input]`. The last block is padded with weights of 0.
    weights: Vec<Lanes>,
    /// Biases by group and output.
    bias: Vec<f32>,
    activation: Activation,
}

impl GroupedProduct {
    /// A product of `n_groups` groups with `n_inputs` and `n_outputs` each. `weight` returns the weight for a group,
    /// input and output; `bias` is `[group, output]`, or `None` for zeros.
    pub fn new(
        [n_groups, n_inputs, n_outputs]: [usize; 3],
        weight: impl Fn(usize, usize, usize) -> f32,
        bias: Option<Vec<f32>>,
        activation: Activation,
    ) -> GroupedProduct {
        let n_blocks = n_outputs.div_ceil(LANES);
        let mut weights = Vec::with_capacity(n_groups * n_blocks * n_inputs);
        for group in 0..n_groups {
            for block in 0..n_blocks {
                weights.extend((0..n_inputs).map(|input| -> Lanes {
                    std::array::from_fn(|lane| match block * LANES + lane {
                        output if output < n_outputs => weight(group, input, output),
                        _ => 0.0,
                    })
                }));
            }
        }
        let bias = bias.unwrap_or_else(|| vec![0.0; n_groups * n_outputs]);
        GroupedProduct { n_groups, n_inputs, n_outputs, weights, bias, activation }
    }

    /// Number of inputs of all groups.
    pub fn n_all_inputs(&self) -> usize {
        self.n_groups * self.n_inputs
    }

    /// Number of outputs of all groups.
    pub fn n_all_outputs(&self) -> usize {
        self.n_groups * self.n_outputs
    }

    /// Computes the outputs of one or more vectors, stored one after another.
    pub fn apply(&self, inputs: &[f32], outputs: &mut [f32]) {
        multiply(self, inputs, outputs);
        self.activation.apply(outputs);
    }

    /// Applies the product to frames. If the number of channels equals the number of inputs, each band is a vector;
    /// otherwise each frame is a vector, and its output is a single band.
    pub fn run(&self, input: &LayerFrames) -> LayerFrames {
        let n_bands = if input.n_channels() == self.n_all_inputs() { input.n_bands() } else { 1 };
        let of_frame = input.frame_len();
        debug_assert!(n_bands * self.n_all_inputs() == of_frame);
        LayerFrames::made(input.n_frames(), [n_bands, self.n_all_outputs()], |first, values| {
            let n_frames = values.len() / (n_bands * self.n_all_outputs());
            self.apply(&input.values()[first * of_frame..][..n_frames * of_frame], values);
        })
    }
}

vectorized! {
    /// The outputs of all vectors, without the activation.
    fn multiply(product: &GroupedProduct, inputs: &[f32], outputs: &mut [f32]) {
        let (n_in, n_out) = (product.n_groups * product.n_inputs, product.n_groups * product.n_outputs);
        let mut rows = inputs.chunks_exact(ROWS * n_in);
        let mut made = outputs.chunks_exact_mut(ROWS * n_out);
        for (inputs, outputs) in (&mut rows).zip(&mut made) {
            multiply_rows::<ROWS, BLOCKS>(product, inputs, outputs);
        }
        let rest = rows.remainder().chunks_exact(n_in);
        for (inputs, outputs) in rest.zip(made.into_remainder().chunks_exact_mut(n_out)) {
            multiply_rows::<1, BLOCKS_OF_ONE>(product, inputs, outputs);
        }
    }
}

/// The outputs of `R` vectors, `B` blocks at a time.
#[inline(always)]
fn multiply_rows<const R: usize, const B: usize>(product: &GroupedProduct, inputs: &[f32], outputs: &mut [f32]) {
    let &GroupedProduct { n_groups, n_inputs, n_outputs, .. } = product;
    let n_blocks = n_outputs.div_ceil(LANES);
    for group in 0..n_groups {
        let of_group: [&[f32]; R] =
            std::array::from_fn(|row| &inputs[(row * n_groups + group) * n_inputs..][..n_inputs]);
        let weights = &product.weights[group * n_blocks * n_inputs..][..n_blocks * n_inputs];
        let mut write = |block: usize, row: usize, sums: &Lanes| {
            let first = block * LANES;
            let n = LANES.min(n_outputs - first);
            let bias = &product.bias[group * n_outputs + first..][..n];
            let outputs = &mut outputs[(row * n_groups + group) * n_outputs + first..][..n];
            for ((output, sum), bias) in outputs.iter_mut().zip(sums).zip(bias) {
                *output = sum + bias;
            }
        };
        let mut block = 0;
        while block + B <= n_blocks {
            let of_blocks = std::array::from_fn(|b| &weights[(block + b) * n_inputs..][..n_inputs]);
            let sums = summed::<R, B>(of_blocks, of_group, n_inputs);
            for (row, sums) in sums.iter().enumerate() {
                sums.iter().enumerate().for_each(|(b, sums)| write(block + b, row, sums));
            }
            block += B;
        }
        for block in block..n_blocks {
            let sums = summed::<R, 1>([&weights[block * n_inputs..][..n_inputs]], of_group, n_inputs);
            sums.iter().enumerate().for_each(|(row, sums)| write(block, row, &sums[0]));
        }
    }
}

/// Sums of `R` vectors for `B` blocks of outputs, accumulated input by input.
#[inline(always)]
fn summed<const R: usize, const B: usize>(
    weights: [&[Lanes]; B],
    inputs: [&[f32]; R],
    n_inputs: usize,
) -> [[Lanes; B]; R] {
    let mut sums = [[[0.0; LANES]; B]; R];
    let weights = weights.map(|of_block| &of_block[..n_inputs]);
    let inputs = inputs.map(|of_row| &of_row[..n_inputs]);
    for i in 0..n_inputs {
        for row in 0..R {
            let x = inputs[row][i];
            for block in 0..B {
                for lane in 0..LANES {
                    sums[row][block][lane] += weights[block][i][lane] * x;
                }
            }
        }
    }
    sums
}
