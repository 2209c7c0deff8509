//! One set of functions on two machines: the GPU, or the CPU.

use crate::base::{EngineChoice, Result};
use crate::dsp::{CellRect, Difference, Kernel, Mask, Region, Stft};
use crate::gpu::{Gpu, GpuRegion};
use std::sync::Arc;

/// Where edits are computed. Clones share the device.
#[derive(Debug, Clone)]
pub enum Engine {
    /// A wgpu device.
    Gpu(Arc<Gpu>),
    /// This machine's processor.
    Cpu,
}

/// A region where its engine works.
#[derive(Debug)]
pub enum EngineRegion {
    /// On the device.
    Gpu(GpuRegion),
    /// In RAM.
    Cpu(Region),
}

/// An engine and why it was taken, in words for the user.
#[derive(Debug, Clone)]
pub struct Chosen {
    /// The engine.
    pub engine: Engine,
    /// One sentence.
    pub why: String,
}

impl Engine {
    /// The engine for a choice, with a device of its own.
    pub fn choose(choice: EngineChoice, adapter: Option<&str>) -> Result<Chosen> {
        let _ = (choice, adapter);
        Ok(Chosen { engine: Engine::Cpu, why: "".into() })
    }

    /// `gpu` or `cpu`.
    pub fn name(&self) -> &'static str {
        match self {
            Engine::Gpu(_) => "gpu",
            Engine::Cpu => "cpu",
        }
    }

    /// See [`Stft::analyse`].
    pub fn analyse(&self, stft: &Stft, samples: &[f32], rect: &CellRect) -> Result<EngineRegion> {
        let _ = (stft, samples, rect);
        unimplemented!()
    }

    /// See [`Kernel::run`].
    pub fn run(&self, kernel: &Kernel, before: &EngineRegion, mask: &Mask) -> Result<EngineRegion> {
        let _ = (kernel, before, mask);
        unimplemented!()
    }

    /// See [`Stft::difference`].
    pub fn difference(&self, stft: &Stft, before: &EngineRegion, after: &EngineRegion) -> Result<Difference> {
        let _ = (stft, before, after);
        unimplemented!()
    }

    /// To where this engine works.
    pub fn upload(&self, region: Region) -> Result<EngineRegion> {
        let _ = region;
        unimplemented!()
    }

    /// To RAM.
    pub fn download(&self, region: EngineRegion) -> Result<Region> {
        let _ = region;
        unimplemented!()
    }
}
