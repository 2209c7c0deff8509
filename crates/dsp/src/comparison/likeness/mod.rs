//! Similarity of two passages of a spectrogram, and a search for passages similar to a pattern: normalised
//! cross-correlation of their levels.
//!
//! 1 means equal except for loudness and contrast, 0 unrelated. Levels are in decibels, above a floor, so that a quiet
//! cell counts as much as a loud one but silence counts as silence.

mod pattern;

pub use pattern::{MAX_BANDS, Pattern, RANGE_DB, first_peak, group_of, grouped, levels_db};

use crate::base::{Error, ErrorKind, Progress, Result};
use crate::selections::mask;
use crate::{CellRect, Grid, Mask, Selection};
use std::ops::Range;

/// Amplitude of the loudest cell, -100 dB, below which a pattern counts as silent.
const SILENCE: f64 = 1e-5;
/// Number of start frames compared at a time.
const CHUNK_FRAMES: usize = 512;
/// Maximum size of a pattern, in cells.
const MAX_CELLS: usize = 1 << 22;

/// The spectrogram to search in.
#[derive(Clone, Copy)]
pub struct SearchedCells<'a> {
    /// Grid of the spectrogram.
    pub grid: &'a Grid,
    /// Returns the magnitudes of a rectangle, frame-major.
    pub magnitudes: &'a dyn Fn(&CellRect) -> Result<Vec<f32>>,
    /// Factor from magnitudes to amplitudes of sines.
    pub sine: f32,
}

/// A search of a spectrogram for a pattern cut out of it.
pub struct LikenessSearch<'a> {
    cells: SearchedCells<'a>,
    bins: Range<usize>,
    group: usize,
    pattern: Pattern,
    floor_db: f32,
    /// First frame of the pattern.
    first_frame: usize,
    /// Number of start frames at which the pattern fits into the sound.
    n_starts: usize,
    min_alike: f64,
}

