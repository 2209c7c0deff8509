//! State that outlives the program, apart from documents.

use super::writer::PreferencesWriter;
use crate::settings::presets::PresetStore;

/// Remembered state, and what the user saves under names.
pub struct Preferences {
    /// Writes the remembered state.
    pub keeper: PreferencesWriter,
    /// Noise profiles and presets.
    pub keeping: PresetStore,
}
