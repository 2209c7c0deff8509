//! Finishes phases after a brush has painted: one implementation on the CPU, for both engines.

use crate::dsp::Grid;
use crate::dsp::warps::displacement::Displacement;
use std::sync::Arc;

/// How the phases of painted cells are finished.
#[derive(Debug, Clone)]
pub enum Finish {
    /// [Rebuilt](crate::dsp::warps::phase) from the magnitudes, in this many steps.
    Rebuild(u32),
    /// Tones moved by a displacement [keep their frequency](crate::dsp::warps::peak_locking).
    Lock(Arc<Displacement>),
}

impl Finish {
    /// Reason that both engines do it on the CPU.
    pub fn why_on_cpu(&self) -> &'static str {
        match self {
            Finish::Rebuild(_) => "phases are integrated from loud to quiet cells",
            Finish::Lock(_) => "phases are summed in f64",
        }
    }

    /// Number of bins per frame processed together.
    pub fn n_bins(&self, grid: &Grid) -> usize {
        match self {
            Finish::Rebuild(_) => grid.n_bins(),
            Finish::Lock(field) => field.bins_read(grid.n_bins()).len(),
        }
    }
}
