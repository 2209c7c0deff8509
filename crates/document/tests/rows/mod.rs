//! Edits on log-frequency rows: the promises of `docs/transforms.md`.
#![allow(clippy::print_stdout, reason = "the figures of docs/transforms.md are read off what the tests print")]

mod costs;
mod device;
mod healing;
mod painting;
mod products;
mod pushing;
mod reach;
mod scripts;
mod smudging;
mod wand;

use support::rows::*;
