//! The GPU: device, textures, WGSL pipelines. Knows no egui.

mod display;

pub use display::{Colours, Display, DisplayTile, Pane, PanePainter, TileDraw};

use crate::base::Result;
use crate::dsp::{CellRect, Difference, Kernel, Mask, Region, Stft};
use std::sync::Arc;

/// A device with its pipelines and buffers.
#[derive(Debug)]
pub struct Gpu {}

/// A region in storage buffers on the device.
#[derive(Debug)]
pub struct GpuRegion {
    /// Which cells of the grid.
    pub rect: CellRect,
}

/// What the user is told of an adapter.
#[derive(Debug, Clone, PartialEq)]
pub struct AdapterSummary {
    /// As the driver calls it.
    pub name: String,
    /// `Vulkan`, `Metal`, `Dx12`, `Gl`.
    pub backend: String,
    /// Driver and version.
    pub driver: String,
    /// `DiscreteGpu`, `IntegratedGpu`, `VirtualGpu`, `Cpu`, `Other`.
    pub device_type: String,
    /// Largest texture, in texels.
    pub max_texture: u32,
    /// Largest storage buffer binding, in bytes.
    pub max_storage_buffer: u64,
}

/// Two r32float textures, x = bin, y = frame, that hold `rect`: what the canvas draws and live strokes write.
#[derive(Debug, Clone)]
pub struct PlaneTextures {
    /// Linear magnitude.
    pub magnitude: wgpu::Texture,
    /// Phase in turns.
    pub phase: wgpu::Texture,
    /// Which cells of the grid.
    pub rect: CellRect,
}

impl Gpu {
    /// A device without a window, on the adapter that matches (number or part of the name), or the best.
    pub fn headless(adapter: Option<&str>) -> Result<Arc<Gpu>> {
        let _ = adapter;
        unimplemented!()
    }

    /// The device that a window already has.
    pub fn shared(adapter: &wgpu::Adapter, device: &wgpu::Device, queue: &wgpu::Queue) -> Result<Arc<Gpu>> {
        let _ = (adapter, device, queue);
        unimplemented!()
    }

    /// Every adapter of this machine, in the order of their numbers.
    pub fn adapters() -> Vec<AdapterSummary> {
        unimplemented!()
    }

    /// The adapter in use.
    pub fn summary(&self) -> &AdapterSummary {
        unimplemented!()
    }

    /// The device.
    pub fn device(&self) -> &wgpu::Device {
        unimplemented!()
    }

    /// Its queue.
    pub fn queue(&self) -> &wgpu::Queue {
        unimplemented!()
    }

    /// Twin of [`Stft::analyse`].
    pub fn analyse(&self, stft: &Stft, samples: &[f32], rect: &CellRect) -> Result<GpuRegion> {
        let _ = (stft, samples, rect);
        unimplemented!()
    }

    /// Twin of [`Kernel::run`].
    pub fn run(&self, kernel: &Kernel, before: &GpuRegion, mask: &Mask) -> Result<GpuRegion> {
        let _ = (kernel, before, mask);
        unimplemented!()
    }

    /// Twin of [`Stft::difference`]; waits for the answer, so never on a UI thread.
    pub fn difference(&self, stft: &Stft, before: &GpuRegion, after: &GpuRegion) -> Result<Difference> {
        let _ = (stft, before, after);
        unimplemented!()
    }

    /// A region from RAM.
    pub fn upload(&self, region: &Region) -> Result<GpuRegion> {
        let _ = region;
        unimplemented!()
    }

    /// A region to RAM; waits for the answer, so never on a UI thread.
    pub fn download(&self, region: &GpuRegion) -> Result<Region> {
        let _ = region;
        unimplemented!()
    }

    /// Empty textures for `rect`.
    pub fn plane_textures(&self, rect: &CellRect) -> Result<PlaneTextures> {
        let _ = rect;
        unimplemented!()
    }

    /// Writes the cells of `region` that lie in `cells` and in the textures. Nothing is read back.
    pub fn scatter(&self, region: &GpuRegion, cells: &CellRect, planes: &PlaneTextures) -> Result<()> {
        let _ = (region, cells, planes);
        unimplemented!()
    }
}
