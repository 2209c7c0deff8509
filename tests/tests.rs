//! What users do and what signals obey, without a window. One binary: linking wgpu and eframe is costly.
#![allow(clippy::unwrap_used, missing_docs)]

mod bad_inputs;
mod kernels;
mod masks;
mod script;
mod stft;
mod studio;
mod studio_table;
mod support;
