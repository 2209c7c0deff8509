//! State stored between runs, apart from documents.

use super::writer::PreferencesWriter;
use crate::settings::graphics::GraphicsSettings;
use crate::settings::presets::PresetStore;

/// The writer of remembered state, and the store of named presets.
pub struct Preferences {
    /// Writes the remembered state to the settings file.
    pub keeper: PreferencesWriter,
    /// Saved noise profiles and presets.
    pub keeping: PresetStore,
    /// Choice of the graphics adapter and the engine.
    pub graphics: GraphicsSettings,
}
