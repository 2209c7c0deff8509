//! Finds selections that depend on the sound, and grows, shrinks or feathers selections, in jobs.

use super::request::{SelectRequest, ShapeSearch};
use super::tone_tracking::{TrackedTone, cells_of, course_along};
use crate::base::{Error, ErrorKind, Progress, Result, number};
use crate::bench::context::{Concern, Context};
use crate::bench::orders::JobTarget;
use crate::bench::work::JobStatus;
use crate::document::{Channels, PitchLine, Snapshot, resolve};
use crate::documents::OpenDocument;
use crate::dsp::selections::mask;
use crate::dsp::{Axis, CellRect, Cells, Grid, Lobe, Mask, Selection, Shape, Transform, peak_near};
use crate::services::JobQueue;
use crate::view::{Analysis, ChannelView, Plans, grid_of};
use std::sync::Arc;

/// Maximum number of cells of a selection that is changed cell by cell.
const MAX_CELLS: usize = 1 << 24;

/// A tone ends where its level has fallen by this much from the clicked position.
const TONE_FALL_DB: f64 = 30.0;

/// Distance from the click within which the wand searches for a peak, in cells along either axis.
const PEAK_REACH: usize = 4;

/// Number of frames analysed at a time.
const CHUNK_FRAMES: usize = 64;

/// A change of the selection's edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reshape {
    /// One hop and two bins larger.
    Grow,
    /// One hop and two bins smaller.
    Shrink,
    /// Softer by two hops and four bins.
    Feather,
}

/// Finds and reshapes selections in the order of requests, each based on the previous result. A request that replaces
/// the selection cancels all earlier ones.
#[derive(Default)]
pub struct SelectionFinder {
    queue: JobQueue<(u64, SelectionChange), Option<Selection>, (SelectionChange, JobTarget)>,
    /// The last feathered selection, and how often it was feathered in a row.
    softened: Option<(Selection, usize)>,
    plans: Plans,
}

/// A change of the selection.
#[derive(Debug, Clone, Copy)]
enum SelectionChange {
    Find(SelectRequest),
    Reshape(Reshape),
}

/// The sound, transform and channels in which a selection is found.
struct SelectionContext {
    snapshot: Snapshot,
    transform: Transform,
    channels: ChannelView,
    plans: Plans,
    /// The displayed pitch line, if any.
    line: Option<Arc<PitchLine>>,
}

/// The bands of selected harmonics.
#[derive(Debug, Clone, Copy)]
struct Bands {
    /// Number of harmonics, including the fundamental.
    count: usize,
    /// Width of each band.
    width_hz: f64,
}

impl Bands {
    /// The bands whose centre is below the Nyquist frequency, at least one.
    fn below_nyquist(self, grid: &Grid, f0_hz: f64) -> Bands {
        let max = ((grid.nyquist_hz() / f0_hz) as usize).max(1);
        Bands { count: self.count.clamp(1, max), ..self }
    }

    /// The shape for a tone of constant pitch.
    fn steady(self, grid: &Grid, f0_hz: f64, secs: [f64; 2]) -> Shape {
        Shape::Harmonics {
            f0_hz,
            count: self.count,
            width_hz: self.width_hz,
            secs: Some(secs),
            feather: [grid.hop_secs(), 2.0 * grid.step_hz_at(f0_hz)],
            axis: Axis::Linear,
        }
    }
}

impl Concern for SelectionFinder {
    /// Takes the result, and starts the next request. If the result came too late, notifies the user and drops the
    /// requests based on it.
    fn advance(&mut self, context: &mut Context) {
        if let Some(((request, target), answer)) = self.queue.take_answer() {
            match answer.map(|selection| (selection, target.find(&mut context.documents))) {
                Ok((selection, Ok(document))) => {
                    let report = match (request, &selection) {
                        (SelectionChange::Reshape(Reshape::Feather), Some(soft)) => {
                            Some(self.softened(document, target.selection(), soft))
                        }
                        _ => None,
                    };
                    document.select(selection);
                    if let Some(what) = report {
                        context.notices.replace_notice(context.now_secs(), what);
                    }
                }
                Ok((_, Err(report))) => {
                    self.queue.clear();
                    context.report(Some(report));
                }
                Err(error) => {
                    self.queue.clear();
                    context.fail("select", &error);
                }
            }
        }
        self.start_next(context);
    }

    fn work(&self, _: &Context) -> Option<JobStatus> {
        JobStatus::of(&self.queue, |(_, target)| target.name())
    }

    fn is_busy(&self, _: &Context) -> bool {
        self.queue.is_busy()
    }

    fn cancel(&mut self, _: &mut Context) -> bool {
        self.queue.clear()
    }
}

impl SelectionFinder {
    /// A finder without results, which uses the transform plans of an engine.
    pub fn with(plans: &Plans) -> SelectionFinder {
        SelectionFinder { plans: plans.clone(), ..SelectionFinder::default() }
    }

