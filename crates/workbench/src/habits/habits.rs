//! State that outlives the program, apart from documents.

use super::keeper::Keeper;
use crate::keeping::KeptNames;

/// Remembered state, and what the user saves under names.
pub struct Habits {
    /// Writes the remembered state.
    pub keeper: Keeper,
    /// Noise profiles and presets.
    pub keeping: KeptNames,
}
