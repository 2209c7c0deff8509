//! Recordings, features and the library, without the program.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]
#![allow(missing_docs, reason = "the names of tests say what they show")]

extern crate sonobrush_library as library;

mod device_descriptions;
mod device_hashes;
mod library_own_files;
mod long_silence;
mod paint_files;
mod recordings;
mod units;
