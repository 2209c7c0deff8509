//! A stroke while it is drawn: what the canvas shows before anything is committed.
//!
//! Each step takes every point that has come so far, computes the cells that the new ones reach from the state at
//! pen-down, and gives them back to be drawn. What is drawn in the end depends on the points alone, not on how they
//! were grouped. One step is under way at a time, in a job.

mod dabs;

use super::scene::Scene;
use crate::base::{Error, ErrorKind, Result};
use crate::document::{Edit, Snapshot, cell_kernel, grid_of, modulation_kernel, painted_cells};
use crate::dsp::brush::WarpMode;
use crate::dsp::displacement::{Dab, DabResampler, PushField};
use crate::dsp::{Brush, CellRect, Grid, Kernel, Mask, Point, Region, Stroke, mask};
use crate::engine::{Engine, EngineRegion};
use crate::gpu::GpuRegion;
use crate::view::{
    Analysis, ChannelView, Level, PEAK_SCALE, Plans, TileSet, f32_from_half, half_from_f32, keep_louder,
};
use crate::workbench::{Job, Jobs};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

/// Largest patch that is computed anew at each step of a brush whose cells hang together (modulation filter and warp),
/// over all channels; larger ones are tinted.
const MAX_LIVE_CELLS: usize = 4_000_000;

/// How much louder a tint looks: for brushes that cannot be computed on what is drawn.
const TINT_DB: f64 = 6.0;

/// Cells to draw.
#[derive(Debug)]
pub enum Preview {
    /// Full cells.
    Cells(Region),
    /// Full cells on the device.
    Device(GpuRegion),
    /// 16-bit peaks of a level.
    Peaks(CellRect, Vec<u16>),
}

/// A stroke from press until its preview is drawn to the end.
pub struct Live {
    edit: Edit,
    set: TileSet,
    worker: Option<Worker>,
    job: Option<Job<(Worker, Vec<Preview>)>>,
    waiting: VecDeque<Preview>,
    /// Points given to the worker.
    n_given: usize,
    released: bool,
    /// The worker was told that there are no more points.
    ended: bool,
}

/// What a stroke starts from.
#[derive(Debug, Clone)]
pub struct PenDown {
    /// The sound shown.
    pub snapshot: Snapshot,
    /// Edits that were released on it, but are not in it yet.
    pub pending: Vec<Edit>,
    /// Where kernels run.
    pub engine: Engine,
    /// Plans of transforms.
    pub plans: Plans,
}

impl Live {
    /// A stroke that has just been pressed on a look at the document.
    pub fn new(edit: Edit, set: TileSet, level: Level, pen_down: PenDown) -> Live {
        let brush = edit.brush.clone();
        let worker = Worker { level, channels: set.channels, pen_down, push: None, dabbed: None, brush, held: None };
        Live {
            edit,
            set,
            worker: Some(worker),
            job: None,
            waiting: VecDeque::new(),
            n_given: 0,
            released: false,
            ended: false,
        }
    }

    /// Which channels it is seen in.
    pub fn channels(&self) -> ChannelView {
        self.set.channels
    }

    /// Whether the pen is still down.
    pub fn is_drawing(&self) -> bool {
        !self.released
    }

    /// Whether everything is computed and drawn.
    pub fn is_done(&self) -> bool {
        self.ended && self.job.is_none() && self.waiting.is_empty()
    }

    /// Whether everything that came so far is computed and drawn.
    pub fn is_up_to_date(&self) -> bool {
        let n_points = self.edit.stroke.as_ref().map_or(0, |stroke| stroke.points.len());
        self.job.is_none() && self.waiting.is_empty() && self.n_given == n_points && (self.ended || !self.released)
    }

    /// Whether something waits to be sent to the device.
    pub fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// What is being done, with the stroke so far.
    pub fn edit(&self) -> &Edit {
        &self.edit
    }

    /// The stroke so far.
    pub fn stroke(&self) -> Option<&Stroke> {
        self.edit.stroke.as_ref()
    }

