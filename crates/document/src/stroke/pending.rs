//! The preview of a released edit that the sound does not include yet, for strokes that begin on it.

use crate::base::Result;
use crate::document::Edit;
use crate::dsp::selections::mask;
use crate::dsp::selections::mask::StrokeMask;
use crate::dsp::{CellRect, Grid, Mask};
use crate::engine::{Engine, EngineRegion};

/// A released edit that the sound does not include yet.
#[derive(Debug)]
pub struct Pending {
    edit: Edit,
    /// Mask of its stroke on each grid used so far.
    masks: Vec<StrokeMask>,
}

impl Pending {
    /// A pending edit without masks.
    pub fn new(edit: Edit) -> Pending {
        Pending { edit, masks: Vec::new() }
    }

    /// Computes the mask for a grid, once.
    pub fn ready(&mut self, grid: &Grid) {
        if let Some(stroke) = &self.edit.stroke
            && self.masks.iter().all(|mask| mask.grid() != grid)
        {
            self.masks.push(StrokeMask::of(grid, stroke));
        }
    }

    fn mask(&self, grid: &Grid, rect: &CellRect) -> Mask {
        let select = self.edit.select.as_ref();
        match self.masks.iter().find(|mask| mask.grid() == grid) {
            Some(mask) => mask.evaluate(select, rect),
            None => mask::evaluate(grid, self.edit.stroke.as_ref(), select, self.edit.strength, rect),
        }
    }

    /// The cells after the edit. Unchanged for a brush whose cells depend on each other, since it has no kernel of
    /// single cells.
    ///
    /// # Errors
    /// Engine errors.
    pub fn paint(&self, engine: &Engine, grid: &Grid, before: EngineRegion) -> Result<EngineRegion> {
        match self.edit.brush.cell_kernel(grid) {
            Ok(kernel) => engine.run(&kernel, &before, &self.mask(grid, before.rect())),
            Err(_) => Ok(before),
        }
    }
}
