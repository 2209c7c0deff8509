//! Presets of edits that are set up on a card.

use super::kind::KeptKind;
use super::wish::KeptCard;
use crate::base::Result;
use crate::files::{NormaliseWish, Question, StretchWish};
use crate::limits::{SEMITONES, STRETCH_PERCENT, held};
use crate::tools::ToolPreset;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct NormaliseSettings {
    is_loudness: bool,
    peak_db: f64,
    loudness_lufs: f64,
}

#[derive(Serialize, Deserialize)]
struct StretchSettings {
    percent: f64,
    replaces: bool,
}

#[derive(Serialize, Deserialize)]
struct PitchSettings {
    semitones: f64,
}

impl KeptCard {
    /// The card of a question; none if it has no settings to save.
    pub fn of(question: &Question) -> Option<KeptCard> {
        match question {
            Question::Normalise(wish) => Some(KeptCard::Normalise(*wish)),
            Question::Stretch(wish) => Some(KeptCard::Stretch(*wish)),
            Question::PitchShift { semitones } => Some(KeptCard::PitchShift(*semitones)),
            _ => None,
        }
    }

    /// The kind of its settings.
    pub fn kind(&self) -> KeptKind {
        match self {
            KeptCard::Normalise(_) => KeptKind::Normalise,
            KeptCard::Stretch(_) => KeptKind::Stretch,
            KeptCard::PitchShift(_) => KeptKind::PitchShift,
        }
    }

    /// The question that shows the card again.
    pub(super) fn question(self) -> Question {
        match self {
            KeptCard::Normalise(wish) => Question::Normalise(wish),
            KeptCard::Stretch(wish) => Question::Stretch(wish),
            KeptCard::PitchShift(semitones) => Question::PitchShift { semitones },
        }
    }

    /// The card's settings as a preset.
    pub(super) fn preset(&self) -> ToolPreset {
        match *self {
            KeptCard::Normalise(NormaliseWish { is_loudness, peak_db, loudness_lufs, .. }) => {
                ToolPreset::of(&NormaliseSettings { is_loudness, peak_db, loudness_lufs })
            }
            KeptCard::Stretch(StretchWish { percent, replaces, .. }) => {
                ToolPreset::of(&StretchSettings { percent, replaces })
            }
            KeptCard::PitchShift(semitones) => ToolPreset::of(&PitchSettings { semitones }),
        }
    }

    /// The card with the settings of a preset, limited to its fields' ranges.
    ///
    /// # Errors
    /// For a preset of something else.
    pub(super) fn with_preset(self, preset: &ToolPreset) -> Result<KeptCard> {
        Ok(match self {
            KeptCard::Normalise(wish) => {
                let NormaliseSettings { is_loudness, peak_db, loudness_lufs } = preset.read()?;
                KeptCard::Normalise(NormaliseWish { is_loudness, peak_db, loudness_lufs, ..wish }.within_limits())
            }
            KeptCard::Stretch(wish) => {
                let StretchSettings { percent, replaces } = preset.read()?;
                KeptCard::Stretch(StretchWish { percent: held(percent, STRETCH_PERCENT, 100.0), replaces, ..wish })
            }
            KeptCard::PitchShift(_) => {
                let PitchSettings { semitones } = preset.read()?;
                KeptCard::PitchShift(held(semitones, SEMITONES, 0.0))
            }
        })
    }
}

/// Whether a preset fits this kind of card.
///
/// # Errors
/// If not.
pub(super) fn check(kind: KeptKind, preset: &ToolPreset) -> Result<()> {
    match kind {
        KeptKind::Normalise => preset.read::<NormaliseSettings>().map(drop),
        KeptKind::Stretch => preset.read::<StretchSettings>().map(drop),
        KeptKind::PitchShift => preset.read::<PitchSettings>().map(drop),
        KeptKind::Noise | KeptKind::Tool(_) | KeptKind::Repair(_) => Ok(()),
    }
}
