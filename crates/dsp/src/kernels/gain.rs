//! Gain brush. Twin: `shaders/gain.wgsl`.

use super::cells::{CellKernel, CellProgram, ShaderPart, each_cell, layout_of};
use crate::dsp::numeric::exp2::exp2;
use crate::dsp::{Mask, Region};
use bytemuck::{Pod, Zeroable};

/// Raises magnitudes by a gain: `|E| = |O| * 10^(gain_db * M / 20)`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct GainKernel {
    /// `gain_db / 20 * log2(10)`, so that the factor is `exp2(log2_gain * M)`.
    pub log2_gain: f32,
}

impl GainKernel {
    pub(super) const PROGRAM: CellProgram = CellProgram {
        name: "gain",
        source: include_str!("../../../../shaders/gain.wgsl"),
        parts: &[ShaderPart::Exp2],
        layout: Some(|| layout_of!(GainKernel as "Gain" { log2_gain })),
    };

    /// The kernel that raises magnitudes by `gain_db` decibels.
    pub fn of_db(gain_db: f64) -> GainKernel {
        GainKernel { log2_gain: (gain_db / 20.0 * 10f64.log2()) as f32 }
    }
}

impl CellKernel for GainKernel {
    fn program(&self) -> &'static CellProgram {
        &GainKernel::PROGRAM
    }

    fn run(&self, _: &Region, mask: &Mask, after: &mut Region) {
        each_cell(
            after,
            mask,
            &vec![0.0; mask.rect.bins.len()],
            #[inline(always)]
            |_, magnitude, m| gain(self.log2_gain, magnitude, m),
        );
    }

    fn uniform(&self) -> Vec<u8> {
        bytemuck::bytes_of(self).to_vec()
    }
}

/// The new magnitude of a cell: `|E| = |O| * exp2(log2_gain * M)`; exactly `|O|` where `M` is 0.
#[inline(always)]
pub fn gain(log2_gain: f32, magnitude: f32, mask: f32) -> f32 {
    magnitude * exp2(log2_gain * mask)
}
