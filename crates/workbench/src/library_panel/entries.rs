//! Rows of the panel's list, and the displayed data of a sound.

use crate::library::identity::duplicates::DuplicateLevel;
use crate::library::search::FoundSound;
use serde_json::Value;
use std::path::PathBuf;

/// Minimum share of voiced frames for a pitch to be shown: tonal clips have at least 0.42, drums at most 0.01.
const MIN_VOICED_SHARE: f64 = 0.25;
/// Minimum harmonicity for a key to be shown: tonal clips have at least 0.89, noise, speech and drums at most 0.53.
pub(super) const MIN_HARMONICITY: f64 = 0.7;

/// Content of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum LibraryMode {
    /// Results of the query.
    #[default]
    All,
    /// Sounds similar to the selection, or to a sound of the library.
    Similar,
    /// All duplicates of the library, in groups.
    Duplicates,
}

/// A row of the list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ListEntry {
    /// Id of the sound in the library.
    pub id: i64,
    /// Why it is listed.
    pub note: EntryNote,
}

/// Why a sound is listed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum EntryNote {
    /// It matches the query.
    Found,
    /// Its similarity to the compared sound; 100 is identical.
    Alike(f32),
    /// It belongs to a group of duplicates.
    Copy {
        /// The group, from 0.
        group: u32,
        /// The weakest match among the sounds of the group.
        level: DuplicateLevel,
        /// Id of the group's first sound: the one to keep, unless the sounds only overlap.
        keep: i64,
        /// Offset of this sound from the start of the first, in seconds.
        offset_secs: f32,
        /// Overlap with the first sound in seconds, if the sounds of the group only overlap; 0 for the first sound
        /// itself.
        overlap_secs: Option<f32>,
    },
}

/// Displayed data of a sound.
#[derive(Debug, Clone, PartialEq)]
pub struct LibraryRow {
    /// Id in the library.
    pub id: i64,
    /// Path of its file; the first if there are several.
    pub path: PathBuf,
    /// Number of files with identical content.
    pub n_files: usize,
    /// Whether its samples were analysed; otherwise only its header was read.
    pub is_analysed: bool,
    /// Length in seconds.
    pub duration_secs: f64,
    /// For example `A minor`; `None` for sounds without a key, such as speech, drums and noise.
    pub key: Option<String>,
    /// Integrated loudness.
    pub lufs: Option<f64>,
    /// Inter-sample peak.
    pub true_peak_dbtp: Option<f64>,
    /// Fundamental frequency, which is transposed to the pointer's frequency on pasting; `None` for drums and noise.
    pub pitch_hz: Option<f64>,
}

impl LibraryRow {
    /// The row of a sound; `None` if all its files are gone.
    pub(super) fn of(sound: &FoundSound) -> Option<LibraryRow> {
        let number = |name: &str| sound.values.get(name).and_then(Value::as_f64);
        let is_voiced = number("voiced_ratio").is_some_and(|share| share >= MIN_VOICED_SHARE);
        let is_tonal = number("harmonic_ratio").is_some_and(|share| share >= MIN_HARMONICITY);
        Some(LibraryRow {
            id: sound.id,
            path: sound.paths.first()?.0.clone(),
            n_files: sound.paths.len(),
            is_analysed: sound.values.get("silent").is_some_and(|silent| !silent.is_null()),
            duration_secs: number("duration_secs").unwrap_or_default(),
            key: sound.values.get("key").and_then(Value::as_str).filter(|_| is_tonal).map(str::to_owned),
            lufs: number("lufs"),
            true_peak_dbtp: number("true_peak_dbtp"),
            pitch_hz: number("f0_hz").filter(|hz| is_voiced && *hz > 0.0),
        })
    }

    /// File name, without folders.
    pub fn name(&self) -> String {
        self.path.file_name().unwrap_or(self.path.as_os_str()).to_string_lossy().into_owned()
    }
}

/// Text of a duplicate's level, for display.
pub fn duplicate_words(level: DuplicateLevel) -> &'static str {
    match level {
        DuplicateLevel::File => "same file",
        DuplicateLevel::Audio => "same audio",
        DuplicateLevel::Recording => "same recording",
        DuplicateLevel::Picture => "looks alike",
        DuplicateLevel::Overlap => "overlaps",
    }
}
