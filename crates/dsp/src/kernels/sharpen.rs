//! Sharpen brush: unsharp masking of the magnitude. Twin: `shaders/sharpen.wgsl`.

use super::blur;
use super::cells::{CellKernel, CellProgram, ShaderPart, layout_of};
use crate::dsp::{Mask, Region};
use bytemuck::{Pod, Zeroable};

/// Adds to magnitudes a multiple of their difference from the blurred magnitude `G`:
/// `|E| = lerp(|O|, max(0, |O| + amount (|O| - G)), M)`.
#[derive(Debug, Clone, PartialEq)]
pub struct SharpenKernel {
    /// Taps `-r ..= r` along frames, summing to 1.
    pub frame_taps: Vec<f32>,
    /// Taps `-r ..= r` along bins, summing to 1.
    pub bin_taps: Vec<f32>,
    /// Factor of the difference `|O| - G` that is added; 0 for no change.
    pub amount: f32,
}

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Uniform {
    amount: f32,
}

impl SharpenKernel {
    pub(super) const PROGRAM: CellProgram = CellProgram {
        name: "sharpen",
        source: include_str!("../../../../shaders/sharpen.wgsl"),
        parts: &[ShaderPart::Blurred, ShaderPart::SharpenMix],
        layout: Some(|| layout_of!(Uniform as "Sharpen" { amount })),
    };
}

impl CellKernel for SharpenKernel {
    fn program(&self) -> &'static CellProgram {
        &SharpenKernel::PROGRAM
    }

    fn run(&self, before: &Region, mask: &Mask, after: &mut Region) {
        let blurred = blur(&self.frame_taps, &self.bin_taps, before, &mask.rect);
        let cells = after.magnitude.iter_mut().zip(&blurred).zip(&mask.values);
        for ((magnitude, blurred), m) in cells.filter(|(_, m)| **m != 0.0) {
            *magnitude = sharpen_mix(*magnitude, *blurred, self.amount, *m);
        }
    }

    fn halo(&self) -> [usize; 2] {
        [self.frame_taps.len() / 2, self.bin_taps.len() / 2]
    }

    fn uniform(&self) -> Vec<u8> {
        bytemuck::bytes_of(&Uniform { amount: self.amount }).to_vec()
    }

    fn tables(&self) -> Vec<&[f32]> {
        vec![&self.bin_taps]
    }

    fn frame_taps(&self) -> Option<&[f32]> {
        Some(&self.frame_taps)
    }

    fn work_per_cell(&self) -> usize {
        self.bin_taps.len()
    }
}

/// The new magnitude of a cell: `|E| = lerp(|O|, max(0, |O| + amount (|O| - G)), M)`.
pub fn sharpen_mix(magnitude: f32, blurred: f32, amount: f32, mask: f32) -> f32 {
    let sharp = (magnitude + amount * (magnitude - blurred)).max(0.0);
    magnitude + (sharp - magnitude) * mask
}
