//! Band filter brush. Twin: `shaders/band_filter.wgsl`.

use super::cells::{CellKernel, CellProgram, each_cell};
use crate::dsp::{Mask, Region};

/// Multiplies magnitudes by a response per bin: `|E| = |O| * lerp(1, B, M)`.
#[derive(Debug, Clone, PartialEq)]
pub struct BandKernel {
    /// `B` for each bin of the whole spectrum.
    pub response: Vec<f32>,
}

impl BandKernel {
    pub(super) const PROGRAM: CellProgram = CellProgram {
        name: "band_filter",
        source: include_str!("../../../../shaders/band_filter.wgsl"),
        parts: &[],
        layout: None,
    };
}

impl CellKernel for BandKernel {
    fn program(&self) -> &'static CellProgram {
        &BandKernel::PROGRAM
    }

    fn run(&self, _: &Region, mask: &Mask, after: &mut Region) {
        each_cell(after, mask, &self.response[mask.rect.bins.clone()], band_filter);
    }

    fn tables(&self) -> Vec<&[f32]> {
        vec![&self.response]
    }
}

/// The new magnitude of a cell: `|E| = |O| * lerp(1, B, M)`.
#[inline(always)]
pub fn band_filter(response: f32, magnitude: f32, mask: f32) -> f32 {
    magnitude * (1.0 + (response - 1.0) * mask)
}
