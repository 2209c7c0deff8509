//! Jobs that analyse the visible range.

use super::range::AutoRange;
use super::warm::Warm;
use crate::workbench::Reader;

/// Jobs that analyse the visible range.
#[derive(Default)]
pub struct Lookups {
    /// Reads the level and phase under the pointer.
    pub reader: Reader,
    /// Fits the colour range to the visible levels.
    pub auto_range: AutoRange,
    /// Prepares the engine for the first stroke.
    pub warm: Warm,
}
