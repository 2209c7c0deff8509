//! What users do and what signals obey, without a window. One binary: linking wgpu and eframe is costly.
#![allow(clippy::unwrap_used, missing_docs)]

mod bad_inputs;
mod canvas;
mod cli;
mod kernels;
mod layers;
mod masks;
mod playback;
mod script;
mod stft;
mod support;
mod view;
