//! Acts on saved items, and questions about them.

use super::kind::KeptKind;
use crate::files::{NormaliseWish, StretchWish};
use crate::tools::ToolPreset;
use std::sync::Arc;

/// An act on saved noise profiles and presets.
#[derive(Debug, Clone)]
pub enum KeepAct {
    /// Uses a saved item: the noise profile, or the settings.
    Use {
        /// The kind.
        kind: KeptKind,
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
        card: KeptCard,
    },
    /// Makes the last learnt noise current again.
    UseLearnt,
    /// Asks for the name under which to save the current noise or settings.
    AskName {
        /// The kind.
        kind: KeptKind,
        /// The card with these settings, shown again afterwards.
        card: Option<KeptCard>,
    },
    /// Asks for one of the saved names.
    AskWhich {
        /// The kind.
        kind: KeptKind,
        /// What to do with it.
        purpose: KeptPurpose,
    },
    /// Saves under the typed name.
    Save(KeepWish),
    /// Deletes a name and its file.
    Remove {
        /// The kind.
        kind: KeptKind,
        /// The name.
        name: String,
    },
}

/// A card whose settings can be saved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum KeptCard {
    /// Normalising.
    Normalise(NormaliseWish),
    /// Stretching a selection.
    Stretch(StretchWish),
    /// Pitch shift in semitones.
    PitchShift(f64),
}

/// The purpose of choosing a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeptPurpose {
    /// Use it.
    Use,
    /// Reduce this noise.
    Reduce,
    /// Delete it.
    Remove,
}

/// A name to save an item under.
#[derive(Debug, Clone)]
pub struct KeepWish {
    /// The kind.
    pub kind: KeptKind,
    /// The name as typed so far.
    pub text: String,
    /// The existing names.
    pub names: Arc<[String]>,
    /// The existing name that the user has agreed to replace.
    pub replaces: Option<String>,
    /// The settings; unused for the current noise profile.
    pub preset: ToolPreset,
    /// The card with these settings.
    pub card: Option<KeptCard>,
}

/// A choice of one of the names.
#[derive(Debug, Clone)]
pub struct KeptQuestion {
    /// The kind.
    pub kind: KeptKind,
    /// What to do with the name.
    pub purpose: KeptPurpose,
    /// The names.
    pub names: Arc<[String]>,
    /// The typed filter.
    pub text: String,
    /// Row that Enter chooses.
    pub row: usize,
}

impl KeptQuestion {
    /// Names that contain the typed text.
    pub fn matching(&self) -> Vec<&str> {
        let typed = self.text.trim().to_lowercase();
        self.names.iter().map(String::as_str).filter(|name| name.to_lowercase().contains(&typed)).collect()
    }

    /// What choosing a name does.
    pub fn act(&self, name: &str) -> KeepAct {
        let (kind, name) = (self.kind, name.to_owned());
        match self.purpose {
            KeptPurpose::Use => KeepAct::Use { kind, name, reduces: false },
            KeptPurpose::Reduce => KeepAct::Use { kind, name, reduces: true },
            KeptPurpose::Remove => KeepAct::Remove { kind, name },
        }
    }
}
