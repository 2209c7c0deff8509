//! Computes magnitudes of the frames of many sounds on the device, their medians along time and frequency, and their
//! mels.

use super::stft::batches;
use crate::base::Result;
use crate::dsp::descriptors::{FramePlanes, MEDIAN_WINDOW, N_BINS, N_MELS, PlaneBatch, mel_tables};
use crate::dsp::{CellRect, Stft};
use crate::gpu::batch::{Batch, Bind, groups_of_256, uniform, words};
use crate::gpu::buffers::pool::Lease;
use crate::gpu::buffers::reads::ReadBack;
use crate::gpu::buffers::transfer::ReadPiece;
use crate::gpu::layout::{MedianCells, MelRows, MelTriangle};
use crate::gpu::shaders::Program;
use crate::gpu::{Gpu, GpuRegion};
use std::ops::Range;

/// Maximum number of values read per submission.
const BATCH_WORK: usize = 1 << 26;
/// Values that two medians read per cell: all of both windows for each bit.
const WORK_PER_CELL: usize = 31 * 2 * MEDIAN_WINDOW;
/// Approximate number of bins of the highest mels, which are the widest.
const WORK_PER_MEL: usize = 64;

impl Gpu {
    /// Twin of [`PlaneBatch::planes`]; passes each piece with its number, in order. `stft` is the batch's
    /// [transform](PlaneBatch::transform). Waits for the result.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`](crate::base::ErrorKind::Limit) for more frames than the device's largest buffer holds,
    /// [`ErrorKind::Gpu`](crate::base::ErrorKind::Gpu) when the device fails.
    pub fn frame_planes(
        &self,
        stft: &Stft,
        batch: &PlaneBatch,
        take: &mut dyn FnMut(usize, &FramePlanes),
    ) -> Result<()> {
        let n_rows = batch.lines().len();
        if n_rows == 0 {
            return Ok(());
        }
        // The phase is not needed; its buffer takes the medians along time.
        let GpuRegion { magnitude, phase: harmonic, .. } = self
            .in_batch(|recorded| self.analyse(recorded, stft, batch.samples(), &CellRect::new(0..n_rows, 0..N_BINS)))?;
        let (percussive, mels) = self.guarded(|| {
            let (percussive, mels) = (self.lease(n_rows * N_BINS)?, self.lease(n_rows * N_MELS)?);
            self.sound_medians(batch, &magnitude, [&harmonic, &percussive])?;
            self.sound_mels(n_rows, &magnitude, &mels)?;
            Ok((percussive, mels))
        })?;
        for piece in 0..batch.n_pieces() {
            let rows = batch.rows(piece);
            let planes = self.guarded(|| self.read_planes([&magnitude, &harmonic, &percussive, &mels], &rows))?;
            take(piece, &planes);
        }
        Ok(())
    }

    fn sound_medians(&self, batch: &PlaneBatch, magnitude: &Lease, [harmonic, percussive]: [&Lease; 2]) -> Result<()> {
        let n_rows = batch.lines().len();
        let n_cells = n_rows * N_BINS;
        let lines = self.uploaded(batch.lines())?;
        let mut recorded = Batch::new(self)?;
        for cells in batches(n_cells, BATCH_WORK / WORK_PER_CELL) {
            let parameters = MedianCells {
                first_cell: cells.start as u32,
                end_cell: cells.end as u32,
                n_bins: N_BINS as u32,
                window: MEDIAN_WINDOW as u32,
            };
            recorded.dispatch(
                Program::file("sound_medians", "medians"),
                &[
                    (0, uniform(&parameters)),
                    (1, words(magnitude, n_cells)),
                    (2, words(&lines, 2 * n_rows)),
                    (3, words(harmonic, n_cells)),
                    (4, words(percussive, n_cells)),
                ],
                groups_of_256(cells.len()),
            )?;
            recorded.submit();
        }
        Ok(())
    }

    fn sound_mels(&self, n_rows: usize, magnitude: &Lease, mels: &Lease) -> Result<()> {
        let (triangles, weights) = mel_tables();
        let triangles: Vec<MelTriangle> = triangles
            .iter()
            .map(|&[first_bin, n_bins, first_weight]| MelTriangle { first_bin, n_bins, first_weight })
            .collect();
        let (triangles_on_device, weights_on_device) = (self.uploaded(&triangles)?, self.uploaded(weights)?);
        let n_mels = n_rows * N_MELS;
        let mut recorded = Batch::new(self)?;
        for range in batches(n_mels, BATCH_WORK / WORK_PER_MEL) {
            let parameters = MelRows {
                first: range.start as u32,
                end: range.end as u32,
                n_bins: N_BINS as u32,
                n_mels: N_MELS as u32,
            };
            recorded.dispatch(
                Program::file("sound_mels", "apply"),
                &[
                    (0, uniform(&parameters)),
                    (1, words(magnitude, n_rows * N_BINS)),
                    (2, Bind::Buffer(&triangles_on_device, size_of_val(triangles.as_slice()) as u64)),
                    (3, words(&weights_on_device, weights.len())),
                    (4, words(mels, n_mels)),
                ],
                groups_of_256(range.len()),
            )?;
            recorded.submit();
        }
        Ok(())
    }

    /// Reads some rows of the magnitudes, of both medians and of the mels.
    fn read_planes(
        &self,
        [magnitude, harmonic, percussive, mels]: [&Lease; 4],
        rows: &Range<usize>,
    ) -> Result<FramePlanes> {
        let mut planes = FramePlanes::zeros(rows.len());
        let first = rows.start * N_BINS;
        let pieces = [
            (magnitude, first, &mut planes.magnitude),
            (harmonic, first, &mut planes.harmonic),
            (percussive, first, &mut planes.percussive),
            (mels, rows.start * N_MELS, &mut planes.mels),
        ];
        self.read_pieces(&mut pieces.map(|(lease, first, values)| {
            let bytes = bytemuck::cast_slice_mut(values.as_mut_slice());
            ReadPiece { what: ReadBack::Planes, lease, first, bytes }
        }))?;
        Ok(planes)
    }
}
