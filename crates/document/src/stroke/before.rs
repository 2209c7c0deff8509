//! The cells from which a stroke starts: those of the sound, with released edits that it does not include yet.

use super::{CellRegions, StrokeSession};
use crate::base::Result;
use crate::document::Signal;
use crate::dsp::{CellRect, Grid};
use crate::engine::{Engine, EngineRegion};
use std::ops::Range;

/// Maximum number of cells held, over all signals: 32 MB of planes.
const MAX_HELD_CELLS: usize = 4 << 20;

impl StrokeSession {
    /// Prepares the masks of pending edits, on the edit's grid and on that of its transform.
    pub(super) fn ready_pending(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let grids = [self.grid.clone(), self.snapshot.grid(&self.edit.transform)];
        for pending in &mut self.pending {
            grids.iter().for_each(|grid| pending.ready(grid));
        }
    }

    /// The cells of every signal at pen-down: of the sound, and of pending edits.
    ///
    /// # Errors
    /// Errors of the engine and of reading the sound.
    pub(super) fn before(&self, engine: &Engine, grid: &Grid, rect: &CellRect) -> Result<Vec<EngineRegion>> {
        let plan = engine.plans().view(grid.transform(), grid.sample_rate_hz)?;
        let analysed = |signal: &Signal| {
            let mut region = engine.view_sound(&plan, &self.snapshot.signal(*signal), rect)?;
            for pending in &self.pending {
                region = pending.paint(engine, grid, region)?;
            }
            Ok(region)
        };
        self.signals.iter().map(analysed).collect()
    }

    /// As [`before`](StrokeSession::before) on the grid of the edit. On a GPU, the cells are cropped from `held`, which
    /// is kept for the next steps, so that they need no analysis.
    ///
    /// # Errors
    /// As [`before`](StrokeSession::before).
    pub(super) fn held_before(
        &self,
        held: &mut Option<CellRegions>,
        engine: &Engine,
        rect: &CellRect,
    ) -> Result<Vec<EngineRegion>> {
        let n_held = self.grid.all_bins(rect.frames.clone()).n_cells() * self.signals.len();
        if engine.gpu().is_none() || n_held > MAX_HELD_CELLS {
            return self.before(engine, &self.grid, rect);
        }
        self.hold(held, engine, rect.frames.clone())?;
        let regions = held.as_ref().map_or(&[][..], |(_, regions)| regions);
        regions.iter().map(|region| engine.crop(region, rect)).collect()
    }

    /// Extends `held`, the cells at pen-down, to all bins of these frames and a margin of half as many frames on each
    /// side. Drops the frames held before if all of them together exceed `MAX_HELD_CELLS`.
    ///
    /// # Errors
    /// As [`before`](StrokeSession::before).
    pub(super) fn hold(&self, held: &mut Option<CellRegions>, engine: &Engine, frames: Range<usize>) -> Result<()> {
        let needed = self.grid.all_bins(frames);
        if held.as_ref().is_some_and(|(rect, _)| rect.contains(&needed)) {
            return Ok(());
        }
        let fits = |rect: &CellRect| rect.n_cells() * self.signals.len() <= MAX_HELD_CELLS;
        let earlier = held.take().map_or_else(CellRect::default, |(rect, _)| rect);
        let wide = |rect: &CellRect| rect.grown(rect.frames.len() / 2, 0, &self.grid.all_cells());
        let all = needed.union(&earlier);
        let rect = Some(wide(&all)).filter(fits).unwrap_or_else(|| wide(&needed));
        *held = Some((rect.clone(), self.before(engine, &self.grid, &rect)?));
        Ok(())
    }
}
