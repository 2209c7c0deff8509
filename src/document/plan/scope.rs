//! How much of an edit must be computed again when its stroke grows.

use super::{Plan, Recipe, Work};
use crate::base::Result;
use crate::dsp::{Axis, CellRect};

/// What a new piece of a stroke changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The cells that it reaches: each depends on its neighbourhood alone.
    Local,
    /// Perhaps every cell of the edit.
    Whole,
    /// What its dabs paint, each on the result of those before.
    Dabs,
    /// Only the finished stroke shows its effect.
    Finished,
}

impl Plan<'_> {
    /// See [`Scope`].
    pub fn scope(&self) -> Scope {
        match &self.recipe {
            Recipe::Cells(_) | Recipe::Noise { .. } => Scope::Local,
            Recipe::Clone { axis, units, .. } if *units == 0.0 || *axis == Axis::Linear => Scope::Local,
            Recipe::Dabs(_) | Recipe::Smudge(_) => Scope::Dabs,
            Recipe::Denoise { dabs, .. } if !dabs.is_empty() => Scope::Dabs,
            Recipe::Keep => Scope::Finished,
            Recipe::Denoise { .. }
            | Recipe::Patch(..)
            | Recipe::Warp(_)
            | Recipe::Tone(_)
            | Recipe::Heal(..)
            | Recipe::Clone { .. }
            | Recipe::Paste { .. } => Scope::Whole,
        }
    }

    /// Whether an edit gives the right cells from cells that other edits have changed: it reads no sound of its own.
    pub fn reads_cells_only(&self) -> bool {
        matches!(self.recipe, Recipe::Cells(_) | Recipe::Patch(..) | Recipe::Dabs(_))
    }

    /// Whether the phases of all cells depend on where the edit begins.
    pub fn is_phased_from_its_start(&self) -> bool {
        matches!(&self.recipe, Recipe::Clone { units, .. } if *units != 0.0)
    }

    /// Every cell that may change.
    pub fn bounds(&self) -> &CellRect {
        &self.bounds
    }

    /// The cells that all dabs together read.
    pub fn read_by_dabs(&self) -> CellRect {
        let read = self.bounds.grown(self.halo[0], self.halo[1], &self.grid.all_cells());
        match &self.recipe {
            Recipe::Smudge(_) => self.grid.all_bins(read.frames),
            _ => read,
        }
    }

    /// What the edit does on a rectangle within its bounds, for a [`Local`](Scope::Local) plan.
    ///
    /// # Errors
    /// As [`piece`](Plan::piece).
    pub fn work_on(&self, rect: CellRect) -> Result<Work> {
        self.work(0, rect)
    }
}
