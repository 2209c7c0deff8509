//! Mel bands: filter banks, edits of bands, and spectra of short segments for machine learning.
//! May touch: `transforms`, `cells`, `selections`, `kernels` and `numeric`.

pub mod mel;
pub mod mel_bands;
pub mod segment_mels;
pub mod segments;
