//! The brush kernels on the device.

use super::stft::{batches, check};
use crate::base::Result;
use crate::dsp::kernels::CellKernel;
use crate::dsp::warps::displacement::Displacement;
use crate::dsp::{CellRect, Kernel, Mask};
use crate::gpu::batch::{BATCH_WORK, Batch, Bind, groups_of_256, uniform, words};
use crate::gpu::buffers::pool::Lease;
use crate::gpu::buffers::tables::Table;
use crate::gpu::layout::{Cells, Combine, Displaced, Resample};
use crate::gpu::shaders::Program;
use crate::gpu::{Gpu, GpuRegion};
use bytemuck::Pod;
use std::ops::Range;

/// Regions and mask of one run, on the device.
pub(in crate::gpu) struct KernelRun<'a> {
    pub before: &'a GpuRegion,
    pub mask: Lease,
    pub after: GpuRegion,
}

impl Gpu {
    /// Twin of [`Kernel::run`], for all kernels but those [of the CPU](Kernel::why_on_cpu).
    ///
    /// # Errors
    /// [`ErrorKind::Limit`](crate::base::ErrorKind::Limit) for regions larger than the device's largest buffer,
    /// [`ErrorKind::Gpu`](crate::base::ErrorKind::Gpu) when the device fails.
    pub fn run(&self, batch: &mut Batch<'_>, kernel: &Kernel, before: &GpuRegion, mask: &Mask) -> Result<GpuRegion> {
        check(before.rect.contains(&mask.rect), "a kernel writes cells outside the region it reads")?;
        check(mask.values.len() == mask.rect.n_cells(), "a mask does not fit its rectangle")?;
        if let Kernel::Resample { displacement, overlap, nyquist_bin } = kernel {
            return self.resample(batch, displacement, *overlap, *nyquist_bin, before);
        }
        if let Kernel::Drag(drag) = kernel {
            return self.resample(batch, &drag.displacement(mask), drag.overlap, drag.nyquist_bin, before);
        }
        let run = KernelRun { before, mask: self.uploaded(&mask.values)?, after: self.region(mask.rect.clone())? };
        if mask.rect.is_empty() {
            return Ok(run.after);
        }
        match kernel {
            Kernel::Cells(kernel) => self.cell_kernel(batch, kernel.get(), &run)?,
            Kernel::ModulationFilter { frame_response, bin_response } => {
                check(before.rect == mask.rect, "a modulation filter reads cells outside its area")?;
                let filtered =
                    self.modulation_filter(batch, frame_response.as_deref(), bin_response.as_deref(), before)?;
                let filtered = filtered.as_ref().unwrap_or(&before.magnitude);
                let bind = || [(6, words(filtered, mask.rect.n_cells()))];
                self.each_cell(batch, Program::file("modulation_filter", "run"), &run, 1, bind)?;
            }
            Kernel::Attenuate(around) => self.attenuate(batch, around, &run, mask)?,
            Kernel::RowBlur(blur) => self.row_blur(batch, blur, &run)?,
            Kernel::Interpolate { .. } | Kernel::Denoise(_) => check(false, "a CPU-only kernel was sent to the GPU")?,
            Kernel::Drag(_) | Kernel::Resample { .. } => {}
        }
        Ok(run.after)
    }

    /// Runs a cell kernel, with its tables, its magnitudes blurred along frames and its uniform at bindings from 6 on.
    fn cell_kernel(&self, batch: &mut Batch<'_>, kernel: &dyn CellKernel, run: &KernelRun<'_>) -> Result<()> {
        let mut buffers = Vec::new();
        for table in kernel.tables() {
            buffers.push((self.uploaded(table)?, table.len()));
        }
        if let Some(taps) = kernel.frame_taps() {
            buffers.push(self.blur_frames(batch, taps, run)?);
        }
        let uniform = kernel.uniform();
        let bind = || {
            let buffers = buffers.iter().map(|(lease, n)| words(lease, *n));
            let uniform = (!uniform.is_empty()).then_some(Bind::Uniform(&uniform));
            (6..).zip(buffers.chain(uniform)).collect::<Vec<_>>()
        };
        self.each_cell(batch, Program::cells(kernel.program()), run, kernel.work_per_cell(), bind)
    }

