//! Voices on both engines.

mod definition;
mod under_way;

use support::voices::*;
