//! Erase brush. Twin: `shaders/erase.wgsl`.

use super::cells::{CellKernel, CellProgram, each_cell};
use crate::dsp::{Mask, Region};

/// Reduces magnitudes to 0: `|E| = |O| * (1 - M)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EraseKernel;

impl EraseKernel {
    pub(super) const PROGRAM: CellProgram =
        CellProgram { name: "erase", source: include_str!("../../../../shaders/erase.wgsl"), parts: &[], layout: None };
}

impl CellKernel for EraseKernel {
    fn program(&self) -> &'static CellProgram {
        &EraseKernel::PROGRAM
    }

    fn run(&self, _: &Region, mask: &Mask, after: &mut Region) {
        each_cell(
            after,
            mask,
            &vec![0.0; mask.rect.bins.len()],
            #[inline(always)]
            |_, magnitude, m| erase(magnitude, m),
        );
    }
}

/// The new magnitude of a cell: `|E| = |O| * (1 - M)`; exactly 0 where `M` is 1.
#[inline(always)]
pub fn erase(magnitude: f32, mask: f32) -> f32 {
    magnitude * (1.0 - mask)
}
