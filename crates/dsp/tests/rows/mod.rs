//! Transforms on log-frequency rows: the promises of `docs/transforms.md`.
#![allow(clippy::print_stdout, reason = "the figures of docs/transforms.md are read off what the tests print")]

mod blurring;
mod cells;
mod edits;
mod levels;
mod moves;
mod parameters;
mod round_trips;

use support::rows::*;
