//! Gate brush: attenuates cells below a threshold. Twin: `shaders/gate.wgsl`.

use super::cells::{CellKernel, CellProgram, ShaderPart, each_cell, layout_of};
use crate::dsp::numeric::exp2::exp2;
use crate::dsp::numeric::log2::log2;
use crate::dsp::{Mask, Region};
use bytemuck::{Pod, Zeroable};

/// `|E| = |O| lerp(1, 2^g, M)`. With `d = log2(|O| / T)` and a knee of half-width `k`, `g` is 0 from `k` up, `(r - 1)
/// d` from `-k` down, and `-(r - 1) (k - d)^2 / (4 k)` between. Results below the floor become 0.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct GateKernel {
    /// `r - 1`; 0 leaves magnitudes above the floor bit-identical.
    pub slope: f32,
    /// `log2 T`.
    pub log2_threshold: f32,
    /// `k`, in powers of two; 0 for no knee.
    pub knee: f32,
    /// `(r - 1) / (4 k)`; 0 without a knee.
    pub curve: f32,
    /// `log2` of the magnitude below which a cell becomes 0.
    pub log2_floor: f32,
}

impl GateKernel {
    pub(super) const PROGRAM: CellProgram = CellProgram {
        name: "gate",
        source: include_str!("../../../../shaders/gate.wgsl"),
        parts: &[ShaderPart::Exp2, ShaderPart::Log2],
        layout: Some(|| layout_of!(GateKernel as "Gate" { slope, log2_threshold, knee, curve, log2_floor })),
    };

    /// The kernel for a ratio `r`, a threshold and a floor in magnitudes, and a knee that extends `knee_db` to either
    /// side of the threshold.
    pub fn new(ratio: f64, threshold: f64, knee_db: f64, floor: f64) -> GateKernel {
        let (slope, knee) = (ratio - 1.0, knee_db / (20.0 * std::f64::consts::LOG10_2));
        GateKernel {
            slope: slope as f32,
            log2_threshold: threshold.log2() as f32,
            knee: knee as f32,
            curve: if knee > 0.0 { (slope / (4.0 * knee)) as f32 } else { 0.0 },
            log2_floor: floor.log2() as f32,
        }
    }
}

impl CellKernel for GateKernel {
    fn program(&self) -> &'static CellProgram {
        &GateKernel::PROGRAM
    }

    fn run(&self, _: &Region, mask: &Mask, after: &mut Region) {
        each_cell(
            after,
            mask,
            &vec![0.0; mask.rect.bins.len()],
            #[inline(always)]
            |_, magnitude, m| gate(self, magnitude, m),
        );
    }

    fn uniform(&self) -> Vec<u8> {
        bytemuck::bytes_of(self).to_vec()
    }
}

/// The new magnitude of a cell; unchanged above threshold and knee, and where `M` is 0.
#[inline(always)]
pub fn gate(of: &GateKernel, magnitude: f32, mask: f32) -> f32 {
    let level = log2(magnitude);
    let d = level - of.log2_threshold;
    let below = if d < of.knee { of.knee - d } else { 0.0 };
    let exponent = if d > -of.knee { -of.curve * below * below } else { of.slope * d };
    let factor = if level + exponent < of.log2_floor { 0.0 } else { exp2(exponent) };
    magnitude * (1.0 + (factor - 1.0) * mask)
}
