//! Planes of the frames of many sounds on either engine.

use super::{ComputeDevice, Engine};
use crate::base::{Result, trace};
use crate::dsp::descriptors::{FramePlanes, PlaneBatch};

impl Engine {
    /// See [`PlaneBatch::planes`]; passes each piece with its number, in order. Blocks on the GPU.
    ///
    /// # Errors
    /// See [`Gpu::frame_planes`](crate::gpu::Gpu::frame_planes); none on the CPU.
    pub fn frame_planes(&self, batch: &PlaneBatch, take: &mut dyn FnMut(usize, &FramePlanes)) -> Result<()> {
        let _span = trace::span("frame planes");
        match &self.device {
            ComputeDevice::Cpu => (0..batch.n_pieces()).for_each(|piece| take(piece, &batch.planes(piece))),
            ComputeDevice::Gpu(gpu) => gpu.frame_planes(&self.plans.get(PlaneBatch::transform()), batch, take)?,
        }
        Ok(())
    }
}