    /// Adds a pointer sample; one that has not moved adds nothing.
    pub fn extend(&mut self, point: Point) {
        if let Some(stroke) = &mut self.edit.stroke
            && stroke.points.last() != Some(&point)
        {
            stroke.points.push(point);
        }
    }

    /// The pen is lifted: the finished edit.
    pub fn release(&mut self) -> Edit {
        self.released = true;
        self.edit.clone()
    }

    /// Takes what the job has computed, sends at most so many bytes of it to the device, and starts the next step.
    /// Returns the bytes sent.
    ///
    /// # Errors
    /// Those of the engine; the stroke itself is not lost, only its preview ends.
    pub fn advance(&mut self, scene: &mut Scene, jobs: &Jobs, budget_bytes: usize) -> Result<usize> {
        if let Some(answer) = self.job.as_mut().and_then(Job::poll) {
            self.job = None;
            match answer {
                Ok((worker, previews)) => {
                    self.worker = Some(worker);
                    self.waiting.extend(previews);
                }
                Err(error) => {
                    self.ended = true;
                    return Err(error);
                }
            }
        }
        let sent_bytes = self.send(scene, budget_bytes);
        let n_points = self.edit.stroke.as_ref().map_or(0, |stroke| stroke.points.len());
        let has_news = n_points > self.n_given || (self.released && !self.ended);
        if !has_news || !self.waiting.is_empty() {
            return Ok(sent_bytes);
        }
        if let Some(worker) = self.worker.take() {
            let (edit, from, last) = (self.edit.clone(), self.n_given, self.released);
            let peaks = if self.set.level > 0 { worker.peaks_under(&edit, from, &self.set, scene) } else { Vec::new() };
            self.n_given = n_points;
            self.ended = last;
            self.job = Some(jobs.spawn("stroke", move |_| worker.step(&edit, from, last, &peaks)));
        }
        Ok(sent_bytes)
    }

    /// Sends what waits, in whole frames.
    fn send(&mut self, scene: &mut Scene, budget_bytes: usize) -> usize {
        let mut sent_bytes = 0;
        while sent_bytes < budget_bytes {
            let Some(preview) = self.waiting.pop_front() else { break };
            match preview {
                Preview::Device(region) => scene.preview_device(&self.set, &region),
                Preview::Peaks(rect, peaks) => sent_bytes += scene.preview_peaks(&self.set, &rect, &peaks),
                Preview::Cells(region) => {
                    let frame_bytes = region.n_bins().max(1) * 8;
                    let n_frames = ((budget_bytes - sent_bytes) / frame_bytes).max(1);
                    if n_frames >= region.n_frames() {
                        sent_bytes += scene.preview_cells(&self.set, &region);
                        continue;
                    }
                    let middle = region.rect.frames.start + n_frames;
                    let bins = region.rect.bins.clone();
                    let now = CellRect::new(region.rect.frames.start..middle, bins.clone());
                    let later = CellRect::new(middle..region.rect.frames.end, bins);
                    scene.preview_cells(&self.set, &region.crop(&now));
                    self.waiting.push_front(Preview::Cells(region.crop(&later)));
                    return budget_bytes;
                }
            }
        }
        sent_bytes
    }
}

/// What travels from step to step.
struct Worker {
    level: Level,
    channels: ChannelView,
    pen_down: PenDown,
    brush: Brush,
    push: Option<Push>,
    dabbed: Option<dabs::Dabbed>,
    /// Frames at pen-down that a warp has read, all bins, per signal.
    held: Option<(Range<usize>, Vec<EngineRegion>)>,
}

/// A push warp in progress.
struct Push {
    field: PushField,
    resampler: DabResampler,
    dabs: Vec<Dab>,
    n_pushed: usize,
}

impl Worker {
    /// What to draw after the points from index `from` on have come; `last` if no more will.
    fn step(
        mut self,
        edit: &Edit,
        from: usize,
        last: bool,
        peaks: &[(CellRect, Arc<Vec<u16>>)],
    ) -> Result<(Worker, Vec<Preview>)> {
        let previews = match self.previews(edit, from, last, peaks) {
            Err(error) if error.is_of_gpu() && self.fall_back(&error) => self.previews(edit, 0, last, peaks)?,
            previews => previews?,
        };
        Ok((self, previews))
    }

