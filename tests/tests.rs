//! What users do and what signals obey, without a window. One binary: linking wgpu and eframe is costly.
#![allow(clippy::unwrap_used, missing_docs)]

mod bad_inputs;
mod cli;
mod common {
    pub mod gpu;
}
mod gpu;
mod kernels;
mod layers;
mod made_audio;
mod masks;
mod media;
mod playback;
mod script;
mod shaders;
mod stft;
mod studio;
mod studio_table;
mod support;
