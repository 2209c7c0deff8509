//! Voices while something else goes on.

mod while_playing;

use support::voices::*;