    /// The rest of this stroke, and all of it so far, is computed on the CPU; false if that may not be.
    fn fall_back(&mut self, error: &Error) -> bool {
        let Some(gpu) = self.pen_down.engine.gpu() else { return false };
        if !gpu.may_fall_back() {
            return false;
        }
        gpu.note_on_cpu(error);
        self.pen_down.engine = self.pen_down.engine.on_cpu();
        (self.push, self.held) = (None, None);
        true
    }

    fn previews(
        &mut self,
        edit: &Edit,
        from: usize,
        last: bool,
        peaks: &[(CellRect, Arc<Vec<u16>>)],
    ) -> Result<Vec<Preview>> {
        let Some(stroke) = &edit.stroke else { return Ok(Vec::new()) };
        if self.level.index > 0 {
            return Ok(peaks.iter().filter_map(|(rect, peaks)| self.peaks_step(edit, from, rect, peaks)).collect());
        }
        let stft = self.pen_down.plans.get(&edit.transform);
        let analysis = Analysis::new(&self.pen_down.snapshot, self.channels, stft)?;
        let grid = analysis.grid().clone();
        let preview = match &self.brush {
            // Only its release knows what becomes of phases: until then, where it was painted.
            Brush::RebuildPhase { .. } => self.tint(&analysis, edit, from)?,
            Brush::ModulationFilter { .. } if stroke.build_up => self.painted_step(&analysis, edit, from)?,
            Brush::Warp { mode: WarpMode::Push, .. } => self.push_step(edit, stroke, from, last)?,
            Brush::ModulationFilter { along, filters, .. } => {
                let bounds = mask::bounds(&grid, Some(stroke), edit.select.as_ref());
                if bounds.n_cells() * analysis.signals().len() > MAX_LIVE_CELLS {
                    self.tint(&analysis, edit, from)?
                } else {
                    let mask = mask::evaluate(&grid, Some(stroke), edit.select.as_ref(), edit.strength, &bounds);
                    let patch = mask.tight_bounds();
                    if patch.is_empty() {
                        None
                    } else {
                        let kernel = modulation_kernel(&grid, *along, filters, &patch)?;
                        Some(self.run(&analysis, &kernel, &patch, &mask.crop(&patch))?)
                    }
                }
            }
            brush if stroke.build_up && is_of_cells(brush) => self.dabs_step(&analysis, edit, stroke, from, last)?,
            brush if stroke.build_up || !is_of_cells(brush) => self.painted_step(&analysis, edit, from)?,
            brush => self.dirty_mask(&grid, edit, from).map_or(Ok(None), |mask| {
                let kernel = cell_kernel(&grid, brush)?;
                let all = grid.all_cells();
                let [frames, bins] = kernel.halo();
                self.run(&analysis, &kernel, &mask.rect.grown(frames, bins, &all), &mask).map(Some)
            })?,
        };
        Ok(preview.into_iter().collect())
    }

    /// The whole stroke's mask where the points from index `from` on reach; none if they reach nothing.
    fn dirty_mask(&self, grid: &Grid, edit: &Edit, from: usize) -> Option<Mask> {
        let stroke = edit.stroke.as_ref()?;
        let select = edit.select.as_ref();
        let rect = mask::bounds(grid, Some(&new_part(stroke, from)), select);
        // The maximum over the whole stroke, so that it does not matter which points are new.
        (!rect.is_empty()).then(|| mask::evaluate(grid, Some(stroke), select, edit.strength, &rect))
    }

    /// Runs a kernel on every signal from the pen-down state, and joins them as the view does.
    fn run(&self, analysis: &Analysis, kernel: &Kernel, read: &CellRect, mask: &Mask) -> Result<Preview> {
        let (engine, _) = self.pen_down.engine.for_transform(analysis.stft().params());
        run_joined(&engine, kernel, &self.read(analysis, &engine, read)?, mask, 1)
    }

