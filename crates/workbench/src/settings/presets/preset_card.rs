//! Acts on saved noise profiles and presets, and their cards.

use super::kind::PresetKind;
use crate::files::{NormaliseOptions, StretchOptions};
use crate::settings::tools::ToolPreset;
use std::sync::Arc;

/// An act on saved noise profiles and presets.
#[derive(Debug, Clone)]
pub enum PresetAct {
    /// Loads a saved noise profile or preset and makes it current.
    Use {
        /// The kind.
        kind: PresetKind,
        /// The name.
        name: String,
        /// Whether to start a preview of noise reduction afterwards.
        reduces: bool,
    },
    /// Applies a preset to the open card, and shows the card again.
    UseOnCard {
        /// The name.
        name: String,
        /// The card.
        card: PresetCard,
    },
    /// Makes the last learnt noise profile current again.
    UseLearnt,
    /// Opens the card for the name under which to save the current noise profile or settings.
    AskName {
        /// The kind.
        kind: PresetKind,
        /// The card whose settings to save, opened again afterwards; `None` saves those of the tool.
        card: Option<PresetCard>,
    },
    /// Opens the card for choosing one of the saved names.
    AskWhich {
        /// The kind.
        kind: PresetKind,
        /// What to do with the chosen name.
        purpose: PresetPurpose,
    },
    /// Saves under a name.
    Save(PresetSaveOptions),
    /// Deletes the file of a name.
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

/// What to do with a chosen name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PresetPurpose {
    /// Make it current.
    Use,
    /// Make the noise profile current and preview its reduction.
    Reduce,
    /// Delete it.
    Remove,
}

/// A request to save a noise profile or preset, and the state of the card that makes it.
#[derive(Debug, Clone)]
pub struct PresetSaveOptions {
    /// The kind.
    pub kind: PresetKind,
    /// The name as typed so far.
    pub text: String,
    /// The existing names.
    pub names: Arc<[String]>,
    /// The existing name that the user has agreed to overwrite.
    pub replaces: Option<String>,
    /// The settings to save; unused for noise profiles.
    pub preset: ToolPreset,
    /// The card that the settings are of, if any.
    pub card: Option<PresetCard>,
}

/// State of the card for choosing a saved name.
#[derive(Debug, Clone)]
pub struct PresetQuestion {
    /// The kind.
    pub kind: PresetKind,
    /// What to do with the chosen name.
    pub purpose: PresetPurpose,
    /// The names.
    pub names: Arc<[String]>,
    /// Filter text as typed so far.
    pub text: String,
    /// Row of the filtered list that Enter chooses.
    pub row: usize,
}

impl PresetQuestion {
    /// Names that contain the filter text, ignoring case.
    pub fn matching(&self) -> Vec<&str> {
        let typed = self.text.trim().to_lowercase();
        self.names.iter().map(String::as_str).filter(|name| name.to_lowercase().contains(&typed)).collect()
    }

    /// The act that choosing a name performs.
    pub fn act(&self, name: &str) -> PresetAct {
        let (kind, name) = (self.kind, name.to_owned());
        match self.purpose {
            PresetPurpose::Use => PresetAct::Use { kind, name, reduces: false },
            PresetPurpose::Reduce => PresetAct::Use { kind, name, reduces: true },
            PresetPurpose::Remove => PresetAct::Remove { kind, name },
        }
    }
}
