//! The cells from which a stroke starts: those of the sound, with released edits that it does not include yet.

use super::StrokeSession;
use crate::base::Result;
use crate::document::Signal;
use crate::dsp::{CellRect, Grid};
use crate::engine::{Engine, EngineRegion};

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
        let samples_read = plan.samples_read(rect);
        let read = |signal: &Signal| {
            let mut samples = vec![0.0; (samples_read.end - samples_read.start) as usize];
            signal.read(&self.snapshot, samples_read.start, &mut samples)?;
            let mut region = engine.analyse_view(&plan, &samples, rect)?;
            for pending in &self.pending {
                region = pending.paint(engine, grid, region)?;
            }
            Ok(region)
        };
        self.signals.iter().map(read).collect()
    }
}
