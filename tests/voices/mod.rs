//! Voices: the definition of their samples, scores from files, timbres from recordings.

mod definition;
mod growth;
mod heard;
mod measured;
mod melody;
mod memory;
mod midi;
mod midi_channels;
mod midi_seeds;
mod painted;
mod reference;
mod refused;
mod streamed;
mod under_way;
mod while_playing;

use crate::support::voices::*;
