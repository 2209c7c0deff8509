//! What is done with what is kept by a name, and what the user is asked about it.

use super::kind::KeptKind;
use crate::files::{NormaliseWish, StretchWish};
use crate::tools::ToolPreset;
use std::sync::Arc;

/// About what is kept by a name.
#[derive(Debug, Clone)]
pub enum KeepAct {
    /// Takes what is kept by a name in hand: the noise, or the settings.
    Use {
        /// The kind.
        kind: KeptKind,
        /// The name.
        name: String,
        /// Previews the reduction of that noise next.
        reduces: bool,
    },
    /// Puts a preset's settings on the card that is open, and shows the card again.
    UseOnCard {
        /// The name.
        name: String,
        /// The card.
        card: KeptCard,
    },
    /// Takes the noise that was learnt last in hand again.
    UseLearnt,
    /// Asks for the name under which to keep the current noise or settings.
    AskName {
        /// The kind.
        kind: KeptKind,
        /// The card whose settings they are, which is shown again afterwards.
        card: Option<KeptCard>,
    },
    /// Asks for one of the names.
    AskWhich {
        /// The kind.
        kind: KeptKind,
        /// For what.
        purpose: KeptPurpose,
    },
    /// Keeps it by the name that was typed.
    Save(KeepWish),
    /// Removes a name and its file.
    Remove {
        /// The kind.
        kind: KeptKind,
        /// The name.
        name: String,
    },
}

/// A card whose settings are kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum KeptCard {
    /// Asks to which level a sound is brought.
    Normalise(NormaliseWish),
    /// Asks how a selection is stretched.
    Stretch(StretchWish),
    /// Asks by how many semitones the pitch is moved.
    PitchShift(f64),
}

/// What a name is chosen for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeptPurpose {
    /// To take it in hand.
    Use,
    /// To reduce that noise.
    Reduce,
    /// To remove it.
    Remove,
}

/// A name under which to keep something.
#[derive(Debug, Clone)]
pub struct KeepWish {
    /// The kind.
    pub kind: KeptKind,
    /// The name as typed so far.
    pub text: String,
    /// The existing names.
    pub names: Arc<[String]>,
    /// The user has agreed to replace what this name has.
    pub replaces: Option<String>,
    /// The settings; the noise in hand needs none.
    pub preset: ToolPreset,
    /// The card whose settings they are.
    pub card: Option<KeptCard>,
}

/// A question for one of the names.
#[derive(Debug, Clone)]
pub struct KeptQuestion {
    /// The kind.
    pub kind: KeptKind,
    /// For what.
    pub purpose: KeptPurpose,
    /// The names.
    pub names: Arc<[String]>,
    /// What was typed to find one.
    pub text: String,
    /// Row that Enter takes.
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