    /// Finds a shape in the displayed sound, and selects it.
    pub fn request(&mut self, request: SelectRequest, context: &Context) {
        if request.combine.is_none() {
            self.queue.clear();
        }
        self.give(SelectionChange::Find(request), context);
    }

    /// Moves or feathers the edge of the selection.
    pub fn reshape(&mut self, how: Reshape, context: &Context) {
        self.give(SelectionChange::Reshape(how), context);
    }

    fn give(&mut self, request: SelectionChange, context: &Context) {
        if let Some(id) = context.documents.active_id() {
            self.queue.push((id, request));
            self.start_next(context);
        }
    }

    /// Starts the next request, based on the current selection.
    fn start_next(&mut self, context: &Context) {
        let Some((id, request)) = self.queue.take_next() else { return };
        let Some(document) = context.documents.get(id) else { return self.queue.clear_waiting() };
        let place = SelectionContext::of(document, &self.plans);
        let before = document.selection().cloned();
        let job = context.jobs.spawn("selection", move |progress| place.grant(request, before, progress));
        let target = JobTarget::of("Selecting", document).with_selection(document);
        self.queue.run((request, target), job, context.now_secs());
    }

    /// A notice of the total feather after repeated feathering, which is hard to see on the canvas.
    fn softened(&mut self, document: &OpenDocument, before: Option<&Selection>, soft: &Selection) -> String {
        let n_before = self.softened.take().filter(|(last, _)| Some(last) == before).map_or(0, |(_, n)| n);
        let n_times = n_before + 1;
        self.softened = Some((soft.clone(), n_times));
        let grid = grid_of(document.shown(), &document.view().transform);
        let [secs, hz] = feather_step(&grid).map(|by| by * n_times as f64);
        let [ms, hz] = [number(1000.0 * secs, 0), number(hz, 0)];
        format!("The edges of the selection are softer by {ms} ms and {hz} Hz.")
    }
}

impl SelectionContext {
    fn of(document: &OpenDocument, plans: &Plans) -> SelectionContext {
        SelectionContext {
            snapshot: document.shown().clone(),
            transform: document.view().transform.clone(),
            channels: document.view().channels,
            plans: plans.clone(),
            line: document.pitch_line().cloned(),
        }
    }

    fn grid(&self) -> Grid {
        grid_of(&self.snapshot, &self.transform)
    }

    /// Applies a request to the selection `before`. Returns the new selection; `None`: nothing is selected.
    fn grant(
        &self,
        request: SelectionChange,
        before: Option<Selection>,
        progress: &Progress,
    ) -> Result<Option<Selection>> {
        match request {
            SelectionChange::Find(SelectRequest { combine, what }) => {
                Ok(match (self.find(&what, progress)?, combine) {
                    (None, _) => before,
                    (Some(shape), None) => Some(Selection::of(shape)),
                    (Some(shape), Some(combine)) => Selection::joined(before.as_ref(), combine, shape),
                })
            }
            SelectionChange::Reshape(how) => {
                before.map_or(Ok(None), |before| reshaped(&self.grid(), &before, how, progress))
            }
        }
    }

    fn find(&self, what: &ShapeSearch, progress: &Progress) -> Result<Option<Shape>> {
        match *what {
            ShapeSearch::Wand { at, tolerance_db } => {
                let at = self.peak_beside(at)?;
                let wand = Selection::of(Shape::Wand { at, tolerance_db });
                let channels: Channels = self.channels.edited();
                let found = resolve(&self.snapshot, &wand, self.transform.clone(), &channels, &self.plans, progress)?;
                let grid = self.grid();
                let soft = mask::feathered(&rasterised(&grid, &found)?, 1.0, 2.0, &all_cells(&grid));
                Ok(Cells::from_mask(&grid, &soft).map(Shape::Cells))
            }
            ShapeSearch::Harmonics { at, near_hz, secs, count, width_hz } => {
                let plan = self.plans.view(&self.transform, self.snapshot.sample_rate_hz())?;
                let analysis = Analysis::new(&self.snapshot, self.channels, plan)?;
                let bands = Bands { count, width_hz };
                match self.along_line(&analysis, at, near_hz, secs, bands, progress)? {
                    Some(shape) => Ok(Some(shape)),
                    None => self.along_tone(&analysis, at, near_hz, secs, bands, progress),
                }
            }
        }
    }

