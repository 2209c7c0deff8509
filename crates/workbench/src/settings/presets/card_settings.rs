//! Presets of edits whose settings are on a card (a dialog in the window).

use super::kind::PresetKind;
use super::preset_card::PresetCard;
use crate::base::Result;
use crate::bench::limits::{SEMITONES, STRETCH_PERCENT, held};
use crate::files::{NormaliseOptions, Question, StretchOptions};
use crate::settings::tools::ToolPreset;
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

impl PresetCard {
    /// The card of a question; `None` if it has no settings to save.
    pub fn of(question: &Question) -> Option<PresetCard> {
        match question {
            Question::Normalise(options) => Some(PresetCard::Normalise(*options)),
            Question::Stretch(options) => Some(PresetCard::Stretch(*options)),
            Question::PitchShift { semitones } => Some(PresetCard::PitchShift(*semitones)),
            _ => None,
        }
    }

    /// The kind of the card's presets.
    pub fn kind(&self) -> PresetKind {
        match self {
            PresetCard::Normalise(_) => PresetKind::Normalise,
            PresetCard::Stretch(_) => PresetKind::Stretch,
            PresetCard::PitchShift(_) => PresetKind::PitchShift,
        }
    }

    /// The question that opens the card with these settings.
    pub(super) fn question(self) -> Question {
        match self {
            PresetCard::Normalise(options) => Question::Normalise(options),
            PresetCard::Stretch(options) => Question::Stretch(options),
            PresetCard::PitchShift(semitones) => Question::PitchShift { semitones },
        }
    }

    /// The card's settings as a preset.
    pub(super) fn preset(&self) -> ToolPreset {
        match *self {
            PresetCard::Normalise(NormaliseOptions { is_loudness, peak_db, loudness_lufs, .. }) => {
                ToolPreset::of(&NormaliseSettings { is_loudness, peak_db, loudness_lufs })
            }
            PresetCard::Stretch(StretchOptions { percent, replaces, .. }) => {
                ToolPreset::of(&StretchSettings { percent, replaces })
            }
            PresetCard::PitchShift(semitones) => ToolPreset::of(&PitchSettings { semitones }),
        }
    }

    /// The card with the settings of a preset, clamped to the ranges of its fields.
    ///
    /// # Errors
    /// The preset belongs to another kind.
    pub(super) fn with_preset(self, preset: &ToolPreset) -> Result<PresetCard> {
        Ok(match self {
            PresetCard::Normalise(options) => {
                let NormaliseSettings { is_loudness, peak_db, loudness_lufs } = preset.read()?;
                PresetCard::Normalise(
                    NormaliseOptions { is_loudness, peak_db, loudness_lufs, ..options }.within_limits(),
                )
            }
            PresetCard::Stretch(options) => {
                let StretchSettings { percent, replaces } = preset.read()?;
                PresetCard::Stretch(StretchOptions {
                    percent: held(percent, STRETCH_PERCENT, 100.0),
                    replaces,
                    ..options
                })
            }
            PresetCard::PitchShift(_) => {
                let PitchSettings { semitones } = preset.read()?;
                PresetCard::PitchShift(held(semitones, SEMITONES, 0.0))
            }
        })
    }
}

/// Checks that a preset has the settings of a kind of card; accepts kinds without a card.
///
/// # Errors
/// The preset belongs to another kind.
pub(super) fn check(kind: PresetKind, preset: &ToolPreset) -> Result<()> {
    match kind {
        PresetKind::Normalise => preset.read::<NormaliseSettings>().map(drop),
        PresetKind::Stretch => preset.read::<StretchSettings>().map(drop),
        PresetKind::PitchShift => preset.read::<PitchSettings>().map(drop),
        PresetKind::Noise | PresetKind::Tool(_) | PresetKind::Repair(_) => Ok(()),
    }
}
