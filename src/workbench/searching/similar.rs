//! Find similar: the selection moves to the next place that looks like what it holds.

use super::order::{Answer, Order, Target};
use crate::base::{Error, ErrorKind, Progress, Result, number};
use crate::document::Snapshot;
use crate::dsp::similar::{Pattern, RANGE_DB, first_peak, group_of, grouped, levels_db};
use crate::dsp::{Axis, CellRect, Mask, Selection, Transform, mask};
use crate::view::{Analysis, ChannelView, Plans};
use crate::workbench::context::{Concern, Context};
use crate::workbench::documents::show_secs;
use crate::workbench::notices::Severity;
use crate::workbench::work::JobStatus;
use std::collections::VecDeque;
use std::ops::Range;

/// Less alike than this is something else.
const LEAST_ALIKE: f64 = 0.6;
/// Below -100 dB there is nothing to be recognised.
const SILENCE: f64 = 1e-5;
/// Starts that are compared at once.
const CHUNK_FRAMES: usize = 512;
/// Largest pattern, in cells.
const MAX_CELLS: usize = 1 << 22;

/// What is looked for, and what was found last.
#[derive(Default)]
pub struct Similar {
    running: Option<Running>,
    /// Steps to take after it, as often as the command was given: to the next, or to the one before.
    waiting: VecDeque<(u64, bool)>,
    /// The pattern stays the first one while the user goes from match to match.
    last: Option<Last>,
    plans: Plans,
}

struct Last {
    document: u64,
    origin: Selection,
    found: Selection,
}

struct Running {
    origin: Selection,
    is_next: bool,
    order: Order<Option<Found>>,
}

/// A match.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The pattern's selection, moved there.
    pub selection: Selection,
    /// At most 1.
    pub alike: f64,
}

impl Concern for Similar {
    /// Takes the answer, and the next step after it.
    fn advance(&mut self, context: &mut Context) {
        let Some(finding) = &mut self.running else { return };
        let Some(answer) = finding.order.poll(&mut context.documents) else { return };
        let Some(finding) = self.running.take() else { return };
        match answer {
            Ok(Answer::Applies(document, Some(found))) => {
                let secs = start_secs(&found.selection).unwrap_or(0.0).max(0.0);
                document.set_cursor(secs);
                show_secs(document, found.selection.extent()[0]);
                self.last =
                    Some(Last { document: document.id(), origin: finding.origin, found: found.selection.clone() });
                document.select(Some(found.selection));
                let what = format!("{} % similar.", number((found.alike * 100.0).floor(), 0));
                context.tell(Severity::Info, what, None);
                if let Some((id, is_next)) = self.waiting.pop_front() {
                    self.find_in(id, is_next, context);
                }
                return;
            }
            Ok(Answer::Applies(_, None)) => {
                let what =
                    if finding.is_next { "No similar sound comes later." } else { "No similar sound comes earlier." };
                context.tell(Severity::Info, what, None);
            }
            Ok(Answer::TooLate(_, told)) => context.report(Some(told)),
            Err(error) => context.fail("find similar sound", &error),
        }
        self.waiting.clear();
    }

    fn work(&self, _: &Context) -> Option<JobStatus> {
        self.running.as_ref().map(|finding| finding.order.work())
    }

    fn is_busy(&self, _: &Context) -> bool {
        self.running.is_some() || !self.waiting.is_empty()
    }

    fn cancel(&mut self, _: &mut Context) -> bool {
        self.waiting.clear();
        self.running.take().is_some()
    }
}

/// Where to look.
struct Search {
    snapshot: Snapshot,
    transform: Transform,
    channels: ChannelView,
    plans: Plans,
    origin: Selection,
    /// From the origin to what is selected now.
    away_secs: f64,
    is_next: bool,
}

