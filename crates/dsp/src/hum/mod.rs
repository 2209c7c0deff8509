//! Mains hum: a low fundamental and its multiples, whose frequency and levels drift slowly.
//!
//! The hum of a passage is the real part of `2 sum_k A_k(t) exp(i k phi(t))`: one phase for all channels, an amplitude for each
//! line and channel. What is fitted are frames of two fundamentals' periods and more (`frames`), on a sound of fewer samples
//! (`decimate`). The phase begins as the best path through frequencies of blocks (`tracking`, Viterbi 1967); then amplitudes
//! and phase are smoothed in turns (`lines`, `smoothing`: Kalman 1960; Rauch, Tung and Striebel 1965), each frame weighted by
//! one over the power of what is around its lines and of what the fit leaves of it (iteratively reweighted least squares,
//! Holland and Welsch 1977), so that the pauses of speech decide and voices are kept.

mod decimate;
mod fit;
mod frames;
mod lines;
mod passages;
mod search;
mod smoothing;
mod tracking;

pub use fit::{HumFit, HumWanted};
pub use passages::{Hum, HumFigures, HumPassage, MARGIN_SECS, PASSAGE_SECS};
pub use search::hum_fundamentals;
