//! Painting dab by dab while drawing: each dab acts once, on the result of the previous one.

use super::canvas::DabCanvas;
use crate::base::Result;
use crate::document::Signal;
use crate::document::edits::plan::Plan;
use crate::dsp::CellRect;
use crate::engine::{Engine, EngineRegion};

impl DabCanvas {
    /// Paints the new dabs. `read` returns every signal's cells at pen-down. Returns the changed cells.
    ///
    /// # Errors
    /// Errors of the engine and of `read`; the canvas is then cleared.
    pub fn paint(
        &mut self,
        plan: &Plan<'_>,
        signals: &[Signal],
        n_dabs: usize,
        engine: &Engine,
        read: impl FnOnce(&CellRect) -> Result<Vec<EngineRegion>>,
    ) -> Result<CellRect> {
        let changed = self.hold(plan, signals, engine, read).and_then(|()| self.paint_new(plan, n_dabs, engine));
        if changed.is_err() {
            self.clear();
        }
        changed
    }

    /// Extends the canvas to what the plan reaches.
    fn hold(
        &mut self,
        plan: &Plan<'_>,
        signals: &[Signal],
        engine: &Engine,
        read: impl FnOnce(&CellRect) -> Result<Vec<EngineRegion>>,
    ) -> Result<()> {
        let is_on_gpu = |region: &EngineRegion| matches!(region, EngineRegion::Gpu(_));
        if self.signals.iter().any(|(_, region)| is_on_gpu(region) != engine.gpu().is_some()) {
            self.clear();
        }
        let needed = plan.read_by_dabs();
        let holds = |region: &EngineRegion| region.rect().contains(&needed);
        if !self.signals.is_empty() && self.rect.contains(plan.bounds()) && self.signals.iter().all(|(_, r)| holds(r)) {
            return Ok(());
        }
        // Grown by half, so that a long stroke seldom needs more.
        let all = plan.place.grid.all_cells();
        let room = |rect: &CellRect| rect.grown(rect.frames.len() / 2, rect.bins.len() / 2, &all);
        let wide = room(&needed);
        let mut regions = read(&wide)?;
        for (region, (_, before)) in regions.iter_mut().zip(&self.signals) {
            engine.paste(region, before)?;
        }
        self.rect = room(plan.bounds()).union(&self.rect).intersect(&wide);
        self.signals = signals.iter().copied().zip(regions).collect();
        Ok(())
    }

    fn paint_new(&mut self, plan: &Plan<'_>, n_dabs: usize, engine: &Engine) -> Result<CellRect> {
        let mut changed = CellRect::default();
        for (signal, canvas) in &mut self.signals {
            for dab in plan.dabs_from(self.n_done, &self.rect, *signal) {
                let dab = dab?;
                dab.paint(engine, canvas)?;
                changed = changed.union(&dab.mask.rect);
                self.n_painted += 1;
            }
        }
        self.n_done = n_dabs;
        Ok(changed)
    }
}
