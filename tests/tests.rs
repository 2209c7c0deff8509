//! What users do and what signals obey, without a window. One binary: linking wgpu and eframe is costly.
#![allow(clippy::unwrap_used, missing_docs)]

mod support;

mod apply;
mod kernels;
mod masks;
mod script;
mod stft;
mod warp;
