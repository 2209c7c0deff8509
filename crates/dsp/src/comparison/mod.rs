//! Similarity: search for passages of a spectrogram, hashes of pictures, and exact search among hashes.
//! May touch: `cells`, `selections`, `transforms`, `kernels` and `numeric`. Changes no sound.

pub mod hamming;
pub mod hashes;
pub mod likeness;
