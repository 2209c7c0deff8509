//! Acts on saved items, and questions about them.

use super::kind::PresetKind;
use crate::files::{NormaliseOptions, StretchOptions};
use crate::settings::tools::ToolPreset;
use std::sync::Arc;

/// An act on saved noise profiles and presets.
#[derive(Debug, Clone)]
pub enum PresetAct {
    /// Uses a saved item: the noise profile, or the settings.
    Use {
        /// The kind.
        kind: PresetKind,
        /// The name.
        name: String,
        /// Previews the noise reduction afterwards.
        reduces: bool,
    },
    /// Applies a preset to the open card, and shows the card again.
    UseOnCard {
        /// The name.
        name: String,
        /// The card.
        card: PresetCard,
    },
    /// Makes the last learnt noise current again.
    UseLearnt,
    /// Asks for the name under which to save the current noise or settings.
    AskName {
        /// The kind.
        kind: PresetKind,
        /// The card with these settings, shown again afterwards.
        card: Option<PresetCard>,
    },
    /// Asks for one of the saved names.
    AskWhich {
        /// The kind.
        kind: PresetKind,
        /// What to do with it.
        purpose: PresetPurpose,
    },
    /// Saves under the typed name.
    Save(PresetSaveOptions),
    /// Deletes a name and its file.
    Remove {
        /// The kind.
        kind: PresetKind,
        /// The name.
        name: String,
    },
}

/// A card whose settings can be saved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PresetCard {
    /// Normalising.
    Normalise(NormaliseOptions),
    /// Stretching a selection.
    Stretch(StretchOptions),
    /// Pitch shift in semitones.
    PitchShift(f64),
}

/// The purpose of choosing a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PresetPurpose {
    /// Use it.
    Use,
    /// Reduce this noise.
    Reduce,
    /// Delete it.
    Remove,
}

/// A name to save an item under.
#[derive(Debug, Clone)]
pub struct PresetSaveOptions {
    /// The kind.
    pub kind: PresetKind,
    /// The name as typed so far.
    pub text: String,
    /// The existing names.
    pub names: Arc<[String]>,
    /// The existing name that the user has agreed to replace.
    pub replaces: Option<String>,
    /// The settings; unused for the current noise profile.
    pub preset: ToolPreset,
    /// The card with these settings.
    pub card: Option<PresetCard>,
}

/// A choice of one of the names.
#[derive(Debug, Clone)]
pub struct PresetQuestion {
    /// The kind.
    pub kind: PresetKind,
    /// What to do with the name.
    pub purpose: PresetPurpose,
    /// The names.
    pub names: Arc<[String]>,
    /// The typed filter.
    pub text: String,
    /// Row that Enter chooses.
    pub row: usize,
}

impl PresetQuestion {
    /// Names that contain the typed text.
    pub fn matching(&self) -> Vec<&str> {
        let typed = self.text.trim().to_lowercase();
        self.names.iter().map(String::as_str).filter(|name| name.to_lowercase().contains(&typed)).collect()
    }

    /// What choosing a name does.
    pub fn act(&self, name: &str) -> PresetAct {
        let (kind, name) = (self.kind, name.to_owned());
        match self.purpose {
            PresetPurpose::Use => PresetAct::Use { kind, name, reduces: false },
            PresetPurpose::Reduce => PresetAct::Use { kind, name, reduces: true },
            PresetPurpose::Remove => PresetAct::Remove { kind, name },
        }
    }
}
