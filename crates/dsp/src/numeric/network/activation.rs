//! Activation functions of layers.

/// A function applied to single values after a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// Identity.
    None,
    /// 0 for negative values.
    Relu,
    /// Sigmoid, from 0 to 1.
    Sigmoid,
    /// Hyperbolic tangent, from -1 to 1.
    Tanh,
}

impl Activation {
    /// Applies the function in place.
    pub fn apply(self, values: &mut [f32]) {
        match self {
            Activation::None => {}
            Activation::Relu => values.iter_mut().for_each(|value| *value = value.max(0.0)),
            Activation::Sigmoid => values.iter_mut().for_each(|value| *value = sigmoid(*value)),
            Activation::Tanh => values.iter_mut().for_each(|value| *value = value.tanh()),
        }
    }
}

/// `1 / (1 + exp(-x))`.
pub(super) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}
