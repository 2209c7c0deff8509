//! How far the cells under a brush reach.

use crate::dsp::Mask;

/// A hole narrower than this in bins is refilled by its neighbours.
const NARROW_BINS: usize = 4;

/// How far a brush reaches along each bin and across each frame.
#[derive(Debug, Default)]
pub struct Spread {
    /// Cells under the brush, per bin.
    frames_of_bins: Vec<usize>,
    /// Most cells under the brush in one frame.
    most_bins: usize,
}

impl Spread {
    /// The next piece in time.
    pub fn add(&mut self, mask: &Mask) {
        let n_bins = mask.rect.bins.end.max(self.frames_of_bins.len());
        self.frames_of_bins.resize(n_bins, 0);
        for row in mask.values.chunks_exact(mask.rect.bins.len().max(1)) {
            let mut n_bins = 0;
            for (bin, _) in mask.rect.bins.clone().zip(row).filter(|(_, m)| **m > 0.0) {
                self.frames_of_bins[bin] += 1;
                n_bins += 1;
            }
            self.most_bins = self.most_bins.max(n_bins);
        }
    }

    /// Whether its surroundings refill a hole like this: no bin is under the brush for a window's length, or no frame has
    /// as many as four bins under it.
    pub fn is_small(&self, frames_per_window: usize) -> bool {
        let most_frames = self.frames_of_bins.iter().copied().max().unwrap_or(0);
        most_frames < frames_per_window || self.most_bins < NARROW_BINS
    }
}
