//! Voices in parallel with other work.

mod while_playing;

use support::voices::*;
