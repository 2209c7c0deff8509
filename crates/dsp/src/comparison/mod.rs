//! Likeness: passages of a spectrogram, hashes of pictures, and exact search among them.
//! May touch: `cells`, `selections`, `transforms`, `kernels` and `numeric`. Changes no sound.

pub mod hamming;
pub mod hashes;
pub mod likeness;
