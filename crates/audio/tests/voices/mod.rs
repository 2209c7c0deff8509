//! Voices at the audio output.

mod heard;
