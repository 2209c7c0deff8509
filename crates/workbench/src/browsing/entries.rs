//! What the panel lists, and what it shows of a sound.

use crate::library::duplicates::DuplicateLevel;
use crate::library::search::FoundSound;
use serde_json::Value;
use std::path::PathBuf;

/// A sound with this share of voiced frames has a pitch: the least of the tonal clips is 0.42, the most of drums 0.01.
const LEAST_VOICED: f64 = 0.25;
/// A sound this harmonic has a key: the least of the tonal clips is 0.89, the most of noise, speech and drums 0.53.
pub(super) const LEAST_HARMONIC: f64 = 0.7;

/// Which sounds are listed.
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
    /// The sound's number in the library.
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
    /// It is one of a group of duplicates.
    Copy {
        /// The group, from 0.
        group: u32,
        /// The weakest level that joins the group.
        level: DuplicateLevel,
        /// The first sound: the one to keep, unless they overlap.
        keep: i64,
        /// Seconds into the first sound at which it begins.
        offset_secs: f32,
        /// Seconds that it shares with the first sound, of sounds that overlap; 0 for the first.
        overlap_secs: Option<f32>,
    },
}

/// What is shown of a sound.
#[derive(Debug, Clone, PartialEq)]
pub struct LibraryRow {
    /// Its number in the library.
    pub id: i64,
    /// The first of its files.
    pub path: PathBuf,
    /// How many files hold it.
    pub n_files: usize,
    /// Whether more is known than what its header says.
    pub is_analysed: bool,
    /// Length.
    pub duration_secs: f64,
    /// `A minor`; none of what has no key: speech, drums, noise.
    pub key: Option<String>,
    /// Integrated loudness.
    pub lufs: Option<f64>,
    /// Peak between samples.
    pub true_peak_dbtp: Option<f64>,
    /// Its pitch, which is placed at the pointer on the canvas; `None` of drums and noise.
    pub pitch_hz: Option<f64>,
}

impl LibraryRow {
    /// `None` of a sound that has no file any more.
    pub(super) fn of(sound: &FoundSound) -> Option<LibraryRow> {
        let number = |name: &str| sound.values.get(name).and_then(Value::as_f64);
        let is_voiced = number("voiced_ratio").is_some_and(|share| share >= LEAST_VOICED);
        let is_tonal = number("harmonic_ratio").is_some_and(|share| share >= LEAST_HARMONIC);
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

/// In which way a sound is a duplicate.
pub fn duplicate_words(level: DuplicateLevel) -> &'static str {
    match level {
        DuplicateLevel::File => "same file",
        DuplicateLevel::Audio => "same audio",
        DuplicateLevel::Recording => "same recording",
        DuplicateLevel::Picture => "looks alike",
        DuplicateLevel::Overlap => "overlaps",
    }
}
