//! Repairs: clipping, noise, hum, sibilants and reverberation, speech isolated by a network; how a hole is healed.
//! May touch: `transforms`, `cells`, `selections`, `kernels`, `mels`, `descriptors`, `numeric`. Weights are passed in.

pub mod declip;
pub mod denoise;
pub mod frame_gains;
pub mod heal;
pub mod hum;
pub mod isolation;
