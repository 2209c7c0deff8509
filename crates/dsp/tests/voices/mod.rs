//! Voices, sample by sample.

mod live;
mod parts;
mod same_bits;

use support::voices::*;
