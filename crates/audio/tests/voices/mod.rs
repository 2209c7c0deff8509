//! Voices as they are heard.

mod heard;
