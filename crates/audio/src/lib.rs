//! Sound devices: what is heard and what is recorded.

extern crate base;
extern crate document;
extern crate media;

pub mod playback;
pub mod recording;
