//! Invariants of signals, and `base` and `dsp` in isolation.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]
#![allow(missing_docs, reason = "the names of tests say what they show")]

extern crate sonobrush_dsp as dsp;

mod declip;
mod hamming;
mod isolation;
mod kernels;
mod masks;
mod mel_bands;
mod music;
mod note_scale;
mod notes;
mod phase_plain;
mod pitch_line;
mod real_ffts;
mod rows;
mod units;
mod voices;
