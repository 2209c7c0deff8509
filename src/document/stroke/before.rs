//! The cells that a stroke is drawn on: those of the sound, and of edits that are released but not in it yet.

use super::StrokeSession;
use crate::base::Result;
use crate::document::Signal;
use crate::dsp::{CellRect, Grid, GridPlan};
use crate::engine::{Engine, EngineRegion};

impl StrokeSession {
    /// Readies the masks of pending edits, on the edit's grid and on that of its transform.
    pub(super) fn ready_pending(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let grids = [self.grid.clone(), self.snapshot.grid(&self.edit.transform)];
        for pending in &mut self.pending {
            grids.iter().for_each(|grid| pending.ready(grid));
        }
    }

    /// The cells of every signal at pen-down: of the sound, and of the edits that are not in it yet.
    ///
    /// # Errors
    /// Those of the engine and of reading the sound.
    pub(super) fn before(&self, engine: &Engine, grid: &Grid, rect: &CellRect) -> Result<Vec<EngineRegion>> {
        let plan = GridPlan::from(engine.plans().get(grid.transform().stft()?));
        let first = grid.first_sample_under(rect.frames.start);
        let read = |signal: &Signal| {
            let mut samples = vec![0.0; grid.n_samples_under(rect.frames.len())];
            signal.read(&self.snapshot, first, &mut samples)?;
            let mut region = engine.analyse(&plan, &samples, rect)?;
            for pending in &self.pending {
                region = pending.paint(engine, grid, region)?;
            }
            Ok(region)
        };
        self.signals.iter().map(read).collect()
    }
}