    /// The cells of every signal at pen-down: of the sound, and of the edits that are not in it yet.
    fn read(&self, analysis: &Analysis, engine: &Engine, rect: &CellRect) -> Result<Vec<EngineRegion>> {
        let grid = analysis.grid();
        let (first, n) = (grid.first_sample_under(rect.frames.start), grid.n_samples_under(rect.frames.len()));
        let read = |signal| {
            let samples = analysis.samples(signal, first, n)?;
            let mut region = engine.analyse(analysis.stft(), &samples, rect)?;
            for edit in &self.pen_down.pending {
                // A brush whose cells hang together has no kernel of its own here; its preview stays away.
                if let Ok(kernel) = cell_kernel(grid, &edit.brush) {
                    let mask = mask::evaluate(grid, edit.stroke.as_ref(), edit.select.as_ref(), edit.strength, rect);
                    region = engine.run(&kernel, &region, &mask)?;
                }
            }
            Ok(region)
        };
        analysis.signals().into_iter().map(read).collect()
    }

    /// The whole stroke as its release would paint it; a tint where that is too much, or where what it is painted on is
    /// not in the sound yet.
    fn painted_step(&self, analysis: &Analysis, edit: &Edit, from: usize) -> Result<Option<Preview>> {
        let snapshot = &self.pen_down.snapshot;
        let every = edit.transform.frames_of_finer(grid_of(snapshot, edit, self.pen_down.engine.plans())?.transform());
        let (engine, _) = self.pen_down.engine.for_transform(&edit.transform);
        if !self.pen_down.pending.is_empty() {
            return self.tint(analysis, edit, from);
        }
        let cells = match painted_cells(snapshot, edit, &analysis.signals(), &engine, MAX_LIVE_CELLS) {
            // What its release would refuse is told then.
            Err(error) if error.kind() == ErrorKind::Script => None,
            cells => cells?,
        };
        if let Some(cells) = cells {
            return join(&engine, cells.into_iter().map(Ok), every).map(Some);
        }
        self.tint(analysis, edit, from)
    }

    /// A preview of what cannot be computed as it is drawn: louder where the brush acts.
    fn tint(&self, analysis: &Analysis, edit: &Edit, from: usize) -> Result<Option<Preview>> {
        let Some(mask) = self.dirty_mask(analysis.grid(), edit, from) else { return Ok(None) };
        let kernel = cell_kernel(analysis.grid(), &Brush::Gain { gain_db: TINT_DB })?;
        self.run(analysis, &kernel, &mask.rect, &mask).map(Some)
    }

    /// A warp's grid is at least eight frames to the window: every so many of its frames are drawn.
    fn push_step(&mut self, edit: &Edit, stroke: &Stroke, from: usize, last: bool) -> Result<Option<Preview>> {
        let fine = edit.transform.for_moves();
        let every = edit.transform.frames_of_finer(&fine);
        let analysis = Analysis::new(&self.pen_down.snapshot, self.channels, self.pen_down.plans.get(fine))?;
        let grid = analysis.grid().clone();
        let all = grid.all_cells();
        let needed = PushField::bounds(&grid, stroke).intersect(&all);
        if needed.is_empty() {
            return Ok(None);
        }
        if needed.n_cells() * analysis.signals().len() > MAX_LIVE_CELLS {
            let stft = self.pen_down.plans.get(&edit.transform);
            return self.tint(&Analysis::new(&self.pen_down.snapshot, self.channels, stft)?, edit, from);
        }
        let mut push = match self.push.take() {
            Some(push) => push,
            None => Push {
                field: PushField::new(&grid, stroke, edit.select.as_ref(), &needed),
                resampler: DabResampler::default(),
                dabs: Vec::new(),
                n_pushed: 0,
            },
        };
        for point in &stroke.points[from..] {
            let dab = Dab { at: stroke.scaled(point.secs, point.hz), pressure: point.pressure };
            push.resampler.extend(dab, &mut push.dabs);
        }
        if last {
            push.resampler.finish(&mut push.dabs);
        }
        if !push.field.rect().contains(&needed) {
            // Grown by half, so that a long stroke is not replayed at every step.
            let room = [needed.frames.len() / 2, needed.bins.len() / 2];
            push.field = PushField::new(&grid, stroke, edit.select.as_ref(), &needed.grown(room[0], room[1], &all));
            push.n_pushed = 0;
        }
        let mut dirty = CellRect::default();
        while push.n_pushed + 1 < push.dabs.len() {
            let [a, b] = [push.dabs[push.n_pushed], push.dabs[push.n_pushed + 1]];
            dirty = dirty.union(&push.field.push(a, b));
            push.n_pushed += 1;
        }
        // Phases run along whole rows, so rows are done as a whole; frames that are drawn only.
        let rect = CellRect::new(needed.frames.clone(), dirty.bins.clone());
        let preview =
            if dirty.is_empty() { None } else { Some(self.resample(&analysis, &push.field, &rect, every)?) };
        self.push = Some(push);
        Ok(preview)
    }

