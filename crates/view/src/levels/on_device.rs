//! Tiles and levels computed on the engine's device. Twin of [`Analysis::region`] and
//! [`Analysis::peaks`], which compute them on the CPU.

use super::entry_parts::EntryParts;
use super::footprint::Level;
use super::peaks::Peaks;
use crate::analysis::Analysis;
use crate::base::{Progress, Result, trace};
use crate::dsp::transforms::rows::DrawnRows;
use crate::dsp::{CellRect, ViewPlan};
use crate::engine::{Engine, EngineRegion, StoredSound};
use crate::gpu::{Gpu, GpuRegion, PeakPooling};
use std::ops::Range;

/// Maximum number of frames analysed per submission, so that the window can draw in between.
const RUN_FRAMES: usize = 512;

impl Analysis {
    /// As [`region`](Analysis::region), in the memory of the engine.
    ///
    /// # Errors
    /// Read errors, and errors of the engine.
    pub fn region_on(&self, engine: &Engine, frames: Range<usize>) -> Result<EngineRegion> {
        match engine.gpu().filter(|_| !frames.is_empty()) {
            Some(_) => self.device_region(engine, frames),
            None => self.region(frames).map(EngineRegion::Cpu),
        }
    }

    /// Per cell, the loudest of all signals, analysed in one submission.
    fn device_region(&self, engine: &Engine, frames: Range<usize>) -> Result<EngineRegion> {
        let rect = self.grid().all_bins(frames);
        self.louder_on(engine, &rect, |engine, sound| engine.view_sound(self.plan(), sound, &rect))
    }

    /// The louder cell of all signals, in one submission: `analyse` computes those of one signal.
    fn louder_on(
        &self,
        engine: &Engine,
        rect: &CellRect,
        analyse: impl Fn(&Engine, &dyn StoredSound) -> Result<EngineRegion>,
    ) -> Result<EngineRegion> {
        engine.in_one_submission(|engine| {
            let mut louder: Option<EngineRegion> = None;
            for signal in self.signals() {
                let cells = analyse(engine, &self.snapshot().signal(signal))?;
                match &mut louder {
                    None => louder = Some(cells),
                    Some(louder) => engine.keep_louder(louder, &cells)?,
                }
            }
            louder.map_or_else(|| engine.upload(crate::dsp::Region::zeros(rect.clone())), Ok)
        })
    }

    /// As [`peaks`](Analysis::peaks), computed on the device of the engine, except for rows that it
    /// [does not](Gpu::why_not_drawn) draw.
    ///
    /// # Errors
    /// [`Cancelled`](crate::base::ErrorKind::Cancelled), read errors, and errors of the engine.
    pub fn peaks_on(
        &self,
        engine: &Engine,
        level: &Level,
        entries: Range<usize>,
        progress: &Progress,
    ) -> Result<Peaks<f32>> {
        let Some(gpu) = engine.gpu() else { return self.peaks(level, entries, progress) };
        if let ViewPlan::Rows(rows) = self.plan() {
            return self.row_peaks_on((engine, gpu), rows, level, entries, progress);
        }
        let scale = self.amplitude_scale();
        let (n_rows, per_entry) = (level.n_rows(), level.frames_per_entry());
        let pooling = PeakPooling {
            frames_per_entry: per_entry,
            bins_per_row: level.bins_per_row(),
            frames_per_turn: self.grid().frames_per_turn(),
            end_share: scale.ends / scale.sine,
        };
        let mut peaks = Peaks::silent(entries.len() * n_rows, self.has_phases());
        let last = (entries.end * per_entry).min(self.grid().n_frames());
        let max_frames = (engine.max_cells() / self.grid().n_bins()).clamp(1, RUN_FRAMES);
        let mut start = entries.start * per_entry;
        while start < last {
            progress.check()?;
            let heard = self.skip_silence(start).min(last);
            if heard > start {
                start = heard;
                continue;
            }
            let frames = start..(start + max_frames).min(last);
            if let EngineRegion::Gpu(region) = self.device_region(engine, frames.clone())? {
                self.raise_to_region(&mut peaks, entries.start, gpu, &region, &pooling)?;
            }
            start = frames.end;
        }
        peaks.values.iter_mut().for_each(|peak| *peak *= scale.sine);
        Ok(peaks)
    }

    fn row_peaks_on(
        &self,
        (engine, gpu): (&Engine, &Gpu),
        rows: &DrawnRows,
        level: &Level,
        entries: Range<usize>,
        progress: &Progress,
    ) -> Result<Peaks<f32>> {
        let parts = EntryParts::of(rows, level, entries.clone());
        let pooling = PeakPooling {
            frames_per_entry: parts.per_entry,
            bins_per_row: level.bins_per_row(),
            // Phases of rows are already relative to their rotation.
            frames_per_turn: 1,
            end_share: 1.0,
        };
        let mut peaks = Peaks::silent(entries.len() * level.n_rows(), self.has_phases());
        for run in parts.runs(engine.max_cells() / self.grid().n_bins()) {
            progress.check()?;
            let rect = self.grid().all_bins(run);
            if Gpu::why_not_drawn(rows, parts.level, &rect).is_some() {
                return self.peaks(level, entries, progress);
            }
            let draw = |engine: &Engine, sound: &dyn StoredSound| engine.draw_rows(rows, parts.level, sound, &rect);
            if let EngineRegion::Gpu(region) = self.louder_on(engine, &rect, draw)? {
                self.raise_to_region(&mut peaks, entries.start, gpu, &region, &pooling)?;
            }
        }
        Ok(peaks)
    }

    fn raise_to_region(
        &self,
        peaks: &mut Peaks<f32>,
        first_entry: usize,
        gpu: &Gpu,
        region: &GpuRegion,
        pooling: &PeakPooling,
    ) -> Result<()> {
        let _span = trace::span("level peaks");
        let found = gpu.level_peaks(region, pooling, self.has_phases())?;
        let n_rows = region.rect.bins.len().div_ceil(pooling.bins_per_row);
        let first = (found.first_entry - first_entry) * n_rows;
        let n_found = found.values.len();
        let phases = self.has_phases().then_some(found.steps);
        peaks.raise(first, &Peaks { values: found.values, phases }, 0..n_found);
        Ok(())
    }
}
