//! Samples over time: clips, noise, loudness and peaks between samples.
//! May touch: pooled buffers of `cells`, and no other module.

pub mod clip;
pub mod loudness;
pub mod noise;
pub(super) mod true_peak;
