//! Presets of edits that a card asks about.

use super::kind::KeptKind;
use crate::base::Result;
use crate::files::{NormaliseWish, Question, StretchWish};
use crate::limits::{SEMITONES, STRETCH_PERCENT, held};
use crate::tools::Preset;
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

impl KeptKind {
    /// The kind of the settings on a card; none where the card has none to keep.
    pub fn of_card(card: &Question) -> Option<KeptKind> {
        preset_of(card).map(|(kind, _)| kind)
    }
}

/// What a card is set to.
pub(super) fn preset_of(card: &Question) -> Option<(KeptKind, Preset)> {
    match card {
        Question::Normalise(wish) => {
            let NormaliseWish { is_loudness, peak_db, loudness_lufs, .. } = *wish;
            let settings = NormaliseSettings { is_loudness, peak_db, loudness_lufs };
            Some((KeptKind::Normalise, Preset::of(&settings)))
        }
        Question::Stretch(StretchWish { percent, replaces, .. }) => {
            let settings = StretchSettings { percent: *percent, replaces: *replaces };
            Some((KeptKind::Stretch, Preset::of(&settings)))
        }
        Question::PitchShift { semitones } => {
            Some((KeptKind::PitchShift, Preset::of(&PitchSettings { semitones: *semitones })))
        }
        _ => None,
    }
}

/// A card set as a preset says, within what its fields take.
///
/// # Errors
/// For a preset of something else.
pub(super) fn with_preset(card: Question, preset: &Preset) -> Result<Question> {
    Ok(match card {
        Question::Normalise(wish) => {
            let NormaliseSettings { is_loudness, peak_db, loudness_lufs } = preset.read()?;
            Question::Normalise(NormaliseWish { is_loudness, peak_db, loudness_lufs, ..wish }.within_limits())
        }
        Question::Stretch(wish) => {
            let StretchSettings { percent, replaces } = preset.read()?;
            Question::Stretch(StretchWish { percent: held(percent, STRETCH_PERCENT, 100.0), replaces, ..wish })
        }
        Question::PitchShift { .. } => {
            let PitchSettings { semitones } = preset.read()?;
            Question::PitchShift { semitones: held(semitones, SEMITONES, 0.0) }
        }
        other => other,
    })
}

/// Whether a preset is one of this kind of card.
///
/// # Errors
/// If not.
pub(super) fn check(kind: KeptKind, preset: &Preset) -> Result<()> {
    match kind {
        KeptKind::Normalise => preset.read::<NormaliseSettings>().map(drop),
        KeptKind::Stretch => preset.read::<StretchSettings>().map(drop),
        KeptKind::PitchShift => preset.read::<PitchSettings>().map(drop),
        KeptKind::Noise | KeptKind::Tool(_) | KeptKind::RemoveHum => Ok(()),
    }
}
