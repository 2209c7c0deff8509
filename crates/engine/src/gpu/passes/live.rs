//! Device functions for a stroke in progress, besides its kernel: combining signals by their louder cells, as a view
//! displays them, copying cells, and taking every n-th frame of a finer grid. Nothing is read back.

use super::stft::check;
use crate::base::Result;
use crate::dsp::CellRect;
use crate::gpu::batch::{Batch, groups_of_256, uniform, words};
use crate::gpu::layout::Cells;
use crate::gpu::shaders::Program;
use crate::gpu::{Gpu, GpuRegion};

impl Gpu {
    /// Replaces the cells that are louder in `other`, which covers the same rectangle. Twin of `view::keep_louder`.
    ///
    /// # Errors
    /// [`ErrorKind::Gpu`](crate::base::ErrorKind::Gpu).
    pub fn keep_louder(&self, batch: &mut Batch<'_>, all: &GpuRegion, other: &GpuRegion) -> Result<()> {
        check(all.rect == other.rect, "signals of different cells cannot be joined")?;
        let n_cells = all.rect.n_cells();
        let n_bins = all.rect.bins.len() as u32;
        let parameters = Cells { n_bins, end_cell: n_cells as u32, ..Cells::default() };
        batch.dispatch(
            Program::file("louder", "keep_louder"),
            &[
                (0, uniform(&parameters)),
                (1, words(&all.magnitude, n_cells)),
                (2, words(&all.phase, n_cells)),
                (3, words(&other.magnitude, n_cells)),
                (4, words(&other.phase, n_cells)),
            ],
            groups_of_256(n_cells),
        )
    }

    /// A copy of the cells of `rect`, which must lie inside the region. Twin of
    /// [`Region::crop`](crate::dsp::Region::crop).
    ///
    /// # Errors
    /// [`ErrorKind::Gpu`](crate::base::ErrorKind::Gpu).
    pub fn crop(&self, batch: &mut Batch<'_>, region: &GpuRegion, rect: &CellRect) -> Result<GpuRegion> {
        check(region.rect.contains(rect), "the cells to copy are outside the region")?;
        let cropped = self.region(rect.clone())?;
        copy_cells(batch, region, &cropped, rect);
        Ok(cropped)
    }

    /// Copies the cells of `other`, which must lie inside the region, into place. Twin of
    /// [`Region::paste`](crate::dsp::Region::paste).
    ///
    /// # Errors
    /// [`ErrorKind::Gpu`](crate::base::ErrorKind::Gpu).
    pub fn paste(&self, batch: &mut Batch<'_>, into: &GpuRegion, other: &GpuRegion) -> Result<()> {
        check(into.rect.contains(&other.rect), "the destination of the cells is outside the region")?;
        copy_cells(batch, other, into, &other.rect);
        Ok(())
    }

    /// The frames whose number is a multiple of `every`, renumbered by dividing by `every`: a grid of `every` times the
    /// hop.
    ///
    /// # Errors
    /// [`ErrorKind::Gpu`](crate::base::ErrorKind::Gpu).
    pub fn every_frame(&self, batch: &mut Batch<'_>, fine: &GpuRegion, every: usize) -> Result<GpuRegion> {
        let (first, end) = (fine.rect.frames.start.div_ceil(every), fine.rect.frames.end.div_ceil(every));
        let rect = CellRect::new(first..end.max(first), fine.rect.bins.clone());
        let row_bytes = 4 * rect.bins.len() as u64;
        let coarse = self.region(rect.clone())?;
        for (row, frame) in rect.frames.clone().enumerate() {
            let from = (frame * every - fine.rect.frames.start) as u64 * row_bytes;
            for (from_plane, to_plane) in [(&fine.magnitude, &coarse.magnitude), (&fine.phase, &coarse.phase)] {
                batch.copy(from_plane, from, to_plane, row as u64 * row_bytes, row_bytes);
            }
        }
        Ok(coarse)
    }
}

/// Copies cells that both regions contain.
fn copy_cells(batch: &mut Batch<'_>, from: &GpuRegion, to: &GpuRegion, cells: &CellRect) {
    if cells.is_empty() {
        return;
    }
    let n_bytes = 4 * cells.bins.len() as u64;
    let offset = |rect: &CellRect, frame: usize| {
        let row = (frame - rect.frames.start) * rect.bins.len();
        4 * (row + cells.bins.start - rect.bins.start) as u64
    };
    // Whole rows of both are contiguous: one copy for all of them.
    let is_whole = from.rect.bins == to.rect.bins && from.rect.bins == cells.bins;
    let (frames, n_bytes) = if is_whole {
        (cells.frames.start..cells.frames.start + 1, n_bytes * cells.frames.len() as u64)
    } else {
        (cells.frames.clone(), n_bytes)
    };
    for frame in frames {
        let (start, end) = (offset(&from.rect, frame), offset(&to.rect, frame));
        for (from_plane, to_plane) in [(&from.magnitude, &to.magnitude), (&from.phase, &to.phase)] {
            batch.copy(from_plane, start, to_plane, end, n_bytes);
        }
    }
}
