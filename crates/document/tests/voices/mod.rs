//! Voices in documents.

mod melody;
mod memory;
mod midi_channels;
mod painted;
mod reference;
mod streamed;

use support::voices::*;
