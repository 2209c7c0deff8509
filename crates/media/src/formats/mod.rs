//! The structure of sound files, one module per format: where samples are, and how they are stored.
//! May touch: `probe`, `samples`, `metadata`, and headers of `writers`. Reads headers only; `decoders` does the
//! decoding.

pub(super) mod aiff;
pub(super) mod au;
pub(super) mod boxes;
pub(super) mod caf;
pub(super) mod flac;
pub(super) mod movie_samples;
pub(super) mod mp4;
pub mod mpeg;
pub(super) mod ogg;
pub(super) mod raw;
pub(super) mod riff;
pub(super) mod sample_tables;
pub(super) mod wav;
pub(super) mod wav_codecs;
pub(super) mod wave64;
