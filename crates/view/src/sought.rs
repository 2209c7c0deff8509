//! Search for a sound, and its other occurrences.

use super::{Analysis, ChannelView, Plans};
use crate::base::{Error, ErrorKind, Progress, Result};
use crate::document::Snapshot;
use crate::dsp::similar::{Pattern, RANGE_DB, first_peak, group_of, grouped, levels_db};
use crate::dsp::{Axis, CellRect, Mask, Selection, Transform, mask};
use std::ops::Range;

/// Minimum correlation of a match.
const LEAST_ALIKE: f64 = 0.6;
/// Magnitudes below -100 dB hold nothing to recognise.
const SILENCE: f64 = 1e-5;
/// Starts that are compared at once.
const CHUNK_FRAMES: usize = 512;
/// Largest pattern, in cells.
const MAX_CELLS: usize = 1 << 22;

/// The pattern to search for, and the sound to search in.
#[derive(Debug, Clone)]
pub struct Sought {
    /// The sound.
    pub snapshot: Snapshot,
    /// How it is looked at.
    pub transform: Transform,
    /// Which of its channels.
    pub channels: ChannelView,
    /// What holds the pattern.
    pub origin: Selection,
}

/// A match.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The pattern's selection, moved there.
    pub selection: Selection,
    /// At most 1.
    pub alike: f64,
}

impl Sought {
    /// Whether both are searches for the same pattern in the same sound.
    pub fn is_same(&self, other: &Sought) -> bool {
        self.snapshot.is_same(&other.snapshot)
            && self.transform == other.transform
            && self.channels == other.channels
            && self.origin == other.origin
    }

    /// The next match after the one `away_secs` behind the pattern, or the one before.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) if the pattern cannot be distinguished from other sounds,
    /// [`Cancelled`](ErrorKind::Cancelled), and the source's.
    pub fn nearest(&self, away_secs: f64, is_next: bool, plans: &Plans, progress: &Progress) -> Result<Option<Found>> {
        let analysis = self.analysis(plans)?;
        let Some(cut) = self.cut(&analysis)? else { return Ok(None) };
        let grid = analysis.grid();
        let home = cut.first_frame as i64 + grid.frames_in_secs(away_secs).round() as i64;
        let (apart, n) = (cut.apart() as i64, cut.n_starts as i64);
        let starts = if is_next { home + apart..n } else { 0..home - apart + 1 };
        let starts = starts.start.clamp(0, n) as usize..starts.end.clamp(0, n) as usize;
        let found = cut.scan(starts, is_next, progress)?;
        Ok(found.map(|(start, alike)| {
            let away_secs = grid.secs_in_frames(start as f64 - cut.first_frame as f64);
            Found { selection: self.origin.moved(away_secs, Axis::Linear, 0.0), alike }
        }))
    }

    /// The start of every match, in seconds after the pattern, ascending, as the search meets them from the pattern to
    /// both ends; the pattern itself is one of them.
    ///
    /// # Errors
    /// As [`nearest`](Sought::nearest).
    pub fn all_away_secs(&self, plans: &Plans, progress: &Progress) -> Result<Vec<f64>> {
        let analysis = self.analysis(plans)?;
        let Some(cut) = self.cut(&analysis)? else { return Ok(Vec::new()) };
        let mut scores = Vec::with_capacity(cut.n_starts);
        while scores.len() < cut.n_starts {
            progress.step(scores.len() as u64, cut.n_starts as u64)?;
            let more = CHUNK_FRAMES.min(cut.n_starts - scores.len());
            scores.extend(cut.scores(scores.len()..scores.len() + more)?);
        }
        let away_secs = |start: usize| analysis.grid().secs_in_frames(start as f64 - cut.first_frame as f64);
        Ok(met(&scores, cut.first_frame, cut.apart()).into_iter().map(away_secs).collect())
    }

    fn analysis(&self, plans: &Plans) -> Result<Analysis> {
        let plan = plans.view(&self.transform, self.snapshot.sample_rate_hz())?;
        Analysis::new(&self.snapshot, self.channels, plan)
    }

