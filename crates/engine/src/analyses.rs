//! Cells from samples on either engine: of a grid or a view, from samples in RAM or a sound as it is stored.

use super::{ComputeDevice, Engine, EngineRegion};
use crate::base::{Result, trace};
use crate::dsp::transforms::rows::DrawnRows;
use crate::dsp::{CellRect, GridPlan, ViewPlan};
use crate::gpu::{Batch, Gpu, SampleSource, StoredSound};

impl Engine {
    /// Analyses the cells of a rectangle from the samples that it [depends on](GridPlan::samples_read). Rows that the
    /// device [does not](Gpu::why_not_read) analyse are left to the CPU.
    ///
    /// # Errors
    /// See [`Gpu::analyse`], [`Gpu::analyse_rows`] and [`Gpu::upload`]; none on the CPU.
    pub fn analyse(&self, plan: &GridPlan, samples: &[f32], rect: &CellRect) -> Result<EngineRegion> {
        self.analyse_from(plan, samples.into(), rect)
    }

    /// As [`analyse`](Engine::analyse), from a sound. The device takes its samples from pages that it keeps; on the CPU
    /// they are read.
    ///
    /// # Errors
    /// As [`analyse`](Engine::analyse), and read errors of the sound.
    pub fn analyse_sound(&self, plan: &GridPlan, sound: &dyn StoredSound, rect: &CellRect) -> Result<EngineRegion> {
        self.analyse_from(plan, SampleSource::stored(sound, &plan.samples_read(rect)), rect)
    }

    fn analyse_from(&self, plan: &GridPlan, samples: SampleSource<'_>, rect: &CellRect) -> Result<EngineRegion> {
        let _span = trace::span("analyse");
        let _notes = self.taking_notes();
        match (&self.device, plan) {
            (ComputeDevice::Gpu(gpu), GridPlan::Stft(stft)) => {
                self.recorded(gpu, |batch| gpu.analyse(batch, stft, samples, rect)).map(EngineRegion::Gpu)
            }
            (ComputeDevice::Gpu(gpu), GridPlan::Rows(rows)) => {
                let reading = rows.reading(rect);
                let region = match Gpu::why_not_read(&reading) {
                    None => self.recorded(gpu, |batch| gpu.analyse_rows(batch, &rows.bank, &reading, samples))?,
                    Some(why) => {
                        let samples = samples.in_ram()?;
                        gpu.upload(&self.here("row_analysis", why, || plan.analyse(&samples, rect)))?
                    }
                };
                Ok(EngineRegion::Gpu(region))
            }
            (ComputeDevice::Cpu, plan) => {
                let samples = samples.in_ram()?;
                let pass = if plan.rows().is_some() { "row_analysis" } else { "stft_analysis" };
                Ok(EngineRegion::Cpu(self.noted(pass, || plan.analyse(&samples, rect))))
            }
        }
    }

    /// See [`ViewPlan::analyse`]. Rows that the device [does not](Gpu::why_not_drawn) draw are left to the CPU.
    ///
    /// # Errors
    /// See [`Gpu::analyse`], [`Gpu::draw_rows`] and [`Gpu::upload`]; none on the CPU.
    pub fn analyse_view(&self, plan: &ViewPlan, samples: &[f32], rect: &CellRect) -> Result<EngineRegion> {
        self.analyse_view_from(plan, samples.into(), rect)
    }

    /// As [`analyse_view`](Engine::analyse_view), from a sound; see [`analyse_sound`](Engine::analyse_sound).
    ///
    /// # Errors
    /// As [`analyse_view`](Engine::analyse_view), and read errors of the sound.
    pub fn view_sound(&self, plan: &ViewPlan, sound: &dyn StoredSound, rect: &CellRect) -> Result<EngineRegion> {
        self.analyse_view_from(plan, SampleSource::stored(sound, &plan.samples_read(rect)), rect)
    }

    fn analyse_view_from(&self, plan: &ViewPlan, samples: SampleSource<'_>, rect: &CellRect) -> Result<EngineRegion> {
        match plan {
            ViewPlan::Stft(stft) => self.analyse_from(&stft.clone().into(), samples, rect),
            ViewPlan::Rows(rows) => self.draw_rows_from(rows, 0, samples, rect),
        }
    }

    /// See [`DrawnRows::analyse`]; from a sound, as [`analyse_sound`](Engine::analyse_sound). Rows that the device
    /// [does not](Gpu::why_not_drawn) draw are left to the CPU.
    ///
    /// # Errors
    /// See [`Gpu::draw_rows`] and [`Gpu::upload`]; none on the CPU but read errors of the sound.
    pub fn draw_rows(
        &self,
        rows: &DrawnRows,
        level: u32,
        sound: &dyn StoredSound,
        rect: &CellRect,
    ) -> Result<EngineRegion> {
        self.draw_rows_from(rows, level, SampleSource::stored(sound, &rows.samples_read(level, rect)), rect)
    }

    fn draw_rows_from(
        &self,
        rows: &DrawnRows,
        level: u32,
        samples: SampleSource<'_>,
        rect: &CellRect,
    ) -> Result<EngineRegion> {
        let _span = trace::span("analyse");
        let _notes = self.taking_notes();
        let on_cpu = |samples: &[f32]| rows.analyse(level, rect, samples);
        match &self.device {
            ComputeDevice::Cpu => {
                let samples = samples.in_ram()?;
                Ok(EngineRegion::Cpu(self.noted("row_analysis", || on_cpu(&samples))))
            }
            ComputeDevice::Gpu(gpu) => match Gpu::why_not_drawn(rows, level, rect) {
                None => {
                    let draw = |batch: &mut Batch<'_>| gpu.draw_rows(batch, rows, level, rect, samples);
                    self.recorded(gpu, draw).map(EngineRegion::Gpu)
                }
                Some(why) => {
                    let samples = samples.in_ram()?;
                    gpu.upload(&self.here("row_analysis", why, || on_cpu(&samples))).map(EngineRegion::Gpu)
                }
            },
        }
    }
}
