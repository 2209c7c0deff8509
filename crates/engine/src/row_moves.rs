//! Sound moved and dragged through rows on either engine.

use super::{ComputeDevice, Engine, EngineRegion, elsewhere};
use crate::base::{Result, trace};
use crate::dsp::Mask;
use crate::dsp::transforms::rows::{RowDrag, RowMove};

impl Engine {
    /// See [`RowMove::run`].
    ///
    /// # Errors
    /// See [`Gpu::move_rows`](crate::gpu::Gpu::move_rows); an internal error for a region of the other engine.
    pub fn move_rows(
        &self,
        way: &RowMove<'_>,
        source: &EngineRegion,
        mask: &Mask,
        turns: &[f64],
    ) -> Result<EngineRegion> {
        let _span = trace::span("move rows");
        let _notes = self.taking_notes();
        match (&self.device, source) {
            (ComputeDevice::Gpu(gpu), EngineRegion::Gpu(source)) => {
                self.recorded(gpu, |batch| gpu.move_rows(batch, way, source, mask, turns)).map(EngineRegion::Gpu)
            }
            (ComputeDevice::Cpu, EngineRegion::Cpu(source)) => {
                Ok(EngineRegion::Cpu(self.noted("row_move", || way.run(source, mask, turns))))
            }
            _ => Err(elsewhere()),
        }
    }

    /// See [`RowDrag::paint`]. On the GPU only for drags that move [in time](RowDrag::moves_in_pitch) alone.
    ///
    /// # Errors
    /// See [`Gpu::drag_rows`](crate::gpu::Gpu::drag_rows); an internal error for a region of the other engine.
    pub fn drag_rows(&self, drag: &RowDrag<'_>, canvas: &mut EngineRegion, mask: &Mask) -> Result<()> {
        let _span = trace::span("drag rows");
        let _notes = self.taking_notes();
        match (&self.device, canvas) {
            (ComputeDevice::Gpu(gpu), EngineRegion::Gpu(canvas)) => {
                self.recorded(gpu, |batch| gpu.drag_rows(batch, drag, canvas, mask))
            }
            (ComputeDevice::Cpu, EngineRegion::Cpu(canvas)) => {
                self.noted("row_drag", || drag.paint(canvas, mask));
                Ok(())
            }
            _ => Err(elsewhere()),
        }
    }
}
