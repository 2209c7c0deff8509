//! Tiles and levels computed on the engine's device. Twin of [`Analysis::region`] and
//! [`Analysis::peaks`], which compute them on the CPU.

use super::entry_parts::EntryParts;
use super::footprint::Level;
use super::peaks::{Peaks, PhaseSteps};
use crate::analysis::Analysis;
use crate::base::{Progress, Result, trace};
use crate::document::Signal;
use crate::dsp::transforms::rows::DrawnRows;
use crate::dsp::{CellRect, GridPlan, Stft, ViewPlan};
use crate::engine::{Engine, EngineRegion};
use crate::gpu::{Gpu, GpuRegion, PeakPooling};
use std::ops::Range;
use std::sync::Arc;

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
        let of = |signal| self.snapshot().signal(signal);
        self.louder_on(engine, &rect, |engine, signal| engine.view_sound(self.plan(), &of(signal), &rect))
    }

    /// The louder cell of all signals, in one submission: `analyse` computes those of one signal.
    fn louder_on(
        &self,
        engine: &Engine,
        rect: &CellRect,
        analyse: impl Fn(&Engine, Signal) -> Result<EngineRegion>,
    ) -> Result<EngineRegion> {
        engine.in_one_submission(|engine| {
            let mut louder: Option<EngineRegion> = None;
            for signal in self.signals() {
                let cells = analyse(engine, signal)?;
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
            let draw =
                |engine: &Engine, signal| engine.draw_rows(rows, parts.level, &self.snapshot().signal(signal), &rect);
            if let EngineRegion::Gpu(region) = self.louder_on(engine, &rect, draw)? {
                self.raise_to_region(&mut peaks, entries.start, gpu, &region, &pooling)?;
            }
        }
        Ok(peaks)
    }

    /// As [`probes`](Analysis::probes), computed on the device of the engine. With phases, frames must be multiples of
    /// [`Grid::frames_per_turn`](crate::dsp::Grid::frames_per_turn).
    ///
    /// # Errors
    /// As [`peaks_on`](Analysis::peaks_on).
    pub fn probes_on(
        &self,
        engine: &Engine,
        level: &Level,
        frames: &[usize],
        progress: &Progress,
    ) -> Result<Peaks<f32>> {
        let Some(gpu) = engine.gpu() else { return self.probes(level, frames, progress) };
        let (stft, sketch) = match self.plan() {
            ViewPlan::Stft(stft) => (stft, None),
            ViewPlan::Rows(rows) => (rows.sketch().stft(), Some(rows.sketch())),
        };
        let (scale, n_bins) = (stft.amplitude_scale(), stft.params().n_bins());
        let has_phases = self.has_phases() && sketch.is_none();
        let (n_rows, per_row) = (level.n_rows(), level.bins_per_row());
        let pooling = PeakPooling {
            frames_per_entry: 1,
            bins_per_row: if sketch.is_some() { 1 } else { per_row },
            // At these frames every bin has turned a whole number of times.
            frames_per_turn: 1,
            end_share: scale.ends / scale.sine,
        };
        let mut peaks = Peaks::silent(frames.len() * n_rows, has_phases);
        let n_at_once = (engine.max_cells() / (n_bins * stft.params().frames_per_turn())).max(1);
        for (index, frames) in frames.chunks(n_at_once).enumerate() {
            progress.check()?;
            let EngineRegion::Gpu(region) = self.single_frames(engine, stft, frames)? else { continue };
            let _span = trace::span("level peaks");
            let found = gpu.level_peaks(&region, &pooling, has_phases)?;
            let first = index * n_at_once * n_rows;
            if let Some(sketch) = sketch {
                for (bins, first) in found.values.chunks(n_bins).zip((first..).step_by(n_rows)) {
                    peaks.raise_to_frame(first, &sketch.rows_of(bins), per_row, |_| PhaseSteps::default());
                }
            } else {
                let n_found = found.values.len();
                let phases = has_phases.then_some(found.steps);
                peaks.raise(first, &Peaks { values: found.values, phases }, 0..n_found);
            }
        }
        let scale = self.amplitude_scale();
        peaks.values.iter_mut().for_each(|peak| *peak *= scale.sine);
        Ok(peaks)
    }

    /// The frames of an STFT around the centres of some frames, per cell the loudest of all signals, in one submission.
    fn single_frames(&self, engine: &Engine, stft: &Arc<Stft>, frames: &[usize]) -> Result<EngineRegion> {
        let (params, plan) = (stft.params(), GridPlan::from(stft.clone()));
        // Their windows follow each other, so that only every `every`-th frame over them is one of them.
        let every = params.frames_per_turn();
        let rect = CellRect::new(0..(frames.len() * every).saturating_sub(every - 1), 0..params.n_bins());
        let half = params.window_len() as i64 / 2;
        self.louder_on(engine, &CellRect::new(0..frames.len(), rect.bins.clone()), |engine, signal| {
            let mut samples = Vec::with_capacity(frames.len() * params.window_len());
            for frame in frames {
                let first = self.grid().centre_sample(*frame) - half;
                samples.extend(self.samples(signal, first, params.window_len())?);
            }
            engine.every_frame(&engine.analyse(&plan, &samples, &rect)?, every)
        })
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
