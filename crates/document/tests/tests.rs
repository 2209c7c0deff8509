//! Edits, strokes, scripts and what keeps them.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]
#![allow(missing_docs, reason = "the names of tests say what they show")]

extern crate sonobrush_document as document;

mod anchors;
mod apply;
mod beat;
mod brushes;
mod brushes_omitted;
mod clicks;
mod clipboard;
mod declip;
mod deliveries;
mod denoise;
mod denoise_even;
mod edits;
mod exports;
mod extremes;
mod finding;
mod formats;
mod gpu_faults;
mod harmonic_percussive;
mod heal;
mod history;
mod isolation;
mod labels;
mod long_files;
mod mel_band_edits;
mod pages;
mod passes;
mod phase;
mod pictures;
mod pitch;
mod pitch_line;
mod prediction;
mod projects;
mod rows;
mod script;
mod selections;
mod sessions;
mod speech_damage;
mod state_folder;
mod strokes;
mod time_edits;
mod tracing;
mod versions;
mod voice_repairs;
mod voices;
mod warp;
