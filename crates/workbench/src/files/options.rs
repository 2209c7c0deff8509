//! Settings on the cards of edits that ask first, and of an export by label.

use crate::base::{Error, ErrorKind, Result};
use crate::bench::limits::{FADE_MS, PAD_SECS, held};
use crate::document::brushes::Normalise;
use crate::document::labels::{NamePattern, NamedFiles, PartChoice};
use crate::document::{Delivery, PartsOrder, PartsSound, PartsTable, SoundLevels};
use std::path::Path;

/// How to stretch a selection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StretchOptions {
    /// The new length, in percent of the old one.
    pub percent: f64,
    /// Whether the selection is erased first, so that the result takes its place.
    pub replaces: bool,
    /// Length of the selection in seconds, to state that of the result.
    pub selected_secs: f64,
}

/// How to normalise a sound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NormaliseOptions {
    /// Whether to normalise loudness rather than the peak.
    pub is_loudness: bool,
    /// Target level of the loudest sample.
    pub peak_db: f64,
    /// Target loudness, integrated, by BS.1770.
    pub loudness_lufs: f64,
    /// Whether only the selection is normalised rather than the whole file, for display.
    pub is_selection: bool,
}

impl Default for NormaliseOptions {
    fn default() -> NormaliseOptions {
        // What streaming services play at.
        let loudness_lufs = -14.0;
        NormaliseOptions { is_loudness: false, peak_db: Normalise::PEAK_DB, loudness_lufs, is_selection: false }
    }
}

impl NormaliseOptions {
    /// The levels after normalising a sound with these levels; `None` where it has no loudness to start from.
    pub fn result(&self, levels: SoundLevels) -> Option<SoundLevels> {
        let gain_db = match self.is_loudness {
            true => self.loudness_lufs - levels.loudness_lufs?,
            false => self.peak_db - levels.peak_db,
        };
        let loudness_lufs = levels.loudness_lufs.map(|lufs| lufs + gain_db);
        Some(SoundLevels { peak_db: levels.peak_db + gain_db, loudness_lufs })
    }

    /// Whether the result would exceed full scale for a sound with these levels.
    pub fn passes_peak(&self, levels: SoundLevels) -> bool {
        // Nothing clips at a target peak, even after rounding.
        self.is_loudness && self.result(levels).is_some_and(|after| after.peak_db > 0.0)
    }

    /// The request limited to the loudness at which no peak exceeds full scale.
    #[must_use]
    pub fn stopped_at_peak(self) -> NormaliseOptions {
        NormaliseOptions { is_loudness: false, peak_db: 0.0, ..self }
    }

    /// The request with its levels limited to their ranges; the default for those that are not numbers.
    #[must_use]
    pub(crate) fn within_limits(self) -> NormaliseOptions {
        let usual = NormaliseOptions::default();
        NormaliseOptions {
            peak_db: held(self.peak_db, Normalise::LEVELS, usual.peak_db),
            loudness_lufs: held(self.loudness_lufs, Normalise::LEVELS, usual.loudness_lufs),
            ..self
        }
    }

    /// The brush, with its numbers limited to their ranges.
    pub(crate) fn brush(&self) -> Normalise {
        let options = self.within_limits();
        match options.is_loudness {
            true => Normalise::to_loudness(options.loudness_lufs),
            false => Normalise::to_peak(options.peak_db),
        }
    }
}

/// The sample rate of a new document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResampleOptions {
    /// Samples per second.
    pub rate_hz: u32,
    /// The rate of the document in front.
    pub from_hz: u32,
}

/// The labels to export as files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PartLabels {
    /// All labels.
    #[default]
    All,
    /// Labels with a text.
    WithText,
    /// Labels shown in the list.
    Listed,
}

/// The table to write with the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PartsTableKind {
    /// No table.
    #[default]
    None,
    /// Sonobrush's table of labels, with each label's file.
    Csv,
    /// `metadata.csv` for Hugging Face datasets.
    HuggingFace,
}

impl PartsTableKind {
    /// In the order of the menu.
    pub const ALL: [PartsTableKind; 3] = [PartsTableKind::None, PartsTableKind::Csv, PartsTableKind::HuggingFace];
}

/// Settings on the card of an export by label, as text where typed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PartsOptions {
    /// Id of the document.
    pub document: u64,
    /// The output folder.
    pub folder: String,
    /// Pattern of the file names; empty: the default.
    pub pattern: String,
    /// The labels to export.
    pub labels: PartLabels,
    /// Text pattern of the labels: `*` matches any letters and `?` one.
    pub text: String,
    /// Filter of the label list when the card was opened.
    pub listed: String,
    /// Whether markers split the whole sound, rather than ranges being cut out.
    pub splits: bool,
    /// Padding before and after each range.
    pub pad_secs: [f64; 2],
    /// Fade at both ends of each file, in milliseconds.
    pub fade_ms: f64,
    /// Whether each file contains only the sound in the box of its label.
    pub is_band_only: bool,
    /// Format, rate and the like.
    pub delivery: Box<Delivery>,
    /// Name of the preset it was taken from.
    pub preset: Option<String>,
    /// The name being typed for a new preset.
    pub naming: Option<String>,
    /// The table to write.
    pub table: PartsTableKind,
    /// Whether existing files are replaced.
    pub replaces: bool,
}

impl PartsOptions {
    /// The order for a sound, its numbers limited to their ranges; `folder` is the typed one, as a path.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) without a folder, and for names that are no pattern.
    pub(crate) fn order(&self, folder: &Path, sound: &PartsSound) -> Result<PartsOrder> {
        if folder.as_os_str().is_empty() {
            return Err(Error::new(ErrorKind::Script, "there is no folder for the files; choose one"));
        }
        let pattern = if self.pattern.trim().is_empty() { NamePattern::DEFAULT_PATTERN } else { self.pattern.trim() };
        let table = match self.table {
            PartsTableKind::None => PartsTable::None,
            PartsTableKind::Csv => PartsTable::Csv(folder.join(format!("{}-parts.csv", sound.stem()))),
            PartsTableKind::HuggingFace => PartsTable::HuggingFace,
        };
        let takes_ranges = !self.splits;
        let pad_secs = self.pad_secs.map(|secs| if takes_ranges { held(secs, PAD_SECS, 0.0) } else { 0.0 });
        Ok(PartsOrder {
            folder: folder.to_path_buf(),
            choice: PartChoice {
                splits: self.splits,
                pattern: (self.labels == PartLabels::WithText).then(|| self.text.clone()),
                filter: if self.labels == PartLabels::Listed { self.listed.clone() } else { String::new() },
                pad_secs,
            },
            pattern: NamePattern::parse(pattern, NamedFiles::Parts)?,
            fade_ms: held(self.fade_ms, FADE_MS, 0.0),
            is_band_only: self.is_band_only && takes_ranges,
            delivery: Delivery { name: None, ..(*self.delivery).clone() }.checked()?,
            table,
            replaces: self.replaces,
        })
    }
}
