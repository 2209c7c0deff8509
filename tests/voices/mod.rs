//! Voices: the definition of their samples, scores from files, timbres from recordings.

mod growth;
mod painted;

use crate::support::voices::*;
