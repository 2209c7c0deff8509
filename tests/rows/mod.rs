//! Transforms on log-frequency rows: what `docs/transforms.md` promises of them.
//!
//! The default run takes the transforms at 44.1 kHz and a few of them at other rates; `SONOBRUSH_LONG_TESTS` the whole
//! product of transforms, rates and lengths.
#![allow(clippy::print_stdout, reason = "the figures of docs/transforms.md are read off what the tests print")]

pub mod refusals;
