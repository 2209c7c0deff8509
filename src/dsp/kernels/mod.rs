//! The brush kernels on the CPU. Each function has a line-for-line twin in `shaders/`, with the same name, order and
//! parameters.

use super::displacement::Displacement;
use super::{Mask, Region};

/// A brush made ready for a region: numbers and tables only, all made in f64 on the CPU, so that both engines get the
/// same. A kernel reads a region, a mask of the same rectangle, and writes a region; cells whose mask is 0 are copied.
#[derive(Debug, Clone, PartialEq)]
pub enum Kernel {
    /// `|E| = |O| * 10^(gain_db * M / 20)`.
    Gain {
        /// `gain_db / 20 * log2(10)`, so that the factor is `exp2(log2_gain * M)`.
        log2_gain: f32,
    },
    /// `|E| = |O| * (1 - M)`.
    Erase,
    /// `|E| = lerp(|O|, G, M)`.
    Blur {
        /// Taps `-r ..= r` along frames, summing to 1.
        frame_taps: Vec<f32>,
        /// Taps `-r ..= r` along bins, summing to 1.
        bin_taps: Vec<f32>,
    },
    /// `|E| = |O| * lerp(1, B, M)`.
    BandFilter {
        /// `B` per bin of the whole spectrum, `n_fft / 2 + 1` values.
        response: Vec<f32>,
    },
    /// `|E| = lerp(|O|, max(0, filtered patch), M)`. The region must be exactly the patch.
    ModulationFilter {
        /// Response along frames at `|k| = 0 ..= P/2`, or none.
        frame_response: Option<Vec<f32>>,
        /// Response along bins at `|k| = 0 ..= P/2`, or none.
        bin_response: Option<Vec<f32>>,
    },
    /// Each acting cell is taken from elsewhere by a 4 x 4 Catmull-Rom stencil, with its phase turned.
    Resample {
        /// Of the cells to write; the region given must hold every frame of the grid that they read (frames outside
        /// the grid count as 0), and all bins.
        displacement: Displacement,
        /// For `exp(2 pi i m (ns - n) H / N)`.
        hop_over_n_fft: f32,
    },
}

impl Kernel {
    /// Runs on `before`, and gives the cells of `mask.rect`, which must lie inside `before.rect`. Cells of `before`
    /// outside `mask.rect` are the halo that blur and resample read; at the ends of `before` blur repeats the last
    /// cell, so `before` is cut short only where the spectrogram ends. Where the mask is 0 cells are copied.
    pub fn run(&self, before: &Region, mask: &Mask) -> Region {
        let _ = (before, mask);
        unimplemented!()
    }
}
