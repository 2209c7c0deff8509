//! Rows of the panel's list, and the displayed data of a sound.

use crate::library::identity::duplicates::DuplicateLevel;
use crate::library::search::FoundSound;
use serde_json::Value;
use std::path::PathBuf;

/// Minimum share of voiced frames for a pitch to be shown: tonal clips have at least 0.42, drums at most 0.01.
const MIN_VOICED_SHARE: f64 = 0.25;
/// Minimum harmonicity for a key to be shown: tonal clips have at least 0.89, noise, speech and drums at most 0.53.
pub(super) const MIN_HARMONICITY: f64 = 0.7;

/// A kind of list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum LibraryMode {
    /// Results of the query.
    #[default]
    All,
    /// Sounds similar to the selection, or to a sound of the library.
    Similar,
    /// Duplicates.
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
        /// The weakest level that joins the group.
        level: DuplicateLevel,
        /// The first sound: the one to keep, unless they overlap.
        keep: i64,
        /// Offset in seconds from the start of the first sound.
        offset_secs: f32,
        /// Overlap in seconds with the first sound, of sounds that overlap; 0 for the first.
        overlap_secs: Option<f32>,
    },
}

/// Displayed data of a sound.
#[derive(Debug, Clone, PartialEq)]
pub struct LibraryRow {
    /// Id in the library.
    pub id: i64,
    /// The first of its files.
    pub path: PathBuf,
    /// Number of files with this sound.
    pub n_files: usize,
    /// Whether it was analysed, rather than only its header read.
    pub is_analysed: bool,
    /// Length in seconds.
    pub duration_secs: f64,
    /// `A minor`; `None` for sounds without a key: speech, drums, noise.
    pub key: Option<String>,
    /// Integrated loudness.
    pub lufs: Option<f64>,
    /// Inter-sample peak.
    pub true_peak_dbtp: Option<f64>,
    /// Its pitch, which is placed at the pointer on the canvas; `None` for drums and noise.
    pub pitch_hz: Option<f64>,
}

impl LibraryRow {
    /// `None` for a sound whose files are gone.
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

    /// The name of its file.
    pub fn name(&self) -> String {
        self.path.file_name().unwrap_or(self.path.as_os_str()).to_string_lossy().into_owned()
    }
}

/// The kind of a duplicate, for display.
pub fn duplicate_words(level: DuplicateLevel) -> &'static str {
    match level {
        DuplicateLevel::File => "same file",
        DuplicateLevel::Audio => "same audio",
        DuplicateLevel::Recording => "same recording",
        DuplicateLevel::Picture => "looks alike",
        DuplicateLevel::Overlap => "overlaps",
    }
}
