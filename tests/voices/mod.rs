//! Voices: the definition of their samples, scores from files, timbres from recordings.

mod growth;
mod heard;
mod melody;
mod memory;
mod midi_channels;
mod painted;
mod reference;
mod streamed;
mod while_playing;

use crate::support::voices::*;
