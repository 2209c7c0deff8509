//! Search for further occurrences of a sound.

use super::{Analysis, ChannelView, Plans};
use crate::base::{Progress, Result};
use crate::document::Snapshot;
use crate::dsp::comparison::likeness::{LikenessSearch, SearchedCells};
use crate::dsp::{Axis, CellRect, Grid, Selection, Transform};

/// The pattern to search for, and the sound to search in.
#[derive(Debug, Clone)]
pub struct PatternSearch {
    /// The sound.
    pub snapshot: Snapshot,
    /// The transform of the view.
    pub transform: Transform,
    /// The channels searched.
    pub channels: ChannelView,
    /// The selection that contains the pattern.
    pub origin: Selection,
    /// Minimum correlation of a match.
    pub min_alike: f64,
}

/// An occurrence that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The pattern's selection, moved to the match.
    pub selection: Selection,
    /// Correlation, at most 1.
    pub alike: f64,
}

impl PatternSearch {
    /// Whether both search for the same pattern in the same sound.
    pub fn is_same(&self, other: &PatternSearch) -> bool {
        self.snapshot.is_same(&other.snapshot)
            && self.transform == other.transform
            && self.channels == other.channels
            && self.origin == other.origin
            && self.min_alike == other.min_alike
    }

    /// The next match after the one `away_secs` from the pattern, or the previous one.
    ///
    /// # Errors
    /// [`Script`] if the pattern cannot be distinguished from other sounds, [`Cancelled`], and read errors.
    ///
    /// [`Script`]: crate::base::ErrorKind::Script
    /// [`Cancelled`]: crate::base::ErrorKind::Cancelled
    pub fn nearest(&self, away_secs: f64, is_next: bool, plans: &Plans, progress: &Progress) -> Result<Option<Found>> {
        self.search(plans, |search, grid| {
            let away_frames = grid.frames_in_secs(away_secs).round() as i64;
            let found = search.nearest(away_frames, is_next, progress)?;
            Ok(found.map(|(away_frames, alike)| {
                let away_secs = grid.secs_in_frames(away_frames as f64);
                Found { selection: self.origin.moved(away_secs, Axis::Linear, 0.0), alike }
            }))
        })
        .map(Option::flatten)
    }

    /// The start of every match, in seconds from the pattern, ascending. The search proceeds outward from the pattern,
    /// which is itself a match.
    ///
    /// # Errors
    /// As [`nearest`](PatternSearch::nearest).
    pub fn all_away_secs(&self, plans: &Plans, progress: &Progress) -> Result<Vec<f64>> {
        let all = self.search(plans, |search, grid| {
            Ok(search.all(progress)?.into_iter().map(|frames| grid.secs_in_frames(frames as f64)).collect())
        });
        all.map(Option::unwrap_or_default)
    }

    /// Runs a search; `None` if nothing of the spectrogram is selected.
    fn search<T>(
        &self,
        plans: &Plans,
        found: impl FnOnce(&LikenessSearch<'_>, &Grid) -> Result<T>,
    ) -> Result<Option<T>> {
        let plan = plans.view(&self.transform, self.snapshot.sample_rate_hz())?;
        let analysis = Analysis::new(&self.snapshot, self.channels, plan)?;
        let magnitudes =
            |rect: &CellRect| analysis.region(rect.frames.clone()).map(|region| region.crop(rect).into_magnitude());
        let grid = analysis.grid();
        let cells = SearchedCells { grid, magnitudes: &magnitudes, sine: analysis.amplitude_scale().sine };
        let search = LikenessSearch::new(cells, &self.origin, self.min_alike)?;
        search.map(|search| found(&search, grid)).transpose()
    }
}
