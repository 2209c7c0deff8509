//! Sound added on cells: for edits limited by a selection, and for previews of a stroke.

use super::placement::Placement;
use super::planned::{EditPiece, PlannedBrush};
use crate::base::{Progress, Result, lock};
use crate::document::sound::added::{AddedSound, mix};
use crate::document::{Channels, Signal, Snapshot};
use crate::dsp::CellRect;
use crate::dsp::selections::mask;
use crate::engine::Engine;
use crate::media::Source;
use std::sync::Mutex;

/// An added sound on the grid of a document.
#[derive(Debug)]
pub struct PlannedAddition {
    sound: Box<dyn AddedSound>,
    /// The sound alone, on silence as long as the document, computed on first use.
    alone: Mutex<Option<Snapshot>>,
}

impl PlannedAddition {
    /// Plans the addition of a sound, without rendering it yet.
    pub fn new(sound: Box<dyn AddedSound>) -> PlannedAddition {
        PlannedAddition { sound, alone: Mutex::new(None) }
    }

    /// Every cell it may change.
    pub fn reach(&self, place: &Placement<'_>) -> CellRect {
        let (grid, first) = (&place.grid, self.sound.first_sample());
        let n_samples = i64::try_from(self.sound.n_samples()).unwrap_or(i64::MAX);
        let last = grid.n_samples as i64;
        let [start, end] = [first, first.saturating_add(n_samples)].map(|at| at.clamp(0, last) as u64);
        if start >= end {
            return CellRect::default();
        }
        let all = CellRect::new(grid.frames_over(&(start..end)), 0..grid.n_bins());
        all.intersect(&mask::bounds(grid, None, place.select)).intersect(&grid.own_cells())
    }

    /// The sound alone, with the notices of its rendering on the first call only.
    fn alone(&self, document: &Snapshot, engine: &Engine, progress: &Progress) -> Result<(Snapshot, Vec<String>)> {
        let mut kept = lock(&self.alone);
        if let Some(alone) = &*kept {
            return Ok((alone.clone(), Vec::new()));
        }
        let info = document.source().info();
        let silence = Snapshot::new(Source::silence(document.n_samples(), info.sample_rate_hz, info.n_channels)?);
        let signals = Signal::of(&Channels::All, info.n_channels)?;
        let mixed = mix(&silence, &*self.sound, 1.0, &signals, (engine, progress), None)?;
        // Omits the notice about the peak: the peak of the sound alone is not that of the sum.
        Ok((kept.insert(mixed.snapshot).clone(), mixed.rendering))
    }
}

impl PlannedBrush for PlannedAddition {
    fn reads_cells_only(&self) -> bool {
        true
    }

    fn make_ready(&self, document: &Snapshot, engine: &Engine, progress: &Progress) -> Result<Vec<String>> {
        self.alone(document, engine, progress).map(|(_, notices)| notices)
    }

    fn adds_sound(&self) -> bool {
        true
    }

    fn piece(&self, place: &Placement<'_>, _: usize, rect: CellRect) -> Result<EditPiece<'_>> {
        let mask = place.mask_of_addition(&rect);
        Ok(EditPiece::new(self.read(place, &rect), mask, move |pass, piece, before| {
            // Already rendered by `make_ready`, except for the preview of a stroke in progress.
            let (alone, _) = self.alone(pass.snapshot, pass.engine, &Progress::new())?;
            let cells = pass.analyse(&alone, &piece.rect, 0)?;
            pass.engine.combine(before, &cells, &piece.mask, 1.0)
        }))
    }
}