    /// The pattern; none where nothing is selected of the spectrogram.
    fn cut<'a>(&self, analysis: &'a Analysis) -> Result<Option<Cut<'a>>> {
        let grid = analysis.grid();
        let bounds = mask::bounds(grid, None, Some(&self.origin));
        if bounds.n_cells() > MAX_CELLS || bounds.frames.len() >= grid.n_frames() {
            let what = "the pattern is too long to search for; select one sound of a few seconds at most";
            return Err(Error::new(ErrorKind::Script, what));
        }
        let mask: Mask = mask::evaluate(grid, None, Some(&self.origin), 1.0, &bounds);
        let tight = mask.tight_bounds();
        if tight.is_empty() {
            return Ok(None);
        }
        let look = Look { analysis, bins: tight.bins.clone(), group: group_of(tight.bins.len()) };
        let weights = grouped(&mask.crop(&tight).values, tight.bins.len(), look.group);
        let loudest = look.magnitudes(tight.frames.clone())?.into_iter().fold(0.0f32, f32::max);
        if f64::from(loudest) * f64::from(analysis.amplitude_scale().sine) < SILENCE {
            return Err(Error::outcome("the selection is silent; select a sound to find"));
        }
        let floor_db = 20.0 * loudest.max(1e-12).log10() - RANGE_DB;
        let levels = look.levels(tight.frames.clone(), floor_db)?;
        let Some(pattern) = Pattern::new(&levels, &weights, tight.bins.len().div_ceil(look.group)) else {
            let what = "the selection has no distinctive pattern; include the start and end of a sound";
            return Err(Error::outcome(what));
        };
        let n_starts = grid.n_frames() - pattern.n_frames() + 1;
        Ok(Some(Cut { look, pattern, floor_db, first_frame: tight.frames.start, n_starts }))
    }
}

/// The pattern as it was cut out of the sound.
struct Cut<'a> {
    look: Look<'a>,
    pattern: Pattern,
    floor_db: f32,
    /// Where it begins.
    first_frame: usize,
    /// Frames at which it could begin and still fit into the sound.
    n_starts: usize,
}

impl Cut<'_> {
    /// Minimum distance of two matches, in frames.
    fn apart(&self) -> usize {
        (self.pattern.n_frames() / 2).max(2)
    }

    fn scores(&self, starts: Range<usize>) -> Result<Vec<f64>> {
        let frames = starts.start..starts.end + self.pattern.n_frames() - 1;
        Ok(self.pattern.scores(&self.look.levels(frames, self.floor_db)?))
    }

    /// The first place of the range that is alike, seen from where the user is.
    fn scan(&self, starts: Range<usize>, is_next: bool, progress: &Progress) -> Result<Option<(usize, f64)>> {
        let (n, apart) = (starts.len(), self.apart());
        // In the order in which they are met.
        let mut scores: Vec<f64> = Vec::new();
        while scores.len() < n {
            progress.step(scores.len() as u64, n as u64)?;
            let more = CHUNK_FRAMES.min(n - scores.len());
            let from = if is_next { starts.start + scores.len() } else { starts.end - scores.len() - more };
            let mut chunk = self.scores(from..from + more)?;
            if !is_next {
                chunk.reverse();
            }
            scores.extend(chunk);
            // A peak is one once both its sides are known.
            let known = if scores.len() == n { n } else { scores.len().saturating_sub(apart) };
            if let Some(at) = first_peak(&scores, LEAST_ALIKE, apart).filter(|&at| at < known) {
                let start = if is_next { starts.start + at } else { starts.end - 1 - at };
                return Ok(Some((start, scores[at])));
            }
        }
        Ok(None)
    }
}

/// The places that are met one after the other from `home` on, to both ends, ascending, with `home` itself.
fn met(scores: &[f64], home: usize, apart: usize) -> Vec<usize> {
    let backwards: Vec<f64> = scores.iter().rev().copied().collect();
    let last = scores.len().saturating_sub(1);
    let mut places: Vec<usize> = onward(&backwards, last - home.min(last), apart).map(|at| last - at).collect();
    places.reverse();
    places.push(home);
    places.extend(onward(scores, home, apart));
    places
}

fn onward(scores: &[f64], from: usize, apart: usize) -> impl Iterator<Item = usize> {
    let next = move |at: &usize| {
        let later = scores.get(at + apart..)?;
        first_peak(later, LEAST_ALIKE, apart).map(|more| at + apart + more)
    };
    std::iter::successors(next(&from), next)
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