impl<'a> LikenessSearch<'a> {
    /// A search for the part selected by `origin`; `None` if the selection contains no cell. `min_alike` is the minimum
    /// correlation of a match.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) if the pattern is too long, silent, or cannot be distinguished from other sounds,
    /// and read errors of the source.
    pub fn new(cells: SearchedCells<'a>, origin: &Selection, min_alike: f64) -> Result<Option<LikenessSearch<'a>>> {
        let grid = cells.grid;
        let bounds = mask::bounds(grid, None, Some(origin));
        if bounds.n_cells() > MAX_CELLS || bounds.frames.len() >= grid.n_frames() {
            let what = "the pattern is too long to search for; select one sound of a few seconds at most";
            return Err(Error::new(ErrorKind::Script, what));
        }
        let mask: Mask = mask::evaluate(grid, None, Some(origin), 1.0, &bounds);
        let tight = mask.tight_bounds();
        if tight.is_empty() {
            return Ok(None);
        }
        let (bins, group) = (tight.bins.clone(), group_of(tight.bins.len()));
        let weights = grouped(&mask.crop(&tight).values, bins.len(), group);
        let magnitudes = (cells.magnitudes)(&tight)?;
        let loudest = magnitudes.iter().copied().fold(0.0f32, f32::max);
        if f64::from(loudest) * f64::from(cells.sine) < SILENCE {
            return Err(Error::outcome("the selection is silent; select a sound to find"));
        }
        let floor_db = 20.0 * loudest.max(1e-12).log10() - RANGE_DB;
        let levels = levels_db(&magnitudes, bins.len(), group, floor_db);
        let Some(pattern) = Pattern::new(&levels, &weights, bins.len().div_ceil(group)) else {
            let what = "the selection has no distinctive pattern; include the start and end of a sound";
            return Err(Error::outcome(what));
        };
        let (first_frame, n_starts) = (tight.frames.start, grid.n_frames() - pattern.n_frames() + 1);
        Ok(Some(LikenessSearch { cells, bins, group, pattern, floor_db, first_frame, n_starts, min_alike }))
    }

    /// The next (`is_next`) or previous match, starting from the one at `away_frames` from the pattern: its distance
    /// from the pattern in frames, and its correlation.
    ///
    /// # Errors
    /// [`Cancelled`](ErrorKind::Cancelled), and read errors of the source.
    pub fn nearest(&self, away_frames: i64, is_next: bool, progress: &Progress) -> Result<Option<(i64, f64)>> {
        let home = self.first_frame as i64 + away_frames;
        let (apart, n) = (self.apart() as i64, self.n_starts as i64);
        let starts = if is_next { home + apart..n } else { 0..home - apart + 1 };
        let starts = starts.start.clamp(0, n) as usize..starts.end.clamp(0, n) as usize;
        let found = self.scan(starts, is_next, progress)?;
        Ok(found.map(|(start, alike)| (start as i64 - self.first_frame as i64, alike)))
    }

    /// Distance of each match from the pattern in frames, ascending, including the pattern: the matches of repeated
    /// calls of [`nearest`](LikenessSearch::nearest) from the pattern to both ends.
    ///
    /// # Errors
    /// As [`nearest`](LikenessSearch::nearest).
    pub fn all(&self, progress: &Progress) -> Result<Vec<i64>> {
        let mut scores = Vec::with_capacity(self.n_starts);
        while scores.len() < self.n_starts {
            progress.step(scores.len() as u64, self.n_starts as u64)?;
            let more = CHUNK_FRAMES.min(self.n_starts - scores.len());
            scores.extend(self.scores(scores.len()..scores.len() + more)?);
        }
        let away = |start: usize| start as i64 - self.first_frame as i64;
        Ok(self.met(&scores).into_iter().map(away).collect())
    }

    /// Minimum distance between two matches, in frames.
    fn apart(&self) -> usize {
        (self.pattern.n_frames() / 2).max(2)
    }

    fn scores(&self, starts: Range<usize>) -> Result<Vec<f64>> {
        let frames = starts.start..starts.end + self.pattern.n_frames() - 1;
        let magnitudes = (self.cells.magnitudes)(&CellRect::new(frames, self.bins.clone()))?;
        Ok(self.pattern.scores(&levels_db(&magnitudes, self.bins.len(), self.group, self.floor_db)))
    }

    /// The first match of the range in the direction of the search.
    fn scan(&self, starts: Range<usize>, is_next: bool, progress: &Progress) -> Result<Option<(usize, f64)>> {
        let (n, apart) = (starts.len(), self.apart());
        // Scores in search order.
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
            // A peak is certain only once the scores on both sides are known.
            let known = if scores.len() == n { n } else { scores.len().saturating_sub(apart) };
            if let Some(at) = first_peak(&scores, self.min_alike, apart).filter(|&at| at < known) {
                let start = if is_next { starts.start + at } else { starts.end - 1 - at };
                return Ok(Some((start, scores[at])));
            }
        }
        Ok(None)
    }

    /// The matches found by stepping from the pattern to both ends, ascending, including the pattern.
    fn met(&self, scores: &[f64]) -> Vec<usize> {
        let home = self.first_frame;
        let backwards: Vec<f64> = scores.iter().rev().copied().collect();
        let last = scores.len().saturating_sub(1);
        let mut places: Vec<usize> = self.onward(&backwards, last - home.min(last)).map(|at| last - at).collect();
        places.reverse();
        places.push(home);
        places.extend(self.onward(scores, home));
        places
    }

    fn onward(&self, scores: &[f64], from: usize) -> impl Iterator<Item = usize> {
        let (apart, min) = (self.apart(), self.min_alike);
        let next = move |at: &usize| {
            let later = scores.get(at + apart..)?;
            first_peak(later, min, apart).map(|more| at + apart + more)
        };
        std::iter::successors(next(&from), next)
    }
}
