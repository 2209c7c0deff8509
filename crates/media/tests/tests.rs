//! File formats, and tests that need a recording.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]
#![allow(missing_docs, reason = "the names of tests say what they show")]

mod aiff_files;
mod bad_inputs;
mod coded;
mod containers;
mod decodes;
mod flac_files;
mod joined_files;
mod media;
mod not_sound;
mod ogg_cuts;
mod pictures;
mod stretch;
mod units;
mod unwritten_lengths;
mod voices;
mod vorbis_files;
