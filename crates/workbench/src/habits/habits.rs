//! What outlives the program, beside documents.

use super::keeper::Keeper;
use crate::keeping::KeptNames;

/// What is remembered unasked, and what the user keeps by a name.
pub struct Habits {
    /// Writes what is remembered.
    pub keeper: Keeper,
    /// Noise profiles and presets.
    pub keeping: KeptNames,
}
