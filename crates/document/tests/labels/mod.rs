//! Labels: sets of labels, and their formats.
#![allow(clippy::print_stdout, reason = "figures, with --nocapture")]

mod formats;
mod losses;
mod measure;
mod model;
mod mutations;
mod part_files;
mod parts;
mod round_trips;
mod sound_files;

/// Whether to run the long tests.
fn is_long() -> bool {
    std::env::var_os("SONOBRUSH_LONG_TESTS").is_some()
}