    /// Harmonics along the displayed pitch line, over the time range `secs` or over the note at the clicked time.
    /// `None` if no line is displayed, or if its pitch at that time is outside the given range.
    fn along_line(
        &self,
        analysis: &Analysis,
        [at_secs, _]: [f64; 2],
        [low_hz, high_hz]: [f64; 2],
        secs: Option<[f64; 2]>,
        bands: Bands,
        progress: &Progress,
    ) -> Result<Option<Shape>> {
        let Some(line) = self.line.as_deref() else { return Ok(None) };
        let is_near = line.hz_at(at_secs).is_some_and(|hz| (low_hz..=high_hz).contains(&hz));
        let Some(secs) = secs.or_else(|| line.note_secs(at_secs)).filter(|_| is_near) else { return Ok(None) };
        let Some(course) = course_along(line, secs, analysis, bands.count, progress)? else { return Ok(None) };
        let grid = analysis.grid();
        let heard: Vec<f64> = course.places.iter().map(|place| place.hz).filter(|hz| *hz > 0.0).collect();
        let mean_hz = heard.iter().sum::<f64>() / heard.len() as f64;
        let bands = bands.below_nyquist(grid, mean_hz);
        let is_whole = heard.len() == course.places.len();
        if is_whole && course.is_steady(grid, mean_hz, bands.count, bands.width_hz) {
            return Ok(Some(bands.steady(grid, mean_hz, secs)));
        }
        Ok(cells_of(&course.without_jumps(), grid, bands.count, bands.width_hz)?.map(Shape::Cells))
    }

    /// Harmonics of the loudest tone near a position, over the time range `secs` or for as long as it sounds. `None` in
    /// silence.
    fn along_tone(
        &self,
        analysis: &Analysis,
        at: [f64; 2],
        near_hz: [f64; 2],
        secs: Option<[f64; 2]>,
        bands: Bands,
        progress: &Progress,
    ) -> Result<Option<Shape>> {
        let Some((f0_hz, bin)) = self.tone(analysis, at, near_hz)? else { return Ok(None) };
        let grid = self.grid();
        let bands = bands.below_nyquist(&grid, f0_hz);
        let frame = |secs: f64| nearest(grid.frame_from_secs(secs), grid.n_frames());
        let fall = 10f64.powf(-TONE_FALL_DB / 20.0);
        let (home, frames) = (frame(at[0]), secs.map(|secs| secs.map(frame)));
        let Bands { count, width_hz } = bands;
        let tone = TrackedTone { home, f0_hz, frames, fall, count, width_hz };
        if let Some(cells) = tone.gliding_cells(analysis, progress)? {
            return Ok(Some(Shape::Cells(cells)));
        }
        let secs = match secs {
            Some(secs) => secs,
            None => self.tone_secs(analysis, at[0], bin, progress)?,
        };
        Ok(Some(bands.steady(&grid, f0_hz, secs)))
    }

    /// The local peak near a clicked position, as seconds and hertz: steps from cell to louder neighbouring cell, up to
    /// `PEAK_REACH` cells along either axis. Users seldom hit the loudest cell of a tone, and the wand's tolerance is
    /// relative to its starting cell.
    fn peak_beside(&self, at: [f64; 2]) -> Result<[f64; 2]> {
        let grid = self.grid();
        let plan = self.plans.view(&self.transform, self.snapshot.sample_rate_hz())?;
        let analysis = Analysis::new(&self.snapshot, self.channels, plan)?;
        let [n_frames, n_bins] = [grid.n_frames(), grid.n_bins()];
        let home = [nearest(grid.frame_from_secs(at[0]), n_frames), nearest(grid.bin_from_hz(at[1]), n_bins)];
        let around = |place: usize, by: usize, n: usize| place.saturating_sub(by)..(place + by + 1).min(n);
        let frames = around(home[0], PEAK_REACH, n_frames);
        let bins = around(home[1], PEAK_REACH, n_bins);
        let magnitude = analysis.region(frames.clone())?.into_magnitude();
        let level = |[frame, bin]: [usize; 2]| magnitude[(frame - frames.start) * n_bins + bin];
        let mut top = home;
        loop {
            let beside = around(top[0], 1, n_frames).filter(|frame| frames.contains(frame));
            let near = beside.flat_map(|frame| {
                around(top[1], 1, n_bins).filter(|bin| bins.contains(bin)).map(move |bin| [frame, bin])
            });
            match near.max_by(|a, b| level(*a).total_cmp(&level(*b))) {
                Some(louder) if level(louder) > level(top) => top = louder,
                _ => break,
            }
        }
        if top == home {
            return Ok(at);
        }
        Ok([grid.secs_from_frame(top[0] as f64), grid.hz_from_bin(top[1] as f64)])
    }

