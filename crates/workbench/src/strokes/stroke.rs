//! A stroke from pen down to the end of its preview.
//!
//! Each step is a job that hands the new points to the stroke's worker; one step runs at a time. The final preview
//! depends only on the points, not on their distribution over steps.

use super::pen::StartedStroke;
use super::stroke_display::{LevelTile, ShownCells, ShownStroke};
use super::worker::Worker;
use crate::base::Error;
use crate::document::{Edit, PenDown};
use crate::dsp::{CellRect, Point, Region, Stroke};
use crate::services::{Job, Jobs};
use crate::view::{Level, reached_on};
use std::collections::VecDeque;

/// A stroke from pen down to the end of its preview.
pub(super) struct LiveStroke {
    started: StartedStroke,
    worker: Option<Worker>,
    job: Option<Job<(Worker, Vec<ShownCells>)>>,
    waiting: VecDeque<ShownCells>,
    fault: Option<Error>,
    /// Number of points given to the worker.
    n_given: usize,
    released: bool,
    /// Whether the worker has the last points, or failed.
    ended: bool,
}

impl LiveStroke {
    pub fn new(started: StartedStroke, pen_down: PenDown) -> LiveStroke {
        let without_points = Edit { stroke: started.edit.stroke.as_ref().map(without_points), ..started.edit.clone() };
        let worker = Worker::new(started.place.clone(), pen_down, without_points);
        LiveStroke {
            started,
            worker: Some(worker),
            job: None,
            waiting: VecDeque::new(),
            fault: None,
            n_given: 0,
            released: false,
            ended: false,
        }
    }

    /// Whether the pen is still down.
    pub fn is_drawing(&self) -> bool {
        !self.released
    }

    /// Whether the whole preview is computed and taken.
    pub fn is_done(&self) -> bool {
        self.ended && self.job.is_none() && self.waiting.is_empty()
    }

    /// Whether the preview of all points so far is computed and taken.
    pub fn is_up_to_date(&self) -> bool {
        let is_taken = self.job.is_none() && self.waiting.is_empty();
        is_taken && self.n_given == self.points().len() && (self.ended || !self.released)
    }

    /// Whether a preview is ready to be taken.
    pub fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// The edit with the points drawn so far.
    pub fn edit(&self) -> &Edit {
        &self.started.edit
    }

    fn points(&self) -> &[Point] {
        self.started.edit.stroke.as_ref().map_or(&[], |stroke| &stroke.points)
    }

    /// Adds points, ignoring repeated ones, and adds or replaces displayed tiles.
    pub fn extend(&mut self, points: &[Point], tiles: Vec<LevelTile>) {
        if let Some(stroke) = &mut self.started.edit.stroke {
            for point in points {
                if stroke.points.last() != Some(point) {
                    stroke.points.push(*point);
                }
            }
        }
        for tile in tiles {
            match self.started.tiles.iter_mut().find(|held| held.0 == tile.0) {
                Some(held) => *held = tile,
                None => self.started.tiles.push(tile),
            }
        }
    }

    /// Lifts the pen. Returns the finished stroke.
    pub fn release(&mut self) -> StartedStroke {
        self.released = true;
        self.started.clone()
    }

    /// Takes the job's result.
    pub fn poll(&mut self) {
        let Some(answer) = self.job.as_mut().and_then(Job::poll) else { return };
        self.job = None;
        match answer {
            Ok((mut worker, shown)) => {
                self.fault = worker.take_notice().or(self.fault.take());
                self.worker = Some(worker);
                self.waiting.extend(shown);
            }
            Err(error) => {
                self.ended = true;
                self.fault = Some(error);
            }
        }
    }

    /// Takes the error that ended the preview, or left it to the CPU.
    pub fn take_fault(&mut self) -> Option<Error> {
        self.fault.take()
    }

    /// Moves ready previews to `shown`, in whole frames of about `budget_bytes` in total. Returns their number of
    /// bytes.
    pub fn take_waiting(&mut self, budget_bytes: usize, shown: &mut Vec<ShownStroke>) -> usize {
        let mut n_bytes = 0;
        let set = &self.started.place.set;
        while n_bytes < budget_bytes {
            let Some(mut cells) = self.waiting.pop_front() else { break };
            if let ShownCells::Cells(region) = &cells {
                let frame_bytes = region.n_bins().max(1) * 8;
                let n_frames = ((budget_bytes - n_bytes) / frame_bytes).max(1);
                if n_frames < region.n_frames() {
                    let [first, rest] = split(region, n_frames);
                    cells = ShownCells::Cells(first);
                    self.waiting.push_front(ShownCells::Cells(rest));
                }
            }
            n_bytes += cells.n_bytes();
            shown.push(ShownStroke::Over(set.clone(), cells));
        }
        n_bytes
    }

    /// Starts the next step, once all results of the previous one were taken.
    pub fn carry_on(&mut self, jobs: &Jobs) {
        let n_points = self.points().len();
        let has_news = n_points > self.n_given || (self.released && !self.ended);
        if !has_news || !self.waiting.is_empty() || self.ended {
            return;
        }
        let Some(worker) = self.worker.take() else { return };
        let last = self.released;
        let points = self.points()[self.n_given..].to_vec();
        let tiles = if worker.place.level.index > 0 { self.tiles_under(&worker.place.level) } else { Vec::new() };
        self.n_given = n_points;
        self.ended = last;
        self.job = Some(jobs.spawn("stroke", move |_| worker.step(&points, last, &tiles)));
    }

    /// The displayed tiles that the new points affect.
    fn tiles_under(&self, level: &Level) -> Vec<LevelTile> {
        let from = self.n_given.saturating_sub(1).min(self.points().len());
        let rect = reached_on(level, &self.started.edit, &self.points()[from..]);
        let tiles = self.started.tiles.iter();
        tiles.filter(|(held, _)| !held.intersect(&rect).is_empty()).cloned().collect()
    }
}

/// Splits a region after its first frames.
fn split(region: &Region, n_frames: usize) -> [Region; 2] {
    let CellRect { frames, bins } = region.rect.clone();
    let middle = frames.start + n_frames;
    [frames.start..middle, middle..frames.end].map(|frames| region.crop(&CellRect::new(frames, bins.clone())))
}

fn without_points(stroke: &Stroke) -> Stroke {
    let Stroke { axis, radius, hardness, strength, build_up, .. } = *stroke;
    Stroke { points: Vec::new(), axis, radius, hardness, strength, build_up }
}
