//! The engines, the device and its shaders.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]
#![allow(missing_docs, reason = "the names of tests say what they show")]

extern crate sonobrush_engine as engine;

mod gpu_device;
mod gpu_hashes;
mod row_brushes;
mod rows;
mod shaders;
mod shaders_elsewhere;
mod sound_frames;
mod stft;
mod units;
mod voices;
mod wavelet_hashes;
