//! What is found out about what is seen, in jobs.

use super::range::AutoRange;
use super::warm::Warm;
use crate::workbench::Reader;

/// Jobs that look at what is seen.
#[derive(Default)]
pub struct Lookups {
    /// Reads the place under the pointer.
    pub reader: Reader,
    /// Finds the range of levels.
    pub auto_range: AutoRange,
    /// Readies the engine for the first stroke.
    pub warm: Warm,
}
