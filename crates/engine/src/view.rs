//! Cells of a view on either engine.

use super::{ComputeDevice, Engine, EngineRegion};
use crate::base::{Result, trace};
use crate::dsp::transforms::rows::DrawnRows;
use crate::dsp::{CellRect, ViewPlan};
use crate::gpu::{Batch, Gpu};

impl Engine {
    /// See [`ViewPlan::analyse`].
    ///
    /// # Errors
    /// See [`Gpu::analyse`] and [`draw_rows`](Engine::draw_rows); none on the CPU.
    pub fn analyse_view(&self, plan: &ViewPlan, samples: &[f32], rect: &CellRect) -> Result<EngineRegion> {
        match plan {
            ViewPlan::Stft(stft) => self.analyse(&stft.clone().into(), samples, rect),
            ViewPlan::Rows(rows) => self.draw_rows(rows, 0, samples, rect),
        }
    }

    /// See [`DrawnRows::analyse`]. Rows that the device [does not](Gpu::why_not_drawn) draw are left to the CPU.
    ///
    /// # Errors
    /// See [`Gpu::draw_rows`] and [`Gpu::upload`]; none on the CPU.
    pub fn draw_rows(&self, rows: &DrawnRows, level: u32, samples: &[f32], rect: &CellRect) -> Result<EngineRegion> {
        let _span = trace::span("analyse");
        let _notes = self.taking_notes();
        let on_cpu = || rows.analyse(level, rect, samples);
        match &self.device {
            ComputeDevice::Cpu => Ok(EngineRegion::Cpu(self.noted("row_analysis", on_cpu))),
            ComputeDevice::Gpu(gpu) => match Gpu::why_not_drawn(rows, level, rect) {
                None => {
                    let draw = |batch: &mut Batch<'_>| gpu.draw_rows(batch, rows, level, rect, samples);
                    self.recorded(gpu, draw).map(EngineRegion::Gpu)
                }
                Some(why) => gpu.upload(&self.here("row_analysis", why, on_cpu)).map(EngineRegion::Gpu),
            },
        }
    }
}
