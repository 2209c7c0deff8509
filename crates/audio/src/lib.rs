//! Sound devices: playback and recording.

extern crate base;
extern crate document;
extern crate media;

pub mod playback;
pub mod recording;
