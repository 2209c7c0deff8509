//! The STFT and its inverse on the CPU.

use super::{CellRect, Region, StftParams};
use std::ops::Range;

/// Tables and plans of one STFT. Cheap to share, costly to make.
#[derive(Debug)]
pub struct Stft {
    params: StftParams,
}

/// What an edit adds to the samples, before division by `sum(w^2)`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Difference {
    /// Per frame of the region: whether at least one coefficient changed.
    pub touched: Vec<bool>,
    /// `OLA(C' - C)` of the touched frames: `(n_frames - 1) * hop + n_fft` values, the first of them for sample
    /// `first_frame * hop - n_fft / 2`.
    pub samples: Vec<f32>,
}

impl Stft {
    /// Plans for these parameters.
    pub fn new(params: StftParams) -> Stft {
        Stft { params }
    }

    /// The parameters.
    pub fn params(&self) -> StftParams {
        self.params
    }

    /// Analyses `frames`, keeping `bins`. `samples` are the `(frames.len() - 1) * hop + n_fft` samples from
    /// `frames.start * hop - n_fft / 2` on, 0 beyond the ends of the signal.
    ///
    /// `X[m,n] = sum_k w[k] x[nH + k - N/2] exp(-2 pi i m (k - N/2)/N)`, unnormalised: a full-scale sine on a bin's
    /// centre reads `sum(w) / 2`.
    pub fn analyse(&self, samples: &[f32], rect: &CellRect) -> Region {
        let _ = (samples, rect);
        unimplemented!()
    }

    /// The difference between two regions, back in time. `after.rect` lies inside `before.rect`, in frames equal to
    /// it or not; coefficients outside `after.rect` count as equal. Frames of the result are those of `after`.
    pub fn difference(&self, before: &Region, after: &Region) -> Difference {
        let _ = (before, after);
        unimplemented!()
    }

    /// `1 / sum(w^2)` for a run of samples of a signal of `n_frames` frames on this grid, the ends exact.
    pub fn inverse_weight(&self, samples: Range<i64>, n_frames: usize) -> Vec<f32> {
        let _ = (samples, n_frames);
        unimplemented!()
    }
}
