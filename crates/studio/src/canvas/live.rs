//! A stroke while it is drawn: what the canvas shows before anything is committed.
//!
//! Each step hands the new points to the stroke's session, in a job, one at a time, and sends the cells that come back
//! to the device within a budget. What is drawn in the end depends on the points alone, not on how they were grouped.

use super::scene::Scene;
use crate::base::Result;
use crate::document::{Edit, PenDown, StrokeSession};
use crate::dsp::{CellRect, Point, Region, Stroke};
use crate::engine::EngineRegion;
use crate::gpu::GpuRegion;
use crate::view::{ChannelView, Level, StrokePeaks, TileSet, joined, reached_on};
use crate::workbench::{Job, Jobs};
use std::collections::VecDeque;
use std::sync::Arc;

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

impl Live {
    /// A stroke that has just been pressed on a look at the document.
    pub fn new(edit: Edit, set: TileSet, level: Level, pen_down: PenDown) -> Live {
        let stroke = edit.stroke.as_ref().map(|stroke| {
            let Stroke { axis, radius, hardness, strength, build_up, .. } = *stroke;
            Stroke { points: Vec::new(), axis, radius, hardness, strength, build_up }
        });
        let without_points = Edit { stroke, ..edit.clone() };
        let worker = Worker { level, pen_down, edit: without_points, session: None, peaks: None };
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
            let last = self.released;
            let points = self.stroke().map_or_else(Vec::new, |stroke| stroke.points[self.n_given..].to_vec());
            let tiles = if self.set.level > 0 { self.tiles_under(&worker.level, scene) } else { Vec::new() };
            self.n_given = n_points;
            self.ended = last;
            self.job = Some(jobs.spawn("stroke", move |_| worker.step(&points, last, &tiles)));
        }
        Ok(sent_bytes)
    }

    /// The tiles that the new points reach: the entries and rows that they are for, and their maxima.
    fn tiles_under(&self, level: &Level, scene: &Scene) -> Vec<(CellRect, Arc<Vec<u16>>)> {
        let (Some(stroke), Some(look)) = (self.stroke(), scene.look(self.set.channels)) else { return Vec::new() };
        let from = self.n_given.saturating_sub(1).min(stroke.points.len());
        let rect = reached_on(level, &self.edit, &stroke.points[from..]);
        let keys = look.tiles.iter().map(|(key, _)| key).filter(|key| key.set == self.set);
        keys.filter_map(|key| scene.peaks(key)).filter(|(held, _)| !held.intersect(&rect).is_empty()).collect()
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
    pen_down: PenDown,
    /// Without the points of its stroke.
    edit: Edit,
    /// On the transform's own grid.
    session: Option<StrokeSession>,
    /// On a level above it.
    peaks: Option<StrokePeaks>,
}

impl Worker {
    /// What to draw after more points have come; `last` if no more will.
    fn step(
        mut self,
        points: &[Point],
        last: bool,
        tiles: &[(CellRect, Arc<Vec<u16>>)],
    ) -> Result<(Worker, Vec<Preview>)> {
        let previews = self.previews(points, last, tiles)?;
        Ok((self, previews))
    }

    fn previews(&mut self, points: &[Point], last: bool, tiles: &[(CellRect, Arc<Vec<u16>>)]) -> Result<Vec<Preview>> {
        if self.edit.stroke.is_none() {
            return Ok(Vec::new());
        }
        if self.level.index > 0 {
            let new = || StrokePeaks::new(&self.level, &self.pen_down.pending, &self.edit);
            let peaks = self.peaks.get_or_insert_with(new);
            let reached = peaks.extend(points);
            let painted = tiles.iter().filter_map(|(held, values)| peaks.paint(&reached, held, values));
            return Ok(painted.map(|(rect, values)| Preview::Peaks(rect, values)).collect());
        }
        let session = match &mut self.session {
            Some(session) => session,
            None => self.session.insert(StrokeSession::begin(self.pen_down.clone(), &self.edit)?),
        };
        let cells = if last {
            session.add(points);
            session.finish()?
        } else {
            session.extend(points)?
        };
        let joined_cells = match cells.map(joined).transpose() {
            Err(error) if error.is_of_gpu() => session.retry_on_cpu(error)?.map(joined).transpose()?,
            cells => cells?,
        };
        Ok(match joined_cells {
            None => Vec::new(),
            Some(EngineRegion::Gpu(region)) => vec![Preview::Device(region)],
            Some(EngineRegion::Cpu(region)) => vec![Preview::Cells(region)],
        })
    }
}