    fn resample(&mut self, analysis: &Analysis, field: &PushField, rect: &CellRect, every: usize) -> Result<Preview> {
        let grid = analysis.grid().clone();
        let displacement = field.displacement(rect);
        let sources = displacement.frames_read(grid.n_frames());
        let values = displacement.acts.iter().map(|&acts| acts as f32).collect();
        let mask = Mask { rect: rect.clone(), values };
        let frames = if sources.is_empty() {
            rect.frames.clone()
        } else {
            rect.frames.start.min(sources.start)..rect.frames.end.max(sources.end)
        };
        let kernel = Kernel::resampling(&grid, displacement);
        let (engine, _) = self.pen_down.engine.for_transform(grid.transform());
        if self.held.as_ref().is_none_or(|(held, _)| held.start > frames.start || held.end < frames.end) {
            let room = frames.len() / 2;
            let wide = frames.start.saturating_sub(room)..(frames.end + room).min(grid.n_frames());
            let read = grid.all_bins(wide.clone());
            self.held = Some((wide, self.read(analysis, &engine, &read)?));
        }
        let before = self.held.as_ref().map_or(&[][..], |(_, regions)| regions);
        run_joined(&engine, &kernel, before, &mask, every)
    }

    /// The grid whose cells are the entries and rows of the level drawn.
    fn level_grid(&self) -> Grid {
        self.level.grid.pooled(self.level.frames_per_entry(), self.level.bins_per_row())
    }

    /// The peaks that the new points reach, with the entries and rows that they are for.
    fn peaks_under(&self, edit: &Edit, from: usize, set: &TileSet, scene: &Scene) -> Vec<(CellRect, Arc<Vec<u16>>)> {
        let (Some(stroke), Some(look)) = (&edit.stroke, scene.look(set.channels)) else { return Vec::new() };
        let rect = mask::bounds(&self.level_grid(), Some(&new_part(stroke, from)), edit.select.as_ref());
        let keys = look.tiles.iter().map(|(key, _)| key).filter(|key| key.set == *set);
        keys.filter_map(|key| scene.peaks(key)).filter(|(held, _)| !held.intersect(&rect).is_empty()).collect()
    }

