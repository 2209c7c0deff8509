//! One set of functions on two machines: the GPU, or the CPU.

use crate::base::{EngineChoice, Error, ErrorKind, Result};
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

    /// The engine that serves a transform: this one, or with a notice the CPU for sizes that the GPU does not do.
    pub fn for_transform(&self, _params: &crate::dsp::StftParams) -> (Engine, Option<String>) {
        (self.clone(), None)
    }

    /// Cells of one piece of a long edit.
    pub fn max_cells(&self) -> usize {
        1 << 21
    }

    /// See [`Stft::analyse`].
    pub fn analyse(&self, stft: &Stft, samples: &[f32], rect: &CellRect) -> Result<EngineRegion> {
        match self {
            Engine::Gpu(gpu) => gpu.analyse(stft, samples, rect).map(EngineRegion::Gpu),
            Engine::Cpu => Ok(EngineRegion::Cpu(stft.analyse(samples, rect))),
        }
    }

    /// See [`Kernel::run`].
    pub fn run(&self, kernel: &Kernel, before: &EngineRegion, mask: &Mask) -> Result<EngineRegion> {
        match (self, before) {
            (Engine::Gpu(gpu), EngineRegion::Gpu(before)) => gpu.run(kernel, before, mask).map(EngineRegion::Gpu),
            (Engine::Cpu, EngineRegion::Cpu(before)) => Ok(EngineRegion::Cpu(kernel.run(before, mask))),
            _ => Err(foreign_region()),
        }
    }

    /// See [`Stft::difference`].
    pub fn difference(&self, stft: &Stft, before: &EngineRegion, after: &EngineRegion) -> Result<Difference> {
        match (self, before, after) {
            (Engine::Gpu(gpu), EngineRegion::Gpu(before), EngineRegion::Gpu(after)) => {
                gpu.difference(stft, before, after)
            }
            (Engine::Cpu, EngineRegion::Cpu(before), EngineRegion::Cpu(after)) => Ok(stft.difference(before, after)),
            _ => Err(foreign_region()),
        }
    }

    /// To where this engine works.
    pub fn upload(&self, region: Region) -> Result<EngineRegion> {
        match self {
            Engine::Gpu(gpu) => gpu.upload(&region).map(EngineRegion::Gpu),
            Engine::Cpu => Ok(EngineRegion::Cpu(region)),
        }
    }

    /// To RAM.
    pub fn download(&self, region: EngineRegion) -> Result<Region> {
        match (self, region) {
            (Engine::Gpu(gpu), EngineRegion::Gpu(region)) => gpu.download(&region),
            (_, EngineRegion::Cpu(region)) => Ok(region),
            _ => Err(foreign_region()),
        }
    }
}

fn foreign_region() -> Error {
    Error::new(ErrorKind::Internal, "a region was given to an engine that did not make it")
}
