//! Voices: the definition of their samples, scores from files, timbres from recordings.

mod growth;
mod painted;
mod while_playing;

use crate::support::voices::*;