impl Search {
    fn run(&self, progress: &Progress) -> Result<Option<Found>> {
        let analysis = Analysis::new(
            &self.snapshot,
            self.channels,
            self.plans.view(&self.transform, self.snapshot.sample_rate_hz())?,
        )?;
        let grid = analysis.grid().clone();
        let bounds = mask::bounds(&grid, None, Some(&self.origin));
        if bounds.n_cells() > MAX_CELLS || bounds.frames.len() >= grid.n_frames() {
            let what = "the pattern is too long to search for; select one sound of a few seconds at most";
            return Err(Error::new(ErrorKind::Script, what));
        }
        let mask: Mask = mask::evaluate(&grid, None, Some(&self.origin), 1.0, &bounds);
        let tight = mask.tight_bounds();
        if tight.is_empty() {
            return Ok(None);
        }
        let look = Look { analysis: &analysis, bins: tight.bins.clone(), group: group_of(tight.bins.len()) };
        let weights = grouped(&mask.crop(&tight).values, tight.bins.len(), look.group);
        let loudest = look.magnitudes(tight.frames.clone())?.into_iter().fold(0.0f32, f32::max);
        if f64::from(loudest) * f64::from(analysis.amplitude_scale()) < SILENCE {
            let what = "the selection is silent; select a sound to find";
            return Err(Error::new(ErrorKind::Script, what));
        }
        let floor_db = 20.0 * loudest.max(1e-12).log10() - RANGE_DB;
        let levels = look.levels(tight.frames.clone(), floor_db)?;
        let Some(pattern) = Pattern::new(&levels, &weights, tight.bins.len().div_ceil(look.group)) else {
            let what = "the selection has no distinctive pattern; include the start and end of a sound";
            return Err(Error::new(ErrorKind::Script, what));
        };
        let home = tight.frames.start as i64 + grid.frames_in_secs(self.away_secs).round() as i64;
        let apart = (pattern.n_frames() / 2).max(2);
        // Starts at which the pattern fits into the sound.
        let last = (grid.n_frames() - pattern.n_frames()) as i64;
        let starts = if self.is_next { home + apart as i64..last + 1 } else { 0..home - apart as i64 + 1 };
        let starts = starts.start.clamp(0, last + 1) as usize..starts.end.clamp(0, last + 1) as usize;
        let found = self.scan(&look, &pattern, floor_db, starts, apart, progress)?;
        Ok(found.map(|(start, alike)| {
            let away = grid.secs_in_frames(start as f64 - tight.frames.start as f64);
            Found { selection: self.origin.moved(away, Axis::Linear, 0.0), alike }
        }))
    }

    /// The first place of the range that is alike, seen from where the user is.
    fn scan(
        &self,
        look: &Look<'_>,
        pattern: &Pattern,
        floor_db: f32,
        starts: Range<usize>,
        apart: usize,
        progress: &Progress,
    ) -> Result<Option<(usize, f64)>> {
        let n = starts.len();
        // In the order in which they are met.
        let mut scores: Vec<f64> = Vec::new();
        while scores.len() < n {
            progress.step(scores.len() as u64, n as u64)?;
            let more = CHUNK_FRAMES.min(n - scores.len());
            let from = if self.is_next { starts.start + scores.len() } else { starts.end - scores.len() - more };
            let mut chunk = pattern.scores(&look.levels(from..from + more + pattern.n_frames() - 1, floor_db)?);
            if !self.is_next {
                chunk.reverse();
            }
            scores.extend(chunk);
            // A peak is one once both its sides are known.
            let known = if scores.len() == n { n } else { scores.len().saturating_sub(apart) };
            if let Some(at) = first_peak(&scores, LEAST_ALIKE, apart).filter(|&at| at < known) {
                let start = if self.is_next { starts.start + at } else { starts.end - 1 - at };
                return Ok(Some((start, scores[at])));
            }
        }
        Ok(None)
    }
}

/// The bins that are compared.
struct Look<'a> {
    analysis: &'a Analysis,
    bins: Range<usize>,
    group: usize,
}

impl Look<'_> {
    fn magnitudes(&self, frames: Range<usize>) -> Result<Vec<f32>> {
        let region = self.analysis.region(frames.clone())?;
        Ok(region.crop(&CellRect::new(frames, self.bins.clone())).into_magnitude())
    }

    fn levels(&self, frames: Range<usize>, floor_db: f32) -> Result<Vec<f32>> {
        Ok(levels_db(&self.magnitudes(frames)?, self.bins.len(), self.group, floor_db))
    }
}

fn start_secs(selection: &Selection) -> Option<f64> {
    selection.extent()[0].map(|[start, _]| start)
}

impl Similar {
    /// Nothing yet, with the plans of an engine.
    pub fn with(plans: &Plans) -> Similar {
        Similar { plans: plans.clone(), ..Similar::default() }
    }

    /// Looks for the next place that is like what is selected, or the one before.
    pub fn find(&mut self, is_next: bool, context: &mut Context) {
        let Some(id) = context.documents.active_id() else { return };
        if self.running.is_some() {
            return self.waiting.push_back((id, is_next));
        }
        self.find_in(id, is_next, context);
    }

    fn find_in(&mut self, id: u64, is_next: bool, context: &mut Context) {
        let Some(document) = context.documents.get(id) else { return };
        let Some(current) = document.selection().cloned() else { return };
        let follows = |last: &&Last| last.document == document.id() && last.found == current;
        let origin = self.last.as_ref().filter(follows).map_or_else(|| current.clone(), |last| last.origin.clone());
        let (Some(from), Some(here)) = (start_secs(&origin), start_secs(&current)) else {
            let advice = Some("Select one example with a box or another shape.");
            return context.tell(Severity::Info, "A band has no position in time.", advice);
        };
        let search = Search {
            snapshot: document.shown().clone(),
            transform: document.view().transform.clone(),
            channels: document.view().channels,
            plans: self.plans.clone(),
            origin: origin.clone(),
            away_secs: here - from,
            is_next,
        };
        let job = context.jobs.spawn("similar", move |progress| search.run(progress));
        let order = Order::new("Finding similar sound", Target::of(document), context.now_secs(), job);
        self.running = Some(Running { origin, is_next, order });
    }
}
