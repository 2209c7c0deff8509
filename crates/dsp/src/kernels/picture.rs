//! Picture brush: a magnitude or a gain for each cell. Twin: `shaders/picture.wgsl`.

use super::cells::{CellKernel, CellProgram, layout_of};
use crate::dsp::{Mask, Region};
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;

/// `|E| = lerp(|O|, T, M)`, or `|E| = lerp(|O|, |O| G, M)`, with a value `T` or `G` for each cell.
#[derive(Debug, Clone, PartialEq)]
pub struct PictureKernel {
    /// Value of each cell of the mask's rectangle, frame-major.
    values: Vec<f32>,
    parameters: PictureParameters,
}

#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
struct PictureParameters {
    /// 1 for gains, 0 for magnitudes.
    are_gains: u32,
}

impl PictureKernel {
    pub(super) const PROGRAM: CellProgram = CellProgram {
        name: "picture",
        source: include_str!("../../../../shaders/picture.wgsl"),
        parts: &[],
        layout: Some(|| layout_of!(PictureParameters as "Picture" { are_gains })),
    };

    /// A kernel that sets magnitudes.
    pub fn of_magnitudes(magnitudes: Vec<f32>) -> PictureKernel {
        PictureKernel { values: magnitudes, parameters: PictureParameters { are_gains: 0 } }
    }

    /// A kernel that multiplies magnitudes by gains.
    pub fn of_gains(gains: Vec<f32>) -> PictureKernel {
        PictureKernel { values: gains, parameters: PictureParameters { are_gains: 1 } }
    }
}

impl CellKernel for PictureKernel {
    fn program(&self) -> &'static CellProgram {
        &PictureKernel::PROGRAM
    }

    fn run(&self, _: &Region, mask: &Mask, after: &mut Region) {
        let n_bins = mask.rect.bins.len().max(1);
        let rows = after.magnitude.par_chunks_mut(n_bins).zip(self.values.par_chunks(n_bins));
        rows.zip(mask.values.par_chunks(n_bins)).with_min_len(16).for_each(|((magnitude, values), mask)| {
            for ((magnitude, value), m) in magnitude.iter_mut().zip(values).zip(mask) {
                let new = picture(self.parameters.are_gains, *value, *magnitude, *m);
                *magnitude = if *m != 0.0 { new } else { *magnitude };
            }
        });
    }

    fn tables(&self) -> Vec<&[f32]> {
        vec![&self.values]
    }

    fn uniform(&self) -> Vec<u8> {
        bytemuck::bytes_of(&self.parameters).to_vec()
    }
}

/// The new magnitude of a cell; exactly the old one for a gain of 1, and exactly `T` where `M` is 1.
#[inline(always)]
pub fn picture(are_gains: u32, value: f32, magnitude: f32, mask: f32) -> f32 {
    if are_gains == 1 { magnitude * (1.0 + (value - 1.0) * mask) } else { magnitude * (1.0 - mask) + value * mask }
}
