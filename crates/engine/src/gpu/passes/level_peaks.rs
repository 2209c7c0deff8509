//! The loudest cells of a region, for the levels of a picture.

use crate::base::Result;
use crate::gpu::batch::{Batch, groups_of_256, uniform, words};
use crate::gpu::buffers::reads::ReadBack;
use crate::gpu::buffers::transfer::ReadPiece;
use crate::gpu::layout::PeakCells;
use crate::gpu::shaders::Program;
use crate::gpu::{Gpu, GpuRegion};

/// How cells are pooled into the entries and rows of a level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PeakPooling {
    /// Frames per entry.
    pub frames_per_entry: usize,
    /// Bins per row.
    pub bins_per_row: usize,
    /// Frames in which bin 1 rotates once.
    pub frames_per_turn: usize,
    /// Factor on the magnitudes of the first and the last bin.
    pub end_share: f32,
}

/// The loudest cells of a region, entry by entry.
#[derive(Debug, Clone, PartialEq)]
pub struct RegionPeaks {
    /// The first entry, counted from frame 0 of the grid. The first and the last entry may extend beyond the region.
    pub first_entry: usize,
    /// Magnitudes, 0 in silence.
    pub values: Vec<f32>,
    /// The phase of each, in 256 steps of a turn from -0.5: relative to the rotation of its bin, and raw. Empty if not
    /// requested.
    pub steps: Vec<[u8; 2]>,
}

impl Gpu {
    /// The loudest cells of a region that contains all bins of its grid, with their phases if requested. Waits for the
    /// result, so never call it on a UI thread.
    ///
    /// # Errors
    /// [`ErrorKind::Gpu`](crate::base::ErrorKind::Gpu) when the device fails.
    pub fn level_peaks(&self, region: &GpuRegion, pooling: &PeakPooling, has_phases: bool) -> Result<RegionPeaks> {
        let (frames, n_bins) = (&region.rect.frames, region.rect.bins.len());
        let first_entry = frames.start / pooling.frames_per_entry;
        let n_entries = frames.end.div_ceil(pooling.frames_per_entry).saturating_sub(first_entry);
        let n_rows = n_bins.div_ceil(pooling.bins_per_row);
        let n_peaks = if region.rect.is_empty() { 0 } else { n_entries * n_rows };
        let mut peaks = RegionPeaks { first_entry, values: vec![0.0; n_peaks], steps: Vec::new() };
        if n_peaks == 0 {
            return Ok(peaks);
        }
        let parameters = PeakCells {
            first_frame: frames.start as u32,
            n_frames: frames.len() as u32,
            n_bins: n_bins as u32,
            first_entry: first_entry as u32,
            n_entries: n_entries as u32,
            n_rows: n_rows as u32,
            frames_per_entry: pooling.frames_per_entry as u32,
            bins_per_row: pooling.bins_per_row as u32,
            frames_per_turn: pooling.frames_per_turn as u32,
            end_share: pooling.end_share,
        };
        let mut steps = vec![0u32; if has_phases { n_peaks } else { 0 }];
        self.guarded(|| {
            let (loudest, of_phase) = (self.lease(n_peaks)?, self.lease(n_peaks)?);
            let mut batch = Batch::new(self)?;
            batch.dispatch(
                Program::file("level_peaks", "level_peaks"),
                &[
                    (0, uniform(&parameters)),
                    (1, words(&region.magnitude, region.rect.n_cells())),
                    (2, words(&region.phase, region.rect.n_cells())),
                    (3, words(&loudest, n_peaks)),
                    (4, words(&of_phase, n_peaks)),
                ],
                groups_of_256(n_peaks),
            )?;
            batch.submit();
            let piece = |lease, bytes| ReadPiece { what: ReadBack::Peaks, lease, first: 0, bytes };
            let mut pieces = vec![piece(&loudest, bytemuck::cast_slice_mut(&mut peaks.values))];
            if has_phases {
                pieces.push(piece(&of_phase, bytemuck::cast_slice_mut(&mut steps)));
            }
            self.read_pieces(&mut pieces)
        })?;
        peaks.steps = steps.into_iter().map(|both| [both as u8, (both >> 8) as u8]).collect();
        Ok(peaks)
    }
}
