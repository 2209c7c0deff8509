//! Smudge: drags sound along, dab by dab, like wet paint.

use super::module::{BrushModule, StrokeUse};

/// Drags sound along, dab by dab, like wet paint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Smudge;

impl BrushModule for Smudge {
    const KIND: &'static str = "smudge";
    const NAME: &'static str = "Smudge";
    const BUILDS_UP: bool = false;
    const IS_ON_FINE_GRID: bool = true;

    fn usual() -> Option<Smudge> {
        Some(Smudge)
    }

    fn stroke_use(&self) -> StrokeUse {
        StrokeUse::Required(Smudge::KIND)
    }
}
