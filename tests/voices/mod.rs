//! Voices: the definition of their samples, scores from files, timbres from recordings.

mod growth;
mod heard;
mod painted;
mod while_playing;

use crate::support::voices::*;
