//! Erase: reduces cells to silence.

use crate::base::Result;
use crate::brushes::module::{BrushGroup, BrushModule, BrushTool, ToolKey};
use crate::brushes::operation::{CellBrush, Locality, MagnitudeScale, Operation};
use crate::dsp::kernels::EraseKernel;
use crate::dsp::{Grid, Kernel};

/// Reduces cells to silence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Erase;

impl BrushModule for Erase {
    const KIND: &'static str = "erase";
    const NAME: &'static str = "Erase";
    const TOOL: Option<BrushTool> = Some(BrushTool {
        kind: Erase::KIND,
        id: "tool_erase",
        name: "Erase brush",
        what: "Silences the painted area.",
        keys: &[ToolKey::plain('E'), ToolKey::plain('4')],
        // Lucide's eraser.
        icon: '\u{e28f}',
        group: BrushGroup::Level,
    });

    fn omitted() -> Option<Erase> {
        Some(Erase)
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Cells(self)
    }
}

impl CellBrush for Erase {
    fn locality(&self) -> Locality {
        Locality::Cell
    }

    fn leaves_holes(&self) -> bool {
        true
    }

    fn cell_kernel(&self, _: &Grid, _: MagnitudeScale) -> Result<Option<Kernel>> {
        Ok(Some(EraseKernel.into()))
    }
}
