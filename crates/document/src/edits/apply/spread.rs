//! Extent of the cells under a brush.

use crate::dsp::{Grid, Mask};

/// Extent of a brush along each bin and across each frame.
#[derive(Debug, Default)]
pub struct Spread {
    /// Number of cells under the brush, per bin.
    frames_of_bins: Vec<usize>,
    /// Maximum number of cells under the brush in one frame.
    max_bins: usize,
}

impl Spread {
    /// Adds the next piece in time.
    pub fn add(&mut self, mask: &Mask) {
        let n_bins = mask.rect.bins.end.max(self.frames_of_bins.len());
        self.frames_of_bins.resize(n_bins, 0);
        for row in mask.values.chunks_exact(mask.rect.bins.len().max(1)) {
            let mut n_bins = 0;
            for (bin, _) in mask.rect.bins.clone().zip(row).filter(|(_, m)| **m > 0.0) {
                self.frames_of_bins[bin] += 1;
                n_bins += 1;
            }
            self.max_bins = self.max_bins.max(n_bins);
        }
    }

    /// Whether a hole with these extents on its grids is small enough to be refilled by its surroundings: shorter than
    /// a window in every bin, or with fewer bins than the main lobe of a tone.
    pub fn is_small<'a>(spreads: impl Iterator<Item = (&'a Spread, &'a Grid)>) -> bool {
        let (mut is_brief, mut is_narrow, mut n_bins) = (true, true, 0);
        for (spread, grid) in spreads {
            let max_frames = spread.frames_of_bins.iter().copied().max().unwrap_or(0);
            is_brief &= max_frames < grid.frames_per_window();
            // The grids of an edit cover adjacent bands, so their bins add up.
            n_bins += spread.max_bins;
            is_narrow &= n_bins < grid.bins_per_lobe();
        }
        is_brief || is_narrow
    }
}