    /// Brushes by their formula on the maxima; those without one as a tint.
    fn peaks_step(&self, edit: &Edit, from: usize, held: &CellRect, peaks: &[u16]) -> Option<Preview> {
        let grid = self.level_grid();
        let rect =
            mask::bounds(&grid, Some(&new_part(edit.stroke.as_ref()?, from)), edit.select.as_ref()).intersect(held);
        if rect.is_empty() {
            return None;
        }
        let n_rows = held.bins.len();
        let mut values = Vec::with_capacity(rect.n_cells());
        for entry in rect.frames.clone() {
            let start = (entry - held.frames.start) * n_rows + rect.bins.start - held.bins.start;
            values.extend(peaks[start..start + rect.bins.len()].iter().map(|&half| f32_from_half(half) / PEAK_SCALE));
        }
        for edit in self.pen_down.pending.iter().chain([edit]) {
            let mask = mask::evaluate(&grid, edit.stroke.as_ref(), edit.select.as_ref(), edit.strength, &rect);
            let tint = Brush::Gain { gain_db: TINT_DB };
            let kernel = match &edit.brush {
                Brush::Gain { .. } | Brush::Erase | Brush::BandFilter(_) => cell_kernel(&grid, &edit.brush),
                _ => cell_kernel(&grid, &tint),
            };
            let n_cells = values.len();
            let before = Region { rect: rect.clone(), magnitude: values, phase: vec![0.0; n_cells] };
            values = kernel.map(|kernel| kernel.run(&before, &mask)).unwrap_or(before).into_magnitude();
        }
        let halves = values.into_iter().map(|value| half_from_f32(value * PEAK_SCALE)).collect();
        Some(Preview::Peaks(rect, halves))
    }
}

/// Runs a kernel on every signal, takes the louder cell of them, and every so many frames.
fn run_joined(engine: &Engine, kernel: &Kernel, before: &[EngineRegion], mask: &Mask, every: usize) -> Result<Preview> {
    join(engine, before.iter().map(|before| engine.run(kernel, before, mask)), every)
}

/// The louder cell of all signals, and every so many frames.
fn join(engine: &Engine, all: impl Iterator<Item = Result<EngineRegion>>, every: usize) -> Result<Preview> {
    let mut joined: Option<EngineRegion> = None;
    for after in all {
        match (engine.gpu(), &mut joined, after?) {
            (Some(gpu), Some(EngineRegion::Gpu(joined)), EngineRegion::Gpu(after)) => {
                gpu.keep_louder(joined, &after)?;
            }
            (_, Some(EngineRegion::Cpu(joined)), EngineRegion::Cpu(after)) => keep_louder(joined, &after),
            (_, joined, after) => *joined = Some(after),
        }
    }
    Ok(match (engine.gpu(), joined) {
        (Some(gpu), Some(EngineRegion::Gpu(region))) if every > 1 => Preview::Device(gpu.every_frame(&region, every)?),
        (_, Some(EngineRegion::Gpu(region))) => Preview::Device(region),
        (_, Some(EngineRegion::Cpu(region))) if every > 1 => Preview::Cells(every_frame(&region, every)),
        (_, Some(EngineRegion::Cpu(region))) => Preview::Cells(region),
        (_, None) => Preview::Cells(Region::default()),
    })
}

/// Whether [`cell_kernel`] has a kernel for a brush.
fn is_of_cells(brush: &Brush) -> bool {
    matches!(
        brush,
        Brush::Gain { .. }
            | Brush::Erase
            | Brush::Blur { .. }
            | Brush::Sharpen { .. }
            | Brush::BandFilter(_)
            | Brush::HarmonicPercussive(_)
    )
}

/// The stroke from the segment that ends at the point of index `from` on.
fn new_part(stroke: &Stroke, from: usize) -> Stroke {
    let first = from.saturating_sub(1).min(stroke.points.len() - 1);
    Stroke { points: stroke.points[first..].to_vec(), ..*stroke }
}

/// Every so many frames of a region on a finer grid.
fn every_frame(fine: &Region, every: usize) -> Region {
    let frames = fine.rect.frames.start.div_ceil(every)..fine.rect.frames.end.div_ceil(every);
    let rect = CellRect::new(frames.start..frames.end.max(frames.start), fine.rect.bins.clone());
    let mut coarse = Region { rect: rect.clone(), magnitude: Vec::new(), phase: Vec::new() };
    for frame in rect.frames {
        let start = fine.index(frame * every, rect.bins.start);
        coarse.magnitude.extend_from_slice(&fine.magnitude[start..start + rect.bins.len()]);
        coarse.phase.extend_from_slice(&fine.phase[start..start + rect.bins.len()]);
    }
    coarse
}
