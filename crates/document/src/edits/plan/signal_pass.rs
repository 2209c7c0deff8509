//! Painting one signal of an edit.

use super::placement::Placement;
use crate::base::{Result, trace};
use crate::document::{Signal, Snapshot};
use crate::dsp::CellRect;
use crate::engine::{Engine, EngineRegion};

/// One signal of a sound to be painted on an engine.
#[derive(Clone, Copy)]
pub struct SignalPass<'a> {
    /// The sound before the edit.
    pub snapshot: &'a Snapshot,
    /// The signal.
    pub signal: Signal,
    /// The signals that the same edit paints after it.
    pub later_signals: &'a [Signal],
    /// Where kernels run.
    pub engine: &'a Engine,
    /// Placement of the edit.
    pub place: &'a Placement<'a>,
}

impl SignalPass<'_> {
    /// The signal's samples on which the cells of `rect` depend, read from `sound` with an offset of `samples_later`.
    ///
    /// # Errors
    /// Read errors of the source.
    pub fn samples(&self, sound: &Snapshot, rect: &CellRect, samples_later: i64) -> Result<Vec<f32>> {
        let _span = trace::span("read samples");
        let read = self.place.plan.samples_read(rect);
        let mut samples = vec![0.0; (read.end - read.start) as usize];
        self.signal.read(sound, read.start.saturating_add(samples_later), &mut samples)?;
        Ok(samples)
    }

    /// The signal's cells of `rect`, analysed from samples of `sound` with an offset of `samples_later`. The device
    /// keeps pages only of the sound before the edit: others exist for the edit alone.
    ///
    /// # Errors
    /// Engine errors, and read errors of the source.
    pub fn analyse(&self, sound: &Snapshot, rect: &CellRect, samples_later: i64) -> Result<EngineRegion> {
        if sound.is_same(self.snapshot) {
            let signal = sound.signal(self.signal).later(samples_later);
            return self.engine.analyse_sound(&self.place.plan, &signal, rect);
        }
        let samples = self.samples(sound, rect, samples_later)?;
        self.engine.analyse(&self.place.plan, &samples, rect)
    }
}
