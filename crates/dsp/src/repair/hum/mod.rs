//! Mains hum: a low fundamental and its multiples, whose frequency and levels drift slowly.
//!
//! The hum of a passage is the real part of `2 sum_k A_k(t) exp(i k phi(t))`: one phase for all channels, an amplitude
//! for each line and channel. The fit uses frames of at least four periods of the fundamental (`frames`), on a
//! decimated sound (`decimate`). The phase is initialised with the best path through the frequencies of blocks
//! (`tracking`, Viterbi 1967); then amplitudes and phase are smoothed alternately (`lines`, `smoothing`: Kalman 1960;
//! Rauch, Tung and Striebel 1965), with each frame weighted by the inverse power of its surroundings and of the
//! residual of the fit (iteratively reweighted least squares, Holland and Welsch 1977), so that pauses of speech
//! determine the fit and voices are preserved.

mod decimate;
mod fit;
mod frames;
mod lines;
mod passages;
mod rotated;
mod search;
mod smoothing;
mod tracking;

pub use fit::{HumFit, HumOptions};
pub use passages::{Hum, HumFigures, HumPassage, MARGIN_SECS, PASSAGE_SECS};
pub use search::hum_fundamentals;
