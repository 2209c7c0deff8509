//! Gated recurrent units (Cho and others, 2014), as in ONNX: gates in the order z, r, h, with the reset applied after
//! the recurrent product (`linear_before_reset = 1`).

use super::LayerFrames;
use super::activation::{Activation, sigmoid};
use super::product::GroupedProduct;

/// A layer whose state is passed from frame to frame: `z, r = sigmoid(W x + bw + R h + br)`, `h' = (1 - z) tanh(Wh x +
/// bwh + r (Rh h + brh)) + z h`.
#[derive(Debug, Clone)]
pub struct Gru {
    n_hidden: usize,
    from_input: GroupedProduct,
    from_state: GroupedProduct,
}

impl Gru {
    /// A layer with weights `[gate, output, input]` for the input and for the state; `bias` is that of the input
    /// followed by that of the state, each `[gate, output]`.
    pub fn new([n_inputs, n_hidden]: [usize; 2], input: &[f32], state: &[f32], bias: &[f32]) -> Gru {
        let product = |n: usize, weights: &[f32], bias: &[f32]| {
            let weight = |_: usize, input: usize, output: usize| weights[output * n + input];
            GroupedProduct::new([1, n, 3 * n_hidden], weight, Some(bias.to_vec()), Activation::None)
        };
        let (of_input, of_state) = bias.split_at(3 * n_hidden);
        let (from_input, from_state) = (product(n_inputs, input, of_input), product(n_hidden, state, of_state));
        Gru { n_hidden, from_input, from_state }
    }

    /// The state before the first frame.
    pub fn first_state(&self) -> Vec<f32> {
        vec![0.0; self.n_hidden]
    }

    /// The state after each frame. `state` is the state before the first frame, and is replaced by the last one.
    pub fn run(&self, state: &mut [f32], input: &LayerFrames) -> LayerFrames {
        let n = self.n_hidden;
        let given = self.from_input.run(input);
        let mut made = LayerFrames::zeros(input.n_frames(), [1, n]);
        let mut held = vec![0.0; 3 * n];
        for (given, made) in given.values().chunks_exact(3 * n).zip(made.values_mut().chunks_exact_mut(n)) {
            self.from_state.apply(state, &mut held);
            for (i, state) in state.iter_mut().enumerate() {
                let [z, r] = [0, n].map(|gate| sigmoid(given[gate + i] + held[gate + i]));
                let new = (given[2 * n + i] + r * held[2 * n + i]).tanh();
                *state = (1.0 - z) * new + z * *state;
            }
            made.copy_from_slice(state);
        }
        made
    }
}
