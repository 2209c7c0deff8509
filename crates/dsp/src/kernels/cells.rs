//! Kernels that edit magnitudes cell by cell and keep phases: how they run on the CPU, and the programs and inputs of
//! their twins on the GPU.

use crate::dsp::{Mask, Region};
use rayon::prelude::*;

/// A struct that shaders read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StructLayout {
    /// Name, the same in WGSL.
    pub name: &'static str,
    /// Size in bytes.
    pub size: usize,
    /// Names of the members and their offsets in bytes.
    pub members: Vec<(&'static str, usize)>,
}

/// The layout of a struct under the name that it has in WGSL: `layout_of!(GainKernel as "Gain" { log2_gain })`.
macro_rules! layout_of {
    ($rust:ident as $name:literal { $($member:ident),+ $(,)? }) => {
        $crate::dsp::kernels::StructLayout {
            name: $name,
            size: size_of::<$rust>(),
            members: vec![$((stringify!($member), std::mem::offset_of!($rust, $member))),+],
        }
    };
}
pub(super) use layout_of;

/// Functions of `shaders/common/` that a kernel calls, in addition to those available to every cell kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShaderPart {
    /// `exp2_poly`.
    Exp2,
    /// `log2_poly`.
    Log2,
    /// `blurred`: the second pass of a blur.
    Blurred,
    /// `blur_mix`.
    BlurMix,
    /// `sharpen_mix`.
    SharpenMix,
    /// `median` of a window around a cell.
    Median,
}

/// The program of a cell kernel on the GPU.
#[derive(Debug)]
pub struct CellProgram {
    /// Name of its file in `shaders/`, without the extension.
    pub name: &'static str,
    /// The text of that file. Its function `edited` returns the new magnitude of a cell.
    pub source: &'static str,
    /// Functions of `shaders/common/` that it calls, in order.
    pub parts: &'static [ShaderPart],
    /// The layout of its uniform, if it has one.
    pub layout: Option<fn() -> StructLayout>,
}

/// A kernel that edits magnitudes cell by cell and keeps phases.
///
/// From binding 6 on, its program receives its [tables](CellKernel::tables), then the magnitudes blurred along frames
/// if it has [taps](CellKernel::frame_taps), then its [uniform](CellKernel::uniform).
pub trait CellKernel {
    /// Its program on the GPU.
    fn program(&self) -> &'static CellProgram;

    /// Writes the magnitudes of `after`, which starts as the cells of `mask.rect` in `before`. Cells whose mask is 0
    /// keep their bits.
    fn run(&self, before: &Region, mask: &Mask, after: &mut Region);

    /// Margin of cells read beyond those written: frames and bins on each side.
    fn halo(&self) -> [usize; 2] {
        [0, 0]
    }

    /// The bytes of its uniform; empty if it has none.
    fn uniform(&self) -> Vec<u8> {
        Vec::new()
    }

    /// Its tables; none by default.
    fn tables(&self) -> Vec<&[f32]> {
        Vec::new()
    }

    /// The taps of a blur along frames that runs first.
    fn frame_taps(&self) -> Option<&[f32]> {
        None
    }

    /// Approximate number of values that the program reads per cell.
    fn work_per_cell(&self) -> usize {
        1
    }
}

/// Computes new magnitudes where the mask is above 0, from the value of `per_bin` for each bin of the mask, the
/// magnitude and the mask.
pub(super) fn each_cell(
    after: &mut Region,
    mask: &Mask,
    per_bin: &[f32],
    edited: impl Fn(f32, f32, f32) -> f32 + Sync,
) {
    let n_bins = mask.rect.bins.len().max(1);
    let rows = after.magnitude.par_chunks_mut(n_bins).zip(mask.values.par_chunks(n_bins)).with_min_len(16);
    rows.for_each(|(magnitude, mask_row)| {
        for ((magnitude, of_bin), m) in magnitude.iter_mut().zip(per_bin).zip(mask_row) {
            let new = edited(*of_bin, *magnitude, *m);
            *magnitude = if *m != 0.0 { new } else { *magnitude };
        }
    });
}
