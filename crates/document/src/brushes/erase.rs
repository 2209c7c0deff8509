//! Erase: to silence.

use super::module::{BrushModule, Locality, MagnitudeScale};
use crate::base::Result;
use crate::dsp::kernels::EraseKernel;
use crate::dsp::{Grid, Kernel};

/// To silence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Erase;

impl BrushModule for Erase {
    const KIND: &'static str = "erase";
    const NAME: &'static str = "Erase";
    const LOCALITY: Locality = Locality::Cell;

    fn usual() -> Option<Erase> {
        Some(Erase)
    }

    fn leaves_holes(&self) -> bool {
        true
    }

    fn works_on_rows(&self) -> Result<()> {
        Ok(())
    }

    fn cell_kernel(&self, _: &Grid, _: MagnitudeScale) -> Result<Option<Kernel>> {
        Ok(Some(EraseKernel.into()))
    }
}
