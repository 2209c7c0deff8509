//! Tests of playback and recording.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]
#![allow(missing_docs, reason = "the names of tests say what they show")]

extern crate sonobrush_audio as audio;

mod playback;
mod recording;
mod recording_gaps;
mod sound_devices;
mod units;
mod voices;
