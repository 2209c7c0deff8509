//! Mels of segments on either engine.

use super::{ComputeDevice, Engine};
use crate::base::{Result, trace};
use crate::dsp::mels::segment_mels::SegmentMels;

impl Engine {
    /// See [`SegmentMels::mels`]. Blocks on the GPU.
    ///
    /// # Errors
    /// See [`Gpu::segment_mels`](crate::gpu::Gpu::segment_mels); none on the CPU.
    pub fn segment_mels(&self, of: &SegmentMels, samples: &[f32]) -> Result<Vec<f32>> {
        let _span = trace::span("segment mels");
        match &self.device {
            ComputeDevice::Cpu => Ok(of.mels(samples)),
            ComputeDevice::Gpu(gpu) => gpu.segment_mels(of, samples),
        }
    }
}
