//! Tests of spectrogram views: levels, tiles, rulers, beat lines and rendered pictures.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]
#![allow(missing_docs, reason = "the names of tests say what they show")]

mod beat_lines;
mod moved;
mod on_device;
mod peak_phases;
mod rows;
mod units;
mod view;
