//! Scores from files, timbres from recordings.

mod measured;
mod midi;
mod midi_seeds;
mod midi_written;
mod refused;

use support::voices::*;