    /// Frequency and bin of the loudest peak in `near_hz` at the time of `at`; `None` in silence.
    fn tone(&self, analysis: &Analysis, at: [f64; 2], near_hz: [f64; 2]) -> Result<Option<(f64, usize)>> {
        let grid = self.grid();
        let frame = nearest(grid.frame_from_secs(at[0]), grid.n_frames());
        let magnitude = analysis.region(frame..frame + 1)?.into_magnitude();
        let [low, high] = near_hz.map(|hz| nearest(grid.bin_from_hz(hz), grid.n_bins()));
        let (low, high) = (low.max(1), high.max(1));
        let start = (low..=high.max(low)).max_by(|&a, &b| magnitude[a].total_cmp(&magnitude[b]));
        let lobe = Lobe::of(&self.transform);
        let peak = start.and_then(|start| peak_near(&magnitude, start, &lobe.around(&grid, start)));
        Ok(peak.map(|(bin, _)| (grid.hz_from_bin(bin), nearest(bin, grid.n_bins()))).filter(|(hz, _)| *hz > 0.0))
    }

    /// Start and end, in seconds, of the tone that sounds in a bin at a time.
    fn tone_secs(&self, analysis: &Analysis, secs: f64, bin: usize, progress: &Progress) -> Result<[f64; 2]> {
        let grid = self.grid();
        let (n_frames, n_bins) = (grid.n_frames(), grid.n_bins());
        let home = nearest(grid.frame_from_secs(secs), n_frames);
        let level = |cells: &[f32]| {
            cells[bin.saturating_sub(1)..=(bin + 1).min(n_bins - 1)].iter().fold(0.0f32, |a, &b| a.max(b))
        };
        let min = level(&analysis.region(home..home + 1)?.magnitude) * 10f32.powf(-TONE_FALL_DB as f32 / 20.0);
        let sounds = |frames: std::ops::Range<usize>| -> Result<Vec<bool>> {
            progress.check()?;
            let region = analysis.region(frames)?;
            Ok(region.magnitude.chunks_exact(n_bins).map(|cells| level(cells) >= min).collect())
        };
        let (mut first, mut last) = (home, home);
        while first > 0 {
            let from = first.saturating_sub(CHUNK_FRAMES);
            let n_more = sounds(from..first)?.into_iter().rev().take_while(|&sounds| sounds).count();
            first -= n_more;
            if first > from {
                break;
            }
        }
        while last + 1 < n_frames {
            let end = (last + 1 + CHUNK_FRAMES).min(n_frames);
            let n_more = sounds(last + 1..end)?.into_iter().take_while(|&sounds| sounds).count();
            last += n_more;
            if last + 1 < end {
                break;
            }
        }
        Ok([first, last].map(|frame| grid.secs_from_frame(frame as f64)))
    }
}

/// Feather of a new selection in seconds and hertz: one hop and two bins.
pub fn new_feather(grid: &Grid) -> [f64; 2] {
    [grid.hop_secs(), 2.0 * grid.min_step_hz()]
}

fn nearest(place: f64, n: usize) -> usize {
    (place.round().max(0.0) as usize).min(n - 1)
}

fn all_cells(grid: &Grid) -> CellRect {
    grid.all_cells()
}

/// Feather that [`Reshape::Feather`] adds, in seconds and hertz: two hops and four bins.
fn feather_step(grid: &Grid) -> [f64; 2] {
    new_feather(grid).map(|by| 2.0 * by)
}

/// The selection as a mask of its bounds. Fails above `MAX_CELLS`.
fn rasterised(grid: &Grid, selection: &Selection) -> Result<Mask> {
    let bounds = mask::bounds(grid, None, Some(selection));
    if bounds.n_cells() > MAX_CELLS {
        return Err(Error::new(
            ErrorKind::Script,
            "the selection is too large to change its edges (over 16 million cells); select less time",
        ));
    }
    Ok(mask::evaluate(grid, None, Some(selection), 1.0, &bounds))
}

/// Changes the edges of a selection: by its shapes if all support that, else cell by cell. `None` if it becomes empty.
fn reshaped(grid: &Grid, before: &Selection, how: Reshape, progress: &Progress) -> Result<Option<Selection>> {
    let step = new_feather(grid);
    let ends = [[0.0, grid.n_samples as f64 / grid.sample_rate_hz], [0.0, grid.nyquist_hz()]];
    let by_shapes = match how {
        Reshape::Grow => before.grown_rectangles(step, ends),
        Reshape::Shrink => before.grown_rectangles(step.map(|by| -by), ends),
        Reshape::Feather => before.feathered_shapes(feather_step(grid)),
    };
    if let Some(selection) = by_shapes {
        return Ok(Some(selection).filter(|selection| !selection.shapes.is_empty()));
    }
    let (mask, all) = (rasterised(grid, before)?, all_cells(grid));
    progress.check()?;
    let mask = match how {
        Reshape::Grow => mask::dilated(&mask, 1, 2, &all),
        Reshape::Shrink => mask::eroded(&mask, 1, 2, &all),
        Reshape::Feather => mask::feathered(&mask, 2.0, 4.0, &all),
    };
    Ok(Cells::from_mask(grid, &mask).map(|cells| Selection::of(Shape::Cells(cells))))
}
