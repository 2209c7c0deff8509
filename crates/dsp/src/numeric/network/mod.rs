//! Layers of neural networks: products, convolutions and recurrent units, on arrays `[frames, bands, channels]`.
//!
//! Every sum adds its inputs in a fixed order, eight outputs side by side, so results are bit-identical for any block
//! length and any number of threads. Layers are parallel over time, except for [`Gru`], whose steps depend on each
//! other. There is no twin in `shaders/`, since networks run about a hundred small layers per frame, one frame after
//! another.

mod activation;
mod channel_scale;
mod convolution;
mod depthwise;
mod gru;
mod layer_frames;
mod product;
mod weights;

pub use activation::Activation;
pub use channel_scale::ChannelScale;
pub use convolution::{Convolution, ConvolutionShape};
pub use depthwise::{Depthwise, DepthwiseStep};
pub use gru::Gru;
pub use layer_frames::LayerFrames;
pub use product::GroupedProduct;
pub use weights::WeightReader;
