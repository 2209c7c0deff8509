//! The cells of a stroke after its dabs.

use crate::base::Result;
use crate::document::Signal;
use crate::dsp::CellRect;
use crate::engine::{Engine, EngineRegion};

/// The cells after the dabs painted so far.
#[derive(Debug, Default)]
pub struct DabCanvas {
    /// Area where dabs may fall; the signals' regions also include the margin that kernels read around it.
    pub rect: CellRect,
    pub signals: Vec<(Signal, EngineRegion)>,
    /// Number of dabs painted on every signal's cells.
    pub n_done: usize,
    /// Number of dabs painted since the stroke began, summed over signals; kept by [`clear`](DabCanvas::clear).
    pub n_painted: u64,
}

impl DabCanvas {
    /// Drops all painted dabs.
    pub fn clear(&mut self) {
        *self = DabCanvas { n_painted: self.n_painted, ..DabCanvas::default() };
    }

    /// The cells of every signal in a rectangle.
    ///
    /// # Errors
    /// Errors of the engine.
    pub fn cells(&self, engine: &Engine, rect: &CellRect) -> Result<Vec<EngineRegion>> {
        self.signals.iter().map(|(_, canvas)| engine.crop(canvas, rect)).collect()
    }

    /// The cells of a signal after exactly `n_dabs` dabs; `None` if another number is painted or the signal is missing.
    pub fn painted(&self, signal: Signal, n_dabs: usize) -> Option<&EngineRegion> {
        if self.n_done != n_dabs {
            return None;
        }
        self.signals.iter().find(|(of, _)| *of == signal).map(|(_, region)| region)
    }
}
