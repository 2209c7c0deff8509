//! Contrast brush: spreads or narrows levels around a pivot. Twin: `shaders/contrast.wgsl`.

use super::cells::{CellKernel, CellProgram, ShaderPart, each_cell, layout_of};
use crate::dsp::numeric::exp2::exp2;
use crate::dsp::numeric::log2::log2;
use crate::dsp::{Mask, Region};
use bytemuck::{Pod, Zeroable};

/// `|E| = |O| * lerp(1, 2^clamp((a - 1) log2(|O| / P), -20, 4), M)`: a cell `d` dB from the pivot `P` moves to `a d`
/// dB.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct ContrastKernel {
    /// `a - 1`; 0 leaves magnitudes bit-identical.
    pub slope: f32,
    /// `log2 P`.
    pub log2_pivot: f32,
}

impl ContrastKernel {
    pub(super) const PROGRAM: CellProgram = CellProgram {
        name: "contrast",
        source: include_str!("../../../../shaders/contrast.wgsl"),
        parts: &[ShaderPart::Exp2, ShaderPart::Log2],
        layout: Some(|| layout_of!(ContrastKernel as "Contrast" { slope, log2_pivot })),
    };

    /// The kernel for an amount `a` around the magnitude `pivot`.
    pub fn new(amount: f64, pivot: f64) -> ContrastKernel {
        ContrastKernel { slope: (amount - 1.0) as f32, log2_pivot: pivot.log2() as f32 }
    }
}

impl CellKernel for ContrastKernel {
    fn program(&self) -> &'static CellProgram {
        &ContrastKernel::PROGRAM
    }

    fn run(&self, _: &Region, mask: &Mask, after: &mut Region) {
        each_cell(
            after,
            mask,
            &vec![0.0; mask.rect.bins.len()],
            #[inline(always)]
            |_, magnitude, m| contrast(self.slope, self.log2_pivot, magnitude, m),
        );
    }

    fn uniform(&self) -> Vec<u8> {
        bytemuck::bytes_of(self).to_vec()
    }
}

/// The new magnitude of a cell; unchanged where `slope` or `M` is 0. A magnitude of 0 stays 0.
#[inline(always)]
pub fn contrast(slope: f32, log2_pivot: f32, magnitude: f32, mask: f32) -> f32 {
    let exponent = slope * (log2(magnitude) - log2_pivot);
    let exponent = if exponent > -20.0 { exponent } else { -20.0 };
    let exponent = if exponent < 4.0 { exponent } else { 4.0 };
    magnitude * (1.0 + (exp2(exponent) - 1.0) * mask)
}
