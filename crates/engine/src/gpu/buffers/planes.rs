//! The textures that the canvas draws.

use crate::base::{Error, ErrorKind, Result};
use crate::dsp::{CellRect, Region};
use crate::gpu::batch::{Batch, Bind, uniform, words};
use crate::gpu::layout::Scatter;
use crate::gpu::passes::stft::check;
use crate::gpu::shaders::Program;
use crate::gpu::{Gpu, GpuRegion};

/// Two r32float textures, x = bin, y = frame, that cover `rect`: drawn by the canvas and written by live strokes.
#[derive(Debug, Clone)]
pub struct PlaneTextures {
    /// Linear magnitude.
    pub magnitude: wgpu::Texture,
    /// Phase in turns.
    pub phase: wgpu::Texture,
    /// Cells of the grid.
    pub rect: CellRect,
}

impl Gpu {
    /// Textures for `rect`, filled with 0.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] if a side exceeds the device's maximum, [`ErrorKind::Gpu`] if memory runs out.
    pub fn plane_textures(&self, rect: &CellRect) -> Result<PlaneTextures> {
        let longest = self.device().limits().max_texture_dimension_2d as usize;
        if rect.frames.len() > longest || rect.bins.len() > longest {
            let message = format!(
                "an image of {} x {} cells is larger than the graphics device's largest texture, {longest}",
                rect.frames.len(),
                rect.bins.len()
            );
            return Err(Error::new(ErrorKind::Limit, message));
        }
        let size = wgpu::Extent3d {
            width: rect.bins.len().max(1) as u32,
            height: rect.frames.len().max(1) as u32,
            depth_or_array_layers: 1,
        };
        self.guarded(|| {
            let (magnitude, phase) = (self.plane("magnitude", size)?, self.plane("phase", size)?);
            Ok(PlaneTextures { magnitude, phase, rect: rect.clone() })
        })
    }

    fn plane(&self, label: &str, size: wgpu::Extent3d) -> Result<wgpu::Texture> {
        use wgpu::TextureUsages as Usage;
        self.memory.texture(&wgpu::TextureDescriptor {
            label: Some(label),
            size,
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::R32Float,
            usage: Usage::TEXTURE_BINDING
                | Usage::COPY_SRC
                | Usage::COPY_DST
                // Shaders write to it, if the device can compute.
                | if self.summary.computes { Usage::STORAGE_BINDING } else { Usage::empty() },
            view_formats: &[],
        })
    }

    /// Writes the cells of a region in RAM, which the textures must cover. Does not wait.
    ///
    /// # Errors
    /// [`ErrorKind::Gpu`].
    pub fn write_planes(&self, region: &Region, planes: &PlaneTextures) -> Result<()> {
        check(planes.rect.contains(&region.rect), "cells are written outside the image")?;
        let (cells, held) = (&region.rect, &planes.rect);
        let origin = wgpu::Origin3d {
            x: (cells.bins.start - held.bins.start) as u32,
            y: (cells.frames.start - held.frames.start) as u32,
            z: 0,
        };
        let (width, height) = (cells.bins.len() as u32, cells.frames.len() as u32);
        let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(4 * width), rows_per_image: None };
        let size = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
        self.guarded(|| {
            for (texture, plane) in [(&planes.magnitude, &region.magnitude), (&planes.phase, &region.phase)] {
                let target = wgpu::TexelCopyTextureInfo { origin, ..texture.as_image_copy() };
                self.queue().write_texture(target, bytemuck::cast_slice(plane), layout, size);
            }
            self.device.submit(None);
            Ok(())
        })
    }

    /// Writes the cells of `region` that lie in `cells` and in the textures. Reads nothing back.
    ///
    /// # Errors
    /// [`ErrorKind::Gpu`].
    pub fn scatter(
        &self,
        batch: &mut Batch<'_>,
        region: &GpuRegion,
        cells: &CellRect,
        planes: &PlaneTextures,
    ) -> Result<()> {
        let cells = cells.intersect(&region.rect).intersect(&planes.rect);
        if cells.is_empty() {
            return Ok(());
        }
        let offset = |from: &CellRect| {
            [(cells.bins.start - from.bins.start) as u32, (cells.frames.start - from.frames.start) as u32]
        };
        let parameters = Scatter {
            n_cells: [cells.bins.len() as u32, cells.frames.len() as u32],
            from_cell: offset(&region.rect),
            to_cell: offset(&planes.rect),
            region_n_bins: region.rect.bins.len() as u32,
            padding: 0,
        };
        let n_cells = region.rect.n_cells();
        let [magnitude, phase] = [&planes.magnitude, &planes.phase]
            .map(|texture| texture.create_view(&wgpu::TextureViewDescriptor::default()));
        batch.dispatch(
            Program::file("scatter", "scatter"),
            &[
                (0, uniform(&parameters)),
                (1, words(&region.magnitude, n_cells)),
                (2, words(&region.phase, n_cells)),
                (3, Bind::View(&magnitude)),
                (4, Bind::View(&phase)),
            ],
            [parameters.n_cells[0].div_ceil(64), parameters.n_cells[1].div_ceil(4)],
        )
    }
}
