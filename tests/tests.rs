//! What users do and what signals obey, without a window. One binary: linking wgpu and eframe is costly.
#![allow(clippy::unwrap_used, missing_docs)]

mod apply;
mod bad_inputs;
mod brushes;
mod canvas;
mod canvas_axes;
mod canvas_commands;
mod canvas_zoom;
mod cli;
mod clicks;
mod coded;
mod exports;
mod common {
    pub mod gpu;
}
mod denoise;
mod edits;
mod finding;
mod first_minute;
mod first_stroke;
mod formats;
mod gpu;
mod gpu_faults;
mod hands;
mod harmonic_percussive;
mod heal;
mod hearing;
mod history;
mod image_raw;
mod kernels;
mod layers;
mod made_audio;
mod masks;
mod media;
mod phase;
mod playback;
mod script;
mod selecting;
mod selections;
mod shaders;
mod snapshots;
mod stft;
mod studio;
mod studio_brushes;
mod studio_cards;
mod studio_finding;
mod studio_table;
mod support;
mod tracing;
mod view;
mod warp;
