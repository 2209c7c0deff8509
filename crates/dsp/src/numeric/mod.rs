//! Numerics: polynomials shared with shaders, vectorised loops, Toeplitz systems, layers of neural networks.
//! May touch: nothing else of this crate.

pub mod exp2;
pub mod log2;
pub mod network;
pub mod toeplitz;
pub mod vectors;
