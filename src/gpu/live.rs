//! What a stroke in progress needs on the device beside its kernel: signals joined as a view shows them, and every
//! so many frames of a finer grid. Nothing is read back, nobody waits.

use super::batch::{Batch, groups_of_256, uniform, words};
use super::layout::Cells;
use super::shaders::Program;
use super::stft::check;
use super::{Gpu, GpuRegion};
use crate::base::Result;
use crate::dsp::CellRect;

impl Gpu {
    /// Takes the cells of `other`, of the same rectangle, that are louder. Twin of `view::keep_louder`.
    ///
    /// # Errors
    /// [`ErrorKind::Gpu`](crate::base::ErrorKind::Gpu).
    pub fn keep_louder(&self, all: &GpuRegion, other: &GpuRegion) -> Result<()> {
        check(all.rect == other.rect, "signals of different cells cannot be joined")?;
        let n_cells = all.rect.n_cells();
        let n_bins = all.rect.bins.len() as u32;
        let parameters = Cells { n_bins, end_cell: n_cells as u32, ..Cells::default() };
        self.guarded(|| {
            let mut batch = Batch::new(self)?;
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
            )?;
            batch.flush();
            Ok(())
        })
    }

    /// The frames whose number is a multiple of `every`, numbered anew: a grid of `every` times the hop.
    ///
    /// # Errors
    /// [`ErrorKind::Gpu`](crate::base::ErrorKind::Gpu).
    pub fn every_frame(&self, fine: &GpuRegion, every: usize) -> Result<GpuRegion> {
        let (first, end) = (fine.rect.frames.start.div_ceil(every), fine.rect.frames.end.div_ceil(every));
        let rect = CellRect::new(first..end.max(first), fine.rect.bins.clone());
        let row_bytes = 4 * rect.bins.len() as u64;
        self.guarded(|| {
            let coarse = self.region(rect.clone())?;
            let mut batch = Batch::new(self)?;
            for (row, frame) in rect.frames.clone().enumerate() {
                let from = (frame * every - fine.rect.frames.start) as u64 * row_bytes;
                for (from_plane, to_plane) in [(&fine.magnitude, &coarse.magnitude), (&fine.phase, &coarse.phase)] {
                    batch.copy(from_plane.buffer(), from, to_plane.buffer(), row as u64 * row_bytes, row_bytes);
                }
            }
            batch.flush();
            Ok(coarse)
        })
    }
}
