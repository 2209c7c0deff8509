//! Unit tests, one file per module.

mod playback;
