//! Commands of saved noise profiles and presets.

use super::Menu;
use super::Need::{KeptNoise, Noise, Presets};
use super::table::icons;
use super::table::row::rows;

/// A command about saved noise profiles and presets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "its row says what each does")]
pub enum PresetCommand {
    SaveNoise,
    UseNoise,
    RemoveNoise,
    SavePreset,
    UsePreset,
    RemovePreset,
}

rows! { PresetCommand:
    NOISE in (Menu::Edit, "Repair") {
        SaveNoise => row("save_noise", "Save noise profile\u{2026}",
            "Saves the noise profile in hand under a name, for other files and other days.", &[Noise])
            .icon(icons::DOWNLOAD),
        UseNoise => row("use_noise", "Use saved noise profile\u{2026}",
            "Takes a saved noise profile in hand, in place of the one that was learnt.", &[KeptNoise]),
        RemoveNoise => row("remove_noise", "Remove saved noise profile\u{2026}",
            "Deletes a saved noise profile; edits made with it keep its numbers.", &[KeptNoise]).icon(icons::X),
    }
    PRESETS in (Menu::Edit, "Brush settings") {
        SavePreset => row("save_preset", "Save preset\u{2026}",
            "Saves the settings in the option bar under a name.", &[]).icon(icons::DOWNLOAD),
        UsePreset => row("use_preset", "Use preset\u{2026}",
            "Sets the tool or the preview as a saved preset says.", &[Presets]),
        RemovePreset => row("remove_preset", "Remove preset\u{2026}",
            "Deletes a saved preset of the tool or the preview.", &[Presets]).icon(icons::X),
    }
}
