//! Voices on either engine.

mod definition;
mod under_way;

use support::voices::*;
