//! Consistency on the device: see `dsp::kernels::heal::consistency`.

use super::kernels::KernelRun;
use super::stft::check;
use crate::base::Result;
use crate::dsp::Mask;
use crate::gpu::batch::{Batch, words};
use crate::gpu::buffers::reads::ReadBack;
use crate::gpu::shaders::Program;
use crate::gpu::{Gpu, GpuRegion};

impl Gpu {
    /// Twin of [`retarget`](crate::dsp::kernels::retarget).
    ///
    /// # Errors
    /// [`ErrorKind::Gpu`](crate::base::ErrorKind::Gpu) when the device fails.
    pub fn retarget(&self, batch: &mut Batch<'_>, [now, painted]: [&GpuRegion; 2], mask: &Mask) -> Result<GpuRegion> {
        check(now.rect == mask.rect && painted.rect == mask.rect, "the target covers different cells")?;
        let run = KernelRun { before: now, mask: self.uploaded(&mask.values)?, after: self.region(mask.rect.clone())? };
        let bind = || [(6, words(&painted.magnitude, mask.rect.n_cells()))];
        self.each_cell(batch, Program::file("retarget", "run"), &run, 1, bind)?;
        Ok(run.after)
    }

    /// Twin of [`distance_squares`](crate::dsp::kernels::distance_squares). Waits for the result.
    ///
    /// # Errors
    /// [`ErrorKind::Gpu`](crate::base::ErrorKind::Gpu) when the device fails.
    pub fn distance_squares(
        &self,
        before: &GpuRegion,
        painted: &GpuRegion,
        now: &GpuRegion,
        mask: &Mask,
    ) -> Result<[f64; 2]> {
        check(now.rect == mask.rect && painted.rect == mask.rect, "the regions to compare cover different cells")?;
        check(before.rect.contains(&mask.rect), "the region to compare with lacks some of the cells")?;
        let n_cells = mask.rect.n_cells();
        let n_groups = n_cells.div_ceil(256);
        self.guarded(|| {
            let mask_values = self.uploaded(&mask.values)?;
            let squares = self.lease(2 * n_groups)?;
            let bind = || {
                [
                    (6, words(&now.magnitude, n_cells)),
                    (7, words(&now.phase, n_cells)),
                    (8, words(&squares, 2 * n_groups)),
                ]
            };
            let mut batch = Batch::new(self)?;
            self.over_cells(&mut batch, Program::file("distance", "run"), [before, painted], &mask_values, 1, bind)?;
            batch.submit();
            let mut sums = vec![0.0f32; 2 * n_groups];
            self.read(ReadBack::Sums, &squares, 0, &mut sums)?;
            Ok(sums
                .chunks_exact(2)
                .fold([0.0; 2], |sum, group| [sum[0] + f64::from(group[0]), sum[1] + f64::from(group[1])]))
        })
    }
}
