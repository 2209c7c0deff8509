//! Computes mels of many short segments on the device.

use super::stft::{batches, check};
use crate::base::{Error, ErrorKind, Result};
use crate::dsp::mels::segment_mels::SegmentMels;
use crate::gpu::Gpu;
use crate::gpu::batch::{Batch, Bind, uniform, words};
use crate::gpu::buffers::reads::ReadBack;
use crate::gpu::layout::SegmentSizes;
use crate::gpu::shaders::Program;

/// Maximum number of segments per submission.
const BATCH_SEGMENTS: usize = 4_096;
/// Number of workgroups per dimension of a dispatch that WebGPU guarantees on every device.
const MAX_GROUPS: usize = 65_535;

impl Gpu {
    /// Twin of [`SegmentMels::mels`]. Waits for the result.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] for FFT sizes outside [`SegmentMels::SIZES`] and for more segments than the device's
    /// largest buffer holds, [`ErrorKind::Gpu`] when the device fails.
    pub fn segment_mels(&self, of: &SegmentMels, samples: &[f32]) -> Result<Vec<f32>> {
        let n_written = of.n_written();
        if !SegmentMels::SIZES.contains(&of.params.n_fft) || n_written > MAX_GROUPS {
            let what = format!("GPU engine: segments of {} points in {n_written} frames", of.params.n_fft);
            return Err(Error::new(ErrorKind::Limit, what));
        }
        let ends = of.starts.iter().map(|&start| start as usize + of.params.n_samples);
        check(ends.max().unwrap_or(0) <= samples.len(), "a segment lies outside its samples")?;
        let mut mels = vec![0.0f32; of.starts.len() * n_written * of.n_mels];
        if mels.is_empty() {
            return Ok(mels);
        }
        self.guarded(|| {
            let (on_device, matrix) = (self.uploaded(samples)?, self.uploaded(&of.matrix)?);
            let weights = self.uploaded(&of.weights)?;
            Ok((on_device, matrix, weights))
        })
        .and_then(|(on_device, matrix, weights)| {
            for range in batches(of.starts.len(), BATCH_SEGMENTS) {
                let row = n_written * of.n_mels;
                let sizes = sizes_of(of, range.len());
                let done = self.guarded(|| {
                    let starts = self.uploaded(&of.starts[range.clone()])?;
                    let written = self.lease(range.len() * row)?;
                    let mut batch = Batch::new(self)?;
                    batch.dispatch(
                        Program::file("segment_mels", "segment_mels"),
                        &[
                            (0, uniform(&sizes)),
                            (1, words(&on_device, samples.len())),
                            (2, words(&starts, range.len())),
                            (3, Bind::Buffer(&matrix, size_of_val(&*of.matrix) as u64)),
                            (4, words(&weights, of.weights.len())),
                            (5, words(&written, range.len() * row)),
                        ],
                        [range.len() as u32, n_written as u32],
                    )?;
                    batch.submit();
                    let mut done = vec![0.0f32; range.len() * row];
                    self.read(ReadBack::Planes, &written, 0, &mut done)?;
                    Ok(done)
                })?;
                mels[range.start * row..range.end * row].copy_from_slice(&done);
            }
            Ok(mels)
        })
    }
}

fn sizes_of(of: &SegmentMels, n_segments: usize) -> SegmentSizes {
    SegmentSizes {
        n_samples: of.params.n_samples as u32,
        n_fft: of.params.n_fft as u32,
        hop: of.params.hop as u32,
        n_frames: of.params.n_frames() as u32,
        n_bins: of.params.n_bins() as u32,
        n_mels: of.n_mels as u32,
        by_frame: of.by_frame.into(),
        n_segments: n_segments as u32,
    }
}
