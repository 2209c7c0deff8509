//! Sonobrush: a studio in which sound is painted.
//!
//! The samples are the document; the spectrogram is a view of them on which the user paints. A document consists of an
//! immutable [`media::Source`] and a sparse set of sample blocks changed by edits. A stroke analyses the frames under
//! it, edits their magnitude and phase, and adds the difference back to the samples.
//!
//! The layers, each importing only those before it in this list: [`base`], [`dsp`], [`media`], [`gpu`], [`engine`],
//! [`document`], [`view`], [`playback`], [`recording`], [`library`], [`workbench`], then [`studio`] and [`cli`].
//! `tests/layers.rs` enforces this order.

pub mod cli;

pub use engine::gpu;
pub use {base, document, dsp, engine, library, media, view};

#[cfg(feature = "window")]
pub use audio::{playback, recording};
#[cfg(feature = "window")]
pub use {studio, workbench};
