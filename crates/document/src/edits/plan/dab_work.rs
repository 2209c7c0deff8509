//! One dab of an edit painted dab by dab, each on the result of the previous one.

use crate::base::Result;
use crate::dsp::{Kernel, Mask};
use crate::engine::{Engine, EngineRegion};

/// Dabs, prepared in order.
pub type DabWorks<'b> = Box<dyn Iterator<Item = Result<DabWork>> + 'b>;

/// One dab of an edit painted dab by dab.
#[derive(Debug)]
pub struct DabWork {
    /// The prepared kernel.
    pub kernel: Kernel,
    /// Mask over the cells under the dab.
    pub mask: Mask,
    /// Whether the kernel needs a region of exactly the mask's cells.
    pub is_patch: bool,
    /// Whether the result must be mixed by the mask, because the kernel does not do it.
    pub is_mixed: bool,
}

impl DabWork {
    /// A dab of a kernel that mixes by the mask itself.
    pub fn new(kernel: Kernel, mask: Mask) -> DabWork {
        DabWork { kernel, mask, is_patch: false, is_mixed: false }
    }

    /// Paints the dab on the result of the previous ones.
    ///
    /// # Errors
    /// Errors of the engine.
    pub fn paint(&self, engine: &Engine, canvas: &mut EngineRegion) -> Result<()> {
        let patch = if self.is_patch { Some(engine.crop(canvas, &self.mask.rect)?) } else { None };
        let mut painted = engine.run(&self.kernel, patch.as_ref().unwrap_or(canvas), &self.mask)?;
        if self.is_mixed {
            painted = engine.combine(canvas, &painted, &self.mask, 0.0)?;
        }
        engine.paste(canvas, &painted)
    }
}