    /// Runs a program over all written cells, with the bindings declared in `written.wgsl` and `more`.
    pub(in crate::gpu) fn each_cell<'b, Bindings: IntoIterator<Item = (u32, Bind<'b>)>>(
        &self,
        batch: &mut Batch<'_>,
        program: Program,
        run: &KernelRun<'_>,
        work_per_cell: usize,
        more: impl Fn() -> Bindings,
    ) -> Result<()> {
        self.over_cells(batch, program, [run.before, &run.after], &run.mask, work_per_cell, more)
    }

    /// As [`each_cell`](Gpu::each_cell), but with regions and mask instead of a run; a program may also only read
    /// `after`.
    pub(in crate::gpu) fn over_cells<'b, Bindings: IntoIterator<Item = (u32, Bind<'b>)>>(
        &self,
        batch: &mut Batch<'_>,
        program: Program,
        [before, after]: [&GpuRegion; 2],
        mask: &Lease,
        work_per_cell: usize,
        more: impl Fn() -> Bindings,
    ) -> Result<()> {
        let (n_before, n_after) = (before.rect.n_cells(), after.rect.n_cells());
        let work_per_cell = work_per_cell.max(16);
        for cells in batches(n_after, BATCH_WORK / work_per_cell) {
            batch.add_work(cells.len() * work_per_cell);
            let parameters = Cells {
                first_cell: cells.start as u32,
                end_cell: cells.end as u32,
                ..cells_in(&after.rect, &before.rect)
            };
            let mut bindings = vec![
                (0, uniform(&parameters)),
                (1, words(&before.magnitude, n_before)),
                (2, words(&before.phase, n_before)),
                (3, words(mask, n_after)),
                (4, words(&after.magnitude, n_after)),
                (5, words(&after.phase, n_after)),
            ];
            for bound in more() {
                bindings.push(bound);
            }
            batch.dispatch(program, &bindings, groups_of_256(cells.len()))?;
        }
        Ok(())
    }

    /// Twin of [`combine`](crate::dsp::kernels::combine).
    ///
    /// # Errors
    /// As [`run`](Gpu::run).
    pub fn combine(
        &self,
        batch: &mut Batch<'_>,
        [before, other]: [&GpuRegion; 2],
        mask: &Mask,
        kept: f32,
    ) -> Result<GpuRegion> {
        check(
            before.rect.contains(&mask.rect) && other.rect == mask.rect,
            "the regions to combine cover different cells",
        )?;
        let run = KernelRun { before, mask: self.uploaded(&mask.values)?, after: self.region(mask.rect.clone())? };
        let (n_cells, parameters) = (mask.rect.n_cells(), Combine { kept });
        let bind =
            || [(6, words(&other.magnitude, n_cells)), (7, words(&other.phase, n_cells)), (8, uniform(&parameters))];
        self.each_cell(batch, Program::file("combine", "run"), &run, 1, bind)?;
        Ok(run.after)
    }

    /// The first pass of a blur: blurs `before` along frames, in the frames of the mask and all bins. Returns the
    /// blurred magnitudes and their number.
    pub(in crate::gpu) fn blur_frames(
        &self,
        batch: &mut Batch<'_>,
        frame_taps: &[f32],
        run: &KernelRun<'_>,
    ) -> Result<(Lease, usize)> {
        let before = run.before;
        let rect = CellRect::new(run.after.rect.frames.clone(), before.rect.bins.clone());
        let along_frames = self.lease(rect.n_cells())?;
        let frame_values = self.uploaded(frame_taps)?;
        let work_per_cell = frame_taps.len().max(16);
        for cells in batches(rect.n_cells(), BATCH_WORK / work_per_cell) {
            batch.add_work(cells.len() * work_per_cell);
            let parameters =
                Cells { first_cell: cells.start as u32, end_cell: cells.end as u32, ..cells_in(&rect, &before.rect) };
            batch.dispatch(
                Program::file("blur", "blur_frames"),
                &[
                    (0, uniform(&parameters)),
                    (1, words(&before.magnitude, before.rect.n_cells())),
                    (6, words(&frame_values, frame_taps.len())),
                    (7, words(&along_frames, rect.n_cells())),
                ],
                groups_of_256(cells.len()),
            )?;
        }
        Ok((along_frames, rect.n_cells()))
    }

    /// A buffer of one value per cell, written piece by piece, so that memory on this side does not grow with the
    /// region.
    pub(in crate::gpu) fn uploaded_by_pieces<T: Pod>(
        &self,
        cells: Range<usize>,
        piece: impl Fn(Range<usize>) -> Vec<T>,
    ) -> Result<Lease> {
        let lease = self.lease(size_of::<T>() / 4 * cells.len())?;
        for run in batches(cells.len(), 1 << 13) {
            let offset = (run.start * size_of::<T>()) as u64;
            let values = piece(cells.start + run.start..cells.start + run.end);
            self.queue().write_buffer(lease.buffer(), offset, bytemuck::cast_slice(&values));
        }
        Ok(lease)
    }

    fn resample(
        &self,
        batch: &mut Batch<'_>,
        displacement: &Displacement,
        overlap: u32,
        nyquist_bin: u32,
        before: &GpuRegion,
    ) -> Result<GpuRegion> {
        let rect = &displacement.rect;
        check(before.rect.contains(rect), "a warp writes cells outside the region it reads")?;
        let after = self.region(rect.clone())?;
        if rect.is_empty() {
            return Ok(after);
        }
        let n_words = size_of::<Displaced>() / 4 * rect.n_cells();
        let displaced_values =
            self.uploaded_by_pieces(0..rect.n_cells(), |cells| cells.map(|i| displaced(displacement, i)).collect())?;
        let roots = Table::Twiddles(overlap as usize);
        let root_values = self.table(roots)?;
        let parameters = Resample { overlap, nyquist_bin };
        for cells in batches(rect.n_cells(), BATCH_WORK / 256) {
            batch.add_work(cells.len() * 256);
            let in_before =
                Cells { first_cell: cells.start as u32, end_cell: cells.end as u32, ..cells_in(rect, &before.rect) };
            batch.dispatch(
                Program::file("resample", "resample"),
                &[
                    (0, uniform(&in_before)),
                    (1, words(&before.magnitude, before.rect.n_cells())),
                    (2, words(&before.phase, before.rect.n_cells())),
                    (3, words(&displaced_values, n_words)),
                    (4, words(&after.magnitude, rect.n_cells())),
                    (5, words(&after.phase, rect.n_cells())),
                    (6, words(&root_values, roots.len())),
                    (7, uniform(&parameters)),
                ],
                groups_of_256(cells.len()),
            )?;
        }
        Ok(after)
    }
}

fn displaced(displacement: &Displacement, i: usize) -> Displaced {
    Displaced {
        whole_frames: displacement.whole_frames[i],
        frame_fraction: displacement.frame_fraction[i],
        whole_bins: displacement.whole_bins[i],
        bin_fraction: displacement.bin_fraction[i],
        turns: displacement.turns[i],
        acts: displacement.acts[i],
    }
}

/// The parameters of `rect`, which must lie inside `before`. The caller sets `first_cell` and `end_cell`.
pub(in crate::gpu) fn cells_in(rect: &CellRect, before: &CellRect) -> Cells {
    Cells {
        n_bins: rect.bins.len() as u32,
        first_bin: rect.bins.start as u32,
        first_cell: 0,
        end_cell: 0,
        before_frame: (rect.frames.start - before.frames.start) as u32,
        before_bin: (rect.bins.start - before.bins.start) as u32,
        before_n_frames: before.frames.len() as u32,
        before_n_bins: before.bins.len() as u32,
    }
}
